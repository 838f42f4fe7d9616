// The clients of the benchmarks: one over Node's HTTP/2, and h2load where it can be had, which takes less of the machine.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import path from 'node:path'

export const token = 'bench-token'
const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }

/** With the windows of client-go: with those of Node a turn of events waits for the client several times. */
export function connect(url) {
  const session = http2.connect(url, {
    rejectUnauthorized: false,
    peerMaxConcurrentStreams: 1000,
    settings: { initialWindowSize: 4 << 20 },
  })
  session.on('connect', () => session.setLocalWindowSize(1 << 30))
  session.on('error', () => {})
  return session
}

/** Resolves with the bytes of the answer; a refusal rejects, with its text. */
export function call(session, method, target, body, type = 'application/json') {
  return new Promise((resolve, reject) => {
    const content = body === undefined ? {} : { 'content-type': type }
    const request = session.request({ ':method': method, ':path': target, ...headers, ...content })
    const chunks = []
    let status
    request.on('response', (answer) => {
      status = answer[':status']
    })
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const answer = Buffer.concat(chunks)
      if (status < 400) resolve(answer)
      else reject(new Error(`${method} ${target}: ${status} ${answer}`))
    })
    request.on('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/**
 * Connections of a client that goes on as client libraries do: asked to go elsewhere, it connects anew, and what was refused before it was
 * looked at is sent again.
 */
export function connectAll(url, count) {
  const sessions = Array.from({ length: count }, () => connect(url))
  const callBy = async (i, ...request) => {
    for (;;) {
      const session = sessions[i % count]
      if (session.closed || session.destroyed) sessions[i % count] = connect(url)
      try {
        return await call(sessions[i % count], ...request)
      } catch (error) {
        if (!/GOAWAY|REFUSED_STREAM/.test(`${error.code} ${error.message}`)) throw error
        sessions[i % count].close()
      }
    }
  }
  return { call: callBy, close: () => sessions.forEach((session) => void session.destroy()) }
}

export async function statusOf(url, target) {
  const session = connect(url)
  try {
    await call(session, 'GET', target)
    return 200
  } catch {
    return 0
  } finally {
    session.destroy()
  }
}

/** Jobs 0 to `count` - 1, `width` of them at a time. */
export async function pool(count, width, job) {
  let next = 0
  const worker = async () => {
    while (next < count) await job(next++)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** Resolves once the watch is answered. */
export function openWatch(session, target, onData) {
  return new Promise((resolve) => {
    const request = session.request({ ':path': target, ...headers })
    request.on('response', resolve)
    request.on('error', () => {})
    if (onData !== undefined) request.on('data', onData)
    request.end()
  })
}

/**
 * Drives a server by h2load for so many seconds, or with so many requests: `targets` in turns, with `body` if there is one. Gives the
 * requests a second, and how many there were.
 */
export function drive(url, { targets, method, body, type, connections = 4, streams = 8, seconds, requests, folder }) {
  const lines = Object.entries({ ...headers, ...(body === undefined ? {} : { 'content-type': type }) })
  const args = [
    '-c',
    connections,
    '-m',
    streams,
    '-t',
    1,
    ...(requests === undefined ? ['-D', seconds] : ['-n', requests]),
  ]
  for (const [name, value] of lines) args.push('-H', `${name}: ${value}`)
  if (method !== undefined) args.push('-H', `:method: ${method}`)
  if (body !== undefined) args.push('-d', fileOf(folder, 'body', body))
  const urls = targets.map((target) => url + target)
  if (urls.length === 1) args.push(...urls)
  else args.push('-i', fileOf(folder, 'urls', urls.join('\n')))
  const out = runH2load(args.map(String), seconds)
  const [, bad, worse] = /(\d+) 4xx, (\d+) 5xx/.exec(out) ?? []
  if (bad !== '0' || worse !== '0') throw new Error(`not all answers are good: ${out}`)
  return {
    rate: Number(/finished in .*?, ([\d.]+) req\/s/.exec(out)?.[1]),
    count: Number(/requests: .* (\d+) succeeded/.exec(out)?.[1]),
  }
}

/** Connections that are not there yet when its time is over are never told to end, as on a busy machine: then it goes on for good. */
const h2loadGraceSeconds = 30
const h2loadAttempts = 3

function runH2load(args, seconds) {
  const timeout = seconds === undefined ? undefined : (seconds + h2loadGraceSeconds) * 1000
  for (let attempt = 1; ; attempt++) {
    try {
      return execFileSync(process.env.H2LOAD_BIN, args, {
        maxBuffer: 1 << 26,
        timeout,
        killSignal: 'SIGKILL',
      }).toString()
    } catch (error) {
      if (error.code !== 'ETIMEDOUT' || attempt === h2loadAttempts) throw error
    }
  }
}

function fileOf(folder, name, text) {
  const file = path.join(folder, `${name}-${crypto.randomUUID()}`)
  writeFileSync(file, text)
  return file
}
