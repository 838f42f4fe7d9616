// Made by scripts/catalog.mjs. Do not edit.
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts'

export type ApplyConfiguration = {
  expression?: string
}

export type JSONPatch = {
  expression?: string
}

export type MatchCondition = {
  name: string
  expression: string
}

export type MatchResources = {
  namespaceSelector?: LabelSelector
  objectSelector?: LabelSelector
  resourceRules?: NamedRuleWithOperations[]
  excludeResourceRules?: NamedRuleWithOperations[]
  matchPolicy?: string
}

export type MutatingAdmissionPolicy = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: MutatingAdmissionPolicySpec
}

export type MutatingAdmissionPolicyBinding = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: MutatingAdmissionPolicyBindingSpec
}

export type MutatingAdmissionPolicyBindingList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: MutatingAdmissionPolicyBinding[] | null
}

export type MutatingAdmissionPolicyBindingSpec = {
  policyName?: string
  paramRef?: ParamRef
  matchResources?: MatchResources
}

export type MutatingAdmissionPolicyList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: MutatingAdmissionPolicy[] | null
}

export type MutatingAdmissionPolicySpec = {
  paramKind?: ParamKind
  matchConstraints?: MatchResources
  variables?: Variable[]
  mutations?: Mutation[]
  failurePolicy?: string
  matchConditions?: MatchCondition[]
  reinvocationPolicy?: string
}

export type Mutation = {
  patchType: string
  applyConfiguration?: ApplyConfiguration
  jsonPatch?: JSONPatch
}

export type NamedRuleWithOperations = {
  resourceNames?: string[]
  operations?: string[]
  apiGroups?: string[]
  apiVersions?: string[]
  resources?: string[]
  scope?: string
}

export type ParamKind = {
  apiVersion?: string
  kind?: string
}

export type ParamRef = {
  name?: string
  namespace?: string
  selector?: LabelSelector
  parameterNotFoundAction?: string
}

export type Variable = {
  name: string
  expression: string
}
