/**
 * The nodes of the simulation: registered at the start, and taken over where others make them. Each is kept alive by its
 * Lease and its status, unless its annotations say that it failed.
 */
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import type { NodeCondition } from '../../catalog/types/core-v1.ts'
import type { Controller } from '../../controllers/controller.ts'
import type { SimulationContext } from '../framework/context.ts'
import type { Informer, InformerChange } from '../framework/informer.ts'
import { type Reconciler, reconciler } from '../framework/reconciler.ts'
import type { Node } from '../objects.ts'
import type { KubeletClients } from './kubelet-actors.ts'
import {
  internalAddress,
  isFailedNode,
  isRegistered,
  isSimulated,
  lastingLeaseSeconds,
  leaseNamespace,
  leaseSeconds,
  type NodeShape,
  newNode,
  nodeAddress,
  nodeLease,
  reportedConditions,
  reportedStatus,
  withMarks,
} from './node-object.ts'

export interface NodeKeeperOptions {
  readonly count: number
  readonly shape: NodeShape
  /** Between two renewals of a Lease; 0: it lasts. */
  readonly heartbeatMs: number
  readonly kubelets: KubeletClients
  /** Whether another component writes the status of nodes. */
  readonly isStaged: () => boolean
  /** Its pods are to be looked at. */
  readonly onChange: (node: string) => void
}

interface Kept {
  readonly isFailed: boolean
  renewedAt: number
  reportedAt: number
  /** The state of the node that says all that would be reported: it need not be looked at again. */
  found: Node | undefined
}

/** As kubelets post a status that did not change. */
const reportEveryMs = 300_000
const concurrency = 8

export class NodeKeeper implements Controller {
  readonly #context: SimulationContext
  readonly #options: NodeKeeperOptions
  readonly #nodes: Informer<Node>
  readonly #leases: Informer<KubeObject>
  readonly #queue: Reconciler
  readonly #kept = new Map<string, Kept>()
  readonly #addresses = new Map<string, string>()
  /** Addresses that stages asked for before the node had them. */
  readonly #reserved = new Map<string, string>()
  readonly #unsubscribe: () => void
  #nextAddress = 0

