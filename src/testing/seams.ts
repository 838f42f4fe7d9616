/**
 * The one place where a test server reaches into the server: it records requests, breaks those that a fault hits, and
 * holds them all back while the state is put back under them.
 */

import type { WebhookPost } from '../admission/webhook/webhook-client.ts'
import type { Exchange } from '../api/exchange.ts'
import { isJsonObject, type JsonValue } from '../api/json.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { UserInfo } from '../api/user.ts'
import { authenticated, noOpinion, type TokenAuthenticator } from '../auth/authenticator.ts'
import type { KnownEntries, RecallValue } from '../cache/resource-reader.ts'
import type { TestingControls } from '../console/testing.ts'
import { decodeContinue } from '../handlers/continue-token.ts'
import { expiredContinue } from '../handlers/list.ts'
import type { WatchStream } from '../handlers/watch-stream.ts'
import { LocalExchange } from '../http/local-exchange.ts'
import type { Clock } from '../lib/clock.ts'
import { SideTable } from '../lib/memo.ts'
import type { Handler } from '../pipeline/filter.ts'
import type { ServerLayers, ServerPlace, TestSeams } from '../server/test-seams.ts'
import type { Simulation } from '../simulate/simulation.ts'
import type { Store } from '../store/store.ts'
import type { FaultSpec, WatchFault } from './api/faults.ts'
import type { RecordedRequest } from './api/requests.ts'
import { BreakableWatches } from './breakable-watches.ts'
import type { ActiveFault, FaultList } from './fault-list.ts'
import { faultStatus } from './fault-status.ts'
import type { RequestRecorder, RequestRecording } from './request-recorder.ts'
import { TappedExchange } from './tapped-exchange.ts'

export interface SeamsOptions {
  readonly store: Store
  readonly known?: KnownEntries | undefined
  readonly recall: RecallValue
  readonly hasRoles: boolean
  /** Called when the server listens, before its controllers start. */
  readonly onStarted?: ((place: ServerPlace) => void) | undefined
  readonly clock: Clock
  readonly recorder: RequestRecorder
  readonly faults: FaultList
  readonly isBackground: boolean
}

interface Breaking {
  readonly fault: ActiveFault
  readonly exchange: TappedExchange
  readonly next: Handler
}

/** As the handlers' own limit: what is larger is refused by them. */
const maxBodyBytes = 3 * 1024 * 1024
const bodyVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

const isOfConsole = ({ info }: RequestContext): boolean => info.path.startsWith('/console/')

/** Streams have bodies that do not end. */
const hasBody = ({ info }: RequestContext): boolean => bodyVerbs.has(info.verb) && !streaming.has(info.subresource)

/** How long requests under way may take when the state is put back (in real time). */
const drainMs = 5000

export class Seams implements TestSeams {
  readonly #options: SeamsOptions
  readonly #users = new Map<string, UserInfo>()
  readonly #records = new SideTable<RequestContext, RequestRecording>()
  readonly #watchFaults = new SideTable<RequestContext, WatchFault>()
  readonly watches = new BreakableWatches({
    opened: (stream) => this.#watchOpened(stream),
    open: () => this.layers.requests.openWatches,
  })
  /** Called for every watch that is opened. */
  readonly watchListeners = new Set<(stream: WatchStream) => void>()
  /** What waits for a fault's latency, or for a webhook that does not answer. */
  readonly #delays = new Set<(why: Error) => void>()
  readonly #running = new Set<RequestContext>()
  #drained = (): void => undefined
  #held: { readonly open: Promise<void>; readonly release: () => void } | undefined
  #layers: ServerLayers | undefined
  #denials: readonly string[] = []

  constructor(options: SeamsOptions) {
    this.#options = options
  }

  openStore(): Store {
    return this.#options.store
  }

  get known(): KnownEntries | undefined {
    return this.#options.known
  }

  get recall(): RecallValue {
    return this.#options.recall
  }

  get hasRoles(): boolean {
    return this.#options.hasRoles
  }

