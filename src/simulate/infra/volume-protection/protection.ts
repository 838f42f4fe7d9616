/**
 * Claims and volumes that are in use are not deleted: a finalizer holds them until they are not.
 * Mirrors pkg/controller/volume/pvcprotection: Controller and pkg/controller/volume/pvprotection: Controller.
 */
import type { KubeObject } from '../../../api/object.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Informer } from '../../framework/informer.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { Writer } from '../../framework/writer.ts'
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../common/objects.ts'
import { running } from '../common/running.ts'
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
  readonly resource: string
  readonly finalizer: string
  readonly objects: Informer<T>
  readonly writer: Writer
  isUsed(object: T): boolean
}

const protect =
  <T extends KubeObject>({ resource, finalizer, objects, writer, isUsed }: Protected<T>) =>
  async (key: string): Promise<void> => {
    const { namespace, name } = splitKey(key)
    const object = objects.get(namespace, name)
    if (object === undefined) return
    const step = protectionStep(object, finalizer, () => isUsed(object))
    if (step === undefined) return
    await writer.update<T>('', resource, { namespace, name }, (current) => {
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
    return running(subscriptions, [queue])
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
    return running([subscription], [queue])
  },
}
