// Time-to-live on etcd is a lease that keys are attached to. Leases cost etcd much more than keys, so one lease serves the keys with the same
// time to live for a while: it is granted a little longer than asked for, and used until that surplus is gone or it has enough keys.
import type { Clock } from '../../lib/clock.ts'
import type { EtcdEndpoints } from './endpoints.ts'
import { leaseGrantMethod } from './messages.ts'

const surplusShare = 0.05
const maxKeys = 1000
const maxLeaseId = Number.MAX_SAFE_INTEGER

interface Lease {
  readonly id: Promise<number>
  readonly reusableUntil: number
  keys: number
}

export class Leases {
  readonly #endpoints: EtcdEndpoints
  readonly #clock: Clock
  readonly #reuseSeconds: number
  readonly #byTtl = new Map<number, Lease>()

  /** `reuseSeconds`: how long a lease is used for new keys, at most; also at most a twentieth of its time. */
  constructor(endpoints: EtcdEndpoints, clock: Clock, reuseSeconds: number) {
    this.#endpoints = endpoints
    this.#clock = clock
    this.#reuseSeconds = reuseSeconds
  }

  /** A lease that ends no sooner than in `ttlSeconds`. */
  async leaseFor(ttlSeconds: number): Promise<number> {
    const now = this.#clock.now()
    const kept = this.#byTtl.get(ttlSeconds)
    if (kept !== undefined && now < kept.reusableUntil && kept.keys < maxKeys) {
      kept.keys++
      return kept.id
    }
    this.#dropUnusable(now)
    const surplus = Math.min(this.#reuseSeconds, Math.ceil(ttlSeconds * surplusShare))
    const lease: Lease = { id: this.#grant(ttlSeconds + surplus), reusableUntil: now + surplus * 1000, keys: 1 }
    this.#byTtl.set(ttlSeconds, lease)
    lease.id.catch(() => this.forget(ttlSeconds))
    return lease.id
  }

  async #grant(ttlSeconds: number): Promise<number> {
    const id = 1 + Math.floor(this.#clock.random() * (maxLeaseId - 1))
    await this.#endpoints.call(leaseGrantMethod, { ttlSeconds, id }, { repeatable: false })
    return id
  }

  #dropUnusable(now: number): void {
    for (const [ttl, lease] of this.#byTtl) if (now >= lease.reusableUntil) this.#byTtl.delete(ttl)
  }

  forget(ttlSeconds: number): void {
    this.#byTtl.delete(ttlSeconds)
  }
}
