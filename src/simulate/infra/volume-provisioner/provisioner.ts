/**
 * The simulation's own provisioner and resizer: it does for every class what a CSI driver's sidecars do, at once and with
 * nothing behind the volume. Classes with the annotation `simulate.pilothouse.dev/provisioner: "false"` are left to a real
 * one.
 *
 * Part of `persistentvolume-binder-controller`'s world, but none of kube-controller-manager's controllers: it is switched
 * by its own name.
 */
import type { PersistentVolumeClaimStatus } from '../../../catalog/types/core-v1.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Informer } from '../../framework/informer.ts'
import { keyOf, type Reconciler, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Writer } from '../../framework/writer.ts'
import type { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../objects.ts'
import { hasCode } from '../common/api-errors.ts'
import { runningController } from '../common/running-controller.ts'
import {
  annotation,
  capacityOf,
  classOf,
  provisionedBy,
  quantity,
  requestedStorage,
  selectedNode,
  storageProvisioner,
} from '../persistentvolume-binder/volume-facts.ts'
import { provisionedVolume, provisionerFinalizer, volumeNameFor } from './provisioned-volume.ts'

const claims = 'persistentvolumeclaims'
const volumes = 'persistentvolumes'
const classes = 'storageclasses'
const storageGroup = 'storage.k8s.io'
const optOut = 'simulate.pilothouse.dev/provisioner'
export const simulatedDriver = 'simulate.pilothouse.dev'

/** As kind's and minikube's, so that charts which name it find it. */
export const simulatedStorageClass: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: simulatedDriver,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
  allowVolumeExpansion: true,
}

export const volumeProvisioner: SimulatedController = {
  name: 'simulated-volume-provisioner',
  start: (context) => new Provisioner(context).start(),
}

class Provisioner {
  readonly #claims: Informer<PersistentVolumeClaim>
  readonly #volumes: Informer<PersistentVolume>
  readonly #classes: Informer<StorageClass>
  readonly #nodes: Informer<Node>
  readonly #writer: Writer
  readonly #recorder: EventRecorder
  readonly #claimQueue: Reconciler
  readonly #volumeQueue: Reconciler
  readonly #classQueue: Reconciler

  constructor(context: SimulationContext) {
    this.#claims = context.informer<PersistentVolumeClaim>('', claims)
    this.#volumes = context.informer<PersistentVolume>('', volumes)
    this.#classes = context.informer<StorageClass>(storageGroup, classes)
    this.#nodes = context.informer<Node>('', 'nodes')
    this.#writer = context.writer('simulated-volume-provisioner')
    this.#recorder = context.recorder(simulatedDriver)
    this.#claimQueue = reconciler(context, { name: 'provision', reconcile: (key) => this.#syncClaim(key) })
    this.#volumeQueue = reconciler(context, { name: 'unprovision', reconcile: (key) => this.#syncVolume(key) })
    this.#classQueue = reconciler(context, { name: 'default-class', reconcile: () => this.#ensureClass() })
  }

