/**
 * Deletes pods from nodes whose NoExecute taints they do not tolerate, or not for any longer.
 * Mirrors pkg/controller/tainteviction: Controller.
 */
import { equalSemantic } from '../../../api/json.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { Taint } from '../../../catalog/types/core-v1.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Informer, InformerChange } from '../../framework/informer.ts'
import { keyOf, type Reconciler, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Writer } from '../../framework/writer.ts'
import type { Node, Pod } from '../../objects.ts'
import { hasCode } from '../common/api-errors.ts'
import { withPodCondition } from '../common/conditions.ts'
import { runningController } from '../common/running-controller.ts'
import { podsByNode } from '../node-lifecycle/node-lifecycle-controller.ts'
import { stayMs } from './toleration.ts'

export const taintEvictionController: SimulatedController = {
  name: 'taint-eviction-controller',
  start: (context) => new TaintEviction(context).start(),
}

interface Eviction {
  /** Since when the pod stays on a node that it is evicted from. */
  readonly since: number
  readonly at: number
}

class TaintEviction {
  readonly #context: SimulationContext
  readonly #nodes: Informer<Node>
  readonly #pods: Informer<Pod>
  readonly #writer: Writer
  readonly #recorder: EventRecorder
  readonly #queue: Reconciler
  /** Bounded by the pods on tainted nodes: a pod that is gone is dropped. */
  readonly #evictions = new Map<string, Eviction>()

  constructor(context: SimulationContext) {
    this.#context = context
    this.#nodes = context.informer<Node>('', 'nodes')
    this.#pods = context.informer<Pod>('', 'pods')
    this.#writer = context.writer('node-controller')
    this.#recorder = context.recorder('taint-eviction-controller')
    this.#queue = reconciler(context, { name: 'noexec_taint_pod', reconcile: (key) => this.#sync(key) })
  }

  start() {
    const subscriptions = [
      this.#nodes.subscribe((change) => this.#onNode(change)),
      this.#pods.subscribe((change) => this.#onPod(change)),
    ]
    return runningController(subscriptions, [this.#queue])
  }

  #onNode({ type, name, object, old }: InformerChange<Node>): void {
    if (type === 'DELETED') return
    const taints = noExecute(object)
    if (old === undefined ? taints.length === 0 : equalSemantic(noExecute(old), taints)) return
    for (const pod of this.#pods.byIndex(podsByNode, name)) this.#queue.add(keyOf(pod))
  }

  #onPod(change: InformerChange<Pod>): void {
    const key = `${change.namespace}/${change.name}`
    const node = () => this.#nodes.get('', change.object.spec?.nodeName ?? '')
    const isTainted = () => noExecute(node()).length > 0
    if (!this.#evictions.has(key) && (change.type === 'DELETED' || !isTainted())) return
    const { object, old } = change
    const isSame =
      old !== undefined &&
      old.spec?.nodeName === object.spec?.nodeName &&
      equalSemantic(old.spec?.tolerations, object.spec?.tolerations)
    if (!isSame) this.#queue.add(key)
  }

  async #sync(key: string): Promise<{ requeueAfter: number } | undefined> {
    const { namespace, name } = splitKey(key)
    const pod = this.#pods.get(namespace, name)
    const node = pod?.spec?.nodeName ? this.#nodes.get('', pod.spec.nodeName) : undefined
    if (pod === undefined || node === undefined) {
      this.#cancel(key, pod)
      return undefined
    }
    const taints = noExecute(node)
    const stay = taints.length === 0 ? undefined : stayMs(taints, pod.spec?.tolerations ?? [])
    if (stay === undefined) {
      this.#cancel(key, pod)
      return undefined
    }
    const now = this.#context.clock.now()
    const since = this.#evictions.get(key)?.since ?? now
    const at = since + stay
    if (at > now) {
      this.#evictions.set(key, { since, at })
      return { requeueAfter: at - now }
    }
    this.#evictions.delete(key)
    await this.#delete(pod)
    return undefined
  }

  #cancel(key: string, pod: Pod | undefined): void {
    if (!this.#evictions.delete(key) || pod === undefined) return
    this.#note(pod, `Cancelling deletion of Pod ${key}`)
  }

  async #delete(pod: Pod): Promise<void> {
    this.#note(pod, `Marking for deletion Pod ${keyOf(pod)}`)
    const { namespace = '', name = '' } = pod.metadata
    const wanted = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      now: formatTime(instantOfMillis(this.#context.clock.now())),
    }
    try {
      await this.#writer.update<Pod>('', 'pods', { namespace, name, subresource: 'status' }, (current) => {
        const conditions = withPodCondition(current.status?.conditions, wanted)
        return conditions === undefined ? undefined : { ...current, status: { ...current.status, conditions } }
      })
    } catch (error) {
      if (hasCode(error, 404)) return
      throw error
    }
    await this.#writer.delete('', 'pods', { namespace, name })
  }

  #note(pod: Pod, message: string): void {
    this.#recorder.event(pod, { type: 'Normal', reason: 'TaintManagerEviction', message })
  }
}

const noExecute = (node: Node | undefined): Taint[] =>
  (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')
