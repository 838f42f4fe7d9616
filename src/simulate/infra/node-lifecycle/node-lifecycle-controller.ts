/**
 * Notices nodes that are not heard of, says so in their conditions and in their pods' readiness, and taints them. Where
 * the reference looks at all nodes every five seconds, a node is looked at here when it or its Lease changes, and when its
 * silence becomes too long.
 * Mirrors pkg/controller/nodelifecycle: Controller.
 */
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Index, Informer } from '../../framework/informer.ts'
import { type Reconciler, reconciler } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Writer } from '../../framework/writer.ts'
import type { Lease, Node, Pod } from '../../objects.ts'
import { hasCode } from '../common/api-errors.ts'
import { withPodCondition } from '../common/conditions.ts'
import { runningController } from '../common/running-controller.ts'
import { readyCondition } from '../endpoint/service-pods.ts'
import {
  evictionRate,
  type NodeHealth,
  nextHealth,
  readyOf,
  silentAt,
  unknownConditions,
  type ZoneState,
  zoneOf,
  zoneState,
} from './node-health.ts'
import {
  evictionTaintKey,
  hasEvictionTaint,
  withCopiedLabels,
  withEvictionTaint,
  withNoScheduleTaints,
} from './node-taints.ts'

const leaseNamespace = 'kube-node-lease'
const exclusionLabel = 'node.kubernetes.io/exclude-disruption'

export const podsByNode: Index<Pod> = { name: 'node', keys: ({ spec }) => [spec?.nodeName || undefined] }

const countedZone = (node: Node): string | undefined =>
  node.metadata.labels?.[exclusionLabel] === undefined ? zoneOf(node) : undefined

const nodesByZone: Index<Node> = { name: 'zone', keys: (node) => [countedZone(node)] }
const readyByZone: Index<Node> = {
  name: 'zone of ready nodes',
  keys: (node) => [readyOf(node)?.status === 'True' ? countedZone(node) : undefined],
}

export const nodeLifecycleController: SimulatedController = {
  name: 'node-lifecycle-controller',
  start: (context) => new NodeLifecycle(context).start(),
}

class NodeLifecycle {
  readonly #context: SimulationContext
  readonly #nodes: Informer<Node>
  readonly #leases: Informer<Lease>
  readonly #pods: Informer<Pod>
  readonly #writer: Writer
  readonly #recorder: EventRecorder
  readonly #queue: Reconciler
  readonly #podQueue: Reconciler
  readonly #health = new Map<string, NodeHealth>()
  /** The status of Ready that was last acted on. */
  readonly #ready = new Map<string, string>()
  /** When the next node of a zone may be tainted. */
  readonly #nextTaint = new Map<string, number>()

  constructor(context: SimulationContext) {
    this.#context = context
    this.#nodes = context.informer<Node>('', 'nodes')
    this.#leases = context.informer<Lease>('coordination.k8s.io', 'leases')
    this.#pods = context.informer<Pod>('', 'pods')
    this.#writer = context.writer('node-controller')
    this.#recorder = context.recorder('node-controller')
    this.#queue = reconciler(context, { name: 'node_lifecycle_controller', reconcile: (name) => this.#sync(name) })
    this.#podQueue = reconciler(context, { name: 'node_lifecycle_pods', reconcile: (key) => this.#markPod(key) })
  }

