/** Claims and volumes as several plugins see them. Mirrors component-helpers/storage/volume and storage/ephemeral. */

import type { Volume } from '../../catalog/types/core-v1.ts'
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../objects.ts'
import type { NodeInfo } from './node-info.ts'
import { nodeSelector } from './node-selector.ts'
import { isControlledBy, nameOf, namespaceOf, schedulingKey } from './objects.ts'

const classAnnotation = 'volume.beta.kubernetes.io/storage-class'
const bindCompleted = 'pv.kubernetes.io/bind-completed'
export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node'

export interface NamedClaim {
  readonly name: string
  readonly isEphemeral: boolean
}

/** The claim behind a volume: by name, or the one that is made for the pod. */
export function claimOfVolume(pod: Pod, volume: Volume): NamedClaim | undefined {
  if (volume.persistentVolumeClaim !== undefined) {
    return { name: volume.persistentVolumeClaim.claimName, isEphemeral: false }
  }
  return volume.ephemeral === undefined ? undefined : { name: `${nameOf(pod)}-${volume.name}`, isEphemeral: true }
}

export const claimsOfPod = (pod: Pod): NamedClaim[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => claimOfVolume(pod, volume) ?? [])

/** Undefined where the claim was made for this pod. */
export function notForPod(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  if (namespaceOf(claim) === namespaceOf(pod) && isControlledBy(claim, pod)) return undefined
  return `PVC ${schedulingKey(claim)} was not created for pod ${schedulingKey(pod)} (pod is not owner)`
}

export const claimNotFound = (name: string): string => `persistentvolumeclaim ${JSON.stringify(name)} not found`

export const classOfClaim = ({ metadata, spec }: PersistentVolumeClaim): string =>
  metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? ''

export const classOfVolume = ({ metadata, spec }: PersistentVolume): string =>
  metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? ''

/** Both sides agree. */
export const isFullyBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  (spec.volumeName ?? '') !== '' && metadata.annotations?.[bindCompleted] !== undefined

/** Whether the volume can be reached from the node. Its name is no part of that. */
export function isReachable({ spec }: PersistentVolume, { labels }: Pick<NodeInfo, 'labels'>): boolean {
  const required = spec.nodeAffinity?.required
  return required === undefined || nodeSelector(required)({ name: '', labels })
}
