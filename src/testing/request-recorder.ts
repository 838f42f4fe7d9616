/** Remembers the requests that came over the network, the newest so many. */
import { parse as parseYaml } from 'yaml'
import type { RequestContext } from '../api/request-context.ts'
import type { Clock } from '../lib/clock.ts'
import type { RecordedRequest, RequestLog, RequestMatch, WaitOptions } from './api.ts'
import { requestMatcher } from './request-match.ts'
import type { TappedExchange } from './tapped-exchange.ts'
import { defaultTimeoutMs } from './waiting.ts'

/** One request, as far as it has come. */
export class RequestRecord implements RecordedRequest {
  readonly id: number
  readonly time: number
  readonly faults: string[] = []
  status = 0
  duration: number | undefined
  readonly #context: RequestContext
  readonly #exchange: TappedExchange
  #user: string | undefined
  #body: { readonly value: unknown } | undefined

  constructor(context: RequestContext, exchange: TappedExchange, facts: { id: number; time: number }) {
    this.#context = context
    this.#exchange = exchange
    this.id = facts.id
    this.time = facts.time
  }

  get verb(): string {
    return this.#context.info.verb
  }
  get method(): string {
    return this.#exchange.method
  }
  get path(): string {
    return this.#context.info.path
  }
  get query(): string {
    return this.#exchange.query
  }
  get resource(): string {
    const { group, resource } = this.#context.info
    return group === '' || resource === '' ? resource : `${resource}.${group}`
  }
  get subresource(): string {
    return this.#context.info.subresource
  }
  get version(): string {
    return this.#context.info.version
  }
  get namespace(): string {
    return this.#context.info.namespace
  }
  get name(): string {
    return this.#context.info.name
  }
  /** Who asks is known only after a while. */
  get user(): string {
    return this.#user ?? this.#context.user.name
  }
  get userAgent(): string {
    return this.#context.header('user-agent') ?? ''
  }
  get headers(): RecordedRequest['headers'] {
    return this.#exchange.headers
  }
  get body(): unknown {
    const { body } = this.#exchange
    if (body === undefined || body.length === 0) return undefined
    this.#body ??= { value: readBody(body, this.#context.header('content-type') ?? 'application/json') }
    return this.#body.value
  }

  ended(status: number, duration: number): void {
    this.status = status
    this.duration = duration
    this.#user = this.#context.user.name
  }

  /** As data: what a test prints, and what goes over the wire. */
  toJSON(): Record<string, unknown> {
    const { id, verb, method, path, query, resource, subresource, version, namespace, name, user, userAgent } = this
    const { time, status, duration, faults, body } = this
    const what = { id, verb, method, path, query, resource, subresource, version, namespace, name, user, userAgent }
    return { ...what, time, status, duration, faults, body: Buffer.isBuffer(body) ? body.toString('base64') : body }
  }
}

function readBody(body: Buffer, contentType: string): unknown {
  const text = (): string => body.toString('utf8')
  try {
    if (contentType.includes('yaml')) return parseYaml(text(), { maxAliasCount: 100 })
    return contentType.includes('json') ? JSON.parse(text()) : body
  } catch {
    return text()
  }
}

export class RequestRecorder implements RequestLog {
  readonly #clock: Clock
  readonly #max: number
  readonly #waiting = new Set<(record: RequestRecord) => void>()
  #records: RequestRecord[] = []
  #count = 0

  constructor(clock: Clock, max: number) {
    this.#clock = clock
    this.#max = max
  }

  record(context: RequestContext, exchange: TappedExchange): RequestRecord {
    const record = new RequestRecord(context, exchange, { id: ++this.#count, time: this.#clock.now() })
    this.#records.push(record)
    if (this.#records.length > 2 * this.#max) this.#records = this.#records.slice(-this.#max)
    const begin = performance.now()
    exchange.onEnd((status) => {
      record.ended(status, performance.now() - begin)
      for (const listener of this.#waiting) listener(record)
    })
    return record
  }

  get length(): number {
    return Math.min(this.#records.length, this.#max)
  }

  all(): RecordedRequest[] {
    return this.#records.slice(-this.#max)
  }

  [Symbol.iterator](): Iterator<RecordedRequest> {
    return this.all()[Symbol.iterator]()
  }

  filter(match: RequestMatch | ((request: RecordedRequest) => boolean)): RecordedRequest[] {
    return this.all().filter(typeof match === 'function' ? match : requestMatcher(match))
  }

  clear(): void {
    this.#records = []
  }

  waitFor(
    match: RequestMatch,
    { timeout = defaultTimeoutMs }: Pick<WaitOptions, 'timeout'> = {},
  ): Promise<RecordedRequest> {
    const matches = requestMatcher(match)
    const known = this.all().find((record) => record.duration !== undefined && matches(record))
    if (known !== undefined) return Promise.resolve(known)
    return new Promise((resolve, reject) => {
      const listener = (record: RequestRecord): void => {
        if (!matches(record)) return
        clearTimeout(timer)
        this.#waiting.delete(listener)
        resolve(record)
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(listener)
        reject(new Error(`no request matched within ${timeout} ms: ${JSON.stringify(match)}`))
      }, timeout)
      this.#waiting.add(listener)
    })
  }
}
