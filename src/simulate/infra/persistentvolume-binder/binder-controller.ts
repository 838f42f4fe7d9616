/**
 * Binds claims and volumes to one another, has volumes provisioned, and reclaims those whose claim is gone.
 * Mirrors pkg/controller/volume/persistentvolume: PersistentVolumeController.
 */
import type { PersistentVolumeClaimStatus } from '../../../catalog/types/core-v1.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Index, Informer } from '../../framework/informer.ts'
import { keyOf, type Reconciler, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Writer } from '../../framework/writer.ts'
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../objects.ts'
import { messageOf } from '../common/api-errors.ts'
import { runningController } from '../common/running-controller.ts'
import { type ClaimStep, claimStep, type StepEvent, volumeStep } from './binding-steps.ts'
import { deleterOf, isRecyclable, provisionerName } from './plugins.ts'
import {
  annotation,
  betaStorageProvisioner,
  bindCompleted,
  boundByController,
  capacityOf,
  classOf,
  isBoundTo,
  isTerminated,
  podsByClaim,
  quantity,
  storageProvisioner,
} from './volume-facts.ts'

const claims = 'persistentvolumeclaims'
const volumes = 'persistentvolumes'
/** How often what nothing has changed is looked at again: --pvclaimbinder-sync-period. */
const resyncMs = 15_000
const inTreeFinalizer = 'kubernetes.io/pv-controller'

const volumesByState: Index<PersistentVolume> = {
  name: 'claim reference',
  keys: ({ spec, status }) => {
    const ref = spec?.claimRef
    if (ref !== undefined) return [`${ref.namespace ?? ''}/${ref.name ?? ''}`]
    return [status?.phase === 'Available' ? availableKey(spec?.storageClassName) : undefined]
  },
}

/** No claim has such a key. */
const availableKey = (className = ''): string => `//${className}`

export const persistentVolumeBinderController: SimulatedController = {
  name: 'persistentvolume-binder-controller',
  start: (context) => new VolumeBinder(context).start(),
}

class VolumeBinder {
  readonly #claims: Informer<PersistentVolumeClaim>
  readonly #volumes: Informer<PersistentVolume>
  readonly #classes: Informer<StorageClass>
  readonly #pods: Informer<Pod>
  readonly #writer: Writer
  readonly #recorder: EventRecorder
  readonly #claimQueue: Reconciler
  readonly #volumeQueue: Reconciler

  constructor(context: SimulationContext) {
    this.#claims = context.informer<PersistentVolumeClaim>('', claims)
    this.#volumes = context.informer<PersistentVolume>('', volumes)
    this.#classes = context.informer<StorageClass>('storage.k8s.io', 'storageclasses')
    this.#pods = context.informer<Pod>('', 'pods')
    this.#writer = context.writer('persistent-volume-binder')
    this.#recorder = context.recorder('persistentvolume-controller')
    // One at a time, as in the reference: two claims must not choose the same volume.
    const queue = (name: string, reconcile: (key: string) => Promise<{ requeueAfter: number } | undefined>) =>
      reconciler(context, { name, concurrency: 1, reconcile })
    this.#claimQueue = queue('claims', (key) => this.#syncClaim(key))
    this.#volumeQueue = queue('volumes', (key) => this.#syncVolume(key))
  }

