// Made by scripts/catalog.mjs. Do not edit.
import type { PersistentVolumeSpec, TopologySelectorTerm } from './core-v1.ts'
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts'

export type CSIDriver = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: CSIDriverSpec
}

export type CSIDriverList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: CSIDriver[] | null
}

export type CSIDriverSpec = {
  attachRequired?: boolean
  podInfoOnMount?: boolean
  volumeLifecycleModes?: string[]
  storageCapacity?: boolean
  fsGroupPolicy?: string
  tokenRequests?: TokenRequest[]
  requiresRepublish?: boolean
  seLinuxMount?: boolean
  nodeAllocatableUpdatePeriodSeconds?: number
}

export type CSINode = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: CSINodeSpec
}

export type CSINodeDriver = {
  name: string
  nodeID: string
  topologyKeys: string[] | null
  allocatable?: VolumeNodeResources
}

export type CSINodeList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: CSINode[] | null
}

export type CSINodeSpec = {
  drivers: CSINodeDriver[] | null
}

export type CSIStorageCapacity = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  nodeTopology?: LabelSelector
  storageClassName: string
  capacity?: string
  maximumVolumeSize?: string
}

export type CSIStorageCapacityList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: CSIStorageCapacity[] | null
}

export type StorageClass = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  provisioner: string
  parameters?: Record<string, string>
  reclaimPolicy?: string
  mountOptions?: string[]
  allowVolumeExpansion?: boolean
  volumeBindingMode?: string
  allowedTopologies?: TopologySelectorTerm[]
}

export type StorageClassList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: StorageClass[] | null
}

export type TokenRequest = {
  audience: string
  expirationSeconds?: number
}

export type VolumeAttachment = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: VolumeAttachmentSpec
  status: VolumeAttachmentStatus
}

export type VolumeAttachmentList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: VolumeAttachment[] | null
}

export type VolumeAttachmentSource = {
  persistentVolumeName?: string
  inlineVolumeSpec?: PersistentVolumeSpec
}

export type VolumeAttachmentSpec = {
  attacher: string
  source: VolumeAttachmentSource
  nodeName: string
}

export type VolumeAttachmentStatus = {
  attached: boolean
  attachmentMetadata?: Record<string, string>
  attachError?: VolumeError
  detachError?: VolumeError
}

export type VolumeError = {
  time: string | null
  message?: string
  errorCode?: number
}

export type VolumeNodeResources = {
  count?: number
}
