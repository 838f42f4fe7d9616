/**
 * Nodes that run pods in name only: pods are bound to them in turn, become Running and Ready with an address, end if they
 * are such as end, and go when they are deleted. Everything is written as a kubelet would write it, by way of the API.
 */
import { servedRelease } from '../api/release.ts'
import type { Clock } from '../lib/clock.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import { findObject, watchObjects } from '../registry/object-watch.ts'
import type { Registry } from '../registry/registry.ts'
import type { ApiObject, FakeNode, FakeNodeOptions, PodEnd, StoredObject } from './api.ts'
import type { TestErrors } from './test-errors.ts'

export interface FakeNodesContext {
  readonly clock: Clock
  readonly pods: () => Registry
  readonly errors: TestErrors
  /** Throws an error with a `status`. */
  call(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiObject>
}

/** Says how a pod ends: `Succeeded`, `Failed`, `Failed:3` (an exit code) or `never`. */
const endAnnotation = 'testing.pilothouse.dev/end'
const concurrency = 8

export class FakeNodes implements FakeNode {
  readonly #context: FakeNodesContext
  #running: { readonly queue: WorkQueue<string>; readonly unwatch: () => void } | undefined
  #options: FakeNodeOptions = {}
  #nodes: readonly string[] = []
  #dealt = 0
  #addresses = 0

  constructor(context: FakeNodesContext) {
    this.#context = context
  }

