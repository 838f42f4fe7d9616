/**
 * Events as the real components write them, recorded asynchronously, beside the work that emits them: `event` never waits and never fails.
 *
 * Low priority: while controllers write, events wait for a lull, as those of client-go wait for their rate limit.
 *
 * Dead-store elimination: in virtual time, an event that will have expired by the time that the clock is advanced to is
 * counted, but not written, unless a watch of events is open.
 *
 * Bounds: at most `maxPending` events wait to be written; more are dropped, and the log says so once. Beyond `highWater` they
 * are written at once, and a batch waits for at most `maxLullTurns` turns of the event loop.
 * Mirrors k8s.io/client-go/tools/record: recorderImpl. Mirrors k8s.io/client-go/tools/events: recorderImpl.
 */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import { formatMicroTime, formatTime, instantOfMillis } from '../../api/time.ts'
import type { ServedRegistries } from '../../controllers/live-resources.ts'
import type { Clock } from '../../lib/clock.ts'
import { nextTurn } from '../../lib/in-turns.ts'
import type { Logger } from '../../lib/logger.ts'
import { WorkQueue } from '../../lib/work-queue.ts'
import type { Actor } from '../../registry/own-writes.ts'
import { EventCorrelator, LruMap } from './event-correlator.ts'
import type { WritePacer, Writer } from './writer.ts'

/** What an event is about: any object of the API. */
export interface Regarding {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: {
    readonly name?: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
  }
}

export interface EventDetails {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly action?: string
  readonly related?: Regarding
  /** `spec.containers{web}`: a part of the object. */
  readonly fieldPath?: string
}

export interface EventRecorder {
  event(regarding: Regarding, details: EventDetails): void
}

export interface RecorderOptions {
  /** `events`: with series, as by events.k8s.io/v1 (the scheduler); `core` (unless given): with counts. */
  readonly style?: 'core' | 'events'
  /** The node that the component runs on. */
  readonly host?: string
  /** Who writes: kube-controller-manager unless given. */
  readonly actor?: Actor
}

/** What is known of an event that was recorded. */
interface Recorded {
  readonly namespace: string
  readonly name: string
  readonly first: string
  count: number
}

interface Pending {
  readonly writer: Writer
  /** The object is made of them when it is written. */
  readonly facts: EventFacts
  /** The event is there already, and is counted. */
  readonly isRepeat: boolean
}

const maxPending = 10_000
const highWater = 8_000
const maxLullTurns = 20
const batchSize = 16
const maxNameLength = 253

export class EventSink {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #correlator = new EventCorrelator()
  readonly #recorded = new LruMap<Recorded>()
  readonly #pending = new Map<string, Pending>()
  readonly #queue: WorkQueue<string>
  /** Of everyone else's writes. */
  readonly #pace: WritePacer
  readonly #resources: ServedRegistries
  #nanos = 0n
  #hasDropped = false
  /** Of the present batch, how many were written, and how many writes of others there were when it began. */
  #inBatch = 0
  #begunAt = -1

