/**
 * One server among several that share a store does the work of controllers: the one that holds a Lease. It renews the
 * Lease while it lives and gives it back when it stops, so that another takes over at once; when it dies, another takes
 * over when the Lease has run out. Others wait for changes of the Lease; there is no polling.
 *
 * Times follow what others last saw happen by their own clock, so clocks need not agree.
 */

import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { ApiError } from '../api/status-error.ts'
import { formatMicroTime, instantOfMillis } from '../api/time.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import { findObject, watchObjects } from '../registry/object-watch.ts'
import { createAs, type ObjectName, serverActor, updateAs } from '../registry/own-writes.ts'
import type { Registry } from '../registry/registry.ts'
import type { Controller } from './controller.ts'

/** In milliseconds. */
export interface LeaseTiming {
  readonly leaseDuration: number
  /** Without a renewal for this long the holder stops, well before others may take over. */
  readonly renewDeadline: number
  readonly retryPeriod: number
}

export interface LeaderElectionOptions {
  readonly leases: Registry
  /** The Lease in kube-system. */
  readonly lease: string
  readonly identity: string
  readonly clock: Clock
  readonly logger: Logger
  readonly timing?: LeaseTiming | undefined
  onElected(): void
  /** It may be that another server leads now. */
  onLost(): void
}

const namespace = 'kube-system'
const usualTiming: LeaseTiming = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 4000 }

export class LeaderElection implements Controller {
  readonly #options: LeaderElectionOptions
  readonly #queue: WorkQueue<'lease'>
  readonly #target: ObjectName
  readonly #timing: LeaseTiming
  #watch: Promise<() => void> | undefined
  #isLeader = false
  #renewed = 0
  /** What the Lease said when it last changed, and when that was. */
  #seen = { text: '', at: 0 }

  constructor(options: LeaderElectionOptions) {
    this.#options = options
    const { clock, logger, lease, timing = usualTiming } = options
    this.#timing = timing
    this.#target = { namespace, name: lease }
    this.#queue = new WorkQueue({
      name: `leader_election_${lease}`,
      clock,
      concurrency: 1,
      process: () => this.#step(),
      onError: (_, error) => {
        if (this.#isLeader && clock.now() - this.#renewed > timing.renewDeadline) this.#setLeader(false)
        logger.debug({ err: error }, 'the lease of the controllers was not renewed')
      },
    })
  }

  start(): void {
    const changed = (_: string, object: ObjectName): void => {
      const isIt = object.namespace === namespace && object.name === this.#target.name
      if (isIt && !this.#isLeader) this.#queue.add('lease')
    }
    this.#watch = watchObjects(this.#options.leases, { changed })
    this.#watch.catch((error: unknown) => this.#options.logger.error({ err: error }, 'cannot watch leases'))
    this.#queue.add('lease')
  }

  async stop(): Promise<void> {
    this.#watch?.then((end) => end()).catch(() => {})
    await this.#queue.stop()
    if (!this.#isLeader) return
    this.#isLeader = false
    const release = (lease: KubeObject): KubeObject | undefined => {
      const spec = specOf(lease)
      if (spec['holderIdentity'] !== this.#options.identity) return undefined
      return { ...lease, spec: { ...spec, holderIdentity: '', leaseDurationSeconds: 1 } }
    }
    await updateAs(serverActor, this.#options.leases, this.#target, release).catch(() => {})
  }

  async #step(): Promise<void> {
    const { leases, clock } = this.#options
    const lease = (await findObject(leases, namespace, this.#target.name))?.object()
    const wait = lease === undefined ? 0 : this.#waitFor(lease)
    if (wait > 0) {
      this.#setLeader(false)
      this.#queue.addAfter('lease', wait)
      return
    }
    const began = clock.now()
    if (!(await this.#take(lease))) {
      this.#setLeader(false)
      this.#queue.addAfter('lease', this.#timing.retryPeriod)
      return
    }
    this.#renewed = began
    this.#setLeader(true)
    this.#queue.addAfter('lease', this.#timing.retryPeriod)
  }

  get #leaseSeconds(): number {
    return Math.max(1, Math.floor(this.#timing.leaseDuration / 1000))
  }

  /** How long the Lease is still another's, in milliseconds. */
  #waitFor(lease: KubeObject): number {
    const { clock, identity } = this.#options
    const spec = specOf(lease)
    const holder = spec['holderIdentity'] ?? ''
    if (holder === '' || holder === identity) return 0
    const text = JSON.stringify(spec)
    if (text !== this.#seen.text) this.#seen = { text, at: clock.now() }
    const seconds = Number(spec['leaseDurationSeconds'] ?? this.#leaseSeconds)
    return Math.max(0, this.#seen.at + seconds * 1000 - clock.now())
  }

  /** False when another server was quicker. */
  async #take(lease: KubeObject | undefined): Promise<boolean> {
    const { leases, clock, identity } = this.#options
    const now = formatMicroTime(instantOfMillis(clock.now()))
    const own = { holderIdentity: identity, leaseDurationSeconds: this.#leaseSeconds, renewTime: now }
    try {
      if (lease === undefined) {
        await createAs(serverActor, leases, {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { namespace, name: this.#target.name },
          spec: { ...own, acquireTime: now, leaseTransitions: 0 },
        })
        return true
      }
      const written = await updateAs(serverActor, leases, this.#target, (current) => {
        // Decided for this version of the Lease and no other.
        if (current.metadata.resourceVersion !== lease.metadata.resourceVersion) return undefined
        const spec = specOf(current)
        const isOurs = spec['holderIdentity'] === identity
        const change = isOurs ? {} : { acquireTime: now, leaseTransitions: Number(spec['leaseTransitions'] ?? 0) + 1 }
        return { ...current, spec: { ...spec, ...own, ...change } }
      })
      return specOf(written)['holderIdentity'] === identity
    } catch (error) {
      if (error instanceof ApiError && (error.code === 409 || error.code === 404)) return false
      throw error
    }
  }

  #setLeader(isLeader: boolean): void {
    if (isLeader === this.#isLeader) return
    this.#isLeader = isLeader
    if (isLeader) this.#options.onElected()
    else this.#options.onLost()
  }
}

const specOf = (lease: KubeObject): JsonObject => (lease['spec'] ?? {}) as JsonObject
