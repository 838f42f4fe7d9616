// Where a policy or a webhook is shown as an object.
import { preferredKind } from '../../api/discovery.ts'
import { objectHref } from '../../lib/router.ts'

export const policyGroup = 'admissionregistration.k8s.io'
const plurals: Readonly<Record<string, string>> = {
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
}

interface LinkedPolicy {
  readonly kind: string
  readonly name: string
  readonly webhook?: string
}

export function PolicyLink({ policy }: { readonly policy: LinkedPolicy }) {
  const kind = preferredKind(policyGroup, plurals[policy.kind] ?? '')
  const text = policy.webhook ?? policy.name
  return kind === undefined ? <span>{text}</span> : <a href={objectHref(kind, { name: policy.name })}>{text}</a>
}
