/**
 * PodGroup: pods that are scheduled together. What its types declare is checked beside this (enforced-rules.ts).
 * Mirrors pkg/apis/scheduling/validation: ValidatePodGroupStatusUpdate.
 * Mirrors pkg/registry/scheduling/podgroup: podGroupStrategy, podGroupStatusStrategy.
 */
import { type FieldError, invalid } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { KubeObject } from '../../../../api/object.ts'
import type { Condition } from '../../../../catalog/types/meta-v1.ts'
import { validateConditions } from '../../../checks/conditions.ts'
import { keepMetadataForStatus } from '../../../checks/status-metadata.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'

interface Named {
  readonly name: string
}

type PodGroup = KubeObject & {
  spec: { readonly resourceClaims?: readonly Named[] }
  status: { readonly conditions?: readonly Condition[]; readonly resourceClaimStatuses?: readonly Named[] }
}

const statusPath = FieldPath.of('status')

function validateStatus({ spec, status }: PodGroup): FieldError[] {
  const claims = new Set(spec.resourceClaims?.map(({ name }) => name))
  const at = statusPath.child('resourceClaimStatuses')
  const why = 'must match the name of an entry in `spec.resourceClaims`'
  return [
    ...validateConditions(status.conditions ?? [], statusPath.child('conditions')),
    ...(status.resourceClaimStatuses ?? []).flatMap(({ name }, i) =>
      claims.has(name) ? [] : [invalid(at.index(i).child('name'), name, why)],
    ),
  ]
}

export function podGroupRules(): KindRules<PodGroup> {
  return {
    strategy: withStatus<PodGroup>({}),
    parts: {
      status: statusOnly<PodGroup>({ prepareForUpdate: keepMetadataForStatus, validateUpdate: validateStatus }),
    },
  }
}