  readonly hasConsole = true
  testing: TestingControls | undefined

  get isBackground(): boolean {
    return this.#options.isBackground
  }

  exchange(exchange: Exchange): Exchange {
    return new TappedExchange(exchange)
  }

  began(context: RequestContext): void {
    // A person who looks on is no part of the test.
    if (isOfConsole(context)) return
    if (context.exchange instanceof TappedExchange) {
      this.#records.set(context, this.#options.recorder.record(context, context.exchange))
    } else if (context.exchange instanceof LocalExchange) context.audit = context.exchange.trail
  }

  recordOf(context: RequestContext): RequestRecording | undefined {
    return this.#records.get(context)
  }

  started(layers: ServerLayers): void {
    this.#layers = layers
    this.#options.onStarted?.(layers.place)
  }

  /** The simulated cluster, once it has started. */
  simulation: Simulation | undefined

  simulated(simulation: Simulation): void {
    this.simulation = simulation
  }

  get layers(): ServerLayers {
    if (this.#layers === undefined) throw new Error('the server has not started')
    return this.#layers
  }

  readonly tokens: TokenAuthenticator = {
    authenticateToken: (token) => {
      const user = this.#users.get(token)
      return user === undefined ? noOpinion : authenticated(user)
    },
  }

  addUser(token: string, user: UserInfo): void {
    this.#users.set(token, user)
  }

  readonly filter = (context: RequestContext, next: Handler): void | Promise<void> => {
    if (isOfConsole(context)) return next(context)
    if (this.#held !== undefined) return this.#held.open.then(() => this.filter(context, next))
    const record = this.#records.get(context)
    if (record === undefined) return next(context)
    this.#track(context)
    const { faults } = this.#options
    const applies = (spec: FaultSpec): boolean => canHappen(spec, context)
    if (!hasBody(context) || !faults.wantsBody(record, applies)) return this.#pass(context, record, next)
    return record.exchange.prefetch(maxBodyBytes).then(() => this.#pass(context, record, next))
  }

  #pass(context: RequestContext, record: RequestRecording, next: Handler): void | Promise<void> {
    const fault = this.#options.faults.forRequest(record, (spec) => canHappen(spec, context))
    if (fault === undefined) return next(context)
    record.faults.push(fault.label)
    return this.#break(context, { fault, exchange: record.exchange, next })
  }

  #track(context: RequestContext): void {
    const { verb, subresource } = context.info
    if (verb === 'watch' || streaming.has(subresource)) return
    this.#running.add(context)
    context.exchange.onEnd(() => {
      this.#running.delete(context)
      if (this.#running.size === 0) this.#drained()
    })
  }

  async #break(context: RequestContext, { fault, exchange, next }: Breaking): Promise<void> {
    const { latency, cut, error, expiredContinue: isExpired, stale, watch } = fault.spec
    if (latency !== undefined) {
      const isOver = await this.#delay(latency).then(
        () => true,
        () => false,
      )
      if (!isOver || cut === 'before') return exchange.cut()
    } else if (cut === 'before') return exchange.cut()
    if (error !== undefined) throw faultStatus(error, context.info)
    if (isExpired) throw expiredContinue(decodeContinue(context.info.query.get('continue') ?? ''))
    if (stale === true) context.readAt = fault.revision
    else if (typeof stale === 'number') context.readAt = Math.max(this.layers.storage.reflector.revision - stale, 1)
    if (watch !== undefined) this.#watchFaults.set(context, watch)
    if (cut === 'after') exchange.cutAtAnswer()
    await next(context)
  }

