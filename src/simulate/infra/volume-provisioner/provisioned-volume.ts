/**
 * The volume that the simulated provisioner makes for a claim: what a CSI driver's provisioner would register, with
 * nothing behind it.
 */
import { type JsonObject, setKey } from '../../../api/json.ts'
import type { NodeSelectorTerm } from '../../../catalog/types/core-v1.ts'
import type { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../objects.ts'
import { provisionedBy } from '../persistentvolume-binder/volume-facts.ts'

export const provisionerFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer'
const zoneLabel = 'topology.kubernetes.io/zone'

export const volumeNameFor = ({ metadata }: PersistentVolumeClaim): string => `pvc-${metadata.uid ?? ''}`

export interface ProvisionRequest {
  readonly claim: PersistentVolumeClaim
  readonly storageClass: StorageClass
  /** The driver that the claim waits for. */
  readonly driver: string
  /** The node that the scheduler chose; only where binding waits for it. */
  readonly node: Node | undefined
}

export function provisionedVolume({ claim, storageClass, driver, node }: ProvisionRequest): PersistentVolume {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata
  const { reclaimPolicy = 'Delete', mountOptions, parameters } = storageClass
  const { accessModes = [], volumeMode = 'Filesystem', resources, volumeAttributesClassName } = claim.spec ?? {}
  const volumeName = volumeNameFor(claim)
  const terms = topologyTerms(storageClass, node)
  const storage = resources?.requests?.['storage'] ?? '0'
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: volumeName,
      annotations: { [provisionedBy]: driver },
      ...(reclaimPolicy === 'Delete' ? { finalizers: [provisionerFinalizer] } : {}),
    },
    spec: {
      capacity: { storage },
      accessModes,
      volumeMode,
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name ?? '',
      claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion },
      csi: {
        driver,
        volumeHandle: volumeName,
        ...(volumeMode === 'Filesystem' ? { fsType: parameters?.['csi.storage.k8s.io/fstype'] ?? 'ext4' } : {}),
        volumeAttributes: attributesOf(parameters),
      },
      ...(mountOptions === undefined ? {} : { mountOptions }),
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
      ...(terms.length === 0 ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
    },
  }
}

function attributesOf(parameters: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const attributes: JsonObject = {}
  for (const [key, value] of Object.entries(parameters ?? {})) {
    if (!key.startsWith('csi.storage.k8s.io/')) setKey(attributes, key, value)
  }
  return attributes as Record<string, string>
}

/** A volume that waited for its pod is in the pod's zone; what the class allows limits the others. */
function topologyTerms({ allowedTopologies }: StorageClass, node: Node | undefined): NodeSelectorTerm[] {
  const zone = node?.metadata.labels?.[zoneLabel]
  if (zone !== undefined) return [{ matchExpressions: [{ key: zoneLabel, operator: 'In', values: [zone] }] }]
  return (allowedTopologies ?? []).map(({ matchLabelExpressions }) => ({
    matchExpressions: (matchLabelExpressions ?? []).map(({ key, values }) => ({
      key,
      operator: 'In',
      values: values ?? [],
    })),
  }))
}
