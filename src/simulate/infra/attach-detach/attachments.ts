/**
 * Which volumes must be attached to which nodes for their pods. Pure.
 * Mirrors pkg/controller/volume/attachdetach/reconciler: reconciler and pkg/volume/csi: getAttachmentName.
 */
import { createHash } from 'node:crypto'
import type { PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from '../../objects.ts'

export interface Attachment {
  readonly name: string
  readonly driver: string
  readonly node: string
  readonly volume: string
  readonly pod: Pod
}

/** By driver, volume and node. */
const attachmentName = (handle: string, driver: string, node: string): string =>
  `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`

/** Whether an attachment has such a name: others are those of users, who know best. */
export const isOwnName = (name: string): boolean => /^csi-[0-9a-f]{64}$/.test(name)

export interface PodVolumes {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined
  volume(name: string): PersistentVolume | undefined
  /** Drivers that say that their volumes need no attaching. */
  needsAttach(driver: string): boolean
}

/** What a pod that has a node needs there. */
export function attachmentsOf(pod: Pod, { claim, volume, needsAttach }: PodVolumes): Attachment[] {
  const { namespace = '', name: podName = '' } = pod.metadata
  const node = pod.spec?.nodeName
  if (!node) return []
  return (pod.spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claimName = ephemeral === undefined ? persistentVolumeClaim?.claimName : `${podName}-${name}`
    const found = claimName === undefined ? undefined : claim(namespace, claimName)
    const bound = found?.spec?.volumeName ? volume(found.spec.volumeName) : undefined
    const csi = bound?.spec?.csi
    if (bound === undefined || csi === undefined || !needsAttach(csi.driver)) return []
    const { driver, volumeHandle } = csi
    return [{ name: attachmentName(volumeHandle, driver, node), driver, node, volume: bound.metadata.name ?? '', pod }]
  })
}

export const attachmentObject = ({ name, driver, node, volume }: Attachment): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name },
  spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: volume } },
})

/** Whether a volume that is attached elsewhere may be attached here, too. */
export const isShared = ({ spec }: PersistentVolume): boolean =>
  (spec?.accessModes ?? []).some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany')
