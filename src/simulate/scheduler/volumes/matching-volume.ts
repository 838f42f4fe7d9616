/** Which volume a claim gets. Mirrors component-helpers/storage/volume: FindMatchingVolume. */
import { selectorOfObject } from '../../../api/label-selector.ts'
import { Quantity } from '../../../api/quantity.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../objects.ts'
import type { NodeInfo } from '../node-info.ts'
import { nameOf, namespaceOf, uidOf } from '../objects.ts'
import { classOfClaim, classOfVolume, isReachable } from '../volume-claims.ts'

export interface MatchOptions {
  readonly node: NodeInfo
  /** Names of those that other claims of the pod get. */
  readonly taken: ReadonlySet<string>
  /** The gate VolumeAttributesClass. */
  readonly useAttributes: boolean
}

export const claimedStorage = ({ spec }: PersistentVolumeClaim): Quantity =>
  storage(spec.resources?.requests?.['storage'])

const storage = (text: string | undefined): Quantity => (text === undefined ? Quantity.zero : Quantity.parse(text))

/** The one that is meant for the claim, or the smallest that is large enough. */
export function matchingVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  options: MatchOptions,
): PersistentVolume | undefined {
  const requested = claimedStorage(claim)
  let smallest: { readonly volume: PersistentVolume; readonly size: Quantity } | undefined
  for (const volume of volumes) {
    const size = storage(volume.spec.capacity?.['storage'])
    if (options.taken.has(nameOf(volume)) || size.compare(requested) < 0 || !isPossible(claim, volume, options))
      continue
    const reachable = isReachable(volume, options.node)
    if (isVolumeBoundToClaim(volume, claim)) return reachable ? volume : undefined
    if (!reachable || !isFree(claim, volume)) continue
    if (smallest === undefined || smallest.size.compare(size) > 0) smallest = { volume, size }
  }
  return smallest?.volume
}

function isPossible(claim: PersistentVolumeClaim, volume: PersistentVolume, { useAttributes }: MatchOptions): boolean {
  if (volume.spec.claimRef !== undefined && !isVolumeBoundToClaim(volume, claim)) return false
  if ((claim.spec.volumeMode ?? 'Filesystem') !== (volume.spec.volumeMode ?? 'Filesystem')) return false
  const attributes = volume.spec.volumeAttributesClassName ?? ''
  if (attributes !== (useAttributes ? (claim.spec.volumeAttributesClassName ?? '') : '')) return false
  return volume.metadata.deletionTimestamp === undefined
}

function isFree(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  if (volume.status?.phase !== 'Available' || classOfVolume(volume) !== classOfClaim(claim)) return false
  const { selector, accessModes = [] } = claim.spec
  if (selector !== undefined && !selectorOfObject(selector).matches(volume.metadata.labels)) return false
  const offered = new Set(volume.spec.accessModes ?? [])
  return accessModes.every((mode) => offered.has(mode))
}

/** Mirrors IsVolumeBoundToClaim. */
export function isVolumeBoundToClaim({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { claimRef: ref } = spec
  if (ref === undefined || ref.name !== nameOf(claim) || ref.namespace !== namespaceOf(claim)) return false
  return (ref.uid ?? '') === '' || ref.uid === uidOf(claim)
}
