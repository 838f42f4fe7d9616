// Made by scripts/catalog.mjs. Do not edit.
import type { JsonValue } from '../../api/json.ts'
import type { PersistentVolumeClaim, PodTemplateSpec } from './core-v1.ts'
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts'

export type ControllerRevision = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  data: JsonValue
  revision: number
}

export type ControllerRevisionList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: ControllerRevision[] | null
}

export type DaemonSet = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: DaemonSetSpec
  status: DaemonSetStatus
}

export type DaemonSetCondition = {
  type: string
  status: string
  lastTransitionTime: string | null
  reason?: string
  message?: string
}

export type DaemonSetList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: DaemonSet[] | null
}

export type DaemonSetSpec = {
  selector: LabelSelector | null
  template: PodTemplateSpec
  updateStrategy: DaemonSetUpdateStrategy
  minReadySeconds?: number
  revisionHistoryLimit?: number
}

export type DaemonSetStatus = {
  currentNumberScheduled: number
  numberMisscheduled: number
  desiredNumberScheduled: number
  numberReady: number
  observedGeneration?: number
  updatedNumberScheduled?: number
  numberAvailable?: number
  numberUnavailable?: number
  collisionCount?: number
  conditions?: DaemonSetCondition[]
}

export type DaemonSetUpdateStrategy = {
  type?: string
  rollingUpdate?: RollingUpdateDaemonSet
}

export type Deployment = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: DeploymentSpec
  status: DeploymentStatus
}

export type DeploymentCondition = {
  type: string
  status: string
  lastUpdateTime: string | null
  lastTransitionTime: string | null
  reason?: string
  message?: string
}

export type DeploymentList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: Deployment[] | null
}

export type DeploymentSpec = {
  replicas?: number
  selector: LabelSelector | null
  template: PodTemplateSpec
  strategy: DeploymentStrategy
  minReadySeconds?: number
  revisionHistoryLimit?: number
  paused?: boolean
  progressDeadlineSeconds?: number
}

export type DeploymentStatus = {
  observedGeneration?: number
  replicas?: number
  updatedReplicas?: number
  readyReplicas?: number
  availableReplicas?: number
  unavailableReplicas?: number
  terminatingReplicas?: number
  conditions?: DeploymentCondition[]
  collisionCount?: number
}

export type DeploymentStrategy = {
  type?: string
  rollingUpdate?: RollingUpdateDeployment
}

export type ReplicaSet = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: ReplicaSetSpec
  status: ReplicaSetStatus
}

export type ReplicaSetCondition = {
  type: string
  status: string
  lastTransitionTime: string | null
  reason?: string
  message?: string
}

export type ReplicaSetList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: ReplicaSet[] | null
}

export type ReplicaSetSpec = {
  replicas?: number
  minReadySeconds?: number
  selector: LabelSelector | null
  template: PodTemplateSpec
}

export type ReplicaSetStatus = {
  replicas: number
  fullyLabeledReplicas?: number
  readyReplicas?: number
  availableReplicas?: number
  terminatingReplicas?: number
  observedGeneration?: number
  conditions?: ReplicaSetCondition[]
}

export type RollingUpdateDaemonSet = {
  maxUnavailable?: number | string
  maxSurge?: number | string
}

export type RollingUpdateDeployment = {
  maxUnavailable?: number | string
  maxSurge?: number | string
}

export type RollingUpdateStatefulSetStrategy = {
  partition?: number
  maxUnavailable?: number | string
}

export type StatefulSet = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: StatefulSetSpec
  status: StatefulSetStatus
}

export type StatefulSetCondition = {
  type: string
  status: string
  lastTransitionTime: string | null
  reason?: string
  message?: string
}

export type StatefulSetList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: StatefulSet[] | null
}

export type StatefulSetOrdinals = {
  start: number
}

export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  whenDeleted?: string
  whenScaled?: string
}

export type StatefulSetSpec = {
  replicas?: number
  selector: LabelSelector | null
  template: PodTemplateSpec
  volumeClaimTemplates?: PersistentVolumeClaim[]
  serviceName: string
  podManagementPolicy?: string
  updateStrategy: StatefulSetUpdateStrategy
  revisionHistoryLimit?: number
  minReadySeconds?: number
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy
  ordinals?: StatefulSetOrdinals
}

export type StatefulSetStatus = {
  observedGeneration?: number
  replicas: number
  readyReplicas?: number
  currentReplicas?: number
  updatedReplicas?: number
  currentRevision?: string
  updateRevision?: string
  collisionCount?: number
  conditions?: StatefulSetCondition[]
  availableReplicas: number
}

export type StatefulSetUpdateStrategy = {
  type?: string
  rollingUpdate?: RollingUpdateStatefulSetStrategy
}
