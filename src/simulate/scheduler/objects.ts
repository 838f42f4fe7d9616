/** The objects that the scheduler reads, with the fields that it reads. */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { LabelSelectorObject } from '../../api/label-selector.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'

export interface Pod extends KubeObject {
  spec: PodSpec
  status?: PodStatus
}

export interface PodSpec extends JsonObject {
  containers: Container[]
  initContainers?: Container[]
  volumes?: Volume[]
  tolerations?: Toleration[]
  nodeSelector?: StringMap
  nodeName?: string
  affinity?: Affinity
  schedulerName?: string
  schedulingGates?: { name: string }[]
  topologySpreadConstraints?: SpreadConstraint[]
  priority?: number
  preemptionPolicy?: string
  overhead?: StringMap
  resources?: ResourceRequirements
  resourceClaims?: PodResourceClaim[]
}

export interface PodStatus extends JsonObject {
  phase?: string
  nominatedNodeName?: string
  startTime?: string
  conditions?: PodCondition[]
  containerStatuses?: ContainerStatus[]
  initContainerStatuses?: ContainerStatus[]
  resourceClaimStatuses?: { name: string; resourceClaimName?: string }[]
}

export interface PodCondition extends JsonObject {
  type: string
  status: string
  reason?: string
  message?: string
  lastProbeTime?: string | null
  lastTransitionTime?: string | null
}

export interface ContainerStatus extends JsonObject {
  name: string
  resources?: ResourceRequirements
  allocatedResources?: StringMap
}

export interface ResourceRequirements extends JsonObject {
  limits?: StringMap
  requests?: StringMap
}

export interface Container extends JsonObject {
  name: string
  image?: string
  restartPolicy?: string
  resources?: ResourceRequirements
  ports?: ContainerPort[]
}

export interface ContainerPort extends JsonObject {
  hostPort?: number
  hostIP?: string
  protocol?: string
}

export interface Volume extends JsonObject {
  name: string
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean }
  ephemeral?: JsonObject
  gcePersistentDisk?: { pdName: string; readOnly?: boolean }
  awsElasticBlockStore?: { volumeID: string }
  iscsi?: { iqn: string; readOnly?: boolean }
  rbd?: { monitors?: string[]; pool?: string; image?: string; readOnly?: boolean }
  csi?: { driver: string }
}

export interface PodResourceClaim extends JsonObject {
  name: string
  resourceClaimName?: string
  resourceClaimTemplateName?: string
}

export interface Toleration extends JsonObject {
  key?: string
  operator?: string
  value?: string
  effect?: string
}

export interface Taint extends JsonObject {
  key: string
  value?: string
  effect: string
}

export interface Affinity extends JsonObject {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: NodeSelectorObject
    preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeSelectorTermObject }[]
  }
  podAffinity?: PodAffinity
  podAntiAffinity?: PodAffinity
}

export type PodAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodAffinityTerm }[]
}

export interface PodAffinityTerm extends JsonObject {
  labelSelector?: LabelSelectorObject
  namespaceSelector?: LabelSelectorObject
  namespaces?: string[]
  topologyKey: string
}

export interface NodeSelectorObject extends JsonObject {
  nodeSelectorTerms: NodeSelectorTermObject[]
}

export interface NodeSelectorTermObject extends JsonObject {
  matchExpressions?: NodeSelectorExpression[]
  matchFields?: NodeSelectorExpression[]
}

export interface NodeSelectorExpression extends JsonObject {
  key: string
  operator: string
  values?: string[]
}

export interface SpreadConstraint extends JsonObject {
  maxSkew: number
  topologyKey: string
  whenUnsatisfiable: string
  labelSelector?: LabelSelectorObject
  matchLabelKeys?: string[]
  minDomains?: number
  nodeAffinityPolicy?: string
  nodeTaintsPolicy?: string
}

export interface Node extends KubeObject {
  spec?: { unschedulable?: boolean; taints?: Taint[] }
  status?: NodeStatus
}

export interface NodeStatus extends JsonObject {
  allocatable?: StringMap
  images?: { names?: string[]; sizeBytes?: number }[]
  conditions?: { type: string; status: string }[]
}

export interface PersistentVolumeClaim extends KubeObject {
  spec: ClaimSpec
  status?: { phase?: string }
}

export interface ClaimSpec extends JsonObject {
  accessModes?: string[]
  resources?: ResourceRequirements
  storageClassName?: string
  volumeName?: string
  volumeMode?: string
  selector?: LabelSelectorObject
  volumeAttributesClassName?: string
}

export interface PersistentVolume extends KubeObject {
  spec: VolumeSpec
  status?: { phase?: string }
}

export interface VolumeSpec extends JsonObject {
  capacity?: StringMap
  accessModes?: string[]
  storageClassName?: string
  volumeMode?: string
  claimRef?: ClaimReference
  csi?: { driver: string; volumeHandle: string }
  nodeAffinity?: { required?: NodeSelectorObject }
  volumeAttributesClassName?: string
}