  /** Passes as the server's clock does. Rejects when the state is put back meanwhile. */
  #delay(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.setTimeout(() => {
        this.#delays.delete(abort)
        resolve()
      }, ms)
      const abort = (why: Error): void => {
        cancel()
        this.#delays.delete(abort)
        reject(why)
      }
      this.#delays.add(abort)
    })
  }

  #watchOpened(stream: WatchStream): void {
    for (const listener of this.watchListeners) listener(stream)
    const fault = this.#watchFaults.get(stream.context)
    if (fault !== undefined) this.watches.break(stream, fault)
  }

  async beforeWebhook({ url, review, timeoutMs }: WebhookPost): Promise<void> {
    const fault = this.#options.faults.forCall(reviewed(review['request']), url)
    if (fault === undefined) return
    const { webhook, latency } = fault.spec
    if (latency !== undefined) await this.#delay(Math.min(latency, timeoutMs))
    const host = new URL(url).host
    if (webhook === 'timeout') throw new Error(`Post ${JSON.stringify(url)}: context deadline exceeded`)
    if (webhook === 'refused') {
      throw new Error(`Post ${JSON.stringify(url)}: dial tcp ${host}: connect: connection refused`)
    }
    throw new Error(
      `an error on the server (${JSON.stringify(`broken with ${webhook}`)}) has prevented the request from succeeding`,
    )
  }

  denied(messages: readonly string[]): void {
    this.#denials = messages
  }

  /** What policies said to the last request that they denied, if that was not asked for before. */
  takeDenials(): readonly string[] {
    const denials = this.#denials
    this.#denials = []
    return denials
  }

  /** Holds new requests back, and waits until those under way have ended; what waits on purpose is given up. */
  async hold(): Promise<void> {
    if (this.#held !== undefined) throw new Error('the state is being put back already')
    let release = (): void => undefined
    const open = new Promise<void>((resolve) => {
      release = resolve
    })
    this.#held = { open, release }
    for (const abort of this.#delays) abort(new Error('the state was put back'))
    if (this.#running.size === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, drainMs)
      this.#drained = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#drained = () => undefined
    for (const { exchange } of this.#running) exchange.cut()
    this.#running.clear()
  }

  /** The server ends: what is under way is abandoned. */
  abandon(): void {
    this.release()
    for (const abort of this.#delays) abort(new Error('the server was closed'))
    for (const { exchange } of this.#running) exchange.cut()
    this.#running.clear()
  }

  release(): void {
    const held = this.#held
    this.#held = undefined
    held?.release()
  }
}

/** Connections to pods and nodes are long-running. */
const streaming: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy', 'log'])

/** Whether what a fault does can happen to a request at all; if not it is none of its requests. */
function canHappen(spec: FaultSpec, { info }: RequestContext): boolean {
  const { verb, query } = info
  if (spec.watch !== undefined && verb !== 'watch') return false
  if (spec.expiredContinue && (verb !== 'list' || !query.get('continue'))) return false
  const version = query.get('resourceVersion')
  const isRead = verb === 'get' || verb === 'list'
  // A watch that goes on from a version has no state to begin with.
  const beginsWithState = verb === 'watch' && (version === '0' || query.get('sendInitialEvents') === 'true')
  return spec.stale === undefined || ((isRead || beginsWithState) && Boolean(version))
}

/** A review as a request to match: of the object that it is about. */
function reviewed(request: JsonValue | undefined): RecordedRequest {
  const fields = isJsonObject(request) ? request : {}
  const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')
  const resource = isJsonObject(fields['resource']) ? fields['resource'] : {}
  const user = isJsonObject(fields['userInfo']) ? fields['userInfo'] : {}
  const group = text(resource['group'])
  return {
    id: 0,
    verb: text(fields['operation']).toLowerCase(),
    method: 'POST',
    path: '',
    query: '',
    resource: group === '' ? text(resource['resource']) : `${text(resource['resource'])}.${group}`,
    subresource: text(fields['subResource']),
    version: text(resource['version']),
    namespace: text(fields['namespace']),
    name: text(fields['name']),
    user: text(user['username']),
    groups: [],
    userAgent: '',
    headers: {},
    time: 0,
    status: 0,
    duration: undefined,
    responseHeaders: {},
    warnings: [],
    auditAnnotations: {},
    body: request,
    response: undefined,
    faults: [],
  }
}
