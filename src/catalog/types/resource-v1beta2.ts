// Made by scripts/catalog.mjs. Do not edit.
import type { JsonValue } from '../../api/json.ts'
import type { NodeSelector } from './core-v1.ts'
import type { Condition, ListMeta, ObjectMeta } from './meta-v1.ts'

export type AllocatedDeviceStatus = {
  driver: string
  pool: string
  device: string
  conditions: Condition[] | null
  data?: JsonValue
  networkData?: NetworkDeviceData
}

export type AllocationResult = {
  devices: DeviceAllocationResult
  nodeSelector?: NodeSelector
}

export type CELDeviceSelector = {
  expression: string
}

export type Counter = {
  value: string
}

export type CounterSet = {
  name: string
  counters?: Record<string, Counter>
}

export type Device = {
  name: string
  attributes?: Record<string, DeviceAttribute>
  capacity?: Record<string, DeviceCapacity>
  consumesCounters?: DeviceCounterConsumption[]
  nodeName?: string
  nodeSelector?: NodeSelector
  allNodes?: boolean
  taints?: DeviceTaint[]
}

export type DeviceAllocationConfiguration = {
  source: string
  requests?: string[]
  opaque?: OpaqueDeviceConfiguration
}

export type DeviceAllocationResult = {
  results?: DeviceRequestAllocationResult[]
  config?: DeviceAllocationConfiguration[]
}

export type DeviceAttribute = {
  int?: number
  bool?: boolean
  string?: string
  version?: string
}

export type DeviceCapacity = {
  value: string
}

export type DeviceClaim = {
  requests: DeviceRequest[] | null
  constraints?: DeviceConstraint[]
  config?: DeviceClaimConfiguration[]
}

export type DeviceClaimConfiguration = {
  requests?: string[]
  opaque?: OpaqueDeviceConfiguration
}

export type DeviceClass = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: DeviceClassSpec
}

export type DeviceClassConfiguration = {
  opaque?: OpaqueDeviceConfiguration
}

export type DeviceClassList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: DeviceClass[] | null
}

export type DeviceClassSpec = {
  selectors?: DeviceSelector[]
  config?: DeviceClassConfiguration[]
}

export type DeviceConstraint = {
  requests?: string[]
  matchAttribute?: string
}

export type DeviceCounterConsumption = {
  counterSet: string
  counters?: Record<string, Counter>
}

export type DeviceRequest = {
  name: string
  exactly?: ExactDeviceRequest
  firstAvailable?: DeviceSubRequest[]
}

export type DeviceRequestAllocationResult = {
  request: string
  driver: string
  pool: string
  device: string
  adminAccess: boolean | null
  tolerations?: DeviceToleration[]
}

export type DeviceSelector = {
  cel?: CELDeviceSelector
}

export type DeviceSubRequest = {
  name: string
  deviceClassName: string
  selectors?: DeviceSelector[]
  allocationMode?: string
  count?: number
  tolerations?: DeviceToleration[]
}

export type DeviceTaint = {
  key: string
  value?: string
  effect: string
  timeAdded?: string
}

export type DeviceToleration = {
  key?: string
  operator?: string
  value?: string
  effect?: string
  tolerationSeconds?: number
}

export type ExactDeviceRequest = {
  deviceClassName: string
  selectors?: DeviceSelector[]
  allocationMode?: string
  count?: number
  adminAccess?: boolean
  tolerations?: DeviceToleration[]
}

export type NetworkDeviceData = {
  interfaceName?: string
  ips?: string[]
  hardwareAddress?: string
}

export type OpaqueDeviceConfiguration = {
  driver: string
  parameters: JsonValue
}

export type ResourceClaim = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: ResourceClaimSpec
  status: ResourceClaimStatus
}

export type ResourceClaimConsumerReference = {
  apiGroup?: string
  resource: string
  name: string
  uid: string
}

export type ResourceClaimList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: ResourceClaim[] | null
}

export type ResourceClaimSpec = {
  devices: DeviceClaim
}

export type ResourceClaimStatus = {
  allocation?: AllocationResult
  reservedFor?: ResourceClaimConsumerReference[]
  devices?: AllocatedDeviceStatus[]
}

export type ResourceClaimTemplate = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: ResourceClaimTemplateSpec
}

export type ResourceClaimTemplateList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: ResourceClaimTemplate[] | null
}

export type ResourceClaimTemplateSpec = {
  metadata: ObjectMeta
  spec: ResourceClaimSpec
}

export type ResourcePool = {
  name: string
  generation: number
  resourceSliceCount: number
}

export type ResourceSlice = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: ResourceSliceSpec
}

export type ResourceSliceList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: ResourceSlice[] | null
}

export type ResourceSliceSpec = {
  driver: string
  pool: ResourcePool
  nodeName?: string
  nodeSelector?: NodeSelector
  allNodes?: boolean
  devices: Device[] | null
  perDeviceNodeSelection?: boolean
  sharedCounters?: CounterSet[]
}