export interface ClaimReference extends JsonObject {
  name?: string
  namespace?: string
  uid?: string
}

export interface StorageClass extends KubeObject {
  provisioner: string
  volumeBindingMode?: string
  allowedTopologies?: { matchLabelExpressions?: { key: string; values: string[] }[] }[]
}

export interface CsiNode extends KubeObject {
  spec: { drivers?: { name: string; allocatable?: { count?: number } }[] }
}

export interface CsiDriver extends KubeObject {
  spec: { storageCapacity?: boolean }
}

export interface CsiStorageCapacity extends KubeObject {
  storageClassName: string
  capacity?: string
  maximumVolumeSize?: string
  nodeTopology?: LabelSelectorObject
}

export interface VolumeAttachment extends KubeObject {
  spec: { attacher: string; nodeName: string; source: { persistentVolumeName?: string } }
}

export interface PodDisruptionBudget extends KubeObject {
  spec?: { selector?: LabelSelectorObject }
  status?: { disruptionsAllowed?: number; disruptedPods?: StringMap }
}

/** A ReplicaSet or StatefulSet. */
export interface Workload extends KubeObject {
  spec: { selector?: LabelSelectorObject }
}

/** A Service or ReplicationController. */
export interface Selecting extends KubeObject {
  spec?: { selector?: StringMap; [key: string]: JsonValue | undefined }
}

export interface ResourceClaim extends KubeObject {
  spec: { devices?: DeviceClaim }
  status?: ClaimStatus
}

export interface ClaimStatus extends JsonObject {
  allocation?: AllocationResult
  reservedFor?: { resource: string; name: string; uid: string }[]
}

export interface DeviceClaim extends JsonObject {
  requests?: DeviceRequest[]
  constraints?: { requests?: string[]; matchAttribute?: string }[]
  config?: DeviceConfiguration[]
}

export interface DeviceRequest extends JsonObject {
  name: string
  deviceClassName?: string
  selectors?: DeviceSelector[]
  allocationMode?: string
  count?: number
  adminAccess?: boolean
  firstAvailable?: DeviceRequest[]
  tolerations?: Toleration[]
}

export interface DeviceSelector extends JsonObject {
  cel?: { expression: string }
}

export interface DeviceConfiguration extends JsonObject {
  requests?: string[]
  opaque?: JsonObject
}

export interface AllocationResult extends JsonObject {
  devices?: { results?: DeviceResult[]; config?: JsonObject[] }
  nodeSelector?: NodeSelectorObject
}

export interface DeviceResult extends JsonObject {
  request: string
  driver: string
  pool: string
  device: string
  adminAccess?: boolean
}

export interface DeviceClass extends KubeObject {
  spec: { selectors?: DeviceSelector[]; config?: DeviceConfiguration[] }
}

export interface ResourceSlice extends KubeObject {
  spec: SliceSpec
}

export interface SliceSpec extends JsonObject {
  driver: string
  pool: { name: string; generation: number; resourceSliceCount: number }
  nodeName?: string
  nodeSelector?: NodeSelectorObject
  allNodes?: boolean
  devices?: Device[]
  perDeviceNodeSelection?: boolean
  sharedCounters?: { name: string; counters: Counters }[]
}

export type Counters = { [name: string]: { value: string } }

export interface Device extends JsonObject {
  name: string
  basic?: BasicDevice
}

export interface BasicDevice extends JsonObject {
  attributes?: { [name: string]: DeviceAttribute }
  capacity?: { [name: string]: { value: string } }
  consumesCounters?: { counterSet: string; counters: Counters }[]
  nodeName?: string
  nodeSelector?: NodeSelectorObject
  allNodes?: boolean
  taints?: Taint[]
}

export interface DeviceAttribute extends JsonObject {
  int?: number | bigint
  bool?: boolean
  string?: string
  version?: string
}

export const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ''
export const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? ''
export const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? ''
/** `namespace/name`. */
export const schedulingKey = (object: KubeObject): string => `${namespaceOf(object)}/${nameOf(object)}`

export const priorityOf = (pod: Pod): number => pod.spec.priority ?? 0
export const nominatedNodeOf = (pod: Pod): string => pod.status?.nominatedNodeName ?? ''
export const isTerminal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'

/** Whether the object's controller is the owner. Mirrors apimachinery: IsControlledBy. */
export const isControlledBy = (object: KubeObject, owner: KubeObject): boolean =>
  object.metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === uidOf(owner)) ?? false

/** The label's value. Only strings count: what an object inherits is none. */
export function labelValue(labels: StringMap | undefined, key: string): string | undefined {
  const value: unknown = labels?.[key]
  return typeof value === 'string' ? value : undefined
}
