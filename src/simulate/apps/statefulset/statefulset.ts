/**
 * Pods with names, in order, each with its claims.
 * Mirrors pkg/controller/statefulset: StatefulSetController, defaultStatefulSetControl, StatefulPodControl.
 */
import { selectorOfObject } from '../../../api/label-selector.ts'
import { ApiError } from '../../../api/status-error.ts'
import type { ControllerRevision, StatefulSet } from '../../../catalog/types/apps-v1.ts'
import type { PersistentVolumeClaim, Pod } from '../../../catalog/types/core-v1.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { followOwned } from '../../framework/follow-owned.ts'
import { claimObjects } from '../../framework/owners.ts'
import { slowStart } from '../../framework/pod-control.ts'
import {
  byController,
  isAvailable,
  isFinished,
  isTerminating,
  nextAvailability,
  orphansOf,
} from '../../framework/pods.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import { scaledOrZero } from '../../framework/values.ts'
import type { Writer } from '../../framework/writer.ts'
import {
  type HistoryOptions,
  ownRevisions,
  presentRevision,
  RevisionCollision,
  truncateHistory,
} from '../history/controller-revisions.ts'
import { claimOwners, hasOtherController, isStale } from './claim-retention.ts'
import {
  claimsOf,
  controllerRevisionName,
  hasIdentity,
  hasStorage,
  isHealthy,
  isInRange,
  isRunningReady,
  ordinalOf,
  podRevision,
  type Revisions,
  startOf,
  statefulPod,
  statefulReplicas,
  statefulStatus,
  withIdentity,
  withStorage,
} from './stateful-pods.ts'

const kind = 'StatefulSet'
const hashLabel = 'controller.kubernetes.io/hash'
const selectorOf = ({ spec }: StatefulSet) => selectorOfObject(spec.selector as Parameters<typeof selectorOfObject>[0])

export const statefulSet: SimulatedController = {
  name: 'statefulset-controller',
  start(context) {
    const sets = context.informer<StatefulSet>('apps', 'statefulsets')
    const pods = context.informer<Pod>('', 'pods')
    context.informer('', 'persistentvolumeclaims')
    context.informer('apps', 'controllerrevisions')
    const control = new StatefulControl(context)
    const queue = reconciler(context, { name: 'statefulset', reconcile: (key) => control.reconcile(key) })
    const add = (key: string): void => queue.add(key)
    const endings = [
      sets.subscribe(({ object }) => add(keyOf(object))),
      followOwned({ owned: pods, owners: sets, kind, selectorOf, add }),
    ]
    return {
      stop() {
        for (const end of endings) end()
        return queue.stop()
      },
    }
  },
}

/** A pod that the set should have: there, or yet to be created. */
interface Replica {
  readonly pod: Pod
  readonly isThere: boolean
}

class StatefulControl {
  readonly #context: SimulationContext
  readonly #writer: Writer
  readonly #recorder: EventRecorder

  constructor(context: SimulationContext) {
    this.#context = context
    this.#writer = context.writer('statefulset-controller')
    this.#recorder = context.recorder('statefulset-controller')
  }

