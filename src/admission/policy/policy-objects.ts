/** Admission policies and their bindings as objects; validating and mutating ones share most of their shape. */
import type { JsonObject } from '../../api/json.ts'
import type { LabelSelectorObject } from '../../api/label-selector.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Rule } from '../matching/rules.ts'

export interface MatchResources extends JsonObject {
  namespaceSelector?: LabelSelectorObject
  objectSelector?: LabelSelectorObject
  resourceRules?: Rule[]
  excludeResourceRules?: Rule[]
  matchPolicy?: string
}

export interface PolicySpec extends JsonObject {
  paramKind?: { apiVersion: string; kind: string }
  matchConstraints?: MatchResources
  matchConditions?: { name: string; expression: string }[]
  variables?: { name: string; expression: string }[]
  failurePolicy?: string
  validations?: { expression: string; message?: string; messageExpression?: string; reason?: string }[]
  auditAnnotations?: { key: string; valueExpression: string }[]
  mutations?: {
    patchType: string
    applyConfiguration?: { expression: string }
    jsonPatch?: { expression: string }
  }[]
  reinvocationPolicy?: string
}

export interface Policy extends KubeObject {
  spec: PolicySpec
}

export interface ParamRef extends JsonObject {
  name?: string
  namespace?: string
  selector?: LabelSelectorObject
  parameterNotFoundAction?: string
}

export interface Binding extends KubeObject {
  spec: {
    policyName: string
    paramRef?: ParamRef
    matchResources?: MatchResources
    validationActions?: string[]
  }
}
