/**
 * What a claim or a volume needs next. Pure: objects in, one step out.
 * Mirrors pkg/controller/volume/persistentvolume: PersistentVolumeController.syncUnboundClaim,
 * PersistentVolumeController.syncBoundClaim, PersistentVolumeController.syncVolume, checkVolumeSatisfyClaim.
 */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../objects.ts'
import {
  annotation,
  bindCompleted,
  boundByController,
  capacityOf,
  classOf,
  findDefaultClass,
  findVolume,
  hasAccessModes,
  hasClass,
  isBoundTo,
  modesMismatch,
  provisionedBy,
  requestedStorage,
  selectedNode,
} from './volume-facts.ts'

export interface StepEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export type ClaimStep =
  | { readonly type: 'bind'; readonly volume: PersistentVolume }
  | { readonly type: 'pending'; readonly event?: StepEvent }
  | { readonly type: 'lost'; readonly event: StepEvent }
  | { readonly type: 'provision' }
  | { readonly type: 'assign-class'; readonly name: string }
  | { readonly type: 'misbound'; readonly event: StepEvent }

export interface ClaimState {
  readonly claim: PersistentVolumeClaim
  readonly volume: (name: string) => PersistentVolume | undefined
  /** Those that may become the claim's; asked for only where it has none. */
  readonly candidates: () => readonly PersistentVolume[]
  readonly classes: readonly StorageClass[]
  /** Pods that use the claim and have no node yet. */
  readonly waitingPods: readonly string[]
}

const warning = (reason: string, message: string): StepEvent => ({ type: 'Warning', reason, message })
const normal = (reason: string, message: string): StepEvent => ({ type: 'Normal', reason, message })

export function claimStep(state: ClaimState): ClaimStep {
  const { claim } = state
  const name = claim.spec?.volumeName
  const volume = name ? state.volume(name) : undefined
  if (annotation(claim, bindCompleted) !== undefined) return boundStep(claim, name, volume)
  if (!name) return unboundStep(state)
  if (volume === undefined) return { type: 'pending' }
  if (volume.spec?.claimRef === undefined) {
    const mismatch = mismatchOf(volume, claim)
    if (mismatch === undefined) return { type: 'bind', volume }
    const message = `Cannot bind to requested volume ${JSON.stringify(name)}: ${mismatch}`
    return { type: 'pending', event: warning('VolumeMismatch', message) }
  }
  if (isBoundTo(volume, claim)) return { type: 'bind', volume }
  const event = warning('FailedBinding', `volume ${JSON.stringify(name)} already bound to a different claim.`)
  const wasController = annotation(claim, boundByController) !== undefined
  return wasController ? { type: 'misbound', event } : { type: 'pending', event }
}

function boundStep(
  claim: PersistentVolumeClaim,
  name: string | undefined,
  volume: PersistentVolume | undefined,
): ClaimStep {
  if (!name) {
    const message = 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!'
    return { type: 'lost', event: warning('ClaimLost', message) }
  }
  if (volume === undefined) {
    const message = 'Bound claim has lost its PersistentVolume. Data on the volume is lost!'
    return { type: 'lost', event: warning('ClaimLost', message) }
  }
  const ref = volume.spec?.claimRef
  if (ref === undefined || ref.uid === claim.metadata.uid) return { type: 'bind', volume }
  const message = 'Two claims are bound to the same volume, this one is bound incorrectly'
  return { type: 'lost', event: warning('ClaimMisbound', message) }
}

function unboundStep({ claim, candidates, classes, waitingPods }: ClaimState): ClaimStep {
  const className = classOf(claim)
  const found = classes.find(({ metadata }) => metadata.name === className)
  const delayed = found?.volumeBindingMode === 'WaitForFirstConsumer'
  const volume = findVolume(claim, candidates(), delayed)
  if (volume !== undefined) return { type: 'bind', volume }
  if (!hasClass(claim)) {
    const name = findDefaultClass(classes)?.metadata.name
    if (name !== undefined) return { type: 'assign-class', name }
  }
  if (delayed && annotation(claim, selectedNode) === undefined) {
    return { type: 'pending', event: waitingEvent(waitingPods) }
  }
  if (className !== '') return { type: 'provision' }
  const message = 'no persistent volumes available for this claim and no storage class is set'
  return { type: 'pending', event: normal('FailedBinding', message) }
}

function waitingEvent(pods: readonly string[]): StepEvent {
  if (pods.length === 0) {
    return normal('WaitForFirstConsumer', 'waiting for first consumer to be created before binding')
  }
  const message = `waiting for pod${pods.length > 1 ? 's' : ''} ${pods.join(',')} to be scheduled`
  return normal('WaitForPodScheduled', message)
}

function mismatchOf(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) {
    return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`
  }
  if (capacityOf(volume).compare(requestedStorage(claim)) < 0) return 'requested PV is too small'
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match'
  if (modesMismatch(claim, volume)) return 'incompatible volumeMode'
  return hasAccessModes(claim, volume) ? undefined : 'incompatible accessMode'
}

export type VolumeStep =
  | { readonly type: 'phase'; readonly phase: 'Available' | 'Bound' }
  /** Its claim is gone: what the reclaim policy says happens next. */
  | { readonly type: 'reclaim' }
  | { readonly type: 'unbind' }
  | { readonly type: 'sync-claim' }
  | { readonly type: 'mismatch'; readonly onVolume: StepEvent; readonly onClaim: StepEvent }

/** `claim` is the one that the volume's reference names, whatever its uid. */
export function volumeStep(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeStep {
  const ref = volume.spec?.claimRef
  if (!ref?.uid) return { type: 'phase', phase: 'Available' }
  if (claim === undefined || claim.metadata.uid !== ref.uid) return { type: 'reclaim' }
  const bound = claim.spec?.volumeName
  if (!bound) return modesMismatch(claim, volume) ? mismatchStep(volume, claim) : { type: 'sync-claim' }
  if (bound === volume.metadata.name) return { type: 'phase', phase: 'Bound' }
  const wasProvisioned = annotation(volume, provisionedBy) !== undefined
  const isDeleted = wasProvisioned && volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
  return { type: isDeleted ? 'reclaim' : 'unbind' }
}

function mismatchStep(volume: PersistentVolume, claim: PersistentVolumeClaim): VolumeStep {
  const claimName = JSON.stringify(claim.metadata.name)
  const volumeName = JSON.stringify(volume.metadata.name)
  const why = 'due to incompatible volumeMode.'
  return {
    type: 'mismatch',
    onVolume: warning(
      'VolumeMismatch',
      `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${claimName} ${why}`,
    ),
    onClaim: warning(
      'VolumeMismatch',
      `Cannot bind PersistentVolume ${volumeName} to requested PersistentVolumeClaim ${why}`,
    ),
  }
}