  start() {
    const subscriptions = [
      this.#claims.subscribe(({ type, object }) => {
        if (type !== 'DELETED') this.#claimQueue.add(keyOf(object))
      }),
      this.#volumes.subscribe(({ type, object }) => {
        if (type !== 'DELETED') this.#volumeQueue.add(object.metadata.name ?? '')
      }),
      this.#nodes.subscribe(({ type, object }) => {
        if (type === 'ADDED') this.#addWaitingFor(object.metadata.name ?? '')
      }),
    ]
    this.#classQueue.add(simulatedStorageClass.metadata.name ?? '')
    return runningController(subscriptions, [this.#claimQueue, this.#volumeQueue, this.#classQueue])
  }

  #addWaitingFor(node: string): void {
    for (const claim of this.#claims.list()) {
      if (!claim.spec?.volumeName && annotation(claim, selectedNode) === node) this.#claimQueue.add(keyOf(claim))
    }
  }

  /** At the start only: who deletes it wants none. */
  async #ensureClass(): Promise<void> {
    if (this.#classes.get('', simulatedStorageClass.metadata.name ?? '') !== undefined) return
    await this.#createUnlessThere(storageGroup, classes, simulatedStorageClass)
  }

  async #createUnlessThere<T extends object>(group: string, resource: string, object: T): Promise<boolean> {
    try {
      await this.#writer.create(group, resource, object)
      return true
    } catch (error) {
      if (hasCode(error, 409)) return false
      throw error
    }
  }

  #isOwn(storageClass: StorageClass | undefined): boolean {
    return storageClass?.metadata.annotations?.[optOut] !== 'false'
  }

  async #syncClaim(key: string): Promise<void> {
    const { namespace, name } = splitKey(key)
    const claim = this.#claims.get(namespace, name)
    if (claim === undefined) return
    const storageClass = this.#classes.get('', classOf(claim))
    if (!this.#isOwn(storageClass)) return
    if (claim.spec?.volumeName) await this.#resize(claim)
    else if (storageClass !== undefined) await this.#provision(claim, storageClass)
  }

  async #provision(claim: PersistentVolumeClaim, storageClass: StorageClass): Promise<void> {
    const driver = annotation(claim, storageProvisioner)
    const nodeName = annotation(claim, selectedNode)
    const waits = storageClass.volumeBindingMode === 'WaitForFirstConsumer'
    if (driver === undefined || (waits && nodeName === undefined)) return
    if (claim.metadata.deletionTimestamp !== undefined) return
    if (this.#volumes.get('', volumeNameFor(claim)) !== undefined) return
    const node = nodeName === undefined ? undefined : this.#nodes.get('', nodeName)
    if (waits && node === undefined) return
    const message = `External provisioner is provisioning volume for claim ${JSON.stringify(keyOf(claim))}`
    this.#recorder.event(claim, { type: 'Normal', reason: 'Provisioning', message })
    const volume = provisionedVolume({ claim, storageClass, driver, node: waits ? node : undefined })
    if (!(await this.#createUnlessThere('', volumes, volume))) return
    const done = `Successfully provisioned volume ${volume.metadata.name ?? ''}`
    this.#recorder.event(claim, { type: 'Normal', reason: 'ProvisioningSucceeded', message: done })
  }

  async #resize(claim: PersistentVolumeClaim): Promise<void> {
    const volume = this.#volumes.get('', claim.spec?.volumeName ?? '')
    const requested = requestedStorage(claim)
    const present = claim.status?.capacity?.['storage']
    if (volume === undefined || claim.status?.phase !== 'Bound' || present === undefined) return
    if (requested.compare(quantity(present)) <= 0 || !this.#isExpandable(volume)) return
    const { namespace = '', name = '' } = claim.metadata
    const starting = `External resizer is resizing volume ${volume.metadata.name ?? ''}`
    this.#recorder.event(claim, { type: 'Normal', reason: 'Resizing', message: starting })
    const storage = requested.toString()
    if (capacityOf(volume).compare(requested) < 0) {
      await this.#writer.update<PersistentVolume>('', volumes, nameOf(volume), (current) => ({
        ...current,
        spec: { ...current.spec, capacity: { ...current.spec?.capacity, storage } },
      }))
    }
    const target = { namespace, name, subresource: 'status' }
    await this.#writer.update<PersistentVolumeClaim>('', claims, target, (current) => ({
      ...current,
      status: resizedStatus(current.status, storage),
    }))
    this.#recorder.event(claim, {
      type: 'Normal',
      reason: 'VolumeResizeSuccessful',
      message: 'Resize volume succeeded',
    })
  }

  #isExpandable(volume: PersistentVolume): boolean {
    return this.#classes.get('', classOf(volume))?.allowVolumeExpansion === true
  }

  /** A released volume of this provisioner goes, and its finalizer with it. */
  async #syncVolume(name: string): Promise<void> {
    const volume = this.#volumes.get('', name)
    if (volume === undefined || annotation(volume, provisionedBy) === undefined) return
    if (!this.#isOwn(this.#classes.get('', classOf(volume)))) return
    const { phase } = volume.status ?? {}
    const isReleased = phase === 'Released' || phase === 'Failed'
    const deletes = volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
    const isDeleting = volume.metadata.deletionTimestamp !== undefined
    if (deletes && isReleased && !isDeleting) await this.#writer.delete('', volumes, nameOf(volume))
    const isHeld = deletes && !isReleased && !(isDeleting && phase === 'Available')
    if (isHeld || !volume.metadata.finalizers?.includes(provisionerFinalizer)) return
    if (this.#volumes.get('', name) === undefined) return
    await this.#writer.update<PersistentVolume>('', volumes, nameOf(volume), (current) => ({
      ...current,
      metadata: {
        ...current.metadata,
        finalizers: (current.metadata.finalizers ?? []).filter((each) => each !== provisionerFinalizer),
      },
    }))
  }
}

const nameOf = ({ metadata }: PersistentVolume) => ({ namespace: '', name: metadata.name ?? '' })

const resizeConditions = ['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError']

export function resizedStatus(
  status: PersistentVolumeClaimStatus | undefined,
  storage: string,
): PersistentVolumeClaimStatus {
  const { conditions, allocatedResourceStatuses: _, ...rest } = status ?? {}
  const left = (conditions ?? []).filter(({ type }) => !resizeConditions.includes(type))
  return {
    ...rest,
    capacity: { ...rest.capacity, storage },
    allocatedResources: { ...rest.allocatedResources, storage },
    ...(left.length > 0 ? { conditions: left } : {}),
  }
}
