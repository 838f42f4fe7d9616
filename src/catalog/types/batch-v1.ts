// Made by scripts/catalog.mjs. Do not edit.
import type { ObjectReference, PodTemplateSpec } from './core-v1.ts'
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts'

export type CronJob = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: CronJobSpec
  status: CronJobStatus
}

export type CronJobList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: CronJob[] | null
}

export type CronJobSpec = {
  schedule: string
  timeZone?: string
  startingDeadlineSeconds?: number
  concurrencyPolicy?: string
  suspend?: boolean
  jobTemplate: JobTemplateSpec
  successfulJobsHistoryLimit?: number
  failedJobsHistoryLimit?: number
}

export type CronJobStatus = {
  active?: ObjectReference[]
  lastScheduleTime?: string
  lastSuccessfulTime?: string
}

export type Job = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: JobSpec
  status: JobStatus
}

export type JobCondition = {
  type: string
  status: string
  lastProbeTime: string | null
  lastTransitionTime: string | null
  reason?: string
  message?: string
}

export type JobList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: Job[] | null
}

export type JobSpec = {
  parallelism?: number
  completions?: number
  activeDeadlineSeconds?: number
  podFailurePolicy?: PodFailurePolicy
  successPolicy?: SuccessPolicy
  backoffLimit?: number
  backoffLimitPerIndex?: number
  maxFailedIndexes?: number
  selector?: LabelSelector
  manualSelector?: boolean
  template: PodTemplateSpec
  ttlSecondsAfterFinished?: number
  completionMode?: string
  suspend?: boolean
  podReplacementPolicy?: string
  managedBy?: string
}

export type JobStatus = {
  conditions?: JobCondition[]
  startTime?: string
  completionTime?: string
  active?: number
  succeeded?: number
  failed?: number
  terminating?: number
  completedIndexes?: string
  failedIndexes?: string
  uncountedTerminatedPods?: UncountedTerminatedPods
  ready?: number
}

export type JobTemplateSpec = {
  metadata: ObjectMeta
  spec: JobSpec
}

export type PodFailurePolicy = {
  rules: PodFailurePolicyRule[] | null
}

export type PodFailurePolicyOnExitCodesRequirement = {
  containerName?: string
  operator: string
  values: number[] | null
}

export type PodFailurePolicyOnPodConditionsPattern = {
  type: string
  status: string
}

export type PodFailurePolicyRule = {
  action: string
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[]
}

export type SuccessPolicy = {
  rules: SuccessPolicyRule[] | null
}

export type SuccessPolicyRule = {
  succeededIndexes?: string
  succeededCount?: number
}

export type UncountedTerminatedPods = {
  succeeded?: string[]
  failed?: string[]
}
