/**
 * Notes that a claim waits for its driver to expand its volume: the reference has no plugin left that expands one itself.
 * Mirrors pkg/controller/volume/expand: expandController.syncHandler.
 */
import type { SimulatedController } from '../../framework/controller.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../objects.ts'
import { runningController } from '../common/running-controller.ts'
import { quantity, requestedStorage } from '../persistentvolume-binder/volume-facts.ts'

export const persistentVolumeExpanderController: SimulatedController = {
  name: 'persistentvolume-expander-controller',
  start(context) {
    const claims = context.informer<PersistentVolumeClaim>('', 'persistentvolumeclaims')
    const volumes = context.informer<PersistentVolume>('', 'persistentvolumes')
    const recorder = context.recorder('volume_expand')
    const queue = reconciler(context, {
      name: 'volume_expand',
      async reconcile(key) {
        const { namespace, name } = splitKey(key)
        const claim = claims.get(namespace, name)
        const volume = volumes.get('', claim?.spec?.volumeName ?? '')
        if (claim === undefined || volume?.spec?.claimRef?.uid !== claim.metadata.uid) return
        if (requestedStorage(claim).compare(quantity(claim.status?.capacity?.['storage'])) <= 0) return
        const message = 'waiting for an external controller to expand this PVC'
        recorder.event(claim, { type: 'Normal', reason: 'ExternalExpanding', message })
      },
    })
    const subscription = claims.subscribe(({ object, old }) => {
      if (old === undefined || !object.spec?.volumeName) return
      if (requestedStorage(object).compare(requestedStorage(old)) > 0) queue.add(keyOf(object))
    })
    return runningController([subscription], [queue])
  },
}
