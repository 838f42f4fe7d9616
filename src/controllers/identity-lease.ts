/**
 * The Lease in kube-system that says that this server is alive, and the removal of those of servers that are not. The
 * name follows from the host's, so that a server that is started again finds its own.
 */

import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { identity, serverIdentity } from '../api/server-identity.ts'
import { ApiError } from '../api/status-error.ts'
import { formatMicroTime, instantOfMillis } from '../api/time.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import { findObject, objectsIn } from '../registry/object-watch.ts'
import { createAs, deleteAs, serverActor, updateAs } from '../registry/own-writes.ts'
import type { Registry } from '../registry/registry.ts'
import type { Controller } from './controller.ts'

export interface IdentityLeaseOptions {
  readonly leases: Registry
  readonly hostname: string
  readonly clock: Clock
  readonly logger: Logger
}

const namespace = 'kube-system'
const identityLabel = 'apiserver.kubernetes.io/identity'
const leaseSeconds = 3600
const renewMs = 10_000
const collectMs = 3_600_000

export class IdentityLease implements Controller {
  readonly #options: IdentityLeaseOptions
  readonly #queue: WorkQueue<'renew' | 'collect'>
  readonly #name: string
  readonly #holder: string

  constructor(options: IdentityLeaseOptions) {
    this.#options = options
    const { clock, logger, hostname } = options
    this.#name = serverIdentity(hostname)
    this.#holder = `${this.#name}_${clock.uuid()}`
    this.#queue = new WorkQueue({
      name: 'identity_lease',
      clock,
      concurrency: 1,
      process: async (task) => {
        await (task === 'renew' ? this.#renew() : this.#collect())
        this.#queue.addAfter(task, task === 'renew' ? renewMs : collectMs, { background: true })
      },
      onError: (_, error) => logger.debug({ err: error }, "the Lease of this server's identity is not in order"),
    })
  }

  start(): void {
    this.#queue.add('renew')
    this.#queue.add('collect')
  }

  stop(): Promise<void> {
    return this.#queue.stop()
  }

  async #renew(): Promise<void> {
    const { leases, clock, hostname } = this.#options
    const renewTime = formatMicroTime(instantOfMillis(clock.now()))
    const labels = { [identityLabel]: identity, 'kubernetes.io/hostname': hostname }
    if ((await findObject(leases, namespace, this.#name)) === undefined) {
      await createAs(serverActor, leases, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: this.#name, namespace, labels },
        spec: { holderIdentity: this.#holder, leaseDurationSeconds: leaseSeconds, renewTime },
      })
      return
    }
    await updateAs(serverActor, leases, { namespace, name: this.#name }, (current) => ({
      ...current,
      metadata: { ...current.metadata, labels: { ...current.metadata.labels, ...labels } },
      spec: { ...specOf(current), renewTime },
    }))
  }

  /** Several servers may do this at the same time: what is gone is gone. */
  async #collect(): Promise<void> {
    const { leases, clock } = this.#options
    for (const lease of await objectsIn(leases, namespace)) {
      const object = lease.object()
      if (object.metadata.labels?.[identityLabel] !== identity || !isExpired(object, clock.now())) continue
      const { uid = '', resourceVersion = '' } = object.metadata
      const target = { namespace, name: lease.name }
      await deleteAs(serverActor, leases, target, { preconditions: { uid, resourceVersion } }).catch((error) => {
        if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 409)) throw error
      })
    }
  }
}

/** A Lease without its times was never renewed. */
export function isExpired(lease: KubeObject, now: number): boolean {
  const { renewTime, leaseDurationSeconds } = specOf(lease)
  if (typeof renewTime !== 'string' || typeof leaseDurationSeconds !== 'number') return true
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 < now
}

const specOf = (lease: KubeObject): JsonObject => (lease['spec'] ?? {}) as JsonObject