  start() {
    const subscriptions = [
      this.#claims.subscribe(({ object }) => {
        this.#claimQueue.add(keyOf(object))
        if (object.spec?.volumeName) this.#volumeQueue.add(object.spec.volumeName)
      }),
      this.#volumes.subscribe(({ type, object }) => {
        this.#volumeQueue.add(object.metadata.name ?? '')
        const ref = object.spec?.claimRef
        if (ref?.name) this.#claimQueue.add(`${ref.namespace ?? ''}/${ref.name}`)
        else if (type !== 'DELETED') this.#addUnbound(({ claim }) => classOf(claim) === classOf(object))
      }),
      this.#classes.subscribe(({ type }) => {
        if (type !== 'DELETED') this.#addUnbound(() => true)
      }),
    ]
    return runningController(subscriptions, [this.#claimQueue, this.#volumeQueue])
  }

  #addUnbound(matches: (each: { readonly claim: PersistentVolumeClaim }) => boolean): void {
    for (const claim of this.#claims.list()) {
      if (!claim.spec?.volumeName && matches({ claim })) this.#claimQueue.add(keyOf(claim))
    }
  }

  async #syncClaim(key: string): Promise<{ requeueAfter: number } | undefined> {
    const { namespace, name } = splitKey(key)
    const claim = this.#claims.get(namespace, name)
    if (claim === undefined) return undefined
    const step = claimStep({
      claim,
      volume: (volumeName) => this.#volumes.get('', volumeName),
      candidates: () => [
        ...this.#volumes.byIndex(volumesByState, key),
        ...this.#volumes.byIndex(volumesByState, availableKey(classOf(claim))),
      ],
      classes: this.#classes.list(),
      waitingPods: this.#waitingPods(key),
    })
    await this.#take(claim, step)
    return step.type === 'bind' || step.type === 'lost' ? undefined : { requeueAfter: resyncMs }
  }

  #waitingPods(key: string): string[] {
    const waiting = this.#pods.byIndex(podsByClaim, key).filter((pod) => !pod.spec?.nodeName && !isTerminated(pod))
    return waiting.map(({ metadata }) => metadata.name ?? '')
  }

  async #take(claim: PersistentVolumeClaim, step: ClaimStep): Promise<void> {
    switch (step.type) {
      case 'bind':
        return this.#bind(step.volume, claim)
      case 'pending':
        if (step.event !== undefined) this.#recorder.event(claim, step.event)
        return this.#setClaimStatus(claim, 'Pending')
      case 'lost':
        if (claim.status?.phase === 'Lost') return
        await this.#setClaimStatus(claim, 'Lost')
        return this.#recorder.event(claim, step.event)
      case 'misbound':
        this.#recorder.event(claim, step.event)
        throw new Error(`invalid binding of claim ${JSON.stringify(keyOf(claim))}`)
      case 'assign-class': {
        const { name: storageClassName } = step
        const spec = (current: PersistentVolumeClaim) => ({
          ...current,
          spec: { ...current.spec, storageClassName },
        })
        await this.#writer.update<PersistentVolumeClaim>('', claims, targetOf(claim), (current) =>
          current.spec?.storageClassName === undefined ? spec(current) : undefined,
        )
        return
      }
      case 'provision':
        await this.#provision(claim)
    }
  }

  /** The provisioner is requested by annotations, and works on its own. */
  async #provision(claim: PersistentVolumeClaim): Promise<void> {
    const className = classOf(claim)
    const found = this.#classes.get('', className)
    const fail = (message: string): void =>
      this.#recorder.event(claim, { type: 'Warning', reason: 'ProvisioningFailed', message })
    if (found === undefined) return fail(`storageclass.storage.k8s.io ${JSON.stringify(className)} not found`)
    let name: string
    try {
      name = provisionerName(found.provisioner)
    } catch (error) {
      return fail(messageOf(error))
    }
    const annotated = await this.#writer.update<PersistentVolumeClaim>('', claims, targetOf(claim), (current) =>
      annotation(current, storageProvisioner) === name
        ? undefined
        : withAnnotations(current, { [betaStorageProvisioner]: name, [storageProvisioner]: name }),
    )
    const message =
      `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system ` +
      'administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.'
    this.#recorder.event(annotated, { type: 'Normal', reason: 'ExternalProvisioning', message })
  }

  async #bind(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
    const target = targetOf(volume)
    const claimed = await this.#writer.update<PersistentVolume>('', volumes, target, (current) =>
      claimedBy(current, claim),
    )
    await this.#setPhase(claimed, 'Bound')
    const bound = await this.#writer.update<PersistentVolumeClaim>('', claims, targetOf(claim), (current) =>
      boundTo(current, volume),
    )
    await this.#setClaimStatus(bound, 'Bound', claimed)
  }

  async #setClaimStatus(claim: PersistentVolumeClaim, phase: string, volume?: PersistentVolume): Promise<void> {
    const target = { ...targetOf(claim), subresource: 'status' }
    await this.#writer.update<PersistentVolumeClaim>('', claims, target, (current) => {
      const status = claimStatus(current, phase, volume)
      return status === undefined ? undefined : { ...current, status }
    })
  }

  async #setPhase(volume: PersistentVolume, phase: string, message = ''): Promise<void> {
    const target = { ...targetOf(volume), subresource: 'status' }
    await this.#writer.update<PersistentVolume>('', volumes, target, (current) =>
      current.status?.phase === phase ? undefined : { ...current, status: { ...current.status, phase, message } },
    )
  }

  async #syncVolume(name: string): Promise<{ requeueAfter: number } | undefined> {
    const volume = this.#volumes.get('', name)
    if (volume === undefined) return undefined
    const ref = volume.spec?.claimRef
    const claim = ref === undefined ? undefined : this.#claims.get(ref.namespace ?? '', ref.name ?? '')
    const step = volumeStep(volume, claim)
    switch (step.type) {
      case 'phase':
        await this.#setPhase(volume, step.phase)
        return undefined
      case 'reclaim':
        return this.#reclaim(volume)
      case 'unbind':
        await this.#unbind(volume)
        return undefined
      case 'sync-claim':
        if (claim !== undefined) this.#claimQueue.add(keyOf(claim))
        return undefined
      case 'mismatch':
        this.#recorder.event(volume, step.onVolume)
        if (claim !== undefined) this.#recorder.event(claim, step.onClaim)
        return undefined
    }
  }

  async #reclaim(volume: PersistentVolume): Promise<{ requeueAfter: number } | undefined> {
    const phase = volume.status?.phase
    if (phase !== 'Released' && phase !== 'Failed') await this.#setPhase(volume, 'Released')
    switch (volume.spec?.persistentVolumeReclaimPolicy) {
      case 'Delete':
        await this.#delete(volume)
        return undefined
      case 'Recycle':
        return this.#recycle(volume)
      default:
        return undefined
    }
  }

  async #delete(volume: PersistentVolume): Promise<void> {
    try {
      if (deleterOf(volume) === 'external') return
    } catch (error) {
      return this.#fail(volume, 'VolumeFailedDelete', messageOf(error))
    }
    if (volume.metadata.finalizers?.includes(inTreeFinalizer)) {
      await this.#writer.update<PersistentVolume>('', volumes, targetOf(volume), (current) => ({
        ...current,
        metadata: { ...current.metadata, finalizers: without(current.metadata.finalizers, inTreeFinalizer) },
      }))
    }
    await this.#writer.delete('', volumes, targetOf(volume))
  }

  async #recycle(volume: PersistentVolume): Promise<{ requeueAfter: number } | undefined> {
    const ref = volume.spec?.claimRef
    const key = `${ref?.namespace ?? ''}/${ref?.name ?? ''}`
    const users = this.#pods.byIndex(podsByClaim, key).filter((pod) => !isTerminated(pod))
    if (users.length > 0 && this.#claims.get(ref?.namespace ?? '', ref?.name ?? '') === undefined) {
      const message = `Volume is used by pods: ${users.map(keyOf).sort().join(',')}`
      this.#recorder.event(volume, { type: 'Normal', reason: 'VolumeFailedRecycle', message })
      return { requeueAfter: resyncMs }
    }
    if (!isRecyclable(volume)) {
      await this.#fail(volume, 'VolumeFailedRecycle', 'No recycler plugin found for the volume!')
      return undefined
    }
    this.#recorder.event(volume, { type: 'Normal', reason: 'VolumeRecycled', message: 'Volume recycled' })
    await this.#unbind(volume)
    return undefined
  }

  async #fail(volume: PersistentVolume, reason: string, message: string): Promise<void> {
    if (volume.status?.phase === 'Failed') return
    await this.#setPhase(volume, 'Failed', message)
    const event: StepEvent = { type: 'Warning', reason, message }
    this.#recorder.event(volume, event)
  }

  async #unbind(volume: PersistentVolume): Promise<void> {
    const freed = await this.#writer.update<PersistentVolume>('', volumes, targetOf(volume), unbound)
    await this.#setPhase(freed, 'Available')
  }
}

