// Made by scripts/catalog.mjs. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type ExemptPriorityLevelConfiguration = {
  nominalConcurrencyShares?: number
  lendablePercent?: number
}

export type FlowDistinguisherMethod = {
  type: string
}

export type FlowSchema = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: FlowSchemaSpec
  status: FlowSchemaStatus
}

export type FlowSchemaCondition = {
  type?: string
  status?: string
  lastTransitionTime: string | null
  reason?: string
  message?: string
}

export type FlowSchemaList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: FlowSchema[] | null
}

export type FlowSchemaSpec = {
  priorityLevelConfiguration: PriorityLevelConfigurationReference
  matchingPrecedence: number
  distinguisherMethod?: FlowDistinguisherMethod
  rules?: PolicyRulesWithSubjects[]
}

export type FlowSchemaStatus = {
  conditions?: FlowSchemaCondition[]
}

export type GroupSubject = {
  name: string
}

export type LimitResponse = {
  type: string
  queuing?: QueuingConfiguration
}

export type LimitedPriorityLevelConfiguration = {
  nominalConcurrencyShares: number | null
  limitResponse: LimitResponse
  lendablePercent?: number
  borrowingLimitPercent?: number
}

export type NonResourcePolicyRule = {
  verbs: string[] | null
  nonResourceURLs: string[] | null
}

export type PolicyRulesWithSubjects = {
  subjects: Subject[] | null
  resourceRules?: ResourcePolicyRule[]
  nonResourceRules?: NonResourcePolicyRule[]
}

export type PriorityLevelConfiguration = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: PriorityLevelConfigurationSpec
  status: PriorityLevelConfigurationStatus
}

export type PriorityLevelConfigurationCondition = {
  type?: string
  status?: string
  lastTransitionTime: string | null
  reason?: string
  message?: string
}

export type PriorityLevelConfigurationList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: PriorityLevelConfiguration[] | null
}

export type PriorityLevelConfigurationReference = {
  name: string
}

export type PriorityLevelConfigurationSpec = {
  type: string
  limited?: LimitedPriorityLevelConfiguration
  exempt?: ExemptPriorityLevelConfiguration
}

export type PriorityLevelConfigurationStatus = {
  conditions?: PriorityLevelConfigurationCondition[]
}

export type QueuingConfiguration = {
  queues: number
  handSize: number
  queueLengthLimit: number
}

export type ResourcePolicyRule = {
  verbs: string[] | null
  apiGroups: string[] | null
  resources: string[] | null
  clusterScope?: boolean
  namespaces: string[] | null
}

export type ServiceAccountSubject = {
  namespace: string
  name: string
}

export type Subject = {
  kind: string
  user?: UserSubject
  group?: GroupSubject
  serviceAccount?: ServiceAccountSubject
}

export type UserSubject = {
  name: string
}
