/**
 * As many pods as a ReplicaSet, or a ReplicationController, asks for.
 * Mirrors pkg/controller/replicaset: ReplicaSetController. Mirrors pkg/controller/replication: ReplicationManager.
 */
import { type LabelSelector, selectorOfLabels, selectorOfObject } from '../../../api/label-selector.ts'
import type { StringMap } from '../../../api/object.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { ReplicaSet } from '../../../catalog/types/apps-v1.ts'
import type { Pod } from '../../../catalog/types/core-v1.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { followOwned } from '../../framework/follow-owned.ts'
import { claimObjects, controllerOf, controllerReference } from '../../framework/owners.ts'
import {
  createPod,
  deletePod,
  isNamespaceTerminating,
  type PodControl,
  podFromTemplate,
  slowStart,
} from '../../framework/pod-control.ts'
import {
  byController,
  inDeletionOrder,
  isActive,
  isTerminating,
  nextAvailability,
  orphansOf,
} from '../../framework/pods.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import { replicaStatus } from './replica-status.ts'

/** What the two kinds differ in. A ReplicationController has the fields of a ReplicaSet, but for its selector. */
interface Kind {
  readonly controller: string
  readonly account: string
  readonly group: string
  readonly resource: string
  readonly apiVersion: string
  readonly kind: string
  readonly component: string
  selectorOf(set: ReplicaSet): LabelSelector
}

/** Pods that are created or deleted in one go. */
const burstReplicas = 500

export const replicaSet: SimulatedController = controllerOfKind({
  controller: 'replicaset-controller',
  account: 'replicaset-controller',
  group: 'apps',
  resource: 'replicasets',
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  component: 'replicaset-controller',
  selectorOf: ({ spec }) => selectorOfObject(spec.selector as Parameters<typeof selectorOfObject>[0]),
})

export const replicationController: SimulatedController = controllerOfKind({
  controller: 'replicationcontroller-controller',
  account: 'replication-controller',
  group: '',
  resource: 'replicationcontrollers',
  apiVersion: 'v1',
  kind: 'ReplicationController',
  component: 'replication-controller',
  selectorOf: ({ spec }) => selectorOfLabels(spec.selector as unknown as StringMap),
})

function controllerOfKind(kind: Kind): SimulatedController {
  return {
    name: kind.controller,
    start(context) {
      const replicas = new Replicas(context, kind)
      const { group, resource, selectorOf } = kind
      const owners = context.informer<ReplicaSet>(group, resource)
      const queue = reconciler(context, { name: resource, reconcile: (key) => replicas.reconcile(key) })
      const add = (key: string): void => queue.add(key)
      const endings = [
        owners.subscribe(({ object }) => add(keyOf(object))),
        followOwned({ owned: context.informer<Pod>('', 'pods'), owners, kind: kind.kind, selectorOf, add }),
      ]
      return {
        stop() {
          for (const end of endings) end()
          return queue.stop()
        },
      }
    },
  }
}

class Replicas {
  readonly #context: SimulationContext
  readonly #kind: Kind
  readonly #control: PodControl

  constructor(context: SimulationContext, kind: Kind) {
    this.#context = context
    this.#kind = kind
    this.#control = { writer: context.writer(kind.account), recorder: context.recorder(kind.component) }
  }

  async reconcile(key: string): Promise<{ requeueAfter: number } | undefined> {
    const { group, resource } = this.#kind
    const { namespace, name } = splitKey(key)
    const set = this.#context.informer<ReplicaSet>(group, resource).get(namespace, name)
    if (set === undefined) return undefined
    const claimed = await this.#claim(set)
    const active = claimed.filter(isActive)
    const missing = set.metadata.deletionTimestamp === undefined ? (set.spec.replicas ?? 1) - active.length : 0
    const failed = missing === 0 ? undefined : await this.#manage(set, active, missing)
    // What was created and deleted just now counts.
    const present = missing !== 0 && failed === undefined ? this.#own(set).filter(isActive) : active
    await this.#writeStatus(set, present, failed)
    if (failed !== undefined) throw failed.error
    const wait = nextAvailability(present, set.spec.minReadySeconds ?? 0, this.#context.clock.now())
    return wait === undefined ? undefined : { requeueAfter: wait }
  }

  #own(set: ReplicaSet): Pod[] {
    const selector = this.#kind.selectorOf(set)
    const own = this.#context.informer<Pod>('', 'pods').byIndex(byController, set.metadata.uid ?? '')
    return own.filter(({ metadata }) => selector.matches(metadata.labels))
  }

