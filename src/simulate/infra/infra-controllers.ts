/** The controllers of this folder, each loaded only where it is on. */
import type { ControllerDescriptor } from '../framework/controller-descriptor.ts'

export const infraControllers: readonly ControllerDescriptor[] = [
  {
    name: 'serviceaccount-token-controller',
    load: async () => (await import('./serviceaccount-token/token-controller.ts')).serviceAccountTokenController,
  },
  {
    name: 'legacy-serviceaccount-token-cleaner-controller',
    load: async () => (await import('./serviceaccount-token/legacy-token-cleaner.ts')).legacyTokenCleaner,
  },
  {
    name: 'bootstrap-signer-controller',
    load: async () => (await import('./bootstrap-token/bootstrap-tokens.ts')).bootstrapSignerController,
  },
  {
    name: 'token-cleaner-controller',
    load: async () => (await import('./bootstrap-token/bootstrap-tokens.ts')).tokenCleanerController,
  },
  {
    name: 'certificatesigningrequest-approving-controller',
    load: async () => (await import('./certificate-requests/controllers.ts')).approvingController,
  },
  {
    name: 'certificatesigningrequest-signing-controller',
    load: async () => (await import('./certificate-requests/controllers.ts')).signingController,
  },
  {
    name: 'certificatesigningrequest-cleaner-controller',
    load: async () => (await import('./certificate-requests/controllers.ts')).cleanerController,
  },
  {
    name: 'horizontal-pod-autoscaler-controller',
    load: async () =>
      (await import('./horizontal-pod-autoscaler/autoscaler-controller.ts')).horizontalPodAutoscalerController,
  },
  {
    name: 'endpoints-controller',
    load: async () => (await import('./endpoints/endpoints-controller.ts')).endpointsController,
  },
  {
    name: 'endpointslice-controller',
    load: async () => (await import('./endpointslice/endpointslice-controller.ts')).endpointSliceController,
  },
  {
    name: 'endpointslice-mirroring-controller',
    load: async () =>
      (await import('./endpointslice-mirroring/mirroring-controller.ts')).endpointSliceMirroringController,
  },
  {
    name: 'resourceclaim-controller',
    load: async () => (await import('./resourceclaim/resourceclaim-controller.ts')).resourceClaimController,
  },
  {
    name: 'service-cidr-controller',
    load: async () => (await import('./service-cidr/service-cidr-controller.ts')).serviceCidrController,
  },
  {
    name: 'storageversion-garbage-collector-controller',
    load: async () =>
      (await import('./storageversion-garbage-collector/storageversion-gc.ts')).storageVersionGarbageCollector,
  },
  {
    name: 'disruption-controller',
    load: async () => (await import('./disruption/disruption-controller.ts')).disruptionController,
  },
  {
    name: 'persistentvolume-binder-controller',
    load: async () => (await import('./persistentvolume-binder/binder-controller.ts')).persistentVolumeBinderController,
  },
  {
    name: 'persistentvolume-expander-controller',
    load: async () =>
      (await import('./persistentvolume-expander/expander-controller.ts')).persistentVolumeExpanderController,
  },
  {
    name: 'persistentvolume-protection-controller',
    load: async () => (await import('./volume-protection/protection.ts')).volumeProtectionController,
  },
  {
    name: 'persistentvolumeclaim-protection-controller',
    load: async () => (await import('./volume-protection/protection.ts')).claimProtectionController,
  },
  {
    name: 'volumeattributesclass-protection-controller',
    load: async () => (await import('./volume-protection/protection.ts')).attributesClassProtectionController,
  },
  {
    name: 'persistentvolume-attach-detach-controller',
    load: async () => (await import('./attach-detach/attach-detach-controller.ts')).attachDetachController,
  },
  {
    name: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
    load: async () => (await import('./trust-bundle/trust-bundle-publisher.ts')).trustBundlePublisher,
  },
  {
    name: 'service-lb-controller',
    load: async () => (await import('./load-balancer/load-balancer-controller.ts')).serviceLoadBalancerController,
  },
  {
    name: 'ephemeral-volume-controller',
    load: async () => (await import('./ephemeral-volume/ephemeral-volume-controller.ts')).ephemeralVolumeController,
  },
  {
    name: 'node-ipam-controller',
    load: async () => (await import('./node-ipam/node-ipam-controller.ts')).nodeIpamController,
  },
  {
    name: 'node-lifecycle-controller',
    load: async () => (await import('./node-lifecycle/node-lifecycle-controller.ts')).nodeLifecycleController,
  },
  {
    name: 'taint-eviction-controller',
    load: async () => (await import('./taint-eviction/taint-eviction-controller.ts')).taintEvictionController,
  },
  { name: 'ttl-controller', load: async () => (await import('./ttl/ttl-controller.ts')).ttlController },
  {
    name: 'simulated-volume-provisioner',
    isOn: () => true,
    load: async () => (await import('./volume-provisioner/provisioner.ts')).volumeProvisioner,
  },
]
