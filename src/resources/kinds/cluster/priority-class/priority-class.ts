/**
 * Priority classes: value and policy never change, the names and the range of the system's own are kept for them.
 * Mirrors pkg/apis/scheduling/validation: ValidatePriorityClass, ValidatePriorityClassUpdate.
 * Mirrors pkg/registry/scheduling/priorityclass: priorityClassStrategy.
 */
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { forbidden as forbiddenRequest } from '../../../../api/status-error.ts'
import type { PriorityClass as PriorityClassType } from '../../../../catalog/types/scheduling-v1.ts'
import type { KindRules } from '../../../kind-rules.ts'

type PriorityClass = KubeObject & Omit<PriorityClassType, 'kind' | 'apiVersion' | 'metadata'>

const systemPrefix = 'system-'
const systemValues: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
])
const highestUserValue = 1_000_000_000
const policies = ['PreemptLowerPriority', 'Never']
const policyPath = FieldPath.of('preemptionPolicy')

export const priorityClassRules = (): KindRules<PriorityClass> => ({
  strategy: {
    prepareForCreate(draft) {
      draft.metadata.generation = 1
    },
    validate,
    validateUpdate,
    // Mirrors pkg/registry/scheduling/priorityclass/storage: REST.Delete.
    checkDelete(name) {
      if (!systemValues.has(name)) return
      const resource = { group: 'scheduling.k8s.io', resource: 'priorityclasses' }
      throw forbiddenRequest(resource, name, 'this is a system priority class and cannot be deleted')
    },
  },
})

function validate(object: PriorityClass): FieldError[] {
  const errors: FieldError[] = []
  const { value = 0, preemptionPolicy } = object
  const name = object.metadata.name ?? ''
  if (name.startsWith(systemPrefix)) {
    const problem = systemProblem(object, name)
    if (problem !== undefined) {
      const why = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`
      errors.push(forbidden(FieldPath.of('metadata').child('name'), why))
    }
  } else if (value > highestUserValue) {
    const why = `maximum allowed value of a user defined priority is ${highestUserValue}`
    errors.push(forbidden(FieldPath.of('value'), why))
  }
  if (preemptionPolicy === '') errors.push(required(policyPath))
  else if (preemptionPolicy !== undefined && !policies.includes(preemptionPolicy)) {
    errors.push(notSupported(policyPath, preemptionPolicy, policies))
  }
  return errors
}

function systemProblem({ value = 0, globalDefault }: PriorityClass, name: string): string | undefined {
  const known = systemValues.get(name)
  if (known === undefined) return `${name} is not a known system priority class`
  if (known !== value) return `value of ${name} PriorityClass must be ${known}`
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

function validateUpdate(object: PriorityClass, old: PriorityClass): FieldError[] {
  const errors: FieldError[] = []
  if ((object.value ?? 0) !== (old.value ?? 0)) {
    errors.push(forbidden(FieldPath.of('value'), 'may not be changed in an update.'))
  }
  if (object.preemptionPolicy !== old.preemptionPolicy) {
    errors.push(invalid(policyPath, object.preemptionPolicy, 'field is immutable'))
  }
  return errors
}
