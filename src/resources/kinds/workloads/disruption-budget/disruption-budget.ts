/**
 * Disruption budgets: how many pods of a set may be away at a time.
 * Mirrors pkg/apis/policy/validation: ValidatePodDisruptionBudget, ValidatePodDisruptionBudgetStatusUpdate.
 * Mirrors pkg/registry/policy/poddisruptionbudget: podDisruptionBudgetStrategy, podDisruptionBudgetStatusStrategy.
 */

import { hasErrors } from '../../../../api/error-limit.ts'
import { notSupported } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { validateLabelSelector } from '../../../../api/label-selector-validation.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goStruct, invalidAs, podSyntaxPointer } from '../../../../catalog/golang/pod-syntax.ts'
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../../../catalog/types/policy-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { Errors } from '../../../checks/checks.ts'
import { validateConditions } from '../../../checks/conditions.ts'
import { cleanBudget } from '../../../conversions/older/policies.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { specPath, statusPath, validateAtMostAll, validateCounts, validateShare } from '../workload-checks.ts'

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
        validateMetadata: () => [],
        validateMetadataUpdate: () => [],
        generation: 'spec',
        validate({ spec }) {
          const errors: Errors = []
          validateSpec(errors, spec, false)
          return errors
        },
        validateUpdate({ spec }, old) {
          const errors: Errors = []
          const keptInvalid = hasErrors(() => validateLabelSelector(old.spec.selector, FieldPath.root))
          validateSpec(errors, spec, keptInvalid)
          return errors
        },
      },
      emptyStatus,
    ),
    parts: {
      status: statusOnly<Budget>({
        validateMetadataUpdate: () => [],
        validateUpdate({ status }, _, { apiVersion }) {
          const errors: Errors = []
          pushAll(errors, validateConditions(status.conditions ?? [], statusPath.child('conditions')))
          // What was served before this was looked at is let pass.
          if (apiVersion === 'policy/v1beta1') return errors
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
      MinAvailable: podSyntaxPointer('intstr.IntOrString', minAvailable),
      Selector: podSyntaxPointer('v1.LabelSelector', spec.selector),
      MaxUnavailable: podSyntaxPointer('intstr.IntOrString', maxUnavailable),
      UnhealthyPodEvictionPolicy: podSyntaxPointer('policy.UnhealthyPodEvictionPolicyType', policy),
    })
    errors.push(invalidAs(specPath, () => shown, 'minAvailable and maxUnavailable cannot be both set'))
  }
  for (const [name, share] of Object.entries({ minAvailable, maxUnavailable })) {
    if (share === undefined) continue
    validateShare(errors, share, specPath.child(name))
    validateAtMostAll(errors, share, specPath.child(name))
  }
  const options = { allowInvalidLabelValue: anyValue }
  pushAll(errors, validateLabelSelector(spec.selector, specPath.child('selector'), options))
  if (policy !== undefined && !evictionPolicies.includes(policy)) {
    errors.push(notSupported(specPath.child('unhealthyPodEvictionPolicy'), policy, evictionPolicies))
  }
}
