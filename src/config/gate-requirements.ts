/**
 * Flags and gates that need another gate.
 * Mirrors pkg/controlplane/apiserver/options: validateUnknownVersionInteroperabilityProxyFlags, validateNodeSelectorAuthorizationFeature.
 */
import type { FeatureGates } from './feature-gates.ts'
import type { FlagValues } from './flags.ts'

/** The gates that each needs: defaultKubernetesFeatureGateDependencies of pkg/features. */
const dependencies = `\
AuthorizeNodeWithSelectors AuthorizeWithSelectors
ClusterTrustBundleProjection ClusterTrustBundle
DRAAdminAccess DynamicResourceAllocation
DRAConsumableCapacity DynamicResourceAllocation
DRADeviceBindingConditions DRAResourceClaimDeviceStatus DynamicResourceAllocation
DRADeviceTaintRules DRADeviceTaints
DRADeviceTaints DynamicResourceAllocation
DRAExtendedResource DynamicResourceAllocation
DRAListTypeAttributes DynamicResourceAllocation
DRANodeAllocatableResources DynamicResourceAllocation
DRAPartitionableDevices DynamicResourceAllocation
DRAPrioritizedList DynamicResourceAllocation
DRAResourceClaimGranularStatusAuthorization DRAResourceClaimDeviceStatus DynamicResourceAllocation
DRAResourcePoolStatus DynamicResourceAllocation
DRASchedulerFilterTimeout DynamicResourceAllocation
DRAWorkloadResourceClaims DynamicResourceAllocation GenericWorkload
DeclarativeValidationBeta DeclarativeValidation
DeclarativeValidationTakeover DeclarativeValidation
DisableAllocatorDualWrite MultiCIDRServiceAllocator
ExtendWebSocketsToKubelet NodeDeclaredFeatures
GangScheduling GenericWorkload
GracefulNodeShutdownBasedOnPodPriority GracefulNodeShutdown
ImageVolumeWithDigest ImageVolume
InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScaling NodeDeclaredFeatures PodLevelResources
InPlacePodVerticalScalingAllocatedStatus InPlacePodVerticalScaling
InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScaling
InPlacePodVerticalScalingExclusiveMemory InPlacePodVerticalScaling MemoryManager
InPlacePodVerticalScalingInitContainers InPlacePodVerticalScaling NodeDeclaredFeatures
MatchLabelKeysInPodTopologySpreadSelectorMerge MatchLabelKeysInPodTopologySpread
PodCertificateRequest AuthorizeNodeWithSelectors
PodLevelResourceManagers PodLevelResources
PodLifecycleSleepActionAllowZero PodLifecycleSleepAction
ProcMountType UserNamespacesSupport
ResourceHealthStatus DynamicResourceAllocation
ResourceHealthStatusMessage ResourceHealthStatus
RestartAllContainersOnContainerExits ContainerRestartRules NodeDeclaredFeatures
ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation
StaleControllerConsistencyDaemonSet AtomicFIFO
StaleControllerConsistencyJob AtomicFIFO
StaleControllerConsistencyReplicaSet AtomicFIFO
StaleControllerConsistencyStatefulSet AtomicFIFO
StorageVersionAPI APIServerIdentity
StructuredAuthenticationConfigurationEgressSelector StructuredAuthenticationConfiguration
StructuredAuthenticationConfigurationJWKSMetrics StructuredAuthenticationConfiguration
TopologyAwareWorkloadScheduling GenericWorkload
UnknownVersionInteroperabilityProxy APIServerIdentity
UserNamespacesHostNetworkSupport UserNamespacesSupport
WindowsCPUAndMemoryAffinity MemoryManager
WindowsGracefulNodeShutdown GracefulNodeShutdown
WorkloadAwarePreemption GangScheduling
WorkloadWithJob GenericWorkload`

/** Gates that are on without all that they need. */
export function unmetDependencies(gates: FeatureGates): string[] {
  if (!gates.enabled('release:gateDependencies')) return []
  return dependencies.split('\n').flatMap((row) => {
    const [name = '', ...always] = row.split(' ')
    if (!gates.enabled(name)) return []
    const needed =
      name === 'UserNamespacesHostNetworkSupport' && gates.enabled('release:declaredHostUsers')
        ? ['NodeDeclaredFeatures', ...always]
        : always
    const off = needed.filter((each) => !gates.enabled(each))
    return off.length === 0 ? [] : [`${name} is enabled, but depends on features that are disabled: [${off.join(' ')}]`]
  })
}

const peerFlags = ['peer-ca-file', 'peer-advertise-ip', 'peer-advertise-port']

export function unmetGateRequirements(flags: FlagValues, gates: FeatureGates): readonly string[] {
  const peers = gates.enabled('UnknownVersionInteroperabilityProxy')
    ? []
    : peerFlags
        .filter((name) => flags.string(name) !== '')
        .map((name) => `--${name} requires UnknownVersionInteroperabilityProxy feature to be turned on`)
  const lacksSelectors = gates.enabled('AuthorizeNodeWithSelectors') && !gates.enabled('AuthorizeWithSelectors')
  return lacksSelectors
    ? [...peers, 'AuthorizeNodeWithSelectors feature requires AuthorizeWithSelectors feature to be enabled']
    : peers
}