  /** Goes on where another one is now, if that is running, with the same nodes and with addresses that are not taken. */
  async continue(other: FakeNodes): Promise<void> {
    if (!other.isRunning) return
    this.#dealt = other.#dealt
    this.#addresses = other.#addresses
    await this.start(other.#options)
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Resolves when the nodes are registered. */
  async start(options: FakeNodeOptions = {}): Promise<void> {
    if (this.#running !== undefined) throw new Error('the fake node is running already')
    const { name = 'fake-node', nodes = 1 } = options
    this.#options = options
    this.#nodes = Array.from({ length: nodes }, (_, i) => (nodes === 1 ? name : `${name}-${i + 1}`))
    const queue = new WorkQueue<string>({
      clock: this.#context.clock,
      concurrency,
      process: (key) => this.#process(key),
      onError: () => undefined,
    })
    for (const node of this.#nodes) await this.#register(node)
    const unwatch = await watchObjects(this.#context.pods(), {
      changed: (type, pod) => {
        if (type !== 'DELETED') queue.add(`${pod.namespace}/${pod.name}`)
      },
    })
    this.#running = { queue, unwatch }
  }

  async stop(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    running?.unwatch()
    await running?.queue.stop()
  }

  async #register(name: string): Promise<void> {
    const labels = {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'amd64',
    }
    const { call } = this.#context
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }
    await tolerating(409, () => call('POST', '/api/v1/nodes', node))
    const capacity = { cpu: '64', memory: '256Gi', pods: '1000', 'ephemeral-storage': '1Ti' }
    const status = {
      capacity,
      allocatable: capacity,
      conditions: [this.#condition('Ready', { reason: 'KubeletReady', message: 'the fake node is ready' })],
      addresses: [
        { type: 'InternalIP', address: '10.0.0.1' },
        { type: 'Hostname', address: name },
      ],
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '0',
        osImage: 'none',
        containerRuntimeVersion: 'fake://1',
        kubeletVersion: servedRelease,
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    }
    await this.#patchStatus(`/api/v1/nodes/${name}`, status)
    // Admission taints every new node until it is ready.
    await call('PATCH', `/api/v1/nodes/${name}`, { spec: { taints: null } }, mergePatch)
  }

  async #process(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/')
    const found = await findObject(this.#context.pods(), namespace, name)
    if (found === undefined) return
    const pod = found.object() as ApiObject
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`
    await tolerating(404, () => tolerating(409, () => this.#step(pod, path)))
  }

  /** One step of a pod's life. What it writes comes by again, for the next one. */
  async #step(pod: ApiObject, path: string): Promise<void> {
    const { call } = this.#context
    const spec = pod['spec'] as PodSpec
    const phase = (pod['status'] as { phase?: string } | undefined)?.phase ?? 'Pending'
    const node = spec.nodeName ?? ''
    const isOurs = this.#nodes.includes(node)
    if (pod.metadata?.deletionTimestamp !== undefined) {
      if (!isOurs) return
      const preconditions = { uid: pod.metadata.uid }
      await call('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions })
      return
    }
    if (node === '') await this.#bind(pod, path)
    else if (isOurs && phase === 'Pending') await this.#patchStatus(path, this.#runningStatus(pod))
    else if (isOurs && phase === 'Running') {
      const end = this.#endOf(pod)
      if (end !== undefined) await this.#patchStatus(path, this.#endedStatus(pod, end))
    }
  }

  async #bind(pod: ApiObject, path: string): Promise<void> {
    const { schedulerName, schedulingGates = [] } = pod['spec'] as PodSpec
    if (this.#options.bind === false || schedulingGates.length > 0) return
    if (schedulerName !== undefined && schedulerName !== 'default-scheduler') return
    const target = { apiVersion: 'v1', kind: 'Node', name: this.#nodes[this.#dealt++ % this.#nodes.length] }
    const { name, namespace } = pod.metadata ?? {}
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target }
    await this.#context.call('POST', `${path}/binding`, binding)
  }

  #endOf(pod: ApiObject): PodEnd | undefined {
    const { ends } = this.#options
    if (ends !== undefined) return this.#askTest(ends, pod)
    const wish = pod.metadata?.annotations?.[endAnnotation]
    const [phase, code] = wish?.split(':') ?? []
    if (phase === 'Failed') return { phase, exitCode: Number(code ?? 1) }
    if (phase === 'Succeeded') return { phase }
    return wish === undefined && (pod['spec'] as PodSpec).restartPolicy !== 'Always'
      ? { phase: 'Succeeded' }
      : undefined
  }

  #askTest(ends: NonNullable<FakeNodeOptions['ends']>, pod: ApiObject): PodEnd | undefined {
    try {
      return ends(structuredClone(pod) as StoredObject)
    } catch (error) {
      this.#context.errors.add(`ends of the fake node, asked about pod ${pod.metadata?.name},`, error)
      return undefined
    }
  }

  #runningStatus(pod: ApiObject): ApiObject {
    const { initContainers = [], containers, readinessGates = [], hostNetwork } = pod['spec'] as PodSpec
    const known = (pod['status'] as { conditions?: { type: string; status: string }[] }).conditions ?? []
    const gatesOpen = readinessGates.every(({ conditionType }) =>
      known.some(({ type, status }) => type === conditionType && status === 'True'),
    )
    const now = this.#time()
    const podIP = hostNetwork ? '10.0.0.1' : this.#nextAddress()
    const init = initContainers.map((container) =>
      container.restartPolicy === 'Always'
        ? runningContainer(container, now)
        : endedContainer(container, { phase: 'Succeeded' }, { startedAt: now, finishedAt: now }),
    )
    return {
      phase: 'Running',
      hostIP: '10.0.0.1',
      hostIPs: [{ ip: '10.0.0.1' }],
      podIP,
      podIPs: [{ ip: podIP }],
      startTime: now,
      conditions: [
        this.#condition('PodReadyToStartContainers', {}),
        this.#condition('Initialized', {}),
        this.#condition('Ready', gatesOpen ? {} : { status: 'False', reason: 'ReadinessGatesNotReady' }),
        this.#condition('ContainersReady', {}),
        this.#condition('PodScheduled', {}),
      ],
      ...(init.length === 0 ? {} : { initContainerStatuses: init }),
      containerStatuses: containers.map((container) => runningContainer(container, now)),
    }
  }

  #endedStatus(pod: ApiObject, end: PodEnd): ApiObject {
    const { containers } = pod['spec'] as PodSpec
    const now = this.#time()
    const startedAt = (pod['status'] as { startTime?: string }).startTime ?? now
    const notReady = { status: 'False', reason: end.phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' }
    return {
      phase: end.phase,
      conditions: [this.#condition('Ready', notReady), this.#condition('ContainersReady', notReady)],
      containerStatuses: containers.map((container) => endedContainer(container, end, { startedAt, finishedAt: now })),
    }
  }

  async #patchStatus(path: string, status: ApiObject): Promise<void> {
    await this.#context.call('PATCH', `${path}/status`, { status }, 'application/strategic-merge-patch+json')
  }

  #condition(type: string, given: { status?: string; reason?: string; message?: string }): ApiObject {
    const now = this.#time()
    const heartbeat = type === 'Ready' && given.reason === 'KubeletReady' ? { lastHeartbeatTime: now } : {}
    return { type, status: 'True', ...given, ...heartbeat, lastTransitionTime: now }
  }

  #time(): string {
    return `${new Date(this.#context.clock.now()).toISOString().slice(0, 19)}Z`
  }

  #nextAddress(): string {
    const n = ++this.#addresses
    return `10.244.${(n >> 8) & 255}.${n & 255}`
  }
}

interface Container {
  readonly name: string
  readonly image?: string
  readonly restartPolicy?: string
}

interface PodSpec {
  readonly nodeName?: string
  readonly restartPolicy?: string
  readonly schedulerName?: string
  readonly schedulingGates?: readonly unknown[]
  readonly readinessGates?: readonly { readonly conditionType: string }[]
  readonly hostNetwork?: boolean
  readonly initContainers?: readonly Container[]
  readonly containers: readonly Container[]
}

const mergePatch = 'application/merge-patch+json'

const shared = ({ name, image = '' }: Container): ApiObject => ({
  name,
  image,
  imageID: `fake://${image}`,
  containerID: `fake://${name}`,
  restartCount: 0,
})

const runningContainer = (container: Container, startedAt: string): ApiObject => ({
  ...shared(container),
  ready: true,
  started: true,
  state: { running: { startedAt } },
})

function endedContainer(
  container: Container,
  end: PodEnd,
  times: { startedAt: string; finishedAt: string },
): ApiObject {
  const { phase, exitCode = phase === 'Succeeded' ? 0 : 1 } = end
  const reason = exitCode === 0 ? 'Completed' : 'Error'
  const terminated = { exitCode, reason, ...times, containerID: `fake://${container.name}` }
  return { ...shared(container), ready: false, started: false, state: { terminated } }
}

/** Somebody else was faster: what there is now comes by again. */
async function tolerating(status: number, act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if ((error as { status?: number }).status !== status) throw error
  }
}
