/**
 * Facts of claims and volumes that several storage controllers ask for.
 * Mirrors k8s.io/component-helpers/storage/volume: IsVolumeBoundToClaim, GetPersistentVolumeClaimClass,
 * CheckVolumeModeMismatches, CheckAccessModes, FindMatchingVolume.
 */
import { selectorOfObject } from '../../../api/label-selector.ts'
import { Quantity } from '../../../api/quantity.ts'
import type { Index } from '../../framework/informer.ts'
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../objects.ts'

export const bindCompleted = 'pv.kubernetes.io/bind-completed'
export const boundByController = 'pv.kubernetes.io/bound-by-controller'
export const provisionedBy = 'pv.kubernetes.io/provisioned-by'
export const storageProvisioner = 'volume.kubernetes.io/storage-provisioner'
export const betaStorageProvisioner = 'volume.beta.kubernetes.io/storage-provisioner'
export const selectedNode = 'volume.kubernetes.io/selected-node'
const betaClass = 'volume.beta.kubernetes.io/storage-class'
const defaultClass = 'storageclass.kubernetes.io/is-default-class'
const betaDefaultClass = 'storageclass.beta.kubernetes.io/is-default-class'

/** Pods by the claims that they use, their own ephemeral ones included. */
export const podsByClaim: Index<Pod> = {
  name: 'claim',
  keys: ({ metadata, spec }) =>
    (spec?.volumes ?? []).map(({ name, persistentVolumeClaim, ephemeral }) => {
      const claim = ephemeral === undefined ? persistentVolumeClaim?.claimName : `${metadata.name ?? ''}-${name}`
      return claim === undefined ? undefined : `${metadata.namespace ?? ''}/${claim}`
    }),
}

export const annotation = ({ metadata }: PersistentVolume | PersistentVolumeClaim, key: string): string | undefined =>
  metadata.annotations?.[key]

export const classOf = (object: PersistentVolume | PersistentVolumeClaim): string =>
  annotation(object, betaClass) ?? (object.spec?.storageClassName as string | undefined) ?? ''

/** An empty class is a class: no dynamic provisioning. */
export const hasClass = (claim: PersistentVolumeClaim): boolean =>
  annotation(claim, betaClass) !== undefined || claim.spec?.storageClassName !== undefined

export const requestedStorage = ({ spec }: PersistentVolumeClaim): Quantity =>
  quantity(spec?.resources?.requests?.['storage'])

export const capacityOf = ({ spec }: PersistentVolume): Quantity => quantity(spec?.capacity?.['storage'])

export const quantity = (text: unknown): Quantity =>
  text === undefined || text === null ? Quantity.zero : Quantity.parse(String(text))

export function isBoundTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const ref = spec?.claimRef
  if (ref === undefined || ref.name !== metadata.name || ref.namespace !== metadata.namespace) return false
  return !ref.uid || ref.uid === metadata.uid
}

export const modesMismatch = (claim: PersistentVolumeClaim, volume: PersistentVolume): boolean =>
  (claim.spec?.volumeMode ?? 'Filesystem') !== (volume.spec?.volumeMode ?? 'Filesystem')

export const hasAccessModes = (claim: PersistentVolumeClaim, volume: PersistentVolume): boolean =>
  (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode))

/** The class that claims without one get: the newest of those that say so. Mirrors pkg/volume/util: GetDefaultClass. */
export function findDefaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const isDefault = ({ metadata }: StorageClass) =>
    metadata.annotations?.[defaultClass] === 'true' || metadata.annotations?.[betaDefaultClass] === 'true'
  const newestFirst = (a: StorageClass, b: StorageClass) =>
    (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? '') ||
    (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '')
  return classes.filter(isDefault).sort(newestFirst)[0]
}

/**
 * The volume that is the claim's already, else the smallest that fits, of those with the fewest access modes. With
 * delayed binding the scheduler finds it: only the first counts.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  delayed: boolean,
): PersistentVolume | undefined {
  const requested = requestedStorage(claim)
  const selector = claim.spec?.selector === undefined ? undefined : selectorOfObject(claim.spec.selector)
  const possible = volumes.filter((volume) => {
    if (!hasAccessModes(claim, volume) || modesMismatch(claim, volume)) return false
    if (volume.spec?.claimRef !== undefined && !isBoundTo(volume, claim)) return false
    return capacityOf(volume).compare(requested) >= 0 && volume.metadata.deletionTimestamp === undefined
  })
  const own = possible.find((volume) => isBoundTo(volume, claim))
  if (own !== undefined || delayed) return own
  const fitting = possible.filter(
    (volume) =>
      volume.status?.phase === 'Available' &&
      (selector === undefined || selector.matches(volume.metadata.labels)) &&
      classOf(volume) === classOf(claim) &&
      (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? ''),
  )
  const modes = ({ spec }: PersistentVolume) => new Set(spec?.accessModes ?? []).size
  return fitting.sort((a, b) => modes(a) - modes(b) || capacityOf(a).compare(capacityOf(b)))[0]
}

export function isTerminated({ metadata, status }: Pod): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true
  const isRunning = (status?.containerStatuses ?? []).some(
    ({ state }) => state?.terminated === undefined && state?.waiting === undefined,
  )
  return metadata.deletionTimestamp !== undefined && !isRunning
}
