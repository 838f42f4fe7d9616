/**
 * The audit events of one request: one for each stage that the policy wants, with as much of the request and the answer
 * as its level allows. The recorder gets a callback for each step; what objects look like at that moment is what is recorded.
 */

import type { AuditLevel, AuditPolicy, AuditStage } from '../../api/audit-policy.ts'
import type { AuditTrail } from '../../api/audit-trail.ts'
import { formatDuration } from '../../api/duration.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { UserInfo } from '../../api/user.ts'
import { userToJson } from '../../auth/reviews/user-info.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { AuditEvent } from './event.ts'
import { type AuditDecision, auditDecision } from './policy.ts'
import type { AuditSink } from './sink.ts'

export interface AuditedRequest {
  readonly auditId: string
  /** With the query, as it was sent. */
  readonly uri: string
  readonly attributes: RequestAttributes
  readonly userAgent: string
  readonly sourceIps: readonly string[]
  /** Milliseconds in which others were waited for. */
  readonly waits?: () => Readonly<Record<string, number>> | undefined
}

/** Counts what is audited. */
export interface AuditObserver {
  /** Once a request. */
  level(level: AuditLevel): void
  /** Once an event. */
  event(): void
  /** A request was refused because its event could not be kept. */
  rejected(): void
}

export interface AuditRecorderOptions {
  readonly policy: AuditPolicy
  readonly sink: AuditSink
  readonly clock: Clock
  readonly encode: (value: JsonValue) => string
  readonly encodeInSteps: (value: JsonValue) => Steps<string>
  readonly observer: AuditObserver
  /** Answers wait until the events about them are kept. */
  readonly holdsAnswers?: boolean
}

const order: Readonly<Record<AuditLevel, number>> = { None: 0, Metadata: 1, Request: 2, RequestResponse: 3 }
/** Requests that take longer say how long. */
const slowMs = 500

export class AuditRecorder implements AuditTrail {
  readonly #options: AuditRecorderOptions
  readonly #request: AuditedRequest
  readonly #decision: AuditDecision
  readonly #received: number
  #impersonated: UserInfo | undefined
  #constraint: string | undefined
  #objectRef: JsonObject | undefined
  #requestObject: string | undefined
  #responseObject: string | undefined
  #status: JsonObject | undefined
  readonly #annotations = new Map<string, string>()
  #isOver = false
  /** The last event on its way to where it is kept. */
  #last: Promise<unknown> | undefined

  private constructor(options: AuditRecorderOptions, request: AuditedRequest, decision: AuditDecision) {
    this.#options = options
    this.#request = request
    this.#decision = decision
    this.#received = options.clock.now()
    if (request.attributes.isResourceRequest) this.#objectRef = objectRef(request.attributes)
  }

  /** Undefined when the policy does not record the request. */
  static of(options: AuditRecorderOptions, request: AuditedRequest): AuditRecorder | undefined {
    const decision = auditDecision(options.policy, request.attributes)
    options.observer.level(decision.level)
    return decision.level === 'None' ? undefined : new AuditRecorder(options, request, decision)
  }

  get wantsResponse(): boolean {
    return this.#decision.level === 'RequestResponse'
  }

  impersonatedAs(user: UserInfo, constraint?: string): void {
    this.#impersonated = user
    this.#constraint = constraint
  }