  #claim(set: ReplicaSet): Promise<Pod[]> {
    const { apiVersion, kind, selectorOf } = this.#kind
    const pods = this.#context.informer<Pod>('', 'pods')
    const own = pods.byIndex(byController, set.metadata.uid ?? '')
    const orphans = pods.byIndex(byController, orphansOf(set.metadata.namespace ?? '')).filter(isActive)
    const { writer } = this.#control
    const claim = { owner: set, apiVersion, kind, selector: selectorOf(set), writer, group: '', resource: 'pods' }
    return claimObjects(claim, [...own, ...orphans])
  }

  /** The error that creating or deleting pods ended with. */
  async #manage(
    set: ReplicaSet,
    active: readonly Pod[],
    missing: number,
  ): Promise<{ readonly error: unknown } | undefined> {
    try {
      if (missing > 0) await slowStart(Math.min(missing, burstReplicas), () => this.#create(set))
      else await this.#delete(set, active, Math.min(-missing, burstReplicas))
      return undefined
    } catch (error) {
      return { error }
    }
  }

  async #create(set: ReplicaSet): Promise<void> {
    const { apiVersion, kind } = this.#kind
    const pod = podFromTemplate(set.spec.template, set, controllerReference(set, apiVersion, kind))
    try {
      await createPod(this.#control, set, pod)
    } catch (error) {
      // Nothing can be created there any more, and the set goes with its namespace.
      if (!isNamespaceTerminating(error)) throw error
    }
  }

  async #delete(set: ReplicaSet, active: readonly Pod[], count: number): Promise<void> {
    const doomed = inDeletionOrder(active, this.#related(set, active), this.#context.clock.now()).slice(0, count)
    await Promise.all(doomed.map((pod) => deletePod(this.#control, set, pod)))
  }

  /** The pods of all sets that have the same owner, such as a Deployment. */
  #related(set: ReplicaSet, active: readonly Pod[]): readonly Pod[] {
    const owner = controllerOf(set)?.uid
    if (owner === undefined) return active
    const { group, resource } = this.#kind
    const siblings = this.#context.informer<ReplicaSet>(group, resource).list(set.metadata.namespace)
    const pods = this.#context.informer<Pod>('', 'pods')
    return siblings
      .filter((sibling) => controllerOf(sibling)?.uid === owner)
      .flatMap(({ metadata }) => pods.byIndex(byController, metadata.uid ?? ''))
  }

  async #writeStatus(set: ReplicaSet, active: readonly Pod[], failed: { readonly error: unknown } | undefined) {
    const { clock, gate } = this.#context
    const { group, resource } = this.#kind
    const now = clock.now()
    const counts = group === 'apps' && gate('DeploymentReplicaSetTerminatingReplicas')
    const { namespace = '', name = '' } = set.metadata
    const target = { namespace, name, subresource: 'status' }
    await this.#control.writer.update<ReplicaSet>(group, resource, target, (current) => {
      if (current.metadata.uid !== set.metadata.uid) return undefined
      const status = replicaStatus({
        set: { ...current, metadata: set.metadata },
        active,
        terminating: counts ? this.#own(set).filter(isTerminating).length : undefined,
        failure: failed === undefined ? undefined : messageOf(failed.error),
        now,
        time: formatTime(instantOfMillis(now)),
      })
      return { ...current, status }
    })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
