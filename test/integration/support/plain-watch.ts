/** A request over a real connection, and a watch of which every line is kept. */
import http from 'node:http'
import https from 'node:https'
import type { TestServer } from '../../../src/testing/testing.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Json = any

export interface PlainWatch {
  readonly events: { type: string; object: Json }[]
  /** Resolves when that many events have come. */
  until(count: number): Promise<void>
  /** Resolves with `whole` or `cut`. */
  readonly ended: Promise<'whole' | 'cut'>
  close(): void
}

export interface PlainAnswer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Json
}

interface SendOptions {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

function open(server: TestServer, path: string, { method = 'GET', body, headers }: SendOptions): http.ClientRequest {
  const request = (server.url.startsWith('https') ? https : http).request(`${server.url}${path}`, {
    method,
    agent: false,
    ...(server.ca === undefined ? {} : { ca: server.ca }),
    headers: {
      authorization: `Bearer ${server.token}`,
      'user-agent': 'under-test/1',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  request.end(body === undefined ? undefined : JSON.stringify(body))
  return request
}

/** Rejects when the connection breaks. */
export function send(server: TestServer, path: string, options: SendOptions = {}): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const request = open(server, path, options)
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString() || 'null') as Json
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
      })
    })
  })
}

export function openWatch(server: TestServer, path: string): Promise<PlainWatch> {
  return new Promise((resolve, reject) => {
    const request = open(server, path, {})
    request.on('error', reject)
    request.on('response', (response) => {
      const events: PlainWatch['events'] = []
      let rest = ''
      let wake = (): void => {}
      response.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk.toString()).split('\n')
        rest = lines.pop() ?? ''
        events.push(...lines.filter((line) => line !== '').map((line) => JSON.parse(line)))
        wake()
      })
      const ended = new Promise<'whole' | 'cut'>((done) => {
        response.on('end', () => done('whole'))
        response.on('error', () => done('cut'))
      })
      resolve({
        events,
        ended,
        close: () => request.destroy(),
        async until(count) {
          const end = Date.now() + 100_000
          while (events.length < count) {
            if (Date.now() > end) throw new Error(`only ${events.length} events: ${JSON.stringify(events)}`)
            await new Promise<void>((again) => {
              wake = again
              setTimeout(again, 50)
            })
          }
        },
      })
    })
  })
}
