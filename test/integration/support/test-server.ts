/** A real server in this process for integration tests: memory store (or another), TLS, a free port, an admin client. */
import http2 from 'node:http2'
import type { ServerOptions } from '../../../src/config/server-options.ts'
import { parseServerOptions } from '../../../src/config/server-options.ts'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/logger.ts'
import { temporaryCredentials } from '../../../src/pki/data-folder.ts'
import { startServer } from '../../../src/server/server.ts'
import type { Store } from '../../../src/store/store.ts'
import { LoopGuard } from './loop-guard.ts'
import { storeSeams } from './store-seams.ts'

export interface Answer {
  readonly status: number
  readonly headers: http2.IncomingHttpHeaders
  readonly body: Buffer
  json<T = Json>(): T
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export type Json = any

export interface WatchEvent {
  readonly type: string
  readonly object: Json
}

export interface TestWatch {
  readonly events: WatchEvent[]
  /** Resolves when that many events have come (or fails after the time). */
  until(enough: (events: readonly WatchEvent[]) => boolean): Promise<readonly WatchEvent[]>
  readonly ended: Promise<void>
  close(): void
}

export interface TestServer {
  readonly url: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  watch(path: string): Promise<TestWatch>
  /** Another connection of the same administrator. */
  connect(): http2.ClientHttp2Session
  /** Forgets holds of the event loop so far: those that are the engine's own, which lists all code of the process for a profile. */
  forgetHolds(): void
  /** Stops the server alone; its clients see it. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** Namespaces begin empty unless the flags say which controllers run: tests count what is in them. */
const emptyNamespaces = (flags: readonly string[]): readonly string[] =>
  flags.some((flag) => flag.startsWith('--controllers'))
    ? flags
    : [...flags, '--controllers=*,-serviceaccount-controller,-root-ca-certificate-publisher-controller']

/** `store`: in place of the one that the flags name. */
export async function startTestServer(
  flags: readonly string[] = ['--store', 'memory'],
  clock: Clock = systemClock,
  store?: Store,
): Promise<TestServer> {
  const parsed = parseServerOptions([...emptyNamespaces(flags), '--bind-address', '127.0.0.1'])
  const options: ServerOptions = { ...parsed, serving: { ...parsed.serving, securePort: 0 } }
  const credentials = temporaryCredentials(options, clock)
  const seams = store === undefined ? undefined : storeSeams(store)
  const server = await startServer(options, { logger: silentLogger(), credentials, clock, seams })
  await server.ready
  const guard = new LoopGuard()
  const [url = ''] = server.addresses
  const { certPem, keyPem } = credentials.admin
  const connect = (): http2.ClientHttp2Session => {
    const made = http2.connect(url, { ca: credentials.servingCaPem, cert: certPem, key: keyPem })
    made.on('error', () => {})
    return made
  }
  const session = connect()
  return {
    url,
    connect,
    forgetHolds: () => guard.reset(),
    stop: () => server.close(),
    call: (method, path, body, headers) => call(session, { method, path, body, headers }),
    watch: (path) => openWatch(session, path),
    async close() {
      session.destroy()
      await server.close()
      guard.close()
    },
  }
}

export interface Call {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly headers: Record<string, string> | undefined
}

export function call(session: http2.ClientHttp2Session, { method, path, body, headers }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = session.request(
      {
        ':method': method,
        ':path': path,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      { endStream: body === undefined },
    )
    const chunks: Buffer[] = []
    let answer: http2.IncomingHttpHeaders = {}
    request.on('response', (received) => {
      answer = received
    })
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const whole = Buffer.concat(chunks)
      resolve({
        status: Number(answer[':status']),
        headers: answer,
        body: whole,
        json: () => JSON.parse(whole.toString()),
      })
    })
    request.on('error', reject)
    if (body !== undefined) request.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
  })
}

function openWatch(session: http2.ClientHttp2Session, path: string): Promise<TestWatch> {
  return new Promise((resolve, reject) => {
    const request = session.request({ ':method': 'GET', ':path': path, accept: 'application/json' })
    const events: WatchEvent[] = []
    let rest = ''
    let wake = () => {}
    const ended = new Promise<void>((done) => request.once('close', () => done()))
    request.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') events.push(JSON.parse(line) as WatchEvent)
      wake()
    })
    request.on('error', reject)
    request.once('response', () =>
      resolve({
        events,
        ended,
        close: () => request.close(),
        until: async (enough) => {
          const end = Date.now() + 100_000
          while (!enough(events)) {
            if (Date.now() > end)
              throw new Error(`only ${events.length} events came: ${JSON.stringify(events).slice(0, 500)}`)
            await new Promise<void>((again) => {
              wake = again
              setTimeout(again, 50)
            })
          }
          return events
        },
      }),
    )
  })
}
