/**
 * Coordinated leader election: elects, for every Lease that LeaseCandidates stand for, the one that should hold it, and
 * removes candidates that have gone. One server of several does it, the one that holds the Lease of this controller.
 *
 * Mirrors pkg/controlplane/controller/leaderelection: Controller, LeaseCandidateGCController.
 */

import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { WorkQueue } from '../../lib/work-queue.ts'
import { findObject, objectsEverywhere, objectsIn, watchObjects } from '../../registry/object-watch.ts'
import { createAs, deleteAs, serverActor, updateAs } from '../../registry/own-writes.ts'
import type { Registry } from '../../registry/registry.ts'
import type { Controller } from '../controller.ts'
import {
  type Elected,
  electedLease,
  electionStep,
  isCandidateExpired,
  isPinged,
  leaseNameOf,
  newLeaseSpec,
  pinged,
} from './election.ts'

/** The Lease of the server that elects, as in the reference: both can share an etcd. */
export const electionLease = 'leader-election-controller'

export interface CoordinatedElectionOptions {
  readonly leases: Registry
  readonly candidates: Registry
  readonly clock: Clock
  readonly logger: Logger
}

/** A Lease is looked at again after this long: that it has run out is no change. */
const lookAgainMs = 5000
const collectMs = 30 * 60 * 1000
/** No name of a Lease has a slash. */
const collecting = '/'

export class CoordinatedElection implements Controller {
  readonly #options: CoordinatedElectionOptions
  readonly #queue: WorkQueue<string>
  #watches: Promise<() => void>[] = []

  constructor(options: CoordinatedElectionOptions) {
    this.#options = options
    const { clock, logger } = options
    this.#queue = new WorkQueue({
      name: 'leader-election-controller',
      clock,
      concurrency: 1,
      process: (key) => (key === collecting ? this.#collect() : this.#elect(key)),
      onError: (key, error) => logger.debug({ err: error, lease: key }, 'no leader was elected'),
    })
  }

  start(): void {
    const { leases, candidates, logger } = this.#options
    this.#watches = [
      watchObjects(leases, { changed: (_, { namespace, name }) => this.#queue.add(`${namespace}/${name}`) }),
      watchObjects(candidates, {
        changed: (_, candidate) => {
          const object = candidate.peek()
          if (!isPinged(object)) this.#queue.add(`${candidate.namespace}/${leaseNameOf(object)}`)
        },
      }),
    ]
    for (const watch of this.#watches) {
      watch.catch((error: unknown) => logger.error({ err: error }, 'cannot watch candidates for leases'))
    }
    this.#queue.add(collecting)
  }

  async stop(): Promise<void> {
    for (const watch of this.#watches) watch.then((end) => end()).catch(() => {})
    await this.#queue.stop()
  }

  async #elect(key: string): Promise<void> {
    const { leases, candidates, clock } = this.#options
    const [namespace = '', name = ''] = key.split('/')
    const standing = (await objectsIn(candidates, namespace))
      .map((candidate) => candidate.peek())
      .filter((candidate) => leaseNameOf(candidate) === name)
    if (standing.length === 0) return
    const lease = (await findObject(leases, namespace, name))?.object()
    const now = clock.now()
    const step = electionStep(lease, standing, now)
    if (step.action === 'none') return
    this.#queue.addAfter(key, lookAgainMs)
    if (step.action === 'ping') for (const candidate of step.candidates) await this.#ping(candidate, now)
    else if (step.action === 'elect') await this.#write({ namespace, name }, step.elected, now)
  }

  /** One that has changed since it was looked at may have answered. */
  async #ping(candidate: KubeObject, now: number): Promise<void> {
    const { namespace = '', name = '', resourceVersion } = candidate.metadata
    await unlessGone(() =>
      updateAs(serverActor, this.#options.candidates, { namespace, name }, (current) =>
        current.metadata.resourceVersion === resourceVersion ? pinged(current, now) : undefined,
      ),
    )
  }

  async #write(target: { namespace: string; name: string }, elected: Elected, now: number): Promise<void> {
    const { leases } = this.#options
    const change = (lease: KubeObject): KubeObject | undefined => electedLease(lease, elected, now)
    if ((await unlessGone(() => updateAs(serverActor, leases, target, change))) !== undefined) return
    const spec = newLeaseSpec(elected, now)
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...target }, spec }
    await createAs(serverActor, leases, lease)
  }

  async #collect(): Promise<void> {
    const { candidates, clock } = this.#options
    for (const { namespace, name } of await objectsEverywhere(candidates)) {
      const newest = await candidates.storage.newest(`${namespace}/${name}`)
      if (newest === undefined || !isCandidateExpired(newest.peek(), clock.now())) continue
      await unlessGone(() => deleteAs(serverActor, candidates, { namespace, name }, {}))
    }
    this.#queue.addAfter(collecting, collectMs)
  }
}

async function unlessGone<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}
