/**
 * What policies of the cluster never decide about: policies, so that they can always be repaired, and questions that are answered
 * without being kept. Webhook configurations are theirs to guard.
 *
 * Mirrors k8s.io/apiserver policy/generic: admissionResources, and pkg/kubeapiserver/admission/exclusion.
 */
import type { RequestShape } from '../plugin.ts'

const policies: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
])

const questions: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
])

type Shape = Pick<RequestShape, 'group' | 'resource'>

const isQuestion = ({ group, resource }: Shape): boolean => questions.has(`${group}/${resource}`)

export const isUnderPolicy = (shape: RequestShape): boolean =>
  !isQuestion(shape) && !policies.has(`${shape.group}/${shape.resource}`)

/** Policies of files cannot lock anybody out from mending them, and may be about policies, too. */
export const isUnderStaticPolicy = (shape: RequestShape): boolean => !isQuestion(shape)
