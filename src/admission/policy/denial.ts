/** The message of a request that a policy denies. */

import type { AdmissionRequest } from '../../api/admission.ts'
import { ApiError } from '../../api/status-error.ts'
import { denied } from '../denied.ts'
import type { Policy, PolicyBinding } from './policy-objects.ts'

export interface Denial {
  readonly message: string
  readonly reason: string
  readonly policy: Policy
  readonly binding: PolicyBinding | undefined
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
}

export function denialText({ message, policy, binding }: Denial): string {
  const by = binding === undefined ? '' : ` with binding '${binding.metadata.name}'`
  return `ValidatingAdmissionPolicy '${policy.metadata.name}'${by} denied request: ${message}`
}

export function denialError(request: AdmissionRequest, denial: Denial): ApiError {
  const { reason } = denial
  const text = denialText(denial)
  const { status } = denied(request, text)
  return new ApiError({
    ...status,
    code: codes[reason] ?? 422,
    reason,
    details: { ...status.details, causes: [{ message: text }] },
  })
}
