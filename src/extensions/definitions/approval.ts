/** The condition that reports whether a definition in a group of the project was approved. */
import { quote } from '../../api/golang/quote.ts'
import type { Definition } from './definition.ts'
import type { DefinitionCondition } from './definition-rules.ts'
import { approvalState, isProtectedGroup } from './validate-names.ts'

export function approvalCondition({ spec, metadata }: Definition): DefinitionCondition | undefined {
  if (!isProtectedGroup(spec.group)) return undefined
  const { kind, why, value } = approvalState(metadata.annotations)
  const type = 'KubernetesAPIApprovalPolicyConformant'
  switch (kind) {
    case 'approved':
      return { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${value}` }
    case 'bypassed':
      return {
        type,
        status: 'False',
        reason: 'UnapprovedAnnotation',
        message: `not approved: ${quote(value)}`,
      }
    case 'invalid':
      return { type, status: 'False', reason: 'InvalidAnnotation', message: why }
    case 'missing':
      return { type, status: 'False', reason: 'MissingAnnotation', message: why }
  }
}
