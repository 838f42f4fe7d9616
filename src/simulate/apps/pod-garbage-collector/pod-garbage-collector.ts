/**
 * Deletes pods that no kubelet will: those of nodes that are gone or out of service, those that were deleted before they
 * got a node, and the oldest of too many that have ended.
 * Mirrors pkg/controller/podgc: PodGCController.
 */

import { ApiError } from '../../../api/status-error.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { Node, Pod, PodCondition } from '../../../catalog/types/core-v1.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { byNode, createdAt, isFinished, isTerminating } from '../../framework/pods.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { Writer } from '../../framework/writer.ts'

/** How long a node must have been gone. */
const quarantineMs = 40_000
/** As `--terminated-pod-gc-threshold` of kube-controller-manager. */
const maxTerminated = 12_500
const surplusKey = 'surplus'

/** What is to become of a pod, given its node. */
export function verdictOn(pod: Pod, node: Node | undefined): 'keep' | 'delete' | 'delete if the node stays away' {
  const { nodeName = '' } = pod.spec
  if (nodeName === '') return isTerminating(pod) ? 'delete' : 'keep'
  if (node === undefined) return 'delete if the node stays away'
  const isReady = (node.status.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True')
  const isOut = (node.spec.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/out-of-service')
  return isTerminating(pod) && isOut && !isReady ? 'delete' : 'keep'
}

export const podGarbageCollector: SimulatedController = {
  name: 'pod-garbage-collector-controller',
  start(context) {
    const pods = context.informer<Pod>('', 'pods')
    const nodes = context.informer<Node>('', 'nodes')
    const collector = new Collector(context)
    const queue = reconciler(context, { name: 'pod_gc', reconcile: (key) => collector.reconcile(key) })
    const endings = [
      pods.subscribe(({ type, object, old }) => {
        if (collector.follow(type, object, old)) queue.add(surplusKey)
        if (type === 'DELETED') return
        const { nodeName = '' } = object.spec
        if (verdictOn(object, nodeName === '' ? undefined : nodes.get('', nodeName)) !== 'keep')
          queue.add(keyOf(object))
      }),
      nodes.subscribe(({ object, name }) => {
        const isOut = (object.spec.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/out-of-service')
        if (!isOut && nodes.get('', name) !== undefined) return
        for (const pod of pods.byIndex(byNode, name)) queue.add(keyOf(pod))
      }),
    ]
    return {
      stop() {
        for (const end of endings) end()
        return queue.stop()
      },
    }
  },
}

class Collector {
  readonly #context: SimulationContext
  readonly #writer: Writer
  /** Since when nodes have been missed. */
  readonly #missed = new Map<string, number>()
  #terminated = 0

  constructor(context: SimulationContext) {
    this.#context = context
    this.#writer = context.writer('pod-garbage-collector')
  }

  /** Counts pods that have ended. True when there are too many. */
  follow(type: string, pod: Pod, old: Pod | undefined): boolean {
    const before =
      type === 'ADDED' ? false : type === 'DELETED' ? isFinished(pod) : old !== undefined && isFinished(old)
    const after = type !== 'DELETED' && isFinished(pod)
    this.#terminated += Number(after) - Number(before)
    return after && this.#terminated > maxTerminated
  }

  async reconcile(key: string): Promise<{ requeueAfter: number } | undefined> {
    if (key === surplusKey) return this.#deleteSurplus()
    const { namespace, name } = splitKey(key)
    const pod = this.#context.informer<Pod>('', 'pods').get(namespace, name)
    if (pod === undefined) return undefined
    const { nodeName = '' } = pod.spec
    const node = nodeName === '' ? undefined : this.#context.informer<Node>('', 'nodes').get('', nodeName)
    if (node !== undefined) this.#missed.delete(nodeName)
    const verdict = verdictOn(pod, node)
    if (verdict === 'keep') return undefined
    if (verdict === 'delete') {
      await this.#delete(pod)
      return undefined
    }
    const now = this.#context.clock.now()
    const since = this.#missed.get(nodeName) ?? now
    this.#missed.set(nodeName, since)
    if (now - since < quarantineMs) return { requeueAfter: since + quarantineMs - now }
    await this.#delete(pod, {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
      lastProbeTime: null,
      lastTransitionTime: formatTime(instantOfMillis(now)),
    })
    if (this.#context.informer<Pod>('', 'pods').byIndex(byNode, nodeName).length === 0) this.#missed.delete(nodeName)
    return undefined
  }

  async #deleteSurplus(): Promise<undefined> {
    const terminated = this.#context.informer<Pod>('', 'pods').list().filter(isFinished)
    this.#terminated = terminated.length
    const isEvicted = ({ status }: Pod): boolean => status.phase === 'Failed' && status.reason === 'Evicted'
    const doomed = terminated
      .sort((a, b) => Number(isEvicted(b)) - Number(isEvicted(a)) || createdAt(a) - createdAt(b))
      .slice(0, Math.max(0, terminated.length - maxTerminated))
    for (const pod of doomed) await this.#delete(pod)
  }

  async #delete(pod: Pod, condition?: PodCondition): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata
    try {
      if (!isFinished(pod)) {
        const target = { namespace, name, subresource: 'status' }
        await this.#writer.update<Pod>('', 'pods', target, (current) => {
          if (current.metadata.uid !== uid || isFinished(current)) return undefined
          const others = (current.status.conditions ?? []).filter(({ type }) => type !== condition?.type)
          const conditions = condition === undefined ? others : [...others, condition]
          return { ...current, status: { ...current.status, phase: 'Failed', conditions } }
        })
      }
      const preconditions = uid === undefined ? {} : { uid }
      await this.#writer.delete('', 'pods', { namespace, name }, { gracePeriodSeconds: 0, preconditions })
    } catch (error) {
      // It is gone, or another by now.
      if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 409)) throw error
    }
  }
}
