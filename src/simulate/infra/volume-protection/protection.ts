/**
 * Claims and volumes that are in use are not deleted: a finalizer holds them until they are not.
 * Mirrors pkg/controller/volume/pvcprotection: Controller and pkg/controller/volume/pvprotection: Controller.
 */
import type { KubeObject } from '../../../api/object.ts'
import type { PersistentVolumeClaimStatus } from '../../../catalog/types/core-v1.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Informer } from '../../framework/informer.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { Writer } from '../../framework/writer.ts'
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../objects.ts'
import { runningController } from '../common/running-controller.ts'
import { isTerminated, podsByClaim } from '../persistentvolume-binder/volume-facts.ts'

/** What is to be done about an object's finalizer. */
export function protectionStep(
  { metadata }: KubeObject,
  finalizer: string,
  isUsed: () => boolean,
): 'add' | 'remove' | undefined {
  const has = metadata.finalizers?.includes(finalizer) === true
  const isDeleting = metadata.deletionTimestamp !== undefined
  if (isDeleting) return has && !isUsed() ? 'remove' : undefined
  return has ? undefined : 'add'
}

/** A pod that has a node uses its claims until it is gone; its own ephemeral ones only while it is not shut down. */
export function usesClaim({ metadata, spec }: Pod, claim: PersistentVolumeClaim): boolean {
  if (!spec?.nodeName) return false
  const isShutDown = metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
  const isOwner = claim.metadata.ownerReferences?.some(({ uid, controller }) => uid === metadata.uid && controller)
  return (spec.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim?.claimName === claim.metadata.name) return true
    const ownName = `${metadata.name ?? ''}-${name}`
    return ephemeral !== undefined && !isShutDown && isOwner === true && ownName === claim.metadata.name
  })
}

const isVolumeUsed = ({ status }: PersistentVolume): boolean => status?.phase === 'Bound'

interface Protected<T extends KubeObject> {
  readonly group?: string
  readonly resource: string
  readonly finalizer: string
  readonly objects: Informer<T>
  readonly writer: Writer
  isUsed(object: T): boolean
}

const protect =
  <T extends KubeObject>({ group = '', resource, finalizer, objects, writer, isUsed }: Protected<T>) =>
  async (key: string): Promise<void> => {
    const { namespace, name } = splitKey(key)
    const object = objects.get(namespace, name)
    if (object === undefined) return
    const step = protectionStep(object, finalizer, () => isUsed(object))
    if (step === undefined) return
    await writer.update<T>(group, resource, { namespace, name }, (current) => {
      const others = (current.metadata.finalizers ?? []).filter((each) => each !== finalizer)
      const finalizers = step === 'add' ? [...others, finalizer] : others
      return { ...current, metadata: { ...current.metadata, finalizers } }
    })
  }

export const claimProtectionController: SimulatedController = {
  name: 'persistentvolumeclaim-protection-controller',
  start(context) {
    const objects = context.informer<PersistentVolumeClaim>('', 'persistentvolumeclaims')
    const pods = context.informer<Pod>('', 'pods')
    const queue = reconciler(context, {
      name: 'pvcprotection',
      reconcile: protect({
        resource: 'persistentvolumeclaims',
        finalizer: 'kubernetes.io/pvc-protection',
        objects,
        writer: context.writer('pvc-protection-controller'),
        isUsed: (claim) => pods.byIndex(podsByClaim, keyOf(claim)).some((pod) => usesClaim(pod, claim)),
      }),
    })
    const subscriptions = [
      objects.subscribe(({ type, object }) => {
        if (type !== 'DELETED') queue.add(keyOf(object))
      }),
      pods.subscribe(({ type, object }) => {
        if (type !== 'DELETED' && object.spec?.nodeName && !isTerminated(object)) return
        for (const key of podsByClaim.keys(object)) if (key !== undefined) queue.add(key)
      }),
    ]
    return runningController(subscriptions, [queue])
  },
}

export const volumeProtectionController: SimulatedController = {
  name: 'persistentvolume-protection-controller',
  start(context) {
    const objects = context.informer<PersistentVolume>('', 'persistentvolumes')
    const queue = reconciler(context, {
      name: 'pvprotection',
      reconcile: protect({
        resource: 'persistentvolumes',
        finalizer: 'kubernetes.io/pv-protection',
        objects,
        writer: context.writer('pv-protection-controller'),
        isUsed: isVolumeUsed,
      }),
    })
    const subscription = objects.subscribe(({ type, object }) => {
      if (type !== 'DELETED') queue.add(keyOf(object))
    })
    return runningController([subscription], [queue])
  },
}

/** The classes that a claim or a volume refers to, now or as what it is being changed to. */
const attributesClasses = ({ spec, status }: PersistentVolume | PersistentVolumeClaim): (string | undefined)[] => {
  const { currentVolumeAttributesClassName, modifyVolumeStatus } = (status ??
    {}) as Partial<PersistentVolumeClaimStatus>
  return [
    spec?.volumeAttributesClassName,
    currentVolumeAttributesClassName,
    modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]
}

/** Mirrors pkg/controller/volume/vacprotection: Controller. */
export const attributesClassProtectionController: SimulatedController = {
  name: 'volumeattributesclass-protection-controller',
  start(context) {
    const objects = context.informer<KubeObject>('storage.k8s.io', 'volumeattributesclasses')
    const volumes = context.informer<PersistentVolume>('', 'persistentvolumes')
    const claims = context.informer<PersistentVolumeClaim>('', 'persistentvolumeclaims')
    const isUsed = ({ metadata }: KubeObject): boolean =>
      [...volumes.list(), ...claims.list()].some((each) => attributesClasses(each).includes(metadata.name))
    const queue = reconciler(context, {
      name: 'vacprotection',
      reconcile: protect({
        group: 'storage.k8s.io',
        resource: 'volumeattributesclasses',
        finalizer: 'kubernetes.io/vac-protection',
        objects,
        writer: context.writer('vac-protection-controller'),
        isUsed,
      }),
    })
    const freed = ({
      object,
      old,
    }: {
      object: PersistentVolume | PersistentVolumeClaim
      old: typeof object | undefined
    }) => {
      for (const name of attributesClasses(old ?? object)) if (name) queue.add(name)
    }
    const subscriptions = [
      objects.subscribe(({ type, name }) => {
        if (type !== 'DELETED') queue.add(name)
      }),
      volumes.subscribe((change) => {
        if (change.type !== 'ADDED' && objects.list().length > 0) freed(change)
      }),
      claims.subscribe((change) => {
        if (change.type !== 'ADDED' && objects.list().length > 0) freed(change)
      }),
    ]
    return runningController(subscriptions, [queue])
  },
}
