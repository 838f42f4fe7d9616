/** Disruption budgets: how many pods of a set may be away at a time. */
import { duplicate, invalid, notSupported, required, tooLong } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { validateLabelSelector } from '../../../api/label-selector-validation.ts'
import { checkPathSegmentName, checkQualifiedName, patternMessage } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { Condition } from '../../../catalog/types/meta-v1.ts'
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../../catalog/types/policy-v1.ts'
import { cleanBudget } from '../../conversions/older/policies.ts'
import type { KindRules } from '../../kind-rules.ts'
import { statusOnly, withStatus } from '../../plain-rules.ts'
import { addMessages, type Errors } from '../pods/checks.ts'
import { goPointer, goStruct, invalidAs } from '../pods/go-syntax.ts'
import { specPath, statusPath, validateAtMostAll, validateCounts, validateShare } from './workload-checks.ts'

type Budget = PodDisruptionBudget & KubeObject

const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget']

const emptyStatus = (): object => ({
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
})

export function disruptionBudgetRules(): KindRules<Budget> {
  return {
    decoded: cleanBudget,
    strategy: withStatus<Budget>(
      {
        validateName: checkPathSegmentName,
        generation: 'spec',
        updateOverlooksMetadataChange: true,
        validate({ spec }) {
          const errors: Errors = []
          validateSpec(errors, spec, false)
          return errors
        },
        validateUpdate({ spec }, old) {
          const errors: Errors = []
          const keptInvalid = validateLabelSelector(old.spec.selector, FieldPath.root).length > 0
          validateSpec(errors, spec, keptInvalid)
          return errors
        },
      },
      emptyStatus,
    ),
    parts: {
      status: statusOnly<Budget>({
        updateOverlooksMetadataChange: true,
        validateUpdate({ status }) {
          const errors: Errors = []
          validateConditions(errors, status.conditions ?? [], statusPath.child('conditions'))
          validateCounts(errors, status, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'])
          return errors
        },
      }),
    },
  }
}

function validateSpec(errors: Errors, spec: PodDisruptionBudgetSpec, anyValue: boolean): void {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = goStruct('policy.PodDisruptionBudgetSpec', {
      MinAvailable: goPointer('intstr.IntOrString', minAvailable),
      Selector: goPointer('v1.LabelSelector', spec.selector),
      MaxUnavailable: goPointer('intstr.IntOrString', maxUnavailable),
      UnhealthyPodEvictionPolicy: goPointer('policy.UnhealthyPodEvictionPolicyType', policy),
    })
    errors.push(invalidAs(specPath, shown, 'minAvailable and maxUnavailable cannot be both set'))
  }
  for (const [name, share] of Object.entries({ minAvailable, maxUnavailable })) {
    if (share === undefined) continue
    validateShare(errors, share, specPath.child(name))
    validateAtMostAll(errors, share, specPath.child(name))
  }
  const options = { allowInvalidLabelValue: anyValue }
  errors.push(...validateLabelSelector(spec.selector, specPath.child('selector'), options))
  if (policy !== undefined && !evictionPolicies.includes(policy)) {
    errors.push(notSupported(specPath.child('unhealthyPodEvictionPolicy'), policy, evictionPolicies))
  }
}

const reasonPattern = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?'
const reasonRegExp = new RegExp(`^${reasonPattern}$`)
const reasonMessage = patternMessage(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reasonPattern,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
)

/** Conditions of the common form. */
function validateConditions(errors: Errors, conditions: readonly Condition[], at: FieldPath): void {
  conditions.forEach((condition, i) => {
    const itemAt = at.index(i)
    const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition
    if (conditions.findIndex((other) => other.type === type) < i) errors.push(duplicate(itemAt.child('type'), type))
    addMessages(errors, itemAt.child('type'), type, checkQualifiedName(type))
    const statuses = ['False', 'True', 'Unknown']
    if (!statuses.includes(status)) errors.push(notSupported(itemAt.child('status'), status, statuses))
    if (observedGeneration < 0) {
      const why = 'must be greater than or equal to zero'
      errors.push(invalid(itemAt.child('observedGeneration'), observedGeneration, why))
    }
    if (lastTransitionTime === null) errors.push(required(itemAt.child('lastTransitionTime'), 'must be set'))
    if (reason === '') errors.push(required(itemAt.child('reason'), 'must be set'))
    else if (!reasonRegExp.test(reason)) errors.push(invalid(itemAt.child('reason'), reason, reasonMessage))
    if (Buffer.byteLength(reason) > 1024) errors.push(tooLong(itemAt.child('reason'), 1024))
    if (Buffer.byteLength(message) > 32 * 1024) errors.push(tooLong(itemAt.child('message'), 32 * 1024))
  })
}
