// Faults that a test injects.
import type { RequestMatch } from './requests.ts'

/** What goes wrong, and for which requests. */
export interface FaultSpec extends RequestMatch {
  /** Names the fault in `RecordedRequest.faults`. */
  label?: string
  /** How many requests that match are let through first. */
  skip?: number
  /** How many are hit, after that; all unless given. */
  times?: number
  /** The share of requests that are hit, 0 to 1, chosen by the seed of the server. */
  share?: number

  /** Answer with this code and the Status that the server would send with it, before anything happened. */
  error?: number | StatusFault
  /** Wait this many milliseconds (of the server's clock) first. Goes with every other kind. */
  latency?: number
  /** Break the connection before the request is looked at, or after it was carried out and before the answer. */
  cut?: 'before' | 'after'
  /** What happens to watches. */
  watch?: WatchFault
  /** Answer a list that continues another with 410 and a token that goes on with the present state. */
  expiredContinue?: boolean
  /**
   * Answer reads that allow it (a resourceVersion is given, such as 0) from an older state, but never one older than they
   * ask for: the one when the fault was added (`true`), or as many writes ago. A watch that may begin with any state begins
   * with that one, and then gets the events since.
   */
  stale?: boolean | number
  /**
   * Breaks calls to admission webhooks instead of requests: `timeout`, `refused` (the connection), or a status code.
   * `resource`, `verb`, `namespace`, `name` and `user` are those of the object that is reviewed.
   */
  webhook?: 'timeout' | 'refused' | number
  /** Only webhooks whose URL fits. A service is `https://name.namespace.svc:443/path`. */
  webhookUrl?: string
}

export interface StatusFault {
  code: number
  reason?: string
  message?: string
  /** Seconds, in the header and in the Status. */
  retryAfter?: number
}

/** `cut`: the connection breaks. `silent`: it stays, but nothing comes any more. `expired`: an ERROR event with 410. */
export type WatchFaultKind = 'cut' | 'silent' | 'expired' | 'without bookmarks'

export type WatchFault = WatchFaultKind | { kind: WatchFaultKind; afterEvents: number }

export interface Fault {
  readonly spec: Readonly<FaultSpec>
  /** How many requests (or calls) it has hit. */
  readonly hits: number
  remove(): void
}

export interface Faults {
  /**
   * From now on. A request is hit by the first fault that matches and is not used up.
   *
   * @example
   * const fault = server.faults.add({ verb: 'list', resource: 'pods', error: { code: 429, retryAfter: 2 }, times: 1 })
   * const core = await server.client(CoreV1Api)
   * await assert.rejects(core.listNamespacedPod({ namespace: 'default' }), { code: 429 })
   * assert.equal((await core.listNamespacedPod({ namespace: 'default' })).items.length, 0)
   * assert.equal(fault.hits, 1)
   */
  add(spec: FaultSpec): Fault
  list(): readonly Fault[]
  clear(): void
  /**
   * Faults of many kinds, by chance, the same for the same seed and the same requests.
   *
   * @example
   * const chaos = server.faults.chaos({ seed: 7, share: 0.5, only: ['errors'], match: { resource: 'pods' } })
   * const core = await server.client(CoreV1Api)
   * for (let i = 0; i < 20; i++) await core.listNamespacedPod({ namespace: 'default' }).catch(() => undefined)
   * assert.ok(chaos.hits > 0)
   * chaos.stop()
   */
  chaos(options: ChaosOptions): Chaos
}

export type ChaosKind = 'conflicts' | 'errors' | 'throttling' | 'latency' | 'cuts' | 'watches' | 'staleReads' | 'pages'

export interface ChaosOptions {
  /** A whole number. Print it: it brings the same chaos back. */
  seed: number
  /** The share of requests that are hit, at most (not every kind can happen to every request): 0.1 unless given. */
  share?: number
  /** All kinds unless given. */
  only?: readonly ChaosKind[]
  /** Only requests that match. */
  match?: Omit<RequestMatch, 'where'>
}

export interface Chaos {
  readonly seed: number
  /** How many requests it has hit. */
  readonly hits: number
  stop(): void
}
