/** The built-in kinds that these controllers read and write, as objects with metadata. */
import type { KubeObject } from '../../../api/object.ts'
import type * as internal from '../../../catalog/types/apiserverinternal-v1alpha1.ts'
import type * as autoscaling from '../../../catalog/types/autoscaling-v2.ts'
import type * as certificates from '../../../catalog/types/certificates-v1.ts'
import type * as coordination from '../../../catalog/types/coordination-v1.ts'
import type * as core from '../../../catalog/types/core-v1.ts'
import type * as discovery from '../../../catalog/types/discovery-v1.ts'
import type * as networking from '../../../catalog/types/networking-v1.ts'
import type * as policy from '../../../catalog/types/policy-v1.ts'
import type * as resource from '../../../catalog/types/resource-v1beta1.ts'
import type * as storage from '../../../catalog/types/storage-v1.ts'

/** A type of the catalogue, whose metadata is the project's own, and which may lack its spec or status. */
type ObjectOf<T> = Omit<T, 'metadata' | 'kind' | 'apiVersion' | 'spec' | 'status'> &
  Partial<Pick<T, Extract<keyof T, 'spec' | 'status'>>> &
  KubeObject

export type Pod = ObjectOf<core.Pod>
export type Node = ObjectOf<core.Node>
export type Service = ObjectOf<core.Service>
export type Endpoints = ObjectOf<core.Endpoints>
export type PodDisruptionBudget = ObjectOf<policy.PodDisruptionBudget>
export type PersistentVolume = ObjectOf<core.PersistentVolume>
export type PersistentVolumeClaim = ObjectOf<core.PersistentVolumeClaim>
export type StorageClass = ObjectOf<storage.StorageClass>
export type CertificateSigningRequest = ObjectOf<certificates.CertificateSigningRequest>
export type ConfigMap = ObjectOf<core.ConfigMap>
export type Secret = ObjectOf<core.Secret>
export type ServiceAccount = ObjectOf<core.ServiceAccount>
export type HorizontalPodAutoscaler = ObjectOf<autoscaling.HorizontalPodAutoscaler>
export type ResourceClaim = ObjectOf<resource.ResourceClaim>
export type ResourceClaimTemplate = ObjectOf<resource.ResourceClaimTemplate>
export type ServiceCIDR = ObjectOf<networking.ServiceCIDR>
export type StorageVersion = ObjectOf<internal.StorageVersion>
export type VolumeAttachment = ObjectOf<storage.VolumeAttachment>
export type Lease = ObjectOf<coordination.Lease>
export type EndpointSlice = ObjectOf<discovery.EndpointSlice>

export function groupBy<T, K>(items: readonly T[], keyOfItem: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const key = keyOfItem(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