type Named = PersistentVolume | PersistentVolumeClaim

const targetOf = ({ metadata }: Named) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' })

const without = (list: readonly string[] | undefined, item: string): string[] =>
  (list ?? []).filter((each) => each !== item)

function withAnnotations<T extends Named>(object: T, annotations: Readonly<Record<string, string>>): T {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
  }
}

/** Undefined when the volume is the claim's already. Mirrors GetBindVolumeToClaim. */
export function claimedBy(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume | undefined {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata
  if (isBoundTo(volume, claim) && volume.spec?.claimRef?.uid === uid) return undefined
  const claimRef = { kind: 'PersistentVolumeClaim', namespace, name, uid, apiVersion: 'v1', resourceVersion }
  const claimed = { ...volume, spec: { ...volume.spec, claimRef } }
  return isBoundTo(volume, claim) ? claimed : withAnnotations(claimed, { [boundByController]: 'yes' })
}

export function boundTo(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim | undefined {
  const volumeName = volume.metadata.name ?? ''
  const isBound = claim.spec?.volumeName === volumeName
  if (isBound && annotation(claim, bindCompleted) !== undefined) return undefined
  if (isBound) return withAnnotations(claim, { [bindCompleted]: 'yes' })
  const bound = { ...claim, spec: { ...claim.spec, volumeName } }
  return withAnnotations(bound, { [bindCompleted]: 'yes', [boundByController]: 'yes' })
}

/** Undefined when the claim says so already. */
export function claimStatus(
  claim: PersistentVolumeClaim,
  phase: string,
  volume: PersistentVolume | undefined,
): PersistentVolumeClaimStatus | undefined {
  const { accessModes, capacity, currentVolumeAttributesClassName, ...status } = claim.status ?? {}
  const isPhase = status.phase === phase
  if (volume === undefined) {
    const isBare = accessModes === undefined && capacity === undefined && currentVolumeAttributesClassName === undefined
    return isPhase && isBare ? undefined : { ...status, phase }
  }
  const modes = volume.spec?.accessModes ?? []
  const hasModes = JSON.stringify(accessModes ?? []) === JSON.stringify(modes)
  if (isPhase && hasModes) return undefined
  const isSize = capacity !== undefined && quantity(capacity['storage']).equals(capacityOf(volume))
  const attributesClass = isPhase ? currentVolumeAttributesClassName : volume.spec?.volumeAttributesClassName
  const nextCapacity = isPhase || isSize ? capacity : volume.spec?.capacity
  return {
    ...status,
    phase,
    accessModes: modes,
    ...(nextCapacity === undefined ? {} : { capacity: nextCapacity }),
    ...(attributesClass === undefined ? {} : { currentVolumeAttributesClassName: attributesClass }),
  }
}

export function unbound(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec ?? {}
  if (annotation(volume, boundByController) === undefined) {
    const { uid: _, ...ref } = claimRef ?? {}
    return { ...volume, spec: { ...spec, claimRef: ref } }
  }
  const { [boundByController]: _, ...annotations } = volume.metadata.annotations ?? {}
  return { ...volume, metadata: { ...volume.metadata, annotations }, spec }
}
