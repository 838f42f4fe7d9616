/**
 * What policies never decide about: policies, so that they can always be repaired, and questions that are answered
 * without being kept. Webhook configurations are theirs to guard.
 *
 * Mirrors k8s.io/apiserver policy/generic: admissionResources, and pkg/kubeapiserver/admission/exclusion.
 */
import type { RequestShape } from '../plugin.ts'

const exempt: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
])

export const isUnderPolicy = ({ group, resource }: RequestShape): boolean => !exempt.has(`${group}/${resource}`)
