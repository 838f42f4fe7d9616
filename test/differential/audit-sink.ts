/**
 * The audit webhook of both servers: `http://127.0.0.1:PORT/reference` and `…/server`. Events are kept by their auditID,
 * which the tool chooses for each request, until they are asked for.
 */
import http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { isList, isMap, type Json, type JsonMap, valueAt } from './json.ts'

export type AuditSide = 'reference' | 'server'

/** The wait for events that are still batched at the server. */
const patience = 20_000
/** Events that nobody asks for are dropped, the oldest first. */
const mostKept = 20_000

export class AuditSink {
  readonly #server: http.Server
  readonly #events: Readonly<Record<AuditSide, Map<string, JsonMap[]>>> = { reference: new Map(), server: new Map() }

  constructor() {
    this.#server = http.createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        this.#take(request.url?.startsWith('/reference') ? 'reference' : 'server', Buffer.concat(chunks).toString())
        response.writeHead(200).end()
      })
    })
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#server.once('error', reject).listen(port, '127.0.0.1', () => resolve()),
    )
  }

  /** The events of a request, once its last stage is there. */
  async events(side: AuditSide, id: string): Promise<JsonMap[]> {
    const end = performance.now() + patience
    for (;;) {
      const events = this.#events[side].get(id) ?? []
      const complete = events.some(({ stage }) => stage === 'ResponseComplete' || stage === 'Panic')
      if (complete || performance.now() > end) {
        this.#events[side].delete(id)
        return events
      }
      await delay(20)
    }
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #take(side: AuditSide, text: string): void {
    const items = valueAt(JSON.parse(text) as Json, ['items'])
    const kept = this.#events[side]
    for (const item of isList(items) ? items : []) {
      const id = isMap(item) ? item['auditID'] : undefined
      if (typeof id !== 'string') continue
      const same = kept.get(id)
      if (same === undefined) kept.set(id, [item as JsonMap])
      else same.push(item as JsonMap)
    }
    for (const [oldest] of kept) {
      if (kept.size <= mostKept) break
      kept.delete(oldest)
    }
  }
}
