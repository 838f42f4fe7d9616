// Made by scripts/catalog.mjs. Do not edit.
import type { FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta } from './meta-v1.ts'

export type FieldSelectorAttributes = {
  rawSelector?: string
  requirements?: FieldSelectorRequirement[]
}

export type LabelSelectorAttributes = {
  rawSelector?: string
  requirements?: LabelSelectorRequirement[]
}

export type LocalSubjectAccessReview = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: SubjectAccessReviewSpec
  status: SubjectAccessReviewStatus
}

export type NonResourceAttributes = {
  path?: string
  verb?: string
}

export type NonResourceRule = {
  verbs: string[] | null
  nonResourceURLs?: string[]
}

export type ResourceAttributes = {
  namespace?: string
  verb?: string
  group?: string
  version?: string
  resource?: string
  subresource?: string
  name?: string
  fieldSelector?: FieldSelectorAttributes
  labelSelector?: LabelSelectorAttributes
}

export type ResourceRule = {
  verbs: string[] | null
  apiGroups?: string[]
  resources?: string[]
  resourceNames?: string[]
}

export type SelfSubjectAccessReview = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: SelfSubjectAccessReviewSpec
  status: SubjectAccessReviewStatus
}

export type SelfSubjectAccessReviewSpec = {
  resourceAttributes?: ResourceAttributes
  nonResourceAttributes?: NonResourceAttributes
}

export type SelfSubjectRulesReview = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: SelfSubjectRulesReviewSpec
  status: SubjectRulesReviewStatus
}

export type SelfSubjectRulesReviewSpec = {
  namespace?: string
}

export type SubjectAccessReview = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: SubjectAccessReviewSpec
  status: SubjectAccessReviewStatus
}

export type SubjectAccessReviewSpec = {
  resourceAttributes?: ResourceAttributes
  nonResourceAttributes?: NonResourceAttributes
  user?: string
  groups?: string[]
  extra?: Record<string, string[]>
  uid?: string
}

export type SubjectAccessReviewStatus = {
  allowed: boolean
  denied?: boolean
  reason?: string
  evaluationError?: string
}

export type SubjectRulesReviewStatus = {
  resourceRules: ResourceRule[] | null
  nonResourceRules: NonResourceRule[] | null
  incomplete: boolean
  evaluationError?: string
}
