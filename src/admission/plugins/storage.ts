/**
 * Plugins about volumes and claims.
 * Mirrors plugin/pkg/admission/storage/persistentvolume/resize: persistentVolumeClaimResize.
 * Mirrors plugin/pkg/admission/storage/storageclass/setdefault: claimDefaulterPlugin.
 * Mirrors plugin/pkg/admission/storage/storageobjectinuseprotection: storageProtectionPlugin.
 */

import type { AdmissionOperation } from '../../api/admission.ts'
import type { KubeObject } from '../../api/object.ts'
import { Quantity } from '../../api/quantity.ts'
import type { PersistentVolumeClaim } from '../../catalog/types/core-v1.ts'
import { whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import { newestDefault } from '../default-class.ts'
import { denied } from '../denied.ts'
import { type AdmissionPlugin, handling, type RequestShape } from '../plugin.ts'

type Claim = KubeObject & Pick<PersistentVolumeClaim, 'spec' | 'status'>

const storageGroup = 'storage.k8s.io'
const classAnnotation = 'volume.beta.kubernetes.io/storage-class'
const defaultAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

export function defaultStorageClass(cluster: Cluster): AdmissionPlugin {
  const classes = cluster.view(storageGroup, 'storageclasses')
  return {
    name: 'DefaultStorageClass',
    handles: handling(['CREATE'], '', 'persistentvolumeclaims'),
    mutate({ object }) {
      const claim = object as Claim
      if (claim.spec.storageClassName !== undefined) return undefined
      if (claim.metadata.annotations?.[classAnnotation] !== undefined) return undefined
      return whenReady(classes.list(), (list) => {
        const name = newestDefault(list, defaultAnnotations)?.metadata.name
        return name === undefined ? undefined : { ...claim, spec: { ...claim.spec, storageClassName: name } }
      })
    },
  }
}

const protections: readonly (readonly [group: string, resource: string, finalizer: string])[] = [
  ['', 'persistentvolumeclaims', 'kubernetes.io/pvc-protection'],
  ['', 'persistentvolumes', 'kubernetes.io/pv-protection'],
  [storageGroup, 'volumeattributesclasses', 'kubernetes.io/vac-protection'],
]

/** What is in use is not removed: a finalizer protects it while it is in use. */
export function storageObjectInUseProtection(cluster: Cluster): AdmissionPlugin {
  const finalizerOf = ({ group, resource }: { group: string; resource: string }): string | undefined => {
    const found = protections.find((each) => each[0] === group && each[1] === resource)
    const isOn = group === '' || cluster.gate('VolumeAttributesClass')
    return found !== undefined && isOn ? found[2] : undefined
  }
  return {
    name: 'StorageObjectInUseProtection',
    handles: (shape: RequestShape) =>
      shape.operation === 'CREATE' && shape.subresource === '' && finalizerOf(shape) !== undefined,
    mutate({ object, resource }) {
      const finalizer = finalizerOf(resource)
      if (object === undefined || finalizer === undefined) return undefined
      const present = object.metadata.finalizers ?? []
      if (present.includes(finalizer)) return undefined
      return { ...object, metadata: { ...object.metadata, finalizers: [...present, finalizer] } }
    },
  }
}

const updates: readonly AdmissionOperation[] = ['UPDATE']

/** Claims grow only where their class says that its volumes can. */
export function persistentVolumeClaimResize(cluster: Cluster): AdmissionPlugin {
  const classes = cluster.view(storageGroup, 'storageclasses')
  return {
    name: 'PersistentVolumeClaimResize',
    handles: handling(updates, '', 'persistentvolumeclaims'),
    validate(request) {
      const claim = request.object as Claim
      const old = request.oldObject as Claim
      if (storageOf(claim).compare(storageOf(old)) <= 0) return
      if (old.status?.phase !== 'Bound') throw denied(request, 'Only bound persistent volume claims can be expanded')
      const name = classOf(claim)
      const allowed =
        name === '' || name !== classOf(old)
          ? false
          : whenReady(classes.find('', name), (found) => found?.['allowVolumeExpansion'] === true)
      return whenReady(allowed, (isAllowed) => {
        if (isAllowed) return
        throw denied(
          request,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        )
      })
    },
  }
}

const classOf = ({ metadata, spec }: Claim): string =>
  metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? ''

const storageOf = ({ spec }: Claim): Quantity => Quantity.parse(spec.resources?.requests?.['storage'] ?? '0')
