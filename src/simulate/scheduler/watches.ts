/**
 * Feeds the cluster's events to the state and the queue. Pods that have ended count as gone. Mirrors pkg/scheduler:
 * addAllEventHandlers.
 */
import type { KubeObject } from '../../api/object.ts'
import type { Informer, InformerChange } from '../framework/informer.ts'
import type { Node, Pod, ResourceClaim } from '../objects.ts'
import { action, type EventResource, nodeChanges, podChanges } from './cluster-events.ts'
import type { ClusterState } from './cluster-state.ts'
import type { ClaimTracker } from './devices/claim-tracker.ts'
import type { SchedulerInformers } from './listers.ts'
import { isTerminal, nominatedNodeOf, priorityOf, uidOf } from './objects.ts'
import { lostNomination, ofNoHigherPriority, type SchedulingQueue } from './queue/scheduling-queue.ts'

export interface SchedulerWatchOptions {
  readonly informers: SchedulerInformers
  readonly state: ClusterState
  readonly queue: SchedulingQueue
  /** Of pods that are this scheduler's to place. */
  readonly schedulerNames: ReadonlySet<string>
  /** Absent without the gate DynamicResourceAllocation. */
  readonly tracker: ClaimTracker | undefined
  /** A claim or volume changed. */
  volumesChanged(): void
}

/** The result ends it. */
export function watchCluster(options: SchedulerWatchOptions): () => void {
  const { informers, queue, tracker } = options
  const pods = new PodWatch(options)
  const others: [EventResource, Informer<KubeObject>][] = [
    ['PersistentVolume', informers.volumes],
    ['PersistentVolumeClaim', informers.claims],
    ['StorageClass', informers.storageClasses],
    ['CSINode', informers.csiNodes],
    ['CSIDriver', informers.csiDrivers],
    ['CSIStorageCapacity', informers.csiStorageCapacities],
    ['VolumeAttachment', informers.volumeAttachments],
  ]
  if (tracker !== undefined) {
    others.push(['ResourceClaim', informers.resourceClaims])
    others.push(['ResourceSlice', informers.resourceSlices])
    others.push(['DeviceClass', informers.deviceClasses])
  }
  const ends = [
    // Allocated devices are tracked before changed claims wake pods.
    ...(tracker === undefined ? [] : [informers.resourceClaims.subscribe((change) => trackClaim(change, tracker))]),
    informers.nodes.subscribe((change) => changeNode(change, options)),
    informers.pods.subscribe((change) => pods.change(change)),
    ...others.map(([resource, informer]) => informer.subscribe((change) => changeOther(resource, change, queue))),
    informers.volumes.subscribe(() => options.volumesChanged()),
    informers.claims.subscribe(() => options.volumesChanged()),
  ]
  return () => {
    for (const end of ends) end()
  }
}

function trackClaim({ type, object }: InformerChange<ResourceClaim>, tracker: ClaimTracker): void {
  if (type === 'DELETED') tracker.delete(object)
  else tracker.set(object)
}

function changeNode({ type, object: node }: InformerChange<Node>, { state, queue }: SchedulerWatchOptions): void {
  const old = state.node(node.metadata.name ?? '')?.node
  if (type === 'DELETED') {
    queue.move({ resource: 'Node', actions: action.delete, old: node })
    state.removeNode(node)
    return
  }
  state.setNode(node)
  if (old === undefined) queue.move({ resource: 'Node', actions: action.add, object: node })
  else if (queue.isWatching) for (const event of nodeChanges(old, node)) queue.move(event)
}

function changeOther(resource: EventResource, change: InformerChange<KubeObject>, queue: SchedulingQueue): void {
  if (!queue.isWatching) return
  const { type, object, old } = change
  if (type === 'DELETED') queue.move({ resource, actions: action.delete, old: object })
  else if (old === undefined) queue.move({ resource, actions: action.add, object })
  else queue.move({ resource, actions: action.update, old, object })
}

class PodWatch {
  readonly #options: SchedulerWatchOptions
  /** Pods that wait for a node from this scheduler, by uid. */
  readonly #pending = new Map<string, Pod>()

  constructor(options: SchedulerWatchOptions) {
    this.#options = options
  }

  change({ type, object }: InformerChange<Pod>): void {
    const isGone = type === 'DELETED' || isTerminal(object)
    const isPlaced = (object.spec.nodeName ?? '') !== ''
    if (isGone || !isPlaced) this.#unplace(object)
    if (isGone || isPlaced || !this.#isOurs(object)) this.#leaveQueue(object)
    if (isGone) return
    if (isPlaced) this.#place(object)
    else if (this.#isOurs(object)) this.#enqueue(object)
  }

  #isOurs({ spec }: Pod): boolean {
    return this.#options.schedulerNames.has(spec.schedulerName ?? '')
  }

  #place(pod: Pod): void {
    const { state, queue } = this.#options
    const isKnown = !state.isAssumed(uidOf(pod))
    const old = isKnown ? state.placed(uidOf(pod)) : undefined
    const info = state.setPod(pod)
    if (!queue.isWatching) return
    if (old === undefined) queue.move({ resource: 'AssignedPod', actions: action.add, object: pod })
    else for (const event of podChanges(old, info)) queue.move(event)
  }

  #unplace(pod: Pod): void {
    const { state, queue } = this.#options
    const uid = uidOf(pod)
    const old = state.placed(uid)
    if (old === undefined || state.isAssumed(uid)) return
    state.removePod(uid)
    queue.move({ resource: 'AssignedPod', actions: action.delete, old: old.pod })
  }

  #enqueue(pod: Pod): void {
    const { state, queue } = this.#options
    const uid = uidOf(pod)
    const old = this.#pending.get(uid)
    this.#pending.set(uid, pod)
    if (old === undefined) {
      queue.add(pod)
      return
    }
    if (state.isAssumed(uid) || old.metadata.resourceVersion === pod.metadata.resourceVersion) return
    queue.update(old, pod)
    if (lostNomination(old, pod)) this.#freeNomination(old)
  }

  #leaveQueue(pod: Pod): void {
    const { queue } = this.#options
    const old = this.#pending.get(uidOf(pod))
    if (old === undefined) return
    this.#pending.delete(uidOf(pod))
    queue.delete(old)
    if (nominatedNodeOf(old) !== '') this.#freeNomination(old)
  }

  /** Pods of no higher priority counted it as if it were on its node. */
  #freeNomination(old: Pod): void {
    const event = { resource: 'AssignedPod', actions: action.delete, old } as const
    this.#options.queue.move(event, ofNoHigherPriority(priorityOf(old)))
  }
}
