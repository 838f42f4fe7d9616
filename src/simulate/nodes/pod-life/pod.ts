/** Pods as a kubelet sees them: the fields that it reads, and the status that it writes. */
import type { JsonObject, JsonValue } from '../../../api/json.ts'
import type { KubeObject, StringMap } from '../../../api/object.ts'

export interface Pod extends KubeObject {
  spec: PodSpec
  status?: PodStatus
}

export interface PodSpec extends JsonObject {
  nodeName?: string
  restartPolicy?: string
  hostNetwork?: boolean
  activeDeadlineSeconds?: number
  terminationGracePeriodSeconds?: number
  readinessGates?: { conditionType: string }[]
  initContainers?: Container[]
  containers: Container[]
  ephemeralContainers?: Container[]
}

export interface Container extends JsonObject {
  name: string
  image?: string
  imagePullPolicy?: string
  restartPolicy?: string
  command?: string[]
  args?: string[]
  stdin?: boolean
  stdinOnce?: boolean
  tty?: boolean
  resources?: Resources
  resizePolicy?: { resourceName: string; restartPolicy: string }[]
  volumeMounts?: JsonObject[]
  startupProbe?: Probe
  readinessProbe?: Probe
  lifecycle?: JsonObject
}

export interface Resources extends JsonObject {
  requests?: StringMap
  limits?: StringMap
}

export interface Probe extends JsonObject {
  initialDelaySeconds?: number
  periodSeconds?: number
  successThreshold?: number
}

export interface PodStatus extends JsonObject {
  phase?: string
  reason?: string
  message?: string
  startTime?: string
  podIP?: string
  conditions?: PodCondition[]
  initContainerStatuses?: ContainerStatus[]
  containerStatuses?: ContainerStatus[]
  ephemeralContainerStatuses?: ContainerStatus[]
}

export interface PodCondition extends JsonObject {
  type: string
  status: string
  reason?: string
  message?: string
  lastProbeTime?: JsonValue
  lastTransitionTime?: string
}

export interface ContainerStatus extends JsonObject {
  name: string
  ready: boolean
  started?: boolean
  restartCount: number
  state: ContainerStateStatus
  lastState: ContainerStateStatus
}

export interface ContainerStateStatus extends JsonObject {
  waiting?: { reason?: string; message?: string }
  running?: { startedAt?: string }
  terminated?: TerminatedStatus
}

export interface TerminatedStatus extends JsonObject {
  exitCode: number
  reason?: string
  message?: string
  startedAt?: string
  finishedAt?: string
}

/** Which part a container has in its pod: how it is started, and what its end means, follow from it. */
export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral'

export const initRole = (container: Container): ContainerRole =>
  container.restartPolicy === 'Always' ? 'sidecar' : 'init'

/** `name_namespace(uid)`, as kubelets write pods in messages. */
export const podText = ({ metadata }: Pod): string =>
  `${metadata.name ?? ''}_${metadata.namespace ?? ''}(${metadata.uid ?? ''})`
