// The log of requests as the view holds it: newest first, one entry a request however many lines tell of it, bounded.
import { signal } from '@preact/signals'
import { get } from '../../api/http.ts'
import { type Following, follow, type StreamLine } from '../../api/stream.ts'
import { FrameBatch } from '../../lib/frames.ts'

export interface LoggedRequest {
  readonly id: number
  readonly time: string
  readonly state: 'running' | 'done' | 'aborted'
  readonly verb: string
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly user?: string
  readonly impersonator?: unknown
  readonly agent?: string
  readonly code?: number
  readonly reason?: string
  readonly message?: string
  readonly refusedBy?: string
  readonly durationMs?: number
  readonly requestBytes?: number
  readonly responseBytes?: number
}

interface RequestLine extends StreamLine {
  readonly request?: LoggedRequest
}

interface RequestList {
  readonly recording: {
    readonly since: string
    readonly kept: number
    readonly max: number
    readonly forgotten: number
  }
  readonly items: readonly LoggedRequest[]
}

const maxKept = 2000

export class RequestLog {
  readonly items = signal<readonly LoggedRequest[]>([])
  readonly recording = signal<RequestList['recording'] | undefined>(undefined)
  readonly #byId = new Map<number, LoggedRequest>()
  readonly #following: Following
  readonly #batch = new FrameBatch<LoggedRequest>((items) => this.#take(items))
  /** What came while the log was held, shown when it goes on. */
  paused = false

  constructor() {
    this.#following = follow<RequestLine>('/console/v1/requests', {}, (lines, first) => {
      if (first) void this.#list()
      this.#batch.add(lines.flatMap(({ request }) => (request === undefined ? [] : [request])))
    })
  }

  get state() {
    return this.#following.state
  }

  close(): void {
    this.#following.stop()
  }

  resume(): void {
    this.paused = false
    this.#publish()
  }

  clear(): void {
    this.#byId.clear()
    this.#publish()
  }

  async #list(): Promise<void> {
    const { recording, items } = await get<RequestList>('/console/v1/requests', { query: { limit: '1000' } })
    this.recording.value = recording
    this.#take(items.filter(({ id }) => !this.#byId.has(id)))
  }

  #take(items: readonly LoggedRequest[]): void {
    for (const item of items) this.#byId.set(item.id, { ...this.#byId.get(item.id), ...item })
    const ids = [...this.#byId.keys()].sort((a, b) => b - a)
    for (const id of ids.slice(maxKept)) this.#byId.delete(id)
    if (!this.paused) this.#publish()
  }

  #publish(): void {
    this.items.value = [...this.#byId.values()].sort((a, b) => b.id - a.id)
  }
}

/** Words that must all be there, `key:value` for one member, `!` for not. */
export function matchesRequest(request: LoggedRequest, text: string): boolean {
  return text
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => {
      const wanted = word.replace(/^!/, '')
      return hasWord(request, wanted) !== word.startsWith('!')
    })
}

function hasWord(request: LoggedRequest, word: string): boolean {
  const [, key, value] = /^(verb|user|code|resource|namespace|ns|name|agent|path):(.+)$/.exec(word) ?? []
  if (key === undefined || value === undefined) return textOf(request).includes(word)
  const member = key === 'ns' ? 'namespace' : (key as keyof LoggedRequest)
  const actual = String(request[member] ?? '').toLowerCase()
  if (key === 'code') return new RegExp(`^${value.replace(/[^0-9x]/g, '').replaceAll('x', '\\d')}$`).test(actual)
  return key === 'agent' || key === 'path' ? actual.includes(value) : actual === value
}

const textOf = ({ verb, method, path, query, user, agent, code, reason, message }: LoggedRequest): string =>
  [verb, method, path, query, user, agent, code, reason, message].join(' ').toLowerCase()
