/**
 * The audit events of one request: one for each stage that the policy wants, with as much of the request and the answer
 * as its level allows. The recorder is told what happens; it writes to the backends at once.
 */
import type { AuditLevel, AuditPolicy, AuditStage } from '../../api/audit-policy.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { UserInfo } from '../../api/user.ts'
import { userToJson } from '../../auth/reviews/user-info.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AuditBackend } from './backend.ts'
import { type AuditDecision, auditDecision } from './policy.ts'

export interface AuditedRequest {
  readonly auditId: string
  /** With the query, as it was sent. */
  readonly uri: string
  readonly attributes: RequestAttributes
  readonly userAgent: string
  readonly sourceIps: readonly string[]
}

export interface AuditedAnswer {
  readonly code: number
  /** The Status that was answered, if it was one. */
  readonly status?: JsonObject
  readonly object?: JsonValue
}

export interface AuditOptions {
  readonly policy: AuditPolicy
  readonly backends: readonly AuditBackend[]
  readonly clock: Clock
}

const order: Readonly<Record<AuditLevel, number>> = { None: 0, Metadata: 1, Request: 2, RequestResponse: 3 }

export class AuditRecorder {
  readonly #options: AuditOptions
  readonly #request: AuditedRequest
  readonly #decision: AuditDecision
  readonly #received: string
  readonly #annotations: ReadonlyMap<string, string>
  #impersonated: UserInfo | undefined
  #requestObject: JsonValue | undefined
  #responseStarted = false

  private constructor(options: AuditOptions, request: AuditedRequest, annotations: ReadonlyMap<string, string>) {
    this.#options = options
    this.#request = request
    this.#annotations = annotations
    this.#decision = auditDecision(options.policy, request.attributes)
    this.#received = microTime(options.clock.now())
  }

  /** Begins with the stage `RequestReceived`. Undefined when the policy does not record the request. */
  static begin(
    options: AuditOptions,
    request: AuditedRequest,
    annotations: ReadonlyMap<string, string>,
  ): AuditRecorder | undefined {
    const recorder = new AuditRecorder(options, request, annotations)
    if (recorder.#decision.level === 'None') return undefined
    recorder.#emit('RequestReceived', {})
    return recorder
  }

  get level(): AuditLevel {
    return this.#decision.level
  }

  /** Whether the bodies are wanted at all: what is not is not kept. */
  get wantsRequest(): boolean {
    return order[this.#decision.level] >= order.Request
  }

  get wantsResponse(): boolean {
    return this.#decision.level === 'RequestResponse'
  }

  impersonatedAs(user: UserInfo): void {
    this.#impersonated = user
  }

  requestObject(object: JsonValue): void {
    if (this.wantsRequest) this.#requestObject = this.#trimmed(object)
  }

  /** The headers of an answer that takes long (a watch) have gone out. */
  responseStarted(code: number): void {
    if (this.#responseStarted) return
    this.#responseStarted = true
    this.#emit('ResponseStarted', { code })
  }

  complete(answer: AuditedAnswer): void {
    this.#emit('ResponseComplete', answer)
  }

  /** Something broke inside of the server. */
  panic(message: string): void {
    const status = { metadata: {}, status: 'Failure', message, reason: 'InternalError', code: 500 }
    this.#emit('Panic', { code: 500, status })
  }

  #emit(stage: AuditStage, answer: Partial<AuditedAnswer>): void {
    if (this.#decision.omitStages.has(stage)) return
    const event = this.#event(stage, answer)
    for (const backend of this.#options.backends) backend.write(event)
  }

  #event(stage: AuditStage, answer: Partial<AuditedAnswer>): JsonObject {
    const { auditId, uri, attributes, userAgent, sourceIps } = this.#request
    const response = this.wantsResponse && answer.object !== undefined ? this.#trimmed(answer.object) : undefined
    return {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: this.#decision.level,
      auditID: auditId,
      stage,
      requestURI: uri,
      verb: attributes.verb,
      user: userToJson(attributes.user),
      ...(this.#impersonated ? { impersonatedUser: userToJson(this.#impersonated) } : {}),
      ...(sourceIps.length > 0 ? { sourceIPs: [...sourceIps] } : {}),
      ...(userAgent === '' ? {} : { userAgent }),
      ...(attributes.isResourceRequest ? { objectRef: objectRef(attributes, this.#requestObject) } : {}),
      ...(answer.code === undefined ? {} : { responseStatus: responseStatus(answer.code, answer.status) }),
      ...(this.#requestObject === undefined ? {} : { requestObject: this.#requestObject }),
      ...(response === undefined ? {} : { responseObject: response }),
      requestReceivedTimestamp: this.#received,
      stageTimestamp: stage === 'RequestReceived' ? this.#received : microTime(this.#options.clock.now()),
      ...(this.#annotations.size > 0 ? { annotations: Object.fromEntries([...this.#annotations].sort()) } : {}),
    }
  }

  #trimmed(object: JsonValue): JsonValue {
    return this.#decision.omitManagedFields ? withoutManagedFields(object) : object
  }
}

/** `2025-01-01T00:00:00.000000Z` */
const microTime = (millis: number): string => new Date(millis).toISOString().replace(/(\.\d{3})Z$/, '$1000Z')

function objectRef(attributes: RequestAttributes, object: JsonValue | undefined): JsonObject {
  const { resource, namespace, name, apiGroup, apiVersion, subresource } = attributes
  const metadata = isJsonObject(object) && isJsonObject(object['metadata']) ? object['metadata'] : {}
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  const fields = {
    resource,
    namespace,
    name: name || text(metadata['name']),
    uid: text(metadata['uid']),
    apiGroup,
    apiVersion,
    resourceVersion: text(metadata['resourceVersion']),
    subresource,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}

function responseStatus(code: number, status: JsonObject | undefined): JsonObject {
  if (status === undefined) return { metadata: {}, code }
  const { kind: _kind, apiVersion: _version, ...rest } = status
  return { metadata: {}, ...rest, code }
}

/** Also in the items of a list. */
function withoutManagedFields(object: JsonValue): JsonValue {
  if (!isJsonObject(object)) return object
  const { metadata, items } = object
  const trimmed: JsonObject = { ...object }
  if (isJsonObject(metadata) && metadata['managedFields'] !== undefined) {
    const { managedFields: _m, ...rest } = metadata
    trimmed['metadata'] = rest
  }
  if (Array.isArray(items)) trimmed['items'] = items.map(withoutManagedFields)
  return trimmed
}

const maxAuditIdLength = 64

/** The id that the client gave its request, or a new one. */
export function auditIdOf(header: string | undefined, clock: Clock): string {
  return header !== undefined && header !== '' && header.length <= maxAuditIdLength ? header : clock.uuid()
}

/** Where a request came from: what proxies say, then the peer itself. */
export function sourceIps(forwardedFor: string | undefined, realIp: string | undefined, peer: string): string[] {
  const ips = (forwardedFor ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => looksLikeIp(part))
  if (realIp !== undefined && looksLikeIp(realIp) && !ips.includes(realIp)) ips.push(realIp)
  if (peer !== '' && ips.at(-1) !== peer) ips.push(peer)
  return ips
}

const looksLikeIp = (text: string): boolean =>
  /^[0-9]{1,3}(\.[0-9]{1,3}){3}$/.test(text) || /^[0-9a-fA-F:]*:[0-9a-fA-F:.]*$/.test(text)