  constructor({ clock, logger, pace, resources }: SinkOptions) {
    this.#clock = clock
    this.#logger = logger
    this.#pace = pace
    this.#resources = resources
    this.#queue = new WorkQueue<string>({
      clock,
      concurrency: 1,
      process: (key) => this.#write(key),
      onError: () => undefined,
    })
  }

  recorder(component: string, options: RecorderOptions, writer: Writer): EventRecorder {
    return { event: (regarding, details) => this.#record({ component, options, writer }, regarding, details) }
  }

  stop(): Promise<void> {
    return this.#queue.stop()
  }

  #record(by: Component, regarding: Regarding, details: EventDetails): void {
    const { component, options } = by
    const now = this.#clock.now()
    const { uid, namespace = '', name = '' } = regarding.metadata
    const { type, reason, message, fieldPath = '' } = details
    const object = [regarding.kind, namespace, name, uid, regarding.apiVersion].join('\n')
    const source = `${component}\n${options.host ?? ''}`
    const correlated = this.#correlator.correlate({ source, object, fieldPath, type, reason, message }, now)
    if (correlated === undefined) return
    const known = this.#recorded.get(correlated.key)
    const recorded = known ?? this.#newEvent(namespace, name, now)
    if (known !== undefined) known.count++
    this.#recorded.set(correlated.key, recorded)
    if (this.#expiresUnseen(now)) return
    const reported = { ...details, message: correlated.message }
    const { isCombined } = correlated
    const facts = { component, options, regarding, details: reported, recorded, isCombined, now }
    this.#enqueue({ writer: by.writer, facts, isRepeat: known !== undefined })
  }

  /** Whether an event that is written now is gone when the clock stops, and no watch is open that would deliver it. */
  #expiresUnseen(now: number): boolean {
    const { horizon } = this.#clock
    if (horizon === undefined) return false
    const { definition, storage } = this.#resources.get('', 'events') ?? {}
    const ttlSeconds = definition?.storage.ttlSeconds
    if (ttlSeconds === undefined || now + ttlSeconds * 1000 >= horizon) return false
    return (storage?.loaded?.watcherCount ?? 0) === 0
  }

  #newEvent(namespace: string, name: string, now: number): Recorded {
    const nanos = BigInt(Math.floor(now)) * 1_000_000n
    this.#nanos = nanos > this.#nanos ? nanos : this.#nanos + 1n
    const made = `${name}.${this.#nanos.toString(16)}`
    return {
      namespace: namespace === '' ? 'default' : namespace,
      name: made.length > maxNameLength ? this.#clock.uuid() : made,
      first: formatTime(instantOfMillis(now)),
      count: 1,
    }
  }

  #enqueue(pending: Pending): void {
    const { namespace, name } = pending.facts.recorded
    const key = `${namespace}/${name}`
    if (this.#pending.size >= maxPending && !this.#pending.has(key)) {
      if (!this.#hasDropped)
        this.#logger.warn({ waiting: maxPending }, 'too many events at a time: some are not recorded')
      this.#hasDropped = true
      return
    }
    // A repeat of what was not written yet is written with it.
    const isRepeat = pending.isRepeat && (this.#pending.get(key)?.isRepeat ?? true)
    this.#pending.set(key, { ...pending, isRepeat })
    this.#queue.add(key)
  }

  /** Waits until no other write is under way, unless a batch that has waited is not done yet. */
  async #lull(): Promise<void> {
    const isInBatch = this.#inBatch < batchSize || this.#pace.writes === this.#begunAt
    this.#inBatch++
    if (isInBatch) return
    for (let turns = 0, before = -1; turns < maxLullTurns && this.#pending.size < highWater; turns++) {
      if (before === this.#pace.writes) break
      before = this.#pace.writes
      await nextTurn()
    }
    this.#inBatch = 1
    this.#begunAt = this.#pace.writes
  }

  async #write(key: string): Promise<void> {
    await this.#lull()
    const pending = this.#pending.get(key)
    this.#pending.delete(key)
    if (pending === undefined) return
    const { writer, facts, isRepeat } = pending
    const event = eventObject(facts)
    try {
      if (isRepeat) await this.#repeat(writer, event)
      else await writer.append('', 'events', event)
    } catch (error) {
      // As in the reference: what the server refuses (its namespace is being deleted, say) is not tried again.
      if (!(error instanceof ApiError)) throw error
      this.#logger.debug({ event: key, err: error }, 'an event was not recorded')
    }
  }

  async #repeat(writer: Writer, event: KubeObject): Promise<void> {
    const { namespace = '', name = '' } = event.metadata
    const { count, lastTimestamp, series, message } = event
    try {
      await writer.update<KubeObject>('', 'events', { namespace, name }, (current) =>
        series === undefined ? { ...current, count, lastTimestamp, message } : { ...current, series },
      )
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error
      // It has expired.
      await writer.append('', 'events', event)
    }
  }
}

export interface SinkOptions {
  readonly clock: Clock
  readonly logger: Logger
  /** Of the writes that go first. */
  readonly pace: WritePacer
  readonly resources: ServedRegistries
}

interface Component {
  readonly component: string
  readonly options: RecorderOptions
  readonly writer: Writer
}

interface EventFacts {
  readonly component: string
  readonly options: RecorderOptions
  readonly regarding: Regarding
  readonly details: EventDetails
  readonly recorded: Recorded
  readonly isCombined: boolean
  readonly now: number
}

/** In the shape of core/v1, in which both APIs keep events. */
function eventObject({ component, options, regarding, details, recorded, isCombined, now }: EventFacts): KubeObject {
  const { style = 'core', host } = options
  const { type, reason, message, action, related, fieldPath } = details
  const { namespace, name, first, count } = recorded
  const time = formatTime(instantOfMillis(now))
  const micro = formatMicroTime(instantOfMillis(now))
  const shared = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name },
    involvedObject: reference(regarding, fieldPath),
    reason,
    message,
    type,
    ...(action === undefined ? {} : { action }),
    ...(related === undefined ? {} : { related: reference(related) }),
    // Mirrors EventAggregator.EventAggregate, which leaves it out.
    reportingComponent: isCombined && style === 'core' ? '' : component,
  }
  if (style === 'core') {
    const source = host === undefined ? { component } : { component, host }
    return {
      ...shared,
      source,
      firstTimestamp: first,
      lastTimestamp: time,
      count,
      reportingInstance: isCombined ? '' : (host ?? ''),
    }
  }
  const series = count > 1 ? { series: { count, lastObservedTime: micro } } : {}
  return { ...shared, eventTime: micro, ...series, reportingInstance: host ?? `${component}-simulated` }
}

function reference({ kind = '', apiVersion = '', metadata }: Regarding, fieldPath?: string): JsonObject {
  const { namespace, name = '', uid = '', resourceVersion = '' } = metadata
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    uid,
    apiVersion,
    ...(resourceVersion === '' ? {} : { resourceVersion }),
    ...(fieldPath === undefined ? {} : { fieldPath }),
  }
}
