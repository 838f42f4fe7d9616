/**
 * Volumes of in-tree plugins that CSI drivers have taken over, as those drivers see them. Mirrors csi-translation-lib, as far
 * as drivers and names of volumes go; migrations that a node has to announce (Portworx) are not followed.
 */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { Volume } from '../../catalog/types/core-v1.ts'
import type { PersistentVolume } from '../objects.ts'

export interface CsiVolume {
  readonly driver: string
  readonly handle: string
}

interface Migration {
  /** The name as a provisioner. */
  readonly plugin: string
  readonly driver: string
  /** Where a volume says that it is one, and under which field its name is. */
  readonly source: string
  readonly handle: string
}

const migrations: readonly Migration[] = [
  { plugin: 'kubernetes.io/aws-ebs', driver: 'ebs.csi.aws.com', source: 'awsElasticBlockStore', handle: 'volumeID' },
  { plugin: 'kubernetes.io/gce-pd', driver: 'pd.csi.storage.gke.io', source: 'gcePersistentDisk', handle: 'pdName' },
  { plugin: 'kubernetes.io/azure-disk', driver: 'disk.csi.azure.com', source: 'azureDisk', handle: 'diskURI' },
  { plugin: 'kubernetes.io/cinder', driver: 'cinder.csi.openstack.org', source: 'cinder', handle: 'volumeID' },
]

export const migratedDriver = (provisioner: string): string | undefined =>
  migrations.find(({ plugin }) => plugin === provisioner)?.driver

export const inlineVolume = (volume: Volume): CsiVolume | undefined => csiVolume(volume)

export const migratedVolume = ({ spec }: PersistentVolume): CsiVolume | undefined => csiVolume(spec)

function csiVolume(sources: JsonObject): CsiVolume | undefined {
  for (const { driver, source, handle } of migrations) {
    const found: JsonValue | undefined = sources[source]
    if (found !== undefined) return { driver, handle: String((found as JsonObject)[handle] ?? '') }
  }
  return undefined
}
