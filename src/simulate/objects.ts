/** The built-in kinds that the simulated cluster reads and writes: the types of the catalogue, with the project's own metadata. */
import type { KubeObject } from '../api/object.ts'
import type * as extensions from '../catalog/types/apiextensions-v1.ts'
import type * as internal from '../catalog/types/apiserverinternal-v1alpha1.ts'
import type * as apps from '../catalog/types/apps-v1.ts'
import type * as autoscaling from '../catalog/types/autoscaling-v2.ts'
import type * as certificates from '../catalog/types/certificates-v1.ts'
import type * as trust from '../catalog/types/certificates-v1beta1.ts'
import type * as coordination from '../catalog/types/coordination-v1.ts'
import type * as core from '../catalog/types/core-v1.ts'
import type * as discovery from '../catalog/types/discovery-v1.ts'
import type * as networking from '../catalog/types/networking-v1.ts'
import type * as policy from '../catalog/types/policy-v1.ts'
import type * as resource from '../catalog/types/resource-v1beta1.ts'
import type * as storage from '../catalog/types/storage-v1.ts'

/** A type of the catalogue, whose metadata is the project's own, and which may lack its spec or status. */
type ObjectOf<T> = Omit<T, 'metadata' | 'kind' | 'apiVersion' | 'spec' | 'status'> &
  Partial<Pick<T, Extract<keyof T, 'spec' | 'status'>>> &
  KubeObject

/** Of a kind whose objects have a spec from the start. */
type SpecifiedObjectOf<T extends { spec: unknown }> = ObjectOf<T> & Pick<T, 'spec'>

/** Validation lets no pod pass without containers. */
export type PodSpec = Omit<core.PodSpec, 'containers'> & { containers: core.Container[] }
export type Pod = SpecifiedObjectOf<Omit<core.Pod, 'spec'> & { spec: PodSpec }>

/** Before a kubelet has reported, nothing need be there. */
export type NodeStatus = Partial<core.NodeStatus>
export type Node = ObjectOf<Omit<core.Node, 'status'> & { status: NodeStatus }>

export type ReplicationController = ObjectOf<core.ReplicationController>
export type ReplicaSet = SpecifiedObjectOf<apps.ReplicaSet>
export type StatefulSet = SpecifiedObjectOf<apps.StatefulSet>
export type Service = ObjectOf<core.Service>
export type Endpoints = ObjectOf<core.Endpoints>
export type PodDisruptionBudget = ObjectOf<policy.PodDisruptionBudget>
export type PersistentVolume = SpecifiedObjectOf<core.PersistentVolume>
export type PersistentVolumeClaim = SpecifiedObjectOf<core.PersistentVolumeClaim>
export type StorageClass = ObjectOf<storage.StorageClass>
export type CSINode = SpecifiedObjectOf<storage.CSINode>
export type CSIDriver = SpecifiedObjectOf<storage.CSIDriver>
export type CSIStorageCapacity = ObjectOf<storage.CSIStorageCapacity>
export type VolumeAttachment = SpecifiedObjectOf<storage.VolumeAttachment>
export type CertificateSigningRequest = ObjectOf<certificates.CertificateSigningRequest>
export type ClusterTrustBundle = ObjectOf<trust.ClusterTrustBundle>
export type ConfigMap = ObjectOf<core.ConfigMap>
export type Secret = ObjectOf<core.Secret>
export type ServiceAccount = ObjectOf<core.ServiceAccount>
export type HorizontalPodAutoscaler = ObjectOf<autoscaling.HorizontalPodAutoscaler>
export type ResourceClaim = SpecifiedObjectOf<resource.ResourceClaim>
export type ResourceClaimTemplate = SpecifiedObjectOf<resource.ResourceClaimTemplate>
export type ResourceSlice = SpecifiedObjectOf<resource.ResourceSlice>
export type DeviceClass = SpecifiedObjectOf<resource.DeviceClass>
export type CustomResourceDefinition = SpecifiedObjectOf<extensions.CustomResourceDefinition>
export type ServiceCIDR = ObjectOf<networking.ServiceCIDR>
export type StorageVersion = ObjectOf<internal.StorageVersion>
export type Lease = ObjectOf<coordination.Lease>
export type EndpointSlice = ObjectOf<discovery.EndpointSlice>