  start() {
    const subscriptions = [
      this.#nodes.subscribe(({ name }) => this.#queue.add(name)),
      this.#leases.subscribe(({ type, namespace, name }) => {
        if (namespace === leaseNamespace && type !== 'DELETED') this.#heard(name)
      }),
      this.#pods.subscribe((change) => {
        const node = change.type === 'DELETED' ? undefined : change.object.spec?.nodeName
        const ready = node ? this.#ready.get(node) : undefined
        // A pod that comes to a node that is not ready.
        if (!node || ready === undefined || ready === '' || ready === 'True') return
        if (change.old?.spec?.nodeName !== node) this.#podQueue.add(`${change.namespace}/${change.name}`)
      }),
    ]
    return runningController(subscriptions, [this.#queue, this.#podQueue])
  }

  /** Most renewals change nothing but when the node is looked at next. */
  #heard(name: string): void {
    const node = this.#nodes.get('', name)
    const before = this.#health.get(name)
    if (node === undefined) return
    if (before === undefined || this.#ready.get(name) !== 'True') {
      this.#queue.add(name)
      return
    }
    const health = nextHealth(before, node, this.#lease(name), this.#context.clock.now())
    this.#health.set(name, health)
    this.#queue.addAfter(name, silentAt(node, health) - this.#context.clock.now())
  }

  #lease(name: string): Lease | undefined {
    return this.#leases.get(leaseNamespace, name)
  }

  async #sync(name: string): Promise<{ requeueAfter: number } | undefined> {
    const node = this.#nodes.get('', name)
    if (node === undefined) {
      if (this.#health.delete(name)) this.#nodeEvent(name, 'RemovingNode', `Removing Node ${name} from Controller`)
      this.#ready.delete(name)
      return undefined
    }
    if (!this.#health.has(name)) {
      this.#nodeEvent(name, 'RegisteredNode', `Registered Node ${name} in Controller`, node.metadata.uid)
    }
    const now = this.#context.clock.now()
    const health = nextHealth(this.#health.get(name), node, this.#lease(name), now)
    this.#health.set(name, health)
    const silence = silentAt(node, health)
    const current = silence <= now ? await this.#markUnknown(node) : node
    await this.#copyLabels(current)
    this.#ready.set(name, readyOf(current)?.status ?? '')
    const wasReady = readyOf(node)?.status === 'True'
    if (wasReady && readyOf(current)?.status !== 'True') this.#noteSilence(current)
    await this.#taintNoSchedule(current)
    const wait = await this.#evict(current)
    const waits = [silence > now ? silence - now : undefined, wait].filter((each) => each !== undefined)
    return waits.length === 0 ? undefined : { requeueAfter: Math.max(Math.min(...waits), 1) }
  }

  async #markUnknown(node: Node): Promise<Node> {
    return this.#update(node, 'status', (current) => {
      const conditions = unknownConditions(current, this.#now())
      if (conditions === undefined || current.status === undefined) return undefined
      return { ...current, status: { ...current.status, conditions } }
    })
  }

  async #copyLabels(node: Node): Promise<void> {
    if (withCopiedLabels(node) === undefined) return
    await this.#update(node, '', (current) => {
      const labels = withCopiedLabels(current)
      return labels === undefined ? undefined : { ...current, metadata: { ...current.metadata, labels } }
    })
  }

  async #taintNoSchedule(node: Node): Promise<void> {
    if (withNoScheduleTaints(node, '') === undefined) return
    await this.#update(node, '', (current) => {
      const taints = withNoScheduleTaints(current, this.#now())
      return taints === undefined ? undefined : { ...current, spec: { ...current.spec, taints } }
    })
  }

  /** Pods of a node that is not heard of are not ready, either; one that says itself that it is not says so of its pods. */
  #noteSilence(node: Node): void {
    const name = node.metadata.name ?? ''
    const message = `Node ${name} status is now: NodeNotReady`
    this.#recorder.event(node, { type: 'Normal', reason: 'NodeNotReady', message })
    for (const { metadata } of this.#pods.byIndex(podsByNode, name)) {
      this.#podQueue.add(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`)
    }
  }

  async #markPod(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/')
    const pod = this.#pods.get(namespace, name)
    const node = pod?.spec?.nodeName
    const ready = pod === undefined ? undefined : readyCondition(pod)
    if (pod === undefined || !node || ready === undefined || ready.status === 'False') return
    const nodeReady = this.#ready.get(node)
    if (nodeReady === undefined || nodeReady === '' || nodeReady === 'True') return
    const { lastProbeTime: _probe, lastTransitionTime: _transition, ...wanted } = ready
    await this.#writer.update<Pod>('', 'pods', { namespace, name, subresource: 'status' }, (current) => {
      const changed = { ...wanted, status: 'False', now: this.#now() }
      const conditions = withPodCondition(current.status?.conditions, changed)
      return conditions === undefined ? undefined : { ...current, status: { ...current.status, conditions } }
    })
    this.#recorder.event(pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' })
  }

  /** Taints what its pods are evicted from, a node at a time; undefined when there is nothing to wait for. */
  async #evict(node: Node): Promise<number | undefined> {
    const key = evictionTaintKey(node)
    if (key === undefined) {
      await this.#setEvictionTaint(node, key)
      return undefined
    }
    const states = this.#zoneStates()
    const allDown = [...states.values()].every(({ state }) => state === 'FullDisruption')
    if (allDown) {
      // Indistinguishable from a failure of the control plane's own.
      for (const each of this.#nodes.list()) await this.#setEvictionTaint(each, undefined)
      return undefined
    }
    if (hasEvictionTaint(node)) {
      await this.#setEvictionTaint(node, key)
      return undefined
    }
    const zone = zoneOf(node)
    const { state = 'Normal', size = 0 } = states.get(zone) ?? {}
    const rate = evictionRate(state, size)
    if (rate === 0) return undefined
    const wait = (this.#nextTaint.get(zone) ?? 0) - this.#context.clock.now()
    if (wait > 0) return wait
    this.#nextTaint.set(zone, this.#context.clock.now() + 1000 / rate)
    await this.#setEvictionTaint(node, key)
    return undefined
  }

  /** From counts: looked at for every node that is not ready, which may be all of thousands. */
  #zoneStates(): Map<string, { readonly state: ZoneState; readonly size: number }> {
    const ready = this.#nodes.counts(readyByZone)
    const zones = [...this.#nodes.counts(nodesByZone)]
    return new Map(
      zones.map(([zone, size]) => [
        zone,
        { state: zoneState(ready.get(zone) ?? 0, size - (ready.get(zone) ?? 0)), size },
      ]),
    )
  }

  async #setEvictionTaint(node: Node, key: string | undefined): Promise<void> {
    if (withEvictionTaint(node, key, '') === undefined) return
    await this.#update(node, '', (current) => {
      const taints = withEvictionTaint(current, key, this.#now())
      return taints === undefined ? undefined : { ...current, spec: { ...current.spec, taints } }
    })
  }

  async #update(node: Node, subresource: string, change: (current: Node) => Node | undefined): Promise<Node> {
    const target = { namespace: '', name: node.metadata.name ?? '', ...(subresource === '' ? {} : { subresource }) }
    try {
      return await this.#writer.update<Node>('', 'nodes', target, change)
    } catch (error) {
      if (hasCode(error, 404)) return node
      throw error
    }
  }

  #now(): string {
    return formatTime(instantOfMillis(this.#context.clock.now()))
  }

  #nodeEvent(name: string, reason: string, what: string, uid = ''): void {
    const regarding = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid } }
    this.#recorder.event(regarding, { type: 'Normal', reason, message: `Node ${name} event: ${what}` })
  }
}