  async reconcile(key: string): Promise<{ requeueAfter: number } | undefined> {
    const { namespace, name } = splitKey(key)
    const set = this.#context.informer<StatefulSet>('apps', 'statefulsets').get(namespace, name)
    if (set === undefined) return undefined
    const options: HistoryOptions = { owner: set, kind, selector: selectorOf(set), writer: this.#writer, hashLabel }
    const history = await ownRevisions(this.#context, options)
    const update = await this.#presentRevision(set, options, history)
    const current =
      history.find((revision) => controllerRevisionName(revision) === set.status.currentRevision) ?? update
    const revisions = { current, update }
    await this.#claim(set)
    try {
      if (set.metadata.deletionTimestamp === undefined) await this.#bringAbout(set, revisions)
    } finally {
      await this.#writeStatus(set, revisions)
    }
    const pods = this.#pods(set)
    const live = new Set([controllerRevisionName(current), controllerRevisionName(update), ...pods.map(podRevision)])
    await truncateHistory(
      options,
      history.filter((revision) => !live.has(controllerRevisionName(revision))),
    )
    const wait = nextAvailability(pods, set.spec.minReadySeconds ?? 0, this.#context.clock.now())
    return wait === undefined ? undefined : { requeueAfter: wait }
  }

  async #presentRevision(set: StatefulSet, options: HistoryOptions, history: readonly ControllerRevision[]) {
    try {
      return await presentRevision(options, history)
    } catch (error) {
      if (error instanceof RevisionCollision) {
        const { namespace = '', name = '' } = set.metadata
        const target = { namespace, name, subresource: 'status' }
        await this.#writer.update<StatefulSet>('apps', 'statefulsets', target, (present) => ({
          ...present,
          status: { ...present.status, collisionCount: (present.status.collisionCount ?? 0) + 1 },
        }))
      }
      throw error
    }
  }

  /** Adopts orphans of the right name, and lets go of what is no longer selected. */
  async #claim(set: StatefulSet): Promise<void> {
    const pods = this.#context.informer<Pod>('', 'pods')
    const own = pods.byIndex(byController, set.metadata.uid ?? '')
    const orphans = pods
      .byIndex(byController, orphansOf(set.metadata.namespace ?? ''))
      .filter((pod) => ordinalOf(set, pod) !== undefined)
    const owner = { owner: set, apiVersion: 'apps/v1', kind, selector: selectorOf(set) }
    await claimObjects({ ...owner, writer: this.#writer, group: '', resource: 'pods' }, [...own, ...orphans])
  }

  /** The pods of the set, as they are now. */
  #pods(set: StatefulSet): Pod[] {
    const selector = selectorOf(set)
    const own = this.#context.informer<Pod>('', 'pods').byIndex(byController, set.metadata.uid ?? '')
    return own.filter((pod) => selector.matches(pod.metadata.labels) && ordinalOf(set, pod) !== undefined)
  }

  async #bringAbout(set: StatefulSet, revisions: Revisions): Promise<void> {
    const pods = this.#pods(set)
    const replicas = this.#replicas(set, pods, revisions)
    const condemned = pods
      .filter((pod) => !isInRange(set, pod))
      .sort((a, b) => (ordinalOf(set, b) ?? 0) - (ordinalOf(set, a) ?? 0))
    const inOrder = set.spec.podManagementPolicy !== 'Parallel'
    const each = async <T>(items: readonly T[], act: (item: T) => Promise<boolean>): Promise<boolean> => {
      if (!inOrder) {
        await slowStart(items.length, (i) => act(items[i] as T))
        return true
      }
      for (const item of items) if (!(await act(item))) return false
      return true
    }
    if (!(await each(replicas, (replica) => this.#bringUp(set, replica, inOrder)))) return
    for (const pod of condemned) await this.#keepClaims(set, pod)
    const unhealthy = [...replicas.map(({ pod }) => pod), ...condemned.toReversed()].find((pod) => !isHealthy(pod))
    if (!(await each(condemned, (pod) => this.#takeDown(set, pod, { inOrder, unhealthy })))) return
    if (set.spec.updateStrategy?.type !== 'OnDelete') await this.#rollOn(set, revisions)
  }

  #replicas(set: StatefulSet, pods: readonly Pod[], revisions: Revisions): Replica[] {
    const hasIndexLabel = this.#context.gate('PodIndexLabel')
    const known = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]))
    return Array.from({ length: statefulReplicas(set) }, (_, i) => {
      const ordinal = startOf(set) + i
      const pod = known.get(ordinal)
      if (pod !== undefined) return { pod, isThere: true }
      return { pod: statefulPod(set, revisions, { ordinal, hasIndexLabel }), isThere: false }
    })
  }

  /** True when the next pod may be looked at. */
  async #bringUp(set: StatefulSet, { pod, isThere }: Replica, inOrder: boolean): Promise<boolean> {
    if (isThere && isFinished(pod)) {
      if (!isTerminating(pod)) await this.#deletePod(set, pod)
      return false
    }
    if (!isThere) {
      if (claimsOf(set, pod).some((claim) => this.#isClaimStale(set, claim, pod))) return false
      await this.#createPod(set, pod)
      return !inOrder
    }
    if (pod.status.phase === 'Pending') {
      await this.#createClaims(set, pod)
      await this.#keepClaims(set, pod)
    }
    const { minReadySeconds = 0 } = set.spec
    const isUp = isRunningReady(pod) && isAvailable(pod, minReadySeconds, this.#context.clock.now())
    if (inOrder && (isTerminating(pod) || !isUp)) return false
    await this.#keepClaims(set, pod)
    if (!hasIdentity(set, pod) || !hasStorage(set, pod)) await this.#mendPod(set, pod)
    return true
  }

  async #takeDown(
    set: StatefulSet,
    pod: Pod,
    { inOrder, unhealthy }: { readonly inOrder: boolean; readonly unhealthy: Pod | undefined },
  ): Promise<boolean> {
    if (isTerminating(pod)) return !inOrder
    const { minReadySeconds = 0 } = set.spec
    const isUp = isRunningReady(pod) && isAvailable(pod, minReadySeconds, this.#context.clock.now())
    if (inOrder && !isUp && pod !== unhealthy) return false
    await this.#deletePod(set, pod)
    return !inOrder
  }

  /** Replaces pods of older revisions, the highest ordinal first, one (or so many as may be unavailable) at a time. */
  async #rollOn(set: StatefulSet, { update }: Revisions): Promise<void> {
    const { partition = 0, maxUnavailable } = set.spec.updateStrategy?.rollingUpdate ?? {}
    const replicas = this.#pods(set)
      .filter((pod) => isInRange(set, pod))
      .sort((a, b) => (ordinalOf(set, b) ?? 0) - (ordinalOf(set, a) ?? 0))
    const allowsMore = this.#context.gate('MaxUnavailableStatefulSet')
    const allowed = allowsMore ? Math.max(1, scaledOrZero(maxUnavailable ?? 1, statefulReplicas(set), 'down')) : 1
    let room = allowed - (allowsMore ? replicas.filter((pod) => !isHealthy(pod)).length : 0)
    for (const pod of replicas) {
      if ((ordinalOf(set, pod) ?? 0) - startOf(set) < partition || room <= 0) return
      if (podRevision(pod) !== controllerRevisionName(update) && !isTerminating(pod)) {
        await this.#deletePod(set, pod)
        room--
      } else if (!allowsMore && !isHealthy(pod)) return
    }
  }

  #recordEvent(set: StatefulSet, verb: string, what: { readonly message: string; readonly isError: boolean }): void {
    const { message, isError } = what
    const reason = `${isError ? 'Failed' : 'Successful'}${verb}`
    this.#recorder.event(set, { type: isError ? 'Warning' : 'Normal', reason, message })
  }

  /** Does something to a pod, and records an event of it. */
  async #act(
    set: StatefulSet,
    pod: Pod,
    verb: 'Create' | 'Update' | 'Delete',
    act: () => Promise<unknown>,
  ): Promise<void> {
    const what = `${verb.toLowerCase()} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`
    try {
      await act()
      this.#recordEvent(set, verb, { message: `${what} successful`, isError: false })
    } catch (error) {
      if (error instanceof ApiError && error.status.reason !== 'AlreadyExists') {
        this.#recordEvent(set, verb, { message: `${what} failed error: ${error.message}`, isError: true })
      }
      throw error
    }
  }

  #createPod(set: StatefulSet, pod: Pod): Promise<void> {
    return this.#act(set, pod, 'Create', async () => {
      await this.#createClaims(set, pod)
      await this.#keepClaims(set, await this.#writer.create('', 'pods', pod))
    })
  }

  #deletePod(set: StatefulSet, pod: Pod): Promise<void> {
    const { namespace = '', name = '' } = pod.metadata
    return this.#act(set, pod, 'Delete', () => this.#writer.delete('', 'pods', { namespace, name }))
  }

  #mendPod(set: StatefulSet, pod: Pod): Promise<void> {
    const { namespace = '', name = '' } = pod.metadata
    return this.#act(set, pod, 'Update', async () => {
      await this.#createClaims(set, pod)
      await this.#writer.update<Pod>('', 'pods', { namespace, name }, (present) =>
        withStorage(set, withIdentity(present)),
      )
    })
  }

  #findClaim({ metadata }: PersistentVolumeClaim): PersistentVolumeClaim | undefined {
    const claims = this.#context.informer<PersistentVolumeClaim>('', 'persistentvolumeclaims')
    return claims.get(metadata.namespace ?? '', metadata.name ?? '')
  }

  #isClaimStale({ spec }: StatefulSet, claim: PersistentVolumeClaim, pod: Pod): boolean {
    if ((spec.persistentVolumeClaimRetentionPolicy?.whenScaled ?? 'Retain') === 'Retain') return false
    const found = this.#findClaim(claim)
    return found !== undefined && isStale(found, pod, 'Pod')
  }

  async #createClaims(set: StatefulSet, pod: Pod): Promise<void> {
    for (const claim of claimsOf(set, pod)) {
      const found = this.#findClaim(claim)
      if (found?.metadata.deletionTimestamp !== undefined)
        throw new Error(`pvc ${claim.metadata.name} is being deleted`)
      if (found === undefined) await this.#createClaim(set, pod, claim)
    }
  }

  async #createClaim(set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim): Promise<void> {
    const { name } = claim.metadata
    const within = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`
    try {
      await this.#writer.create('', 'persistentvolumeclaims', claim)
      this.#recordEvent(set, 'Create', { message: `create Claim ${name} ${within} success`, isError: false })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status.reason === 'AlreadyExists') throw error
      const message = `create Claim ${name} for ${within} failed error: ${error.message}`
      this.#recordEvent(set, 'Create', { message, isError: true })
      throw new ApiError({ ...error.status, message: `failed to create PVC ${name}: ${error.message}` })
    }
  }

  /** Brings the owners of a pod's claims to what the retention policy says. */
  async #keepClaims(set: StatefulSet, pod: Pod): Promise<void> {
    for (const wanted of claimsOf(set, pod)) {
      const found = this.#findClaim(wanted)
      if (found === undefined) continue
      const { namespace = '', name = '' } = found.metadata
      if (hasOtherController(found, set, pod)) {
        const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`
        this.#recorder.event(set, { type: 'Warning', reason: 'ConflictingController', message })
      }
      if (claimOwners(found, set, pod) === undefined) continue
      await this.#writer.update<PersistentVolumeClaim>('', 'persistentvolumeclaims', { namespace, name }, (present) => {
        const owners = claimOwners(present, set, pod)
        if (owners === undefined) return undefined
        const { ownerReferences: _, ...metadata } = present.metadata
        return { ...present, metadata: { ...metadata, ...(owners.length === 0 ? {} : { ownerReferences: owners }) } }
      })
    }
  }

  async #writeStatus(set: StatefulSet, revisions: Revisions): Promise<void> {
    const { namespace = '', name = '', uid } = set.metadata
    const target = { namespace, name, subresource: 'status' }
    const now = this.#context.clock.now()
    await this.#writer.update<StatefulSet>('apps', 'statefulsets', target, (present) => {
      if (present.metadata.uid !== uid) return undefined
      const known = { ...set, status: present.status }
      return { ...present, status: statefulStatus(known, this.#pods(set), { ...revisions, now }) }
    })
  }
}
