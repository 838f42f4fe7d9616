/** Remembers the requests that came over the network, the newest so many. */
import { gunzipSync } from 'node:zlib'
import type { RequestContext } from '../api/request-context.ts'
import { decodedBody } from '../codec/any-body.ts'
import { AnnotationTrail } from '../http/annotation-trail.ts'
import type { Clock } from '../lib/clock.ts'
import { mapErrorsOf } from '../lib/stack-map.ts'
import type { RecordedRequest, RequestLog, RequestMatch } from './api/requests.ts'
import type { WaitOptions } from './api/server.ts'
import type { CheckMatch } from './known-matches.ts'
import { savedRequest, saveRequests } from './replay.ts'
import { requestMatcher, shown } from './request-match.ts'
import type { TappedExchange } from './tapped-exchange.ts'
import { defaultTimeoutMs, nextOf } from './waiting.ts'

/** One request, as far as it has come. */
export class RequestRecording implements RecordedRequest {
  readonly id: number
  readonly time: number
  readonly faults: string[] = []
  status = 0
  duration: number | undefined
  readonly #context: RequestContext
  readonly #exchange: TappedExchange
  readonly #trail = new AnnotationTrail()
  #user: string | undefined
  #body: { readonly value: unknown } | undefined
  #response: { readonly value: unknown } | undefined

  constructor(context: RequestContext, exchange: TappedExchange, facts: { id: number; time: number }) {
    this.#context = context
    this.#exchange = exchange
    this.id = facts.id
    this.time = facts.time
    context.audit = this.#trail
  }

  get exchange(): TappedExchange {
    return this.#exchange
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
  get groups(): readonly string[] {
    return this.#context.user.groups
  }
  get userAgent(): string {
    return this.#context.header('user-agent') ?? ''
  }
  get headers(): RecordedRequest['headers'] {
    return this.#exchange.headers
  }
  get responseHeaders(): RecordedRequest['responseHeaders'] {
    return this.#exchange.answerHeaders.all
  }
  get warnings(): readonly string[] {
    return this.#exchange.answerHeaders.warnings
  }
  get auditAnnotations(): RecordedRequest['auditAnnotations'] {
    return { ...this.#context.credentialAnnotations, ...this.#trail.annotations }
  }
  get body(): unknown {
    const { body } = this.#exchange
    if (body === undefined || body.length === 0) return undefined
    this.#body ??= { value: decodedBody(body, this.#context.header('content-type') ?? 'application/json') }
    return this.#body.value
  }
  get response(): unknown {
    const { answer } = this.#exchange
    if (answer === undefined || answer.length === 0) return undefined
    const { 'content-type': type = 'application/json', 'content-encoding': coding } = this.responseHeaders
    this.#response ??= { value: decodedBody(coding === 'gzip' ? gunzipSync(answer) : answer, type) }
    return this.#response.value
  }
  get heldBytes(): number {
    return this.#exchange.heldBytes
  }

  forgetBodies(): number {
    this.#body = undefined
    this.#response = undefined
    return this.#exchange.forgetBodies()
  }

  ended(status: number, duration: number): void {
    this.status = status
    this.duration = duration
    this.#user = this.#context.user.name
  }

  /** As data: what a test prints, and what goes over the wire. */
  toJSON(): Record<string, unknown> {
    const { id, verb, method, path, query, resource, subresource, version, namespace, name, user, userAgent } = this
    const { time, status, duration, faults, body, warnings, auditAnnotations } = this
    const what = { id, verb, method, path, query, resource, subresource, version, namespace, name, user, userAgent }
    const seen = { time, status, duration, faults, warnings, auditAnnotations }
    return { ...what, ...seen, body: Buffer.isBuffer(body) ? body.toString('base64') : body }
  }
}

/** All bodies that are remembered together; the oldest requests lose theirs first. */
const maxHeldBytes = 256 * 1024 * 1024

interface RecorderOptions {
  readonly clock: Clock
  readonly max: number
  readonly check: CheckMatch
}

export class RequestRecorder implements RequestLog {
  readonly #clock: Clock
  readonly #max: number
  readonly #check: CheckMatch
  readonly #waiting = new Set<(record: RequestRecording) => void>()
  #records: RequestRecording[] = []
  #count = 0
  #heldBytes = 0
  /** Requests before this one have lost their bodies. */
  #firstWithBodies = 0

  constructor({ clock, max, check }: RecorderOptions) {
    this.#clock = clock
    this.#max = max
    this.#check = check
  }

  record(context: RequestContext, exchange: TappedExchange): RequestRecording {
    const record = new RequestRecording(context, exchange, { id: ++this.#count, time: this.#clock.now() })
    this.#records.push(record)
    if (this.#records.length > 2 * this.#max) this.#dropOldest()
    const begin = performance.now()
    exchange.onEnd((status) => {
      record.ended(status, performance.now() - begin)
      this.#hold(record)
      for (const listener of this.#waiting) listener(record)
    })
    return record
  }

  #dropOldest(): void {
    const dropped = this.#records.length - this.#max
    for (const record of this.#records.slice(0, dropped)) this.#heldBytes -= record.heldBytes
    this.#records = this.#records.slice(dropped)
    this.#firstWithBodies = Math.max(0, this.#firstWithBodies - dropped)
  }

  #hold(record: RequestRecording): void {
    this.#heldBytes += record.heldBytes
    while (this.#heldBytes > maxHeldBytes && this.#firstWithBodies < this.#records.length) {
      this.#heldBytes -= this.#records[this.#firstWithBodies++]?.forgetBodies() ?? 0
    }
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
    if (typeof match === 'function') return this.all().filter(match)
    this.#check(match)
    return this.all().filter(requestMatcher(match))
  }

  save(file: string, match: RequestMatch = {}): void {
    saveRequests(file, this.filter(match).map(savedRequest))
  }

  clear(): void {
    this.#records = []
    this.#heldBytes = 0
    this.#firstWithBodies = 0
  }

  async waitFor(
    match: RequestMatch,
    { timeout = defaultTimeoutMs }: Pick<WaitOptions, 'timeout'> = {},
  ): Promise<RecordedRequest> {
    this.#check(match)
    const matches = requestMatcher(match)
    const known = this.all().find((record) => record.duration !== undefined && matches(record))
    if (known !== undefined) return known
    return nextOf(this.#waiting, { matches, timeout, wanted: `request matched within ${timeout} ms: ${shown(match)}` })
  }
}

mapErrorsOf(RequestRecorder.prototype, ['filter', 'save', 'waitFor'])
