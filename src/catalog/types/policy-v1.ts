// Made by scripts/catalog.mjs. Do not edit.
import type { Condition, DeleteOptions, LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts'

export type Eviction = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  deleteOptions?: DeleteOptions
}

export type PodDisruptionBudget = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: PodDisruptionBudgetSpec
  status: PodDisruptionBudgetStatus
}

export type PodDisruptionBudgetList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: PodDisruptionBudget[] | null
}

export type PodDisruptionBudgetSpec = {
  minAvailable?: number | string
  selector?: LabelSelector
  maxUnavailable?: number | string
  unhealthyPodEvictionPolicy?: string
}

export type PodDisruptionBudgetStatus = {
  observedGeneration?: number
  disruptedPods?: Record<string, string>
  disruptionsAllowed: number
  currentHealthy: number
  desiredHealthy: number
  expectedPods: number
  conditions?: Condition[]
}
