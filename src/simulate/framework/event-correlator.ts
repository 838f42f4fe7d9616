/**
 * Which of the events that a component emits become objects of their own: repeats are counted, similar ones are combined,
 * and a component that emits too many about one object is rate-limited.
 * Mirrors k8s.io/client-go/tools/record: EventCorrelator, EventAggregator, EventSourceObjectSpamFilter.
 */
const maxSimilar = 10
const similarMs = 600_000
const burst = 25
const refillMs = 300_000
/** The least recently used are forgotten. */
const maxRemembered = 4096
const combined = '(combined from similar events): '

/** The identity of events; all texts. */
export interface EventIdentity {
  /** The component and where it runs. */
  readonly source: string
  /** The object that it is about, with its uid. */
  readonly object: string
  readonly fieldPath: string
  readonly type: string
  readonly reason: string
  readonly message: string
}

export interface Correlated {
  /** The same for all that are counted together. */
  readonly key: string
  readonly message: string
  /** It stands for several that are similar. */
  readonly isCombined: boolean
}

interface Similar {
  readonly messages: Set<string>
  last: number
}

interface Bucket {
  tokens: number
  last: number
}

export class EventCorrelator {
  readonly #similar = new LruMap<Similar>()
  readonly #buckets = new LruMap<Bucket>()

  /** Undefined: not to be recorded. */
  correlate(event: EventIdentity, now: number): Correlated | undefined {
    const counted = this.#combine(event, now)
    return this.#isSpam(event, now) ? undefined : counted
  }

  #combine(event: EventIdentity, now: number): Correlated {
    const { source, object, fieldPath, type, reason, message } = event
    const key = [source, object, fieldPath, type, reason].join('\n')
    const similar = this.#similar.take(key, () => ({ messages: new Set<string>(), last: now }))
    if (now - similar.last > similarMs) similar.messages.clear()
    similar.last = now
    similar.messages.add(message)
    if (similar.messages.size < maxSimilar) return { key: `${key}\n${message}`, message, isCombined: false }
    const [oldest] = similar.messages
    similar.messages.delete(oldest ?? '')
    return { key, message: combined + message, isCombined: true }
  }

  #isSpam({ source, object, type }: EventIdentity, now: number): boolean {
    const bucket = this.#buckets.take([source, object, type].join('\n'), () => ({ tokens: burst, last: now }))
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.last) / refillMs)
    bucket.last = now
    if (bucket.tokens < 1) return true
    bucket.tokens--
    return false
  }
}

/** A map that forgets what was not used for longest. */
export class LruMap<V> {
  readonly #values = new Map<string, V>()

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  take(key: string, make: () => V): V {
    const value = this.#values.get(key) ?? make()
    this.set(key, value)
    return value
  }

  set(key: string, value: V): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= maxRemembered) return
    const [oldest] = this.#values.keys()
    this.#values.delete(oldest ?? '')
  }
}
