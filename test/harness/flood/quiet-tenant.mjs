// The other tenant, in a thread of its own so that the flood's own work does not count: one get after the other over one
// connection, as a small controller does, with the time that each took, and the processor time that the server's main
// thread spent meanwhile: what it did before it came to this request. A busy machine makes the former long, not the latter.
import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const { url, token, path, pid } = workerData
const session = http2.connect(url, { rejectUnauthorized: false })
session.on('error', () => {})
let latencies = []
let works = []
let failures = 0
let running = true

parentPort.on('message', (message) => {
  if (message === 'take') parentPort.postMessage({ latencies, works, failures })
  if (message === 'take') [latencies, works, failures] = [[], [], 0]
  if (message === 'stop') running = false
})

while (running) {
  const worked = processorMs()
  const begun = performance.now()
  const status = await get()
  if (status === 200) {
    latencies.push(performance.now() - begun)
    works.push(processorMs() - worked)
  } else failures++
  await delay(5)
}
session.destroy()

function get() {
  return new Promise((resolve) => {
    const stream = session.request({ ':path': path, authorization: `Bearer ${token}`, 'impersonate-user': 'quiet' })
    let status = 0
    stream.on('response', (headers) => {
      status = headers[':status']
    })
    stream.on('data', () => {})
    stream.on('error', () => resolve(0))
    stream.on('close', () => resolve(status))
    stream.setTimeout(20_000, () => stream.close())
  })
}

/** Of the main thread, where the system tells; else 0. */
function processorMs() {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}
