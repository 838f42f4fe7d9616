/** How the parts of a control plane are: the store, and the scheduler and controller manager if they run on this machine. */
import { request } from 'node:https'
import { goDialError } from '../api/dial-error.ts'
import { reasonOf } from '../lib/fault.ts'
import type { ComponentHealth } from '../resources/kind-rules.ts'
import type { Store } from '../store/store.ts'

const timeoutMs = 2000
const maxAnswerBytes = 4096

export async function componentHealth(store: Store): Promise<ComponentHealth[]> {
  return Promise.all([probe('scheduler', 10_259), probe('controller-manager', 10_257), storeHealth(store)])
}

async function storeHealth(store: Store): Promise<ComponentHealth> {
  try {
    await store.health(AbortSignal.timeout(timeoutMs))
    return { name: 'etcd-0', healthy: true, message: 'ok', error: '' }
  } catch (error) {
    return { name: 'etcd-0', healthy: false, message: '', error: reasonOf(error) }
  }
}

/** Their certificates are their own: there is nothing to check them by, and nothing secret is said. */
function probe(name: string, port: number): Promise<ComponentHealth> {
  return new Promise((resolve) => {
    const url = `https://127.0.0.1:${port}/healthz`
    const fail = (error: Error): void => {
      resolve({
        name,
        healthy: false,
        message: `Get "${url}": ${goDialError(error, { host: '127.0.0.1', port })}`,
        error: '',
      })
    }
    const asked = request(url, { rejectUnauthorized: false, timeout: timeoutMs, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        if (text.length < maxAnswerBytes) text += part
      })
      answer.on('error', fail).on('end', () => {
        resolve({ name, healthy: answer.statusCode === 200, message: text.slice(0, maxAnswerBytes), error: '' })
      })
    })
    asked.on('timeout', () => asked.destroy(new Error('no answer in time'))).on('error', fail)
    asked.end()
  })
}
