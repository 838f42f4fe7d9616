/**
 * Leases: a duration and a count that make sense; coordinated election behind its gate.
 * Mirrors pkg/apis/coordination/validation: ValidateLease, ValidateLeaseUpdate.
 * Mirrors pkg/registry/coordination/lease: leaseStrategy.
 */

import { type FieldError, forbidden, invalid, notSupported } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { checkQualifiedName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import type { LeaseSpec } from '../../../../catalog/types/coordination-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import type { KindRules } from '../../../kind-rules.ts'

type Lease = KubeObject & { spec: LeaseSpec }

const at = FieldPath.of('spec')

export const leaseRules = (): KindRules<Lease> => ({
  strategy: {
    validateMetadata: (metadata) => metadata.validate({ anyFinalizer: true }),
    validateMetadataUpdate: (metadata) => metadata.validateUpdate({ anyFinalizer: true }),
    prepareForCreate: (draft, context) => dropCoordination(draft, undefined, context),
    validate,
    prepareForUpdate: dropCoordination,
    validateUpdate: validate,
  },
})

function dropCoordination({ spec }: Lease, old: Lease | undefined, { gate }: WriteContext): void {
  if (gate('CoordinatedLeaderElection') || spec === undefined) return
  if (old?.spec?.strategy === undefined) delete spec.strategy
  if (old?.spec?.preferredHolder === undefined) delete spec.preferredHolder
}

function validate({ spec }: Lease): FieldError[] {
  const errors: FieldError[] = []
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder = '' } = spec ?? {}
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    errors.push(invalid(at.child('leaseDurationSeconds'), leaseDurationSeconds, 'must be greater than 0'))
  }
  if (leaseTransitions !== undefined && leaseTransitions < 0) {
    errors.push(invalid(at.child('leaseTransitions'), leaseTransitions, 'must be greater than or equal to 0'))
  }
  if (strategy !== undefined) pushAll(errors, validateStrategy(strategy))
  if (preferredHolder !== '' && (strategy ?? '') === '') {
    errors.push(forbidden(at.child('preferredHolder'), 'may only be specified if `strategy` is defined'))
  }
  return errors
}

const strategies = ['OldestEmulationVersion']

/** How a leader is chosen. The path in the reference's errors is one step too deep. */
export function validateStrategy(strategy: string): FieldError[] {
  const where = at.child('strategy', 'strategy')
  if (strategy.includes('/')) return checkQualifiedName(strategy).map((message) => invalid(where, strategy, message))
  return strategies.includes(strategy) ? [] : [notSupported(where, strategy, strategies)]
}
