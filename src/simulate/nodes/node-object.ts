/** Nodes as their kubelets register and report them: pure functions of a name, a number and the settings. */
import { createHash } from 'node:crypto'
import type { KubeObject, StringMap } from '../../api/object.ts'
import { servedRelease } from '../../api/release.ts'
import { formatMicroTime, instantOfMillis } from '../../api/time.ts'
import type { NodeCondition, NodeSystemInfo } from '../../catalog/types/core-v1.ts'
import type { Node, NodeStatus } from '../objects.ts'
import { timeText } from './pod-life/pod-status.ts'

export interface NodeShape {
  readonly cpu: string
  readonly memory: string
  readonly pods: number
  readonly zones: number
  readonly labels: Readonly<Record<string, string>>
}

/** By which KWOK knows its nodes, too. */
const nodeAnnotation = 'kwok.x-k8s.io/node'
const simulatedValue = 'fake'
/** On a node: its kubelet is silent. */
const failedAnnotation = 'simulate.pilothouse.dev/failed'
/** On a node: what it is short of, `memory,disk`. */
const pressureAnnotation = 'simulate.pilothouse.dev/pressure'

export const leaseNamespace = 'kube-node-lease'
/** As kubelets have it by default. */
export const leaseSeconds = 40
/** Of a lease that is not renewed: ten years. */
export const lastingLeaseSeconds = 315_360_000

/**
 * Whether the simulation is the kubelet of a node: the annotation says so, or nothing but an object is there yet. A node
 * that a kubelet registered has the kubelet's version.
 */
export function isSimulated({ metadata, status }: Node): boolean {
  const mark = metadata.annotations?.[nodeAnnotation]
  if (mark !== undefined) return mark === simulatedValue
  return (status?.nodeInfo?.kubeletVersion ?? '') === ''
}

/** Its kubelet has reported that it works. */
export const isRegistered = ({ metadata, status }: Node): boolean =>
  metadata.annotations?.[nodeAnnotation] === simulatedValue &&
  (status?.conditions ?? []).some(({ type, reason }) => type === 'Ready' && reason === readyReason)

export const isFailedNode = ({ metadata }: Node): boolean => metadata.annotations?.[failedAnnotation] === 'true'

const isUnderPressure = (node: Node, resource: string): boolean =>
  (node.metadata.annotations?.[pressureAnnotation] ?? '').split(',').includes(resource)

export const nodeAddress = ({ status }: Node): string =>
  status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? ''

/** `number` counts from 0. */
export function newNode(number: number, { zones, labels }: NodeShape): Node {
  const name = `node-${number + 1}`
  const topology =
    zones === 0
      ? {}
      : {
          'topology.kubernetes.io/region': 'region-1',
          'topology.kubernetes.io/zone': `zone-${String.fromCharCode(97 + (number % zones))}`,
        }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...topology, ...labels }, annotations: { [nodeAnnotation]: simulatedValue } },
  }
}

const ownLabels = (name: string): StringMap => ({
  'beta.kubernetes.io/arch': 'amd64',
  'beta.kubernetes.io/os': 'linux',
  'kubernetes.io/arch': 'amd64',
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': 'linux',
})

const notReadyTaint = 'node.kubernetes.io/not-ready'

/** The node with what a kubelet says of it besides its status, and without the taint that every new node has. */
export function withMarks(node: Node): Node {
  const { metadata, spec = {} } = node
  const taints = (spec.taints ?? []).filter(({ key, effect }) => key !== notReadyTaint || effect !== 'NoSchedule')
  const { taints: _, ...rest } = spec
  return {
    ...node,
    metadata: {
      ...metadata,
      labels: { ...ownLabels(metadata.name ?? ''), ...metadata.labels },
      annotations: { ...metadata.annotations, [nodeAnnotation]: simulatedValue },
    },
    spec: taints.length === 0 ? rest : { ...rest, taints },
  }
}

