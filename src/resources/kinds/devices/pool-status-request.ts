/**
 * ResourcePoolStatusRequest: asks what a driver's pools hold; the answer is its status, written once. What its types declare is
 * checked beside this (enforced-rules.ts).
 * Mirrors pkg/apis/resource/validation: ValidateResourcePoolStatusRequestStatusUpdate.
 * Mirrors pkg/registry/resource/resourcepoolstatusrequest: resourcePoolStatusRequestStrategy, resourcePoolStatusRequestStatusStrategy.
 */
import { type FieldError, invalidAs } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { equalSemantic } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { goJsonOnly } from '../../../catalog/golang/dump.ts'
import type { Condition } from '../../../catalog/types/meta-v1.ts'
import { immutableMessage } from '../../checks/checks.ts'
import { validateConditions } from '../../checks/conditions.ts'
import { keepMetadataForStatus } from '../../checks/status-metadata.ts'
import type { KindRules } from '../../kind-rules.ts'
import { keepField, statusOnly } from '../../plain-rules.ts'

type PoolStatusRequest = KubeObject & { status?: { readonly conditions?: readonly Condition[] } }

const statusPath = FieldPath.of('status')

/** A request that has its answer is done. */
function validateStatus({ status }: PoolStatusRequest, { status: old }: PoolStatusRequest): FieldError[] {
  if (old === undefined) return validateConditions(status?.conditions ?? [], statusPath.child('conditions'))
  if (equalSemantic(status, old)) return []
  const shown = goJsonOnly('*resource.ResourcePoolStatusRequestStatus', status)
  return [invalidAs(statusPath, () => shown, immutableMessage)]
}

export function poolStatusRequestRules(): KindRules<PoolStatusRequest> {
  return {
    returnsDeleted: true,
    strategy: {
      prepareForCreate: (draft) => void delete draft.status,
      prepareForUpdate: (draft, old) => keepField(draft, old, 'status'),
    },
    parts: {
      status: statusOnly<PoolStatusRequest>({
        prepareForUpdate: keepMetadataForStatus,
        validateUpdate: validateStatus,
      }),
    },
  }
}
