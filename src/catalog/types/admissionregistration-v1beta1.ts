// Made by scripts/catalog.mjs. Do not edit.
import type { Condition, LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts'

export type AuditAnnotation = {
  key: string
  valueExpression: string
}

export type ExpressionWarning = {
  fieldRef: string
  warning: string
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

export type TypeChecking = {
  expressionWarnings?: ExpressionWarning[]
}

export type ValidatingAdmissionPolicy = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: ValidatingAdmissionPolicySpec
  status: ValidatingAdmissionPolicyStatus
}

export type ValidatingAdmissionPolicyBinding = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: ValidatingAdmissionPolicyBindingSpec
}

export type ValidatingAdmissionPolicyBindingList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: ValidatingAdmissionPolicyBinding[] | null
}

export type ValidatingAdmissionPolicyBindingSpec = {
  policyName?: string
  paramRef?: ParamRef
  matchResources?: MatchResources
  validationActions?: string[]
}

export type ValidatingAdmissionPolicyList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: ValidatingAdmissionPolicy[] | null
}

export type ValidatingAdmissionPolicySpec = {
  paramKind?: ParamKind
  matchConstraints?: MatchResources
  validations?: Validation[]
  failurePolicy?: string
  auditAnnotations?: AuditAnnotation[]
  matchConditions?: MatchCondition[]
  variables?: Variable[]
}

export type ValidatingAdmissionPolicyStatus = {
  observedGeneration?: number
  typeChecking?: TypeChecking
  conditions?: Condition[]
}

export type Validation = {
  expression: string
  message?: string
  reason?: string
  messageExpression?: string
}

export type Variable = {
  name: string
  expression: string
}
