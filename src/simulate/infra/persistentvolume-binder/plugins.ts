/**
 * What the reference's own volume plugins can do: who provisions a class, and who deletes or recycles a volume.
 * Mirrors pkg/controller/volume/persistentvolume: PersistentVolumeController.findProvisionablePlugin,
 * PersistentVolumeController.findDeletablePlugin and pkg/volume/hostpath: newDeleter.
 */
import type { PersistentVolume } from '../../objects.ts'
import { annotation, provisionedBy } from './volume-facts.ts'

/** Plugins that drivers have taken over. */
const migrated: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': 'ebs.csi.aws.com',
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
}

/** Who provisions for a class: a driver's name. Throws where no plugin does. */
export function provisionerName(provisioner: string): string {
  const driver = Object.hasOwn(migrated, provisioner) ? migrated[provisioner] : undefined
  if (driver !== undefined) return driver
  if (provisioner.startsWith('kubernetes.io/')) throw new Error(`no volume plugin matched name: ${provisioner}`)
  return provisioner
}

export type Deletion =
  /** By the provisioner that made it. */
  'external' | 'here'

/** The deleter of a released volume. Throws where there is none. */
export function deleterOf(volume: PersistentVolume): Deletion {
  const provisioner = annotation(volume, provisionedBy)
  if (provisioner) {
    provisionerName(provisioner)
    return 'external'
  }
  if (volume.spec?.csi !== undefined) return 'external'
  const path = volume.spec?.hostPath?.path
  if (path === undefined) {
    const name = JSON.stringify(volume.metadata.name)
    throw new Error(`error getting deleter volume plugin for volume ${name}: no deletable volume plugin matched`)
  }
  if (!/^\/tmp\/.+/.test(path)) {
    throw new Error(`host_path deleter only supports /tmp/.+ but received provided ${path}`)
  }
  return 'here'
}

export const isRecyclable = ({ spec }: PersistentVolume): boolean =>
  spec?.nfs !== undefined || spec?.hostPath !== undefined
