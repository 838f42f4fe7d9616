// Made by scripts/catalog.mjs. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type CrossVersionObjectReference = {
  kind: string
  name: string
  apiVersion?: string
}

export type HorizontalPodAutoscaler = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: HorizontalPodAutoscalerSpec
  status: HorizontalPodAutoscalerStatus
}

export type HorizontalPodAutoscalerList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: HorizontalPodAutoscaler[] | null
}

export type HorizontalPodAutoscalerSpec = {
  scaleTargetRef: CrossVersionObjectReference
  minReplicas?: number
  maxReplicas: number
  targetCPUUtilizationPercentage?: number
}

export type HorizontalPodAutoscalerStatus = {
  observedGeneration?: number
  lastScaleTime?: string
  currentReplicas: number
  desiredReplicas: number
  currentCPUUtilizationPercentage?: number
}

export type Scale = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: ScaleSpec
  status: ScaleStatus
}

export type ScaleSpec = {
  replicas?: number
}

export type ScaleStatus = {
  replicas: number
  selector?: string
}
