/**
 * Role and ClusterRole: rules that can be granted, by those who hold them.
 * Mirrors pkg/apis/rbac/validation: ValidateRole, ValidateRoleUpdate, ValidateClusterRole, ValidateClusterRoleUpdate.
 * Mirrors pkg/registry/rbac/role: strategy.
 * Mirrors pkg/registry/rbac/clusterrole: strategy.
 */

import { hasErrors, limitErrorsOf } from '../../../../api/error-limit.ts'
import { type FieldError, type Quoted, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { hasInvalidLabelValue, validateLabelSelector } from '../../../../api/label-selector-validation.ts'
import { checkPathSegmentName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goNull, goStrings, invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { AggregationRule, PolicyRule } from '../../../../catalog/types/rbac-v1.ts'
import { inTurns, type Steps } from '../../../../lib/in-turns.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { repeatedCheck } from '../../../checks/checks.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { refuseEscalation } from '../escalation.ts'

type Role = KubeObject & { rules: PolicyRule[] | null; aggregationRule?: AggregationRule }

const names = { validateName: checkPathSegmentName }
const rulesPath = FieldPath.of('rules')
const selectorsPath = FieldPath.of('aggregationRule', 'clusterRoleSelectors')

function validateRules(rules: readonly PolicyRule[], namespaced: boolean): FieldError[] {
  return rules.flatMap((rule, i) => validateRule(rule, namespaced, rulesPath.index(i)))
}

function validateRule(rule: PolicyRule, namespaced: boolean, at: FieldPath): FieldError[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const errors: FieldError[] = []
  if ((rule.verbs ?? []).length === 0) errors.push(required(at.child('verbs'), 'verbs must contain at least one value'))
  if (nonResourceURLs.length > 0) {
    const urlsAt = at.child('nonResourceURLs')
    const shown: Quoted = () => goStrings(nonResourceURLs)
    if (namespaced) errors.push(invalidAs(urlsAt, shown, 'namespaced rules cannot apply to non-resource URLs'))
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      errors.push(invalidAs(urlsAt, shown, 'rules cannot apply to both regular resources and non-resource URLs'))
    }
    return errors
  }
  if (apiGroups.length === 0) {
    errors.push(required(at.child('apiGroups'), 'resource rules must supply at least one api group'))
  }
  if (resources.length === 0) {
    errors.push(required(at.child('resources'), 'resource rules must supply at least one resource'))
  }
  return errors
}

function* validateAggregation(
  rule: AggregationRule | undefined,
  old: AggregationRule | undefined,
): Steps<FieldError[]> {
  if (rule === undefined) return []
  const selectors = rule.clusterRoleSelectors ?? []
  if (selectors.length === 0) {
    const why = 'at least one clusterRoleSelector required if aggregationRule is non-nil'
    return [required(selectorsPath, why)]
  }
  const options = { allowInvalidLabelValue: (old?.clusterRoleSelectors ?? []).some(hasInvalidLabelValue) }
  const strict = (at: FieldPath, selector: (typeof selectors)[number]): boolean =>
    hasErrors(() => validateLabelSelector(selector, at))
  const errors: FieldError[] = []
  for (const [i, selector] of selectors.entries()) {
    if (i % selectorsPerStep === 0) yield
    const at = selectorsPath.index(i)
    pushAll(errors, validateLabelSelector(selector, at, options))
    if (strict(at, selector)) errors.push(invalidAs(at, () => goNull, 'invalid label selector.'))
  }
  return errors
}

const selectorsPerStep = 256

export function roleRules(services: KindServices): KindRules<Role> {
  const validate = ({ rules }: Role): FieldError[] => validateRules(rules ?? [], true)
  return {
    strategy: {
      validateMetadata: (metadata) => metadata.validate(names),
      validateMetadataUpdate: (metadata) => [
        ...metadata.validate(names),
        ...metadata.validate(names),
        ...metadata.validateUpdate(),
      ],
      ...refuseEscalation(services, 'roles'),
      validate,
      validateUpdate(role, _, context) {
        const errors = validate(role)
        return [...repeatedCheck(context, 'rbac.authorization.k8s.io/Role', errors), ...errors]
      },
    },
  }
}

export function clusterRoleRules(services: KindServices): KindRules<Role> {
  function* validate({ rules, aggregationRule }: Role, old?: Role): Steps<FieldError[]> {
    const errors = validateRules(rules ?? [], false)
    return [...errors, ...(yield* validateAggregation(aggregationRule, old?.aggregationRule))]
  }
  function* validateUpdate(role: Role, old: Role, context: WriteContext): Steps<FieldError[]> {
    const errors = yield* validate(role, old)
    return [...repeatedCheck(context, 'rbac.authorization.k8s.io/ClusterRole', errors), ...errors]
  }
  return {
    strategy: {
      validateMetadata: (metadata) => metadata.validate(names),
      validateMetadataUpdate: (metadata) => [
        ...metadata.validate(names),
        ...metadata.validate(names),
        ...metadata.validateUpdate(),
      ],
      ...refuseEscalation(services, 'clusterroles'),
      validateInTurns: (role, old, context) =>
        inTurns(limitErrorsOf(old === undefined ? validate(role) : validateUpdate(role, old, context))),
    },
  }
}
