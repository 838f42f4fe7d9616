/**
 * Who owns the claims of a StatefulSet, so that they go with what its retention policy says: the set, a pod that is scaled
 * away, or none. Pure.
 * Mirrors pkg/controller/statefulset: isClaimOwnerUpToDate, updateClaimOwnerRefForSetAndPod.
 */
import type { StatefulSet } from '../../../catalog/types/apps-v1.ts'
import type { PersistentVolumeClaim, Pod } from '../../../catalog/types/core-v1.ts'
import type { OwnerReference } from '../../../catalog/types/meta-v1.ts'
import { controllerReference, type Owned } from '../../framework/owners.ts'
import { isInRange } from './stateful-pods.ts'

const isOf = (reference: OwnerReference, owner: Owned, kind: string): boolean =>
  reference.kind === kind &&
  reference.apiVersion === (kind === 'Pod' ? 'v1' : 'apps/v1') &&
  reference.name === owner.metadata.name

const policyOf = ({ spec }: StatefulSet) => ({
  whenDeleted: spec.persistentVolumeClaimRetentionPolicy?.whenDeleted ?? 'Retain',
  whenScaled: spec.persistentVolumeClaimRetentionPolicy?.whenScaled ?? 'Retain',
})

/** It belongs to an object of the same name that is gone: the garbage collector will take it. */
export const isStale = (claim: PersistentVolumeClaim, owner: Owned, kind: string): boolean =>
  (claim.metadata.ownerReferences ?? []).some(
    (reference) => isOf(reference, owner, kind) && reference.uid !== owner.metadata.uid,
  )

export function hasOtherController(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  const { whenDeleted, whenScaled } = policyOf(set)
  if (whenDeleted === 'Retain' && whenScaled === 'Retain') return false
  return (claim.metadata.ownerReferences ?? []).some((reference) => {
    if (isOf(reference, set, 'StatefulSet')) return reference.uid !== set.metadata.uid
    if (isOf(reference, pod, 'Pod')) return reference.uid !== pod.metadata.uid
    return reference.controller === true
  })
}

/** The references that the claim should have; undefined when it has them, or is not to be touched. */
export function claimOwners(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): OwnerReference[] | undefined {
  if (isStale(claim, set, 'StatefulSet') || isStale(claim, pod, 'Pod')) return undefined
  const present = claim.metadata.ownerReferences ?? []
  const others = present.filter((reference) => !isOf(reference, set, 'StatefulSet') && !isOf(reference, pod, 'Pod'))
  const { whenDeleted, whenScaled } = policyOf(set)
  const isScaledAway = !isInRange(set, pod)
  const byPod = whenScaled === 'Delete' && isScaledAway
  const bySet = whenDeleted === 'Delete' && !byPod
  const own = hasOtherController(claim, set, pod)
    ? []
    : [
        ...(byPod ? [controllerReference(pod, 'v1', 'Pod')] : []),
        ...(bySet ? [controllerReference(set, 'apps/v1', 'StatefulSet')] : []),
      ]
  const wanted = [...others, ...own]
  const isSame =
    wanted.length === present.length &&
    wanted.every(({ uid, controller }) => present.some((each) => each.uid === uid && each.controller === controller))
  return isSame ? undefined : wanted
}
