/**
 * RoleBinding and ClusterRoleBinding: what a binding refers to stays what it is; whom it is for may change.
 * Mirrors pkg/apis/rbac/validation: ValidateRoleBinding, ValidateRoleBindingUpdate, ValidateClusterRoleBinding,
 * ValidateClusterRoleBindingUpdate.
 * Mirrors pkg/registry/rbac/rolebinding: strategy.
 * Mirrors pkg/registry/rbac/clusterrolebinding: strategy.
 */
import { type FieldError, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { checkPathSegmentName, checkSubdomainName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goStruct, invalidAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type { RoleRef, Subject } from '../../../../catalog/types/rbac-v1.ts'
import { repeatedCheck } from '../../../checks/checks.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { refuseEscalation } from '../escalation.ts'

type Binding = KubeObject & { roleRef: RoleRef; subjects?: Subject[] }

const rbacGroup = 'rbac.authorization.k8s.io'
const names = { validateName: checkPathSegmentName }
const refPath = FieldPath.of('roleRef')
const subjectsPath = FieldPath.of('subjects')

function validateBinding({ roleRef, subjects = [] }: Binding, namespaced: boolean): FieldError[] {
  const { apiGroup, kind, name } = roleRef
  const errors: FieldError[] = []
  if (apiGroup !== rbacGroup) errors.push(notSupported(refPath.child('apiGroup'), apiGroup, [rbacGroup]))
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
  if (!kinds.includes(kind)) errors.push(notSupported(refPath.child('kind'), kind, kinds))
  const nameAt = refPath.child('name')
  if (name === '') errors.push(required(nameAt))
  else for (const message of checkPathSegmentName(name)) errors.push(invalid(nameAt, name, message))
  return [...errors, ...subjects.flatMap((subject, i) => validateSubject(subject, namespaced, subjectsPath.index(i)))]
}

function validateSubject(subject: Subject, namespaced: boolean, at: FieldPath): FieldError[] {
  const { kind, name, apiGroup = '', namespace = '' } = subject
  const errors: FieldError[] = []
  if (name === '') errors.push(required(at.child('name')))
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') {
        for (const message of checkSubdomainName(name)) errors.push(invalid(at.child('name'), name, message))
      }
      if (apiGroup !== '') errors.push(notSupported(at.child('apiGroup'), apiGroup, ['']))
      if (!namespaced && namespace === '') errors.push(required(at.child('namespace')))
      return errors
    case 'User':
    case 'Group':
      if (apiGroup !== rbacGroup) errors.push(notSupported(at.child('apiGroup'), apiGroup, [rbacGroup]))
      return errors
    default:
      return [...errors, notSupported(at.child('kind'), kind, ['ServiceAccount', 'User', 'Group'])]
  }
}

function validateSameRole({ roleRef }: Binding, { roleRef: old }: Binding): FieldError[] {
  if (roleRef.apiGroup === old.apiGroup && roleRef.kind === old.kind && roleRef.name === old.name) return []
  const shown = goStruct('rbac.RoleRef', {
    APIGroup: podSyntaxText(roleRef.apiGroup),
    Kind: podSyntaxText(roleRef.kind),
    Name: podSyntaxText(roleRef.name),
  })
  return [invalidAs(refPath, () => shown, 'cannot change roleRef')]
}

function bindingRules(services: KindServices, resource: string, namespaced: boolean): KindRules<Binding> {
  const kind = namespaced ? 'RoleBinding' : 'ClusterRoleBinding'
  return {
    strategy: {
      validateMetadata: (metadata) => metadata.validate(names),
      validateMetadataUpdate: (metadata) => [
        ...metadata.validate(names),
        ...metadata.validate(names),
        ...metadata.validateUpdate(),
      ],
      ...refuseEscalation(services, resource),
      validate: (binding) => validateBinding(binding, namespaced),
      validateUpdate(binding, old, context) {
        const errors = validateBinding(binding, namespaced)
        const repeated = repeatedCheck(context, `rbac.authorization.k8s.io/${kind}`, errors)
        return [...repeated, ...errors, ...validateSameRole(binding, old)]
      },
    },
  }
}

export const roleBindingRules = (services: KindServices): KindRules<Binding> =>
  bindingRules(services, 'rolebindings', true)

export const clusterRoleBindingRules = (services: KindServices): KindRules<Binding> =>
  bindingRules(services, 'clusterrolebindings', false)