  constructor(context: SimulationContext, options: NodeKeeperOptions) {
    this.#context = context
    this.#options = options
    this.#nodes = context.informer<Node>('', 'nodes')
    this.#leases = context.informer<KubeObject>('coordination.k8s.io', 'leases')
    this.#queue = reconciler(context, {
      name: 'simulated-nodes',
      concurrency,
      reconcile: (key) => (key === '' ? this.#registerAll() : this.#reconcile(key)),
    })
    this.#unsubscribe = this.#nodes.subscribe((change) => this.#changed(change))
    // The empty name stands for those that there are from the start.
    this.#queue.add('')
  }

  /** The node if its kubelet is simulated, and works. */
  working(name: string): Node | undefined {
    const node = this.#nodes.get('', name)
    return node === undefined || !isSimulated(node) || isFailedNode(node) ? undefined : node
  }

  /** The name of the simulated node with this address, which may be its name. */
  at(address: string): string | undefined {
    const name = this.#addresses.get(address) ?? address
    const node = this.#nodes.get('', name)
    const isMeant = node !== undefined && isSimulated(node) && (name === address || nodeAddress(node) === address)
    return isMeant ? name : undefined
  }

  /** The address of a node; empty where it has none. */
  addressOf(name: string): string {
    const node = this.#nodes.get('', name)
    if (node === undefined) return ''
    const given = nodeAddress(node) || this.#reserved.get(name)
    if (given !== undefined) return given
    const address = this.#freeAddress()
    this.#reserved.set(name, address)
    return address
  }

  /** The nodes whose kubelets are simulated and work. */
  all(): readonly Node[] {
    return this.#nodes.list().filter((node) => isSimulated(node) && !isFailedNode(node))
  }

  /** Looks at all nodes again. */
  refresh(): void {
    for (const { metadata } of this.#nodes.list()) this.#queue.add(metadata.name ?? '')
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    await this.#queue.stop()
  }

  #changed({ type, name, object }: InformerChange<Node>): void {
    if (type === 'DELETED') {
      this.#kept.delete(name)
      this.#reserved.delete(name)
      this.#options.kubelets.forget(name)
      this.#options.onChange(name)
      return
    }
    const address = nodeAddress(object)
    if (address !== '') this.#addresses.set(address, name)
    this.#queue.add(name)
  }

  async #registerAll(): Promise<void> {
    const { count, shape, kubelets } = this.#options
    for (let number = 0; number < count; number++) {
      const node = newNode(number, shape)
      const name = node.metadata.name ?? ''
      if (this.#nodes.get('', name) !== undefined) continue
      const facts = { shape, address: this.#freeAddress(), now: this.#context.clock.now() }
      const registered = { ...withMarks(node), status: reportedStatus(node, facts) }
      await tolerating(409, () => kubelets.of(name).writer.create('', 'nodes', registered))
    }
  }

  async #reconcile(name: string): Promise<{ requeueAfter: number } | undefined> {
    const node = this.#nodes.get('', name)
    if (node === undefined || !isSimulated(node)) return undefined
    const known = this.#kept.get(name)
    const failed = isFailedNode(node)
    if (failed) {
      if (known?.isFailed !== true) await this.#fall(node)
      return undefined
    }
    const kept = known === undefined || known.isFailed ? newlyKept(false) : known
    this.#kept.set(name, kept)
    await this.#keep(node, kept)
    if (kept !== known) this.#options.onChange(name)
    return this.#options.heartbeatMs === 0 ? undefined : { requeueAfter: this.#untilNext(kept) }
  }

  /** Silent from now on: the Lease that it leaves behind is one that runs out. */
  async #fall(node: Node): Promise<void> {
    const name = node.metadata.name ?? ''
    this.#kept.set(name, newlyKept(true))
    if (this.#options.heartbeatMs === 0) await this.#renew(node, leaseSeconds)
  }

  async #keep(node: Node, kept: Kept): Promise<void> {
    const { heartbeatMs, isStaged } = this.#options
    const now = this.#context.clock.now()
    if (!isStaged()) {
      if (kept.reportedAt === 0) await this.#mark(node)
      await this.#report(node, kept, now)
    }
    const hasLease = this.#leases.get(leaseNamespace, node.metadata.name ?? '') !== undefined
    if (hasLease && kept.renewedAt !== 0 && (heartbeatMs === 0 || now - kept.renewedAt < heartbeatMs)) return
    await this.#renew(node, heartbeatMs === 0 ? lastingLeaseSeconds : leaseSeconds)
    kept.renewedAt = now
  }

  async #report(node: Node, kept: Kept, now: number): Promise<void> {
    const { shape, kubelets, heartbeatMs } = this.#options
    const name = node.metadata.name ?? ''
    const isDue = heartbeatMs > 0 && now - kept.reportedAt >= reportEveryMs
    const isFirst = kept.reportedAt === 0
    if ((kept.found === node || hasSaid(node)) && (isFirst || !isDue)) {
      kept.found = node
      if (isFirst) kept.reportedAt = now
      return
    }
    const address = nodeAddress(node) === '' ? this.#freeAddress() : nodeAddress(node)
    const facts = { shape, address, now }
    const { writer, recorder } = kubelets.of(name)
    const wasReady = isReady(node)
    await writer.update<Node>('', 'nodes', { namespace: '', name, subresource: 'status' }, (current) => {
      const status = reportedStatus(current, facts)
      return !isDue && hasSaid(current) ? undefined : { ...current, status }
    })
    kept.reportedAt = now
    const message = `Node ${name} status is now: NodeReady`
    if (!wasReady) recorder.event(nodeReference(node), { type: 'Normal', reason: 'NodeReady', message })
  }

  /** What a kubelet may not write of its own node, the node controller does. */
  async #mark(node: Node): Promise<void> {
    const target = { namespace: '', name: node.metadata.name ?? '' }
    await this.#context.writer('node-controller').update<Node>('', 'nodes', target, withMarks)
  }

  async #renew(node: Node, seconds: number): Promise<void> {
    const name = node.metadata.name ?? ''
    const lease = nodeLease(node, seconds, this.#context.clock.now())
    const { writer } = this.#options.kubelets.of(name)
    const target = { namespace: leaseNamespace, name }
    try {
      await writer.update('coordination.k8s.io', 'leases', target, (current: typeof lease) => ({
        ...current,
        spec: lease['spec'],
      }))
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error
      await tolerating(409, () => writer.create('coordination.k8s.io', 'leases', lease))
    }
  }

  #untilNext({ renewedAt }: Kept): number {
    return Math.max(renewedAt + this.#options.heartbeatMs - this.#context.clock.now(), 1)
  }

  #freeAddress(): string {
    for (;;) {
      const address = internalAddress(this.#nextAddress++)
      if (!this.#addresses.has(address)) {
        this.#addresses.set(address, '')
        return address
      }
    }
  }
}

const isReady = ({ status }: Node): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True')

/** Whether it is registered and its conditions are those that would be reported now, but for their times. */
function hasSaid(node: Node): boolean {
  const said = new Map((node.status?.conditions ?? []).map((each: NodeCondition) => [each.type, each]))
  const isSaid = ({ type, status, reason }: NodeCondition): boolean =>
    said.get(type)?.status === status && said.get(type)?.reason === reason
  return isRegistered(node) && reportedConditions(node, 0).every(isSaid)
}

const newlyKept = (isFailedNode: boolean): Kept => ({
  isFailed: isFailedNode,
  renewedAt: 0,
  reportedAt: 0,
  found: undefined,
})

/** Kubelets name their node by its name instead of its uid. */
const nodeReference = ({ metadata }: Node) => ({
  kind: 'Node',
  apiVersion: 'v1',
  metadata: { name: metadata.name ?? '', uid: metadata.name ?? '' },
})

async function tolerating(code: number, act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== code) throw error
  }
}
