import { expect, it } from 'vitest'
import { isUnderPolicy } from './exempt-resources.ts'

const about = (group: string, resource: string) =>
  isUnderPolicy({ operation: 'CREATE', group, resource, subresource: '' })

it.each([
  ['admissionregistration.k8s.io', 'validatingwebhookconfigurations', true],
  ['admissionregistration.k8s.io', 'mutatingwebhookconfigurations', true],
  ['admissionregistration.k8s.io', 'validatingadmissionpolicies', false],
  ['admissionregistration.k8s.io', 'validatingadmissionpolicybindings', false],
  ['admissionregistration.k8s.io', 'mutatingadmissionpolicies', false],
  ['admissionregistration.k8s.io', 'mutatingadmissionpolicybindings', false],
  ['authentication.k8s.io', 'tokenreviews', false],
  ['authorization.k8s.io', 'subjectaccessreviews', false],
  ['authentication.k8s.io', 'customs', true],
  ['example.com', 'validatingadmissionpolicies', true],
  ['', 'bindings', true],
])('policies decide about %s/%s: %s', (group, resource, expected) => {
  expect(about(group, resource)).toBe(expected)
})
