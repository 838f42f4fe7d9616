/**
 * Makes the claims of pods' generic ephemeral volumes, owned by the pod.
 * Mirrors pkg/controller/volume/ephemeral: ephemeralController.
 */
import type { Volume } from '../../../catalog/types/core-v1.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { PersistentVolumeClaim, Pod } from '../../objects.ts'
import { messageOf } from '../common/api-errors.ts'
import { runningController } from '../common/running-controller.ts'
import { podsByClaim } from '../persistentvolume-binder/volume-facts.ts'

export function claimFor({ metadata }: Pod, { name: volume, ephemeral }: Volume): PersistentVolumeClaim {
  const { namespace = '', name = '', uid = '' } = metadata
  const template = ephemeral?.volumeClaimTemplate
  const { annotations, labels } = template?.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `${name}-${volume}`,
      namespace,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true }],
      ...(annotations === undefined ? {} : { annotations }),
      ...(labels === undefined ? {} : { labels }),
    },
    spec: template?.spec ?? { resources: {} },
  }
}

/** Whether the claim was made for this pod; the message is the reference's. */
export function foreignClaim(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  const isOwn = claim.metadata.ownerReferences?.some(({ uid, controller }) => controller && uid === pod.metadata.uid)
  if (isOwn) return undefined
  return `PVC ${keyOf(claim)} was not created for pod ${keyOf(pod)} (pod is not owner)`
}

export const ephemeralVolumeController: SimulatedController = {
  name: 'ephemeral-volume-controller',
  start(context) {
    const pods = context.informer<Pod>('', 'pods')
    const claims = context.informer<PersistentVolumeClaim>('', 'persistentvolumeclaims')
    const writer = context.writer('ephemeral-volume-controller')
    const recorder = context.recorder('ephemeral_volume')
    const ensure = async (pod: Pod, volume: Volume): Promise<void> => {
      const wanted = claimFor(pod, volume)
      const { namespace = '', name = '' } = wanted.metadata
      const found = claims.get(namespace, name)
      const foreign = found === undefined ? undefined : foreignClaim(pod, found)
      if (foreign !== undefined) throw new Error(foreign)
      if (found !== undefined) return
      await writer.create('', 'persistentvolumeclaims', wanted).catch((error: unknown) => {
        throw new Error(`create PVC ${name}: ${messageOf(error)}`)
      })
    }
    const queue = reconciler(context, {
      name: 'ephemeral_volume',
      async reconcile(key) {
        const { namespace, name } = splitKey(key)
        const pod = pods.get(namespace, name)
        if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
        for (const volume of pod.spec?.volumes ?? []) {
          if (volume.ephemeral === undefined) continue
          try {
            await ensure(pod, volume)
          } catch (error) {
            const message = `ephemeral volume ${volume.name}: ${messageOf(error)}`
            recorder.event(pod, { type: 'Warning', reason: 'FailedBinding', message })
            throw error
          }
        }
      },
    })
    const add = (pod: Pod) => {
      if (pod.metadata.deletionTimestamp !== undefined) return
      if (pod.spec?.volumes?.some(({ ephemeral }) => ephemeral !== undefined)) queue.add(keyOf(pod))
    }
    const subscriptions = [
      pods.subscribe(({ type, object }) => {
        if (type === 'ADDED') add(object)
      }),
      claims.subscribe(({ type, object }) => {
        if (type === 'DELETED') for (const pod of pods.byIndex(podsByClaim, keyOf(object))) add(pod)
      }),
    ]
    return runningController(subscriptions, [queue])
  },
}
