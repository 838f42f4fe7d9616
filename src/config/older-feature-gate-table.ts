// Made by scripts/catalog.mjs. Do not edit.
export const olderFeatureGateTable = `
APIListChunking 1.8:alpha 1.9:beta+ 1.29:ga+! 1.33:gone
APIPriorityAndFairness 1.18:alpha 1.20:beta+ 1.29:ga+! 1.31:gone
APISelfSubjectReview 1.26:alpha 1.27:beta+ 1.28:ga+! 1.30:gone
AdmissionWebhookMatchConditions 1.27:alpha 1.28:beta+ 1.30:ga+! 1.33:gone
AdvancedAuditing 1.7:alpha 1.8:beta+ 1.12:ga+! 1.28:gone
AggregatedDiscoveryEndpoint 1.26:alpha 1.27:beta+ 1.30:ga+! 1.33:gone
AllowInsecureBackendProxy 1.17:beta+ 1.21:ga+! 1.26:gone
AppArmor 1.4:beta+ 1.31:ga+! 1.33:gone
AppArmorFields 1.30:beta+ 1.31:ga+! 1.33:gone
AttachVolumeLimit 1.11:alpha 1.12:beta+ 1.17:ga+! 1.22:gone
BalanceAttachedNodeVolumes 1.11:alpha 1.22:deprecated 1.23:gone
BlockVolume 1.9:alpha 1.13:beta+ 1.18:ga+! 1.22:gone
BoundServiceAccountTokenVolume 1.13:alpha 1.21:beta+ 1.22:ga+! 1.24:gone
CPUManager 1.8:alpha 1.10:beta+ 1.26:ga+! 1.33:gone
CRIContainerLogRotation 1.10:alpha 1.11:beta+ 1.21:ga+! 1.23:gone
CSIBlockVolume 1.11:alpha 1.14:beta+ 1.18:ga+! 1.22:gone
CSIDriverRegistry 1.12:alpha 1.14:beta+ 1.18:ga+! 1.22:gone
CSIInlineVolume 1.15:alpha 1.16:beta+ 1.25:ga+! 1.27:gone
CSIMigration 1.14:alpha 1.17:beta+ 1.25:ga+! 1.27:gone
CSIMigrationAWS 1.14:alpha 1.17:beta 1.23:beta+ 1.25:ga+! 1.27:gone
CSIMigrationAWSComplete 1.17:alpha 1.21:deprecated 1.22:gone
CSIMigrationAzureDisk 1.15:alpha 1.19:beta 1.23:beta+ 1.24:ga+! 1.27:gone
CSIMigrationAzureDiskComplete 1.17:alpha 1.21:deprecated 1.22:gone
CSIMigrationAzureFile 1.15:alpha 1.21:beta 1.24:beta+ 1.26:ga+! 1.30:gone
CSIMigrationAzureFileComplete 1.17:alpha 1.21:deprecated 1.22:gone
CSIMigrationGCE 1.14:alpha 1.17:beta 1.23:beta+ 1.25:ga+! 1.28:gone
CSIMigrationGCEComplete 1.17:alpha 1.21:deprecated 1.22:gone
CSIMigrationOpenStack 1.14:alpha 1.18:beta+ 1.24:ga+! 1.26:gone
CSIMigrationOpenStackComplete 1.17:alpha 1.21:deprecated 1.22:gone
CSIMigrationRBD 1.23:alpha 1.28:deprecated 1.31:gone
CSIMigrationvSphere 1.18:alpha 1.19:beta 1.25:beta+ 1.26:ga+! 1.29:gone
CSIMigrationvSphereComplete 1.19:beta 1.22:deprecated 1.23:gone
CSINodeExpandSecret 1.25:alpha 1.27:beta+ 1.29:ga+! 1.31:gone
CSINodeInfo 1.12:alpha 1.14:beta+ 1.17:ga+! 1.23:gone
CSIPersistentVolume 1.9:alpha 1.10:beta+ 1.13:ga+! 1.17:gone
CSIServiceAccountToken 1.20:alpha 1.21:beta+ 1.22:ga+! 1.25:gone
CSIStorageCapacity 1.19:alpha 1.21:beta+ 1.24:ga+! 1.28:gone
CSIVolumeFSGroupPolicy 1.19:alpha 1.20:beta+ 1.23:ga+! 1.26:gone
CSRDuration 1.22:beta+ 1.24:ga+! 1.26:gone
CloudDualStackNodeIPs 1.27:alpha 1.29:beta+ 1.30:ga+! 1.32:gone
ConfigurableFSGroupPolicy 1.18:alpha 1.20:beta+ 1.23:ga+! 1.26:gone
ConsistentHTTPGetHandlers 1.25:ga+! 1.31:gone
ControllerManagerLeaderMigration 1.21:alpha 1.22:beta+ 1.24:ga+! 1.27:gone
CronJobControllerV2 1.20:alpha 1.21:beta+ 1.22:ga+! 1.24:gone
CronJobTimeZone 1.24:alpha 1.25:beta+ 1.27:ga+! 1.29:gone
CustomPodDNS 1.9:alpha 1.10:beta+ 1.14:ga+! 1.17:gone
CustomResourceDefaulting 1.15:alpha 1.16:beta+ 1.17:ga+! 1.19:gone
CustomResourcePublishOpenAPI 1.14:alpha 1.15:beta+ 1.16:ga+! 1.19:gone
CustomResourceSubresources 1.10:alpha 1.11:beta+ 1.16:ga+! 1.19:gone
CustomResourceValidation 1.8:alpha 1.9:beta+ 1.16:ga+! 1.19:gone
CustomResourceValidationExpressions 1.23:alpha 1.25:beta+ 1.29:ga+! 1.31:gone
CustomResourceWebhookConversion 1.13:alpha 1.15:beta+ 1.16:ga+! 1.19:gone
DRAControlPlaneController 1.26:alpha 1.32:gone
DaemonSetUpdateSurge 1.21:alpha 1.22:beta+ 1.25:ga+! 1.27:gone
DefaultHostNetworkHostPortsInPodTemplates 1.28:deprecated 1.31:gone
DefaultPodTopologySpread 1.19:alpha 1.20:beta+ 1.24:ga+! 1.26:gone
DelegateFSGroupToCSIDriver 1.22:alpha 1.23:beta+ 1.26:ga+! 1.28:gone
DevicePlugins 1.8:alpha 1.10:beta+ 1.26:ga+! 1.28:gone
DisableAcceleratorUsageMetrics 1.19:alpha 1.20:beta+ 1.25:ga+! 1.28:gone
DisableCloudProviders 1.22:alpha 1.29:beta+ 1.31:ga+! 1.33:gone
DisableKubeletCloudCredentialProviders 1.23:alpha 1.29:beta+ 1.31:ga+! 1.33:gone
DownwardAPIHugePages 1.20:alpha 1.21:beta 1.22:beta+ 1.27:ga+! 1.29:gone
DryRun 1.12:alpha 1.13:beta+ 1.19:ga+! 1.28:gone
DynamicAuditing 1.13:alpha 1.19:deprecated 1.20:gone
DynamicKubeletConfig 1.4:alpha 1.11:beta+ 1.22:deprecated 1.26:gone
EfficientWatchResumption 1.20:alpha 1.21:beta+ 1.24:ga+! 1.33:gone
EnableAggregatedDiscoveryTimeout 1.16:deprecated+ 1.18:gone
EnableEquivalenceClassCache 1.8:alpha 1.13:deprecated 1.24:gone
EndpointSlice 1.16:alpha 1.17:beta 1.18:beta+ 1.21:ga+! 1.25:gone
EndpointSliceNodeName 1.20:alpha 1.21:ga+! 1.25:gone
EndpointSliceProxying 1.18:alpha 1.19:beta+ 1.22:ga+! 1.25:gone
EndpointSliceTerminatingCondition 1.20:alpha 1.22:beta+ 1.26:ga+! 1.28:gone
EphemeralContainers 1.16:alpha 1.23:beta+ 1.25:ga+! 1.27:gone
EvenPodsSpread 1.16:alpha 1.18:beta+ 1.19:ga+! 1.22:gone
ExpandCSIVolumes 1.14:alpha 1.16:beta+ 1.24:ga+! 1.27:gone
ExpandInUsePersistentVolumes 1.11:alpha 1.15:beta+ 1.24:ga+! 1.27:gone
ExpandPersistentVolumes 1.8:alpha 1.11:beta+ 1.24:ga+! 1.27:gone
ExpandedDNSConfig 1.22:alpha 1.26:beta+ 1.28:ga+! 1.30:gone
ExperimentalCriticalPodAnnotation 1.5:alpha 1.13:deprecated 1.17:gone
ExperimentalHostUserNamespaceDefaulting 1.5:beta 1.28:deprecated 1.30:gone
ExternalPolicyForExternalIP 1.18:ga+! 1.23:gone
GCERegionalPersistentDisk 1.10:beta+ 1.13:ga+! 1.17:gone
GRPCContainerProbe 1.23:alpha 1.24:beta+ 1.27:ga+! 1.29:gone
GenericEphemeralVolume 1.19:alpha 1.21:beta+ 1.23:ga+! 1.25:gone
HPAContainerMetrics 1.20:alpha 1.27:beta+ 1.30:ga+! 1.32:gone
HugePageStorageMediumSize 1.18:alpha 1.19:beta+ 1.22:ga+! 1.25:gone
HugePages 1.8:alpha 1.10:beta+ 1.14:ga+! 1.17:gone
HyperVContainer 1.10:alpha 1.20:deprecated 1.21:gone
IPTablesOwnershipCleanup 1.25:alpha 1.27:beta+ 1.28:ga+! 1.30:gone
IPv6DualStack 1.15:alpha 1.21:beta+ 1.23:ga+! 1.25:gone
IdentifyPodOS 1.23:alpha 1.24:beta+ 1.25:ga+! 1.27:gone
ImmutableEphemeralVolumes 1.18:alpha 1.19:beta+ 1.21:ga+! 1.25:gone
InTreePluginAWSUnregister 1.21:alpha 1.31:gone
InTreePluginAzureDiskUnregister 1.21:alpha 1.31:gone
InTreePluginAzureFileUnregister 1.21:alpha 1.31:gone
InTreePluginGCEUnregister 1.21:alpha 1.31:gone
InTreePluginOpenStackUnregister 1.21:alpha 1.31:gone
InTreePluginRBDUnregister 1.23:alpha 1.28:deprecated 1.31:gone
InTreePluginvSphereUnregister 1.21:alpha 1.31:gone
IndexedJob 1.21:alpha 1.22:beta+ 1.24:ga+! 1.26:gone
IngressClassNamespacedParams 1.21:alpha 1.22:beta+ 1.23:ga+! 1.25:gone
JobMutableNodeSchedulingDirectives 1.23:beta+ 1.27:ga+! 1.29:gone
JobPodFailurePolicy 1.25:alpha 1.26:beta+ 1.31:ga+! 1.33:gone
JobReadyPods 1.23:alpha 1.24:beta+ 1.29:ga+! 1.31:gone
JobTrackingWithFinalizers 1.22:alpha 1.23:beta 1.25:beta+ 1.26:ga+! 1.29:gone
KMSv2 1.25:alpha 1.27:beta+ 1.29:ga+! 1.32:gone
KMSv2KDF 1.28:beta 1.29:ga+! 1.32:gone
KubeProxyDrainingTerminatingNodes 1.28:alpha 1.30:beta+ 1.31:ga+! 1.33:gone
KubeletCredentialProviders 1.20:alpha 1.24:beta+ 1.26:ga+! 1.29:gone
KubeletPluginsWatcher 1.11:alpha 1.12:beta+ 1.13:ga+! 1.17:gone
KubeletPodResources 1.13:alpha 1.15:beta+ 1.28:ga+! 1.30:gone
KubeletPodResourcesGetAllocatable 1.21:alpha 1.23:beta+ 1.28:ga+! 1.30:gone
LegacyNodeRoleBehavior 1.16:alpha 1.19:beta+ 1.21:ga! 1.23:gone
LegacyServiceAccountTokenCleanUp 1.28:alpha 1.29:beta+ 1.30:ga+! 1.32:gone
LegacyServiceAccountTokenNoAutoGeneration 1.24:beta+ 1.26:ga+! 1.29:gone
LegacyServiceAccountTokenTracking 1.26:alpha 1.27:beta+ 1.28:ga+! 1.30:gone
LocalStorageCapacityIsolation 1.7:alpha 1.10:beta+ 1.25:ga+! 1.27:gone
MinDomainsInPodTopologySpread 1.24:alpha 1.25:beta 1.27:beta+ 1.30:ga+! 1.32:gone
MinimizeIPTablesRestore 1.26:alpha 1.27:beta+ 1.28:ga+! 1.30:gone
MixedProtocolLBService 1.20:alpha 1.24:beta+ 1.26:ga+! 1.28:gone
MountContainers 1.9:alpha 1.17:deprecated 1.18:gone
MultiCIDRRangeAllocator 1.25:alpha 1.29:gone
NamespaceDefaultLabelName 1.21:beta+ 1.22:ga+! 1.24:gone
NetworkPolicyEndPort 1.21:alpha 1.22:beta+ 1.25:ga+! 1.27:gone
NetworkPolicyStatus 1.24:alpha 1.28:gone
NewVolumeManagerReconstruction 1.25:alpha 1.27:beta+ 1.30:ga+! 1.32:gone
NodeDisruptionExclusion 1.16:alpha 1.19:beta+ 1.21:ga+! 1.23:gone
NodeLease 1.12:alpha 1.14:beta+ 1.17:ga+! 1.24:gone
NodeOutOfServiceVolumeDetach 1.24:alpha 1.26:beta+ 1.28:ga+! 1.32:gone
NonPreemptingPriority 1.15:alpha 1.19:beta+ 1.24:ga+! 1.26:gone
OpenAPIV3 1.23:alpha 1.24:beta+ 1.27:ga+! 1.29:gone
PDBUnhealthyPodEvictionPolicy 1.26:alpha 1.27:beta+ 1.31:ga+! 1.33:gone
PersistentLocalVolumes 1.7:alpha 1.10:beta+ 1.14:ga+! 1.17:gone
PersistentVolumeLastPhaseTransitionTime 1.28:alpha 1.29:beta+ 1.31:ga+! 1.33:gone
PodAffinityNamespaceSelector 1.21:alpha 1.22:beta+ 1.24:ga+! 1.26:gone
PodDisruptionBudget 1.3:alpha 1.5:beta+ 1.21:ga+! 1.26:gone
PodHasNetworkCondition 1.25:alpha 1.28:gone
PodHostIPs 1.28:alpha 1.29:beta+ 1.30:ga+! 1.32:gone
PodOverhead 1.16:alpha 1.18:beta+ 1.24:ga+! 1.26:gone
PodPriority 1.8:alpha 1.11:beta+ 1.14:ga+! 1.19:gone
PodReadinessGates 1.11:alpha 1.12:beta+ 1.14:ga+! 1.17:gone
PodSecurity 1.22:alpha 1.23:beta+ 1.25:ga+! 1.28:gone
PodShareProcessNamespace 1.10:alpha 1.12:beta+ 1.17:ga+! 1.20:gone
PreferNominatedNode 1.21:alpha 1.22:beta+ 1.24:ga+! 1.26:gone
ProbeTerminationGracePeriod 1.21:alpha 1.22:beta 1.25:beta+ 1.28:ga+! 1.29:gone
ProxyTerminatingEndpoints 1.22:alpha 1.26:beta+ 1.28:ga+! 1.30:gone
ReadWriteOncePod 1.22:alpha 1.27:beta+ 1.29:ga+! 1.31:gone
RemainingItemCount 1.15:alpha 1.16:beta+ 1.29:ga+! 1.33:gone
RemoveSelfLink 1.16:alpha 1.20:beta+ 1.24:ga+! 1.30:gone
RequestManagement 1.15:alpha 1.17:deprecated 1.18:gone
ResourceLimitsPriorityFunction 1.9:alpha 1.19:deprecated 1.20:gone
ResourceQuotaScopeSelectors 1.11:alpha 1.12:beta+ 1.17:ga+! 1.19:gone
RetroactiveDefaultStorageClass 1.25:alpha 1.26:beta+ 1.28:ga+! 1.29:gone
RootCAConfigMap 1.13:alpha 1.20:beta+ 1.21:ga+! 1.23:gone
RotateKubeletClientCertificate 1.8:beta+ 1.19:ga+! 1.22:gone
RunAsGroup 1.14:beta+ 1.21:ga+! 1.23:gone
RuntimeClass 1.12:alpha 1.14:beta+ 1.20:ga+! 1.25:gone
SCTPSupport 1.12:alpha 1.19:beta+ 1.20:ga+! 1.23:gone
ScheduleDaemonSetPods 1.11:alpha 1.12:beta+ 1.17:ga+! 1.19:gone
SeccompDefault 1.22:alpha 1.25:beta+ 1.27:ga+! 1.29:gone
SecurityContextDeny 1.27:alpha 1.30:gone
SelectorIndex 1.18:alpha 1.19:beta+ 1.20:ga+! 1.26:gone
ServerSideApply 1.14:alpha 1.16:beta+ 1.22:ga+! 1.32:gone
ServerSideFieldValidation 1.23:alpha 1.25:beta+ 1.27:ga+! 1.32:gone
ServiceAccountIssuerDiscovery 1.18:alpha 1.20:beta+ 1.21:ga+! 1.24:gone
ServiceAppProtocol 1.18:alpha 1.19:beta+ 1.20:ga+! 1.23:gone
ServiceIPStaticSubrange 1.24:alpha 1.25:beta+ 1.26:ga+! 1.28:gone
ServiceInternalTrafficPolicy 1.21:alpha 1.22:beta+ 1.26:ga+! 1.28:gone
ServiceLBNodePortControl 1.20:alpha 1.22:beta+ 1.24:ga+! 1.26:gone
ServiceLoadBalancerClass 1.21:alpha 1.22:beta+ 1.24:ga+! 1.26:gone
ServiceLoadBalancerFinalizer 1.15:alpha 1.16:beta+ 1.17:ga+! 1.21:gone
ServiceNodeExclusion 1.8:alpha 1.19:beta+ 1.21:ga+! 1.23:gone
ServiceNodePortStaticSubrange 1.27:alpha 1.28:beta+ 1.29:ga+! 1.31:gone
ServiceTopology 1.17:alpha 1.20:deprecated 1.23:gone
SetHostnameAsFQDN 1.19:alpha 1.20:beta+ 1.22:ga+! 1.25:gone
SkipReadOnlyValidationGCE 1.28:alpha 1.29:deprecated+ 1.31:gone
StableLoadBalancerNodeSet 1.27:beta+ 1.30:ga+! 1.32:gone
StartupProbe 1.16:alpha 1.18:beta+ 1.20:ga+! 1.24:gone
StatefulSetMinReadySeconds 1.22:alpha 1.23:beta+ 1.25:ga+! 1.27:gone
StorageObjectInUseProtection 1.10:beta+ 1.11:ga+! 1.25:gone
StreamingProxyRedirects 1.5:beta 1.6:beta+ 1.18:deprecated+ 1.22:deprecated 1.25:gone
SupportIPVSProxyMode 1.8:alpha 1.9:beta 1.10:beta+ 1.11:ga+! 1.21:gone
SupportNodePidsLimit 1.14:alpha 1.15:beta+ 1.20:ga+! 1.24:gone
SupportPodPidsLimit 1.10:alpha 1.14:beta+ 1.20:ga+! 1.24:gone
SuspendJob 1.21:alpha 1.22:beta+ 1.24:ga+! 1.26:gone
Sysctls 1.11:beta+ 1.21:ga+! 1.23:gone
TTLAfterFinished 1.12:alpha 1.21:beta+ 1.23:ga+! 1.25:gone
TaintBasedEvictions 1.6:alpha 1.13:beta+ 1.18:ga+! 1.21:gone
TaintNodesByCondition 1.8:alpha 1.12:beta+ 1.17:ga+! 1.19:gone
TokenRequest 1.10:alpha 1.12:beta+ 1.20:ga+! 1.22:gone
TokenRequestProjection 1.11:alpha 1.12:beta+ 1.20:ga+! 1.22:gone
TopologyManager 1.16:alpha 1.18:beta+ 1.27:ga+! 1.29:gone
UserNamespacesStatelessPodsSupport 1.25:alpha 1.28:gone
ValidateProxyRedirects 1.12:alpha 1.14:beta+ 1.22:deprecated+ 1.25:gone
ValidatingAdmissionPolicy 1.26:alpha 1.28:beta 1.30:ga+! 1.32:gone
VolumeCapacityPriority 1.21:alpha 1.33:gone
VolumePVCDataSource 1.15:alpha 1.16:beta+ 1.18:ga+! 1.22:gone
VolumeScheduling 1.9:alpha 1.10:beta+ 1.13:ga+! 1.17:gone
VolumeSnapshotDataSource 1.12:alpha 1.17:beta+ 1.20:ga+! 1.23:gone
VolumeSubpath 1.10:ga+! 1.25:gone
VolumeSubpathEnvExpansion 1.14:alpha 1.15:beta+ 1.17:ga+! 1.25:gone
WarningHeaders 1.19:beta+ 1.22:ga+! 1.25:gone
WatchBookmark 1.15:alpha 1.16:beta+ 1.17:ga+! 1.33:gone
WindowsEndpointSliceProxying 1.19:alpha 1.21:beta+ 1.22:ga+! 1.25:gone
WindowsGMSA 1.14:alpha 1.16:beta+ 1.18:ga+! 1.19:gone
WindowsHostProcessContainers 1.22:alpha 1.23:beta+ 1.26:ga+! 1.28:gone
WindowsRunAsUserName 1.16:alpha 1.17:beta+ 1.18:ga+! 1.21:gone
ZeroLimitedNominalConcurrencyShares 1.29:beta 1.30:ga+! 1.32:gone
`