const readyReason = 'KubeletReady'

const pressures = [
  ['MemoryPressure', 'memory', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'disk', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'pid', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const

const pressed: Readonly<Record<string, readonly [string, string]>> = {
  memory: ['KubeletHasInsufficientMemory', 'kubelet has insufficient memory available'],
  disk: ['KubeletHasDiskPressure', 'kubelet has disk pressure'],
  pid: ['KubeletHasInsufficientPID', 'kubelet has insufficient PID available'],
}

export interface ReportFacts {
  readonly shape: NodeShape
  /** For a node that has none. */
  readonly address: string
  readonly now: number
}

/** The status that its kubelet posts; what is there already of capacity and addresses stays. */
export function reportedStatus(node: Node, { shape, address, now }: ReportFacts): NodeStatus {
  const { status = {}, metadata } = node
  const name = metadata.name ?? ''
  const capacity = { ...defaultCapacity(shape), ...status.capacity }
  const given = status.addresses ?? []
  return {
    ...status,
    capacity,
    allocatable: { ...capacity, ...status.allocatable },
    addresses:
      given.length > 0
        ? given
        : [
            { type: 'InternalIP', address },
            { type: 'Hostname', address: name },
          ],
    conditions: reportedConditions(node, now),
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    nodeInfo: { ...nodeInfo(name), ...withoutEmpty(status.nodeInfo) },
  }
}

function withoutEmpty(info: Partial<NodeSystemInfo> = {}): Partial<NodeSystemInfo> {
  return Object.fromEntries(Object.entries(info).filter(([, value]) => value !== ''))
}

const defaultCapacity = ({ cpu, memory, pods }: NodeShape): StringMap => ({
  cpu,
  memory,
  pods: String(pods),
  'ephemeral-storage': '100Gi',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
})

export function reportedConditions(node: Node, now: number): NodeCondition[] {
  const present = node.status?.conditions ?? []
  const time = timeText(now)
  const said = [
    ...pressures.map(([type, resource, reason, message]) => {
      const short = isUnderPressure(node, resource) ? pressed[resource] : undefined
      return short === undefined
        ? { type, status: 'False', reason, message }
        : { type, status: 'True', reason: short[0], message: short[1] }
    }),
    { type: 'Ready', status: 'True', reason: readyReason, message: 'kubelet is posting ready status' },
  ]
  const own = new Set(said.map(({ type }) => type))
  const conditions = said.map((each) => {
    const old = present.find(({ type }) => type === each.type)
    const lastTransitionTime = old?.status === each.status ? (old.lastTransitionTime ?? time) : time
    return { ...each, lastHeartbeatTime: time, lastTransitionTime }
  })
  return [...present.filter(({ type }) => !own.has(type)), ...conditions]
}

function nodeInfo(name: string): NodeSystemInfo {
  const id = createHash('sha256').update(name).digest('hex').slice(0, 32)
  const uuid = `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`
  return {
    architecture: 'amd64',
    bootID: uuid,
    containerRuntimeVersion: 'simulated://1.0',
    kernelVersion: '0.0.0-simulated',
    kubeProxyVersion: '',
    kubeletVersion: servedRelease,
    machineID: id,
    operatingSystem: 'linux',
    osImage: 'Pilothouse simulated node',
    systemUUID: uuid,
  }
}

export function nodeLease({ metadata }: Node, seconds: number, now: number): KubeObject {
  const { name = '', uid = '' } = metadata
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: leaseNamespace, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
    spec: {
      holderIdentity: name,
      leaseDurationSeconds: seconds,
      renewTime: formatMicroTime(instantOfMillis(now)),
    },
  }
}

/** Of the node with this number: 172.30.0.1, 172.30.0.2, … */
export function internalAddress(number: number): string {
  const host = number + 1
  return `172.${30 + ((host >> 16) & 1)}.${(host >> 8) & 255}.${host & 255}`
}