  annotate(key: string, value: string, from?: 'Request'): void {
    if (from === 'Request' && this.#decision.level === 'Metadata') return
    if (!this.#annotations.has(key)) this.#annotations.set(key, value)
  }

  requestObject(object: JsonObject): void {
    this.#refer(object)
    if (this.#wantsRequest) this.#requestObject = this.#options.encode(this.#recorded(object))
  }

  *requestObjectInSteps(object: JsonObject): Steps<void> {
    this.#refer(object)
    if (this.#wantsRequest) this.#requestObject = yield* this.#options.encodeInSteps(this.#recorded(object))
  }

  #refer(object: JsonObject): void {
    if (this.#objectRef !== undefined) this.#objectRef = completed(this.#objectRef, object)
  }

  *requestPatch(patch: () => Steps<JsonValue>): Steps<void> {
    if (this.#wantsRequest) this.#requestObject = yield* this.#options.encodeInSteps(yield* patch())
  }

  responseObject(object: JsonObject): void {
    this.#noteStatus(object)
    if (this.wantsResponse) this.#responseObject = this.#options.encode(this.#recorded(object))
  }

  *responseObjectInSteps(object: JsonObject): Steps<void> {
    this.#noteStatus(object)
    if (this.wantsResponse) this.#responseObject = yield* this.#options.encodeInSteps(this.#recorded(object))
  }

  #noteStatus(object: JsonObject): void {
    if (object['kind'] === 'Status' && object['apiVersion'] === 'v1') this.#status = boundedStatus(object)
  }

  /** False: the event could not be kept. */
  received(): Awaitable<boolean> {
    return this.#emit('RequestReceived')
  }

  /** The headers of an answer go out that takes long (a watch), or that no other stage reports. */
  started(code: number): Promise<unknown> | undefined {
    this.#status = { ...this.#status, code }
    return waiting(this.#emit('ResponseStarted'))
  }

  /** `code`: 0 when the client went away before there was an answer. */
  complete(code: number): Promise<unknown> | undefined {
    if (this.#isOver) return this.#last
    this.#isOver = true
    this.#status =
      code === 0 && this.#status === undefined
        ? { status: 'Success', message: 'Connection closed early', code: 200 }
        : { ...this.#status, ...(code === 0 ? {} : { code }) }
    this.#last = waiting(this.#emit('ResponseComplete'))
    return this.#last
  }

  panicked(why: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#status = { status: 'Failure', message: `APIServer panic'd: ${why}`, reason: 'InternalError', code: 500 }
    this.#last = waiting(this.#emit('Panic'))
  }

  get #wantsRequest(): boolean {
    return order[this.#decision.level] >= order.Request
  }

  #recorded(object: JsonObject): JsonObject {
    return this.#decision.omitManagedFields ? withoutManagedFields(object) : object
  }

  #emit(stage: AuditStage): Awaitable<boolean> {
    const { observer, sink } = this.#options
    if (this.#decision.omitStages.has(stage)) return true
    observer.event()
    return sink.process([this.#event(stage)])
  }

  #event(stage: AuditStage): AuditEvent {
    const { auditId, uri, attributes, userAgent, sourceIps } = this.#request
    const now = stage === 'RequestReceived' ? this.#received : this.#options.clock.now()
    return new AuditEvent({
      head: {
        level: this.#decision.level,
        auditID: auditId,
        stage,
        requestURI: uri,
        verb: attributes.verb,
        user: userToJson(attributes.user),
        ...(this.#impersonated === undefined ? {} : { impersonatedUser: userToJson(this.#impersonated) }),
        ...(this.#constraint === undefined
          ? {}
          : { authenticationMetadata: { impersonationConstraint: this.#constraint } }),
        ...(sourceIps.length > 0 ? { sourceIPs: [...sourceIps] } : {}),
        ...(userAgent === '' ? {} : { userAgent }),
        ...(this.#objectRef === undefined ? {} : { objectRef: this.#objectRef }),
        ...(this.#status === undefined ? {} : { responseStatus: { metadata: {}, ...this.#status } }),
      },
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      times: { requestReceivedTimestamp: microTime(this.#received), stageTimestamp: microTime(now) },
      annotations: { ...Object.fromEntries(this.#annotations), ...this.#slowness(stage, now) },
    })
  }

  #slowness(stage: AuditStage, now: number): Record<string, string> {
    const ms = now - this.#received
    if (stage !== 'ResponseComplete' || ms <= slowMs) return {}
    const latencies: [string, number][] = [...Object.entries(this.#request.waits?.() ?? {}), ['total', ms]]
    return Object.fromEntries(
      latencies
        .filter(([, each]) => each > 0)
        .map(([what, each]) => [
          `apiserver.latency.k8s.io/${what}`,
          formatDuration(BigInt(Math.round(each * 1_000_000))),
        ]),
    )
  }
}

const waiting = (kept: Awaitable<boolean>): Promise<unknown> | undefined => (kept instanceof Promise ? kept : undefined)

/** `2025-01-01T00:00:00.000000Z` */
const microTime = (millis: number): string => new Date(millis).toISOString().replace(/(\.\d{3})Z$/, '$1000Z')

function objectRef(attributes: RequestAttributes): JsonObject {
  const { resource, namespace, name, apiGroup, apiVersion, subresource } = attributes
  return filledIn({ resource, namespace, name, uid: '', apiGroup, apiVersion, resourceVersion: '', subresource })
}

/** What the path did not say, the object may. */
function completed(reference: JsonObject, object: JsonObject): JsonObject {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {}
  const of = (key: string): JsonValue => reference[key] ?? metadata[key] ?? ''
  return filledIn({
    resource: reference['resource'] ?? '',
    namespace: of('namespace'),
    name: of('name'),
    uid: of('uid'),
    apiGroup: reference['apiGroup'] ?? '',
    apiVersion: reference['apiVersion'] ?? '',
    resourceVersion: of('resourceVersion'),
    subresource: reference['subresource'] ?? '',
  })
}

const filledIn = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string' && value !== ''))

/** What of a Status has bounds. */
function boundedStatus(status: JsonObject): JsonObject {
  const known = ['status', 'message', 'reason', 'details', 'code']
  return Object.fromEntries(known.flatMap((key) => (status[key] === undefined ? [] : [[key, status[key]]])))
}

/** Also in the items of a list and in the objects of a table's rows. */
function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata, items, rows } = object
  const trimmed: JsonObject = { ...object }
  if (isJsonObject(metadata) && metadata['managedFields'] !== undefined) {
    const { managedFields: _, ...rest } = metadata
    trimmed['metadata'] = rest
  }
  const trim = (item: JsonValue): JsonValue => (isJsonObject(item) ? withoutManagedFields(item) : item)
  if (Array.isArray(items)) trimmed['items'] = items.map(trim)
  if (object['kind'] === 'Table' && Array.isArray(rows)) {
    trimmed['rows'] = rows.map((row) => (isJsonObject(row) ? { ...row, object: trim(row['object'] ?? null) } : row))
  }
  return trimmed
}
