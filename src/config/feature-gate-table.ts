// Made by scripts/catalog.mjs. Do not edit.
export const featureGateTable = `\
APIResponseCompression 1.8:alpha 1.16:beta+
APIServerIdentity 1.20:alpha 1.26:beta+
APIServerTracing 1.22:alpha 1.27:beta+
APIServingWithRoutine 1.30:alpha
AggregatedDiscoveryRemoveBetaType 1.0:ga 1.33:deprecated+
AllowDNSOnlyNodeCSR 1.0:ga+ 1.31:deprecated
AllowInsecureKubeletCertificateSigningRequests 1.0:ga+ 1.31:deprecated
AllowOverwriteTerminationGracePeriodSeconds 1.0:ga+ 1.32:deprecated
AllowParsingUserUIDFromCertAuth 1.33:beta+
AllowServiceLBStatusOnNonLB 1.0:ga+ 1.29:deprecated 1.32:deprecated!
AllowUnsafeMalformedObjectDeletion 1.32:alpha
AnonymousAuthConfigurableEndpoints 1.31:alpha 1.32:beta+
AnyVolumeDataSource 1.18:alpha 1.24:beta+ 1.33:ga+!
AuthorizeNodeWithSelectors 1.31:alpha 1.32:beta+
AuthorizeWithSelectors 1.31:alpha 1.32:beta+
BtreeWatchCache 1.32:beta+ 1.33:ga+!
CBORServingAndStorage 1.32:alpha
CPUManagerPolicyAlphaOptions 1.23:alpha
CPUManagerPolicyBetaOptions 1.23:beta+
CPUManagerPolicyOptions 1.22:alpha 1.23:beta+ 1.33:ga+!
CRDValidationRatcheting 1.28:alpha 1.30:beta+ 1.33:ga+!
CSIMigrationPortworx 1.23:alpha 1.25:beta 1.31:beta+ 1.33:ga+!
CSIVolumeHealth 1.21:alpha
ClientsAllowCBOR 1.0:alpha
ClientsPreferCBOR 1.0:alpha
CloudControllerManagerWebhook 1.27:alpha
ClusterTrustBundle 1.27:alpha 1.33:beta
ClusterTrustBundleProjection 1.29:alpha 1.33:beta
ComponentFlagz 1.32:alpha
ComponentSLIs 1.26:alpha 1.27:beta+ 1.32:ga+!
ComponentStatusz 1.32:alpha
ConcurrentWatchObjectDecode 1.31:beta
ConsistentListFromCache 1.28:alpha 1.31:beta+
ContainerCheckpoint 1.25:alpha 1.30:beta+
ContainerStopSignals 1.33:alpha
ContextualLogging 1.24:alpha 1.30:beta+
CoordinatedLeaderElection 1.31:alpha 1.33:beta
CronJobsScheduledAnnotation 1.28:beta+ 1.32:ga+!
CrossNamespaceVolumeDataSource 1.26:alpha
CustomCPUCFSQuotaPeriod 1.12:alpha
CustomResourceFieldSelectors 1.30:alpha 1.31:beta+ 1.32:ga+!
DRAAdminAccess 1.32:alpha
DRADeviceTaints 1.33:alpha
DRAPartitionableDevices 1.33:alpha
DRAPrioritizedList 1.33:alpha
DRAResourceClaimDeviceStatus 1.32:alpha 1.33:beta+
DeclarativeValidation 1.33:beta+
DeclarativeValidationTakeover 1.33:beta
DeploymentReplicaSetTerminatingReplicas 1.33:alpha
DevicePluginCDIDevices 1.28:alpha 1.29:beta+ 1.31:ga+!
DisableAllocatorDualWrite 1.31:alpha 1.33:beta
DisableCPUQuotaWithExclusiveCPUs 1.33:beta+
DisableNodeKubeProxyVersion 1.29:alpha 1.31:deprecated 1.33:deprecated+
DynamicResourceAllocation 1.26:alpha 1.32:beta
ElasticIndexedJob 1.27:beta+ 1.31:ga+!
EventedPLEG 1.26:alpha
ExecProbeTimeout 1.20:ga+
ExternalServiceAccountTokenSigner 1.32:alpha
GitRepoVolumeDriver 1.0:ga+ 1.33:deprecated
GracefulNodeShutdown 1.20:alpha 1.21:beta+
GracefulNodeShutdownBasedOnPodPriority 1.23:alpha 1.24:beta+
HPAConfigurableTolerance 1.33:alpha
HPAScaleToZero 1.16:alpha
HonorPVReclaimPolicy 1.23:alpha 1.31:beta+ 1.33:ga+!
ImageMaximumGCAge 1.29:alpha 1.30:beta+
ImageVolume 1.31:alpha 1.33:beta
InOrderInformers 1.0:beta+
InPlacePodVerticalScaling 1.27:alpha 1.33:beta+
InPlacePodVerticalScalingAllocatedStatus 1.32:alpha 1.33:deprecated
InPlacePodVerticalScalingExclusiveCPUs 1.32:alpha
InTreePluginPortworxUnregister 1.23:alpha
InformerResourceVersion 1.0:alpha
JobBackoffLimitPerIndex 1.28:alpha 1.29:beta+ 1.33:ga+!
JobManagedBy 1.30:alpha 1.32:beta+
JobPodReplacementPolicy 1.28:alpha 1.29:beta+
JobSuccessPolicy 1.30:alpha 1.31:beta+ 1.33:ga+!
KMSv1 1.0:ga+ 1.28:deprecated+ 1.29:deprecated
KubeletCgroupDriverFromCRI 1.28:alpha 1.31:beta+
KubeletCrashLoopBackOffMax 1.32:alpha
KubeletEnsureSecretPulledImages 1.33:alpha
KubeletFineGrainedAuthz 1.32:alpha 1.33:beta+
KubeletInUserNamespace 1.22:alpha
KubeletPSI 1.33:alpha
KubeletPodResourcesDynamicResources 1.27:alpha
KubeletPodResourcesGet 1.27:alpha
KubeletRegistrationGetOnExistsOnly 1.0:ga+ 1.32:deprecated
KubeletSeparateDiskGC 1.29:alpha 1.31:beta+
KubeletServiceAccountTokenForCredentialProviders 1.33:alpha
KubeletTracing 1.25:alpha 1.27:beta+
LegacySidecarContainers 1.0:ga+ 1.33:deprecated
ListFromCacheSnapshot 1.33:alpha
LoadBalancerIPMode 1.29:alpha 1.30:beta+ 1.32:ga+!
LocalStorageCapacityIsolationFSQuotaMonitoring 1.15:alpha 1.31:beta
LogarithmicScaleDown 1.21:alpha 1.22:beta+ 1.31:ga+!
LoggingAlphaOptions 1.24:alpha
LoggingBetaOptions 1.24:beta+
MatchLabelKeysInPodAffinity 1.29:alpha 1.31:beta+ 1.33:ga+!
MatchLabelKeysInPodTopologySpread 1.25:alpha 1.27:beta+
MaxUnavailableStatefulSet 1.24:alpha
MemoryManager 1.21:alpha 1.22:beta+ 1.32:ga+!
MemoryQoS 1.22:alpha
MultiCIDRServiceAllocator 1.27:alpha 1.31:beta 1.33:ga+
MutableCSINodeAllocatableCount 1.33:alpha
MutatingAdmissionPolicy 1.32:alpha
NFTablesProxyMode 1.29:alpha 1.31:beta+ 1.33:ga+!
NodeInclusionPolicyInPodTopologySpread 1.25:alpha 1.26:beta+ 1.33:ga+!
NodeLogQuery 1.27:alpha 1.30:beta
NodeSwap 1.22:alpha 1.28:beta 1.30:beta+
OpenAPIEnums 1.23:alpha 1.24:beta+
OrderedNamespaceDeletion 1.30:beta 1.33:beta+
PodAndContainerStatsFromCRI 1.23:alpha
PodDeletionCost 1.21:alpha 1.22:beta+
PodDisruptionConditions 1.25:alpha 1.26:beta+ 1.31:ga+!
PodIndexLabel 1.28:beta+ 1.32:ga+!
PodLevelResources 1.32:alpha
PodLifecycleSleepAction 1.29:alpha 1.30:beta+
PodLifecycleSleepActionAllowZero 1.32:alpha 1.33:beta+
PodLogsQuerySplitStreams 1.32:alpha
PodObservedGenerationTracking 1.33:alpha
PodReadyToStartContainersCondition 1.28:alpha 1.29:beta+
PodSchedulingReadiness 1.26:alpha 1.27:beta+ 1.30:ga+!
PodTopologyLabelsAdmission 1.33:alpha
PortForwardWebsockets 1.30:alpha 1.31:beta+
PreferSameTrafficDistribution 1.33:alpha
ProcMountType 1.12:alpha 1.31:beta 1.33:beta+
QOSReserved 1.11:alpha
RecoverVolumeExpansionFailure 1.23:alpha 1.32:beta+
RecursiveReadOnlyMounts 1.30:alpha 1.31:beta+ 1.33:ga+!
ReduceDefaultCrashLoopBackOffDecay 1.33:alpha
RelaxedDNSSearchValidation 1.32:alpha 1.33:beta+
RelaxedEnvironmentVariableValidation 1.30:alpha 1.32:beta+
ReloadKubeletServerCertificateFile 1.31:beta+
RemoteRequestHeaderUID 1.32:alpha 1.33:beta+
ResilientWatchCacheInitialization 1.31:beta+
ResourceHealthStatus 1.31:alpha
RetryGenerateName 1.30:alpha 1.31:beta+ 1.32:ga+!
RotateKubeletServerCertificate 1.7:alpha 1.12:beta+
RuntimeClassInImageCriApi 1.29:alpha
SELinuxChangePolicy 1.32:alpha 1.33:beta+
SELinuxMount 1.30:alpha 1.33:beta
SELinuxMountReadWriteOncePod 1.25:alpha 1.27:beta 1.28:beta+
SchedulerAsyncPreemption 1.32:alpha 1.33:beta+
SchedulerPopFromBackoffQ 1.33:beta+
SchedulerQueueingHints 1.28:beta 1.32:beta+
SeparateCacheWatchRPC 1.28:beta+ 1.33:deprecated
SeparateTaintEvictionController 1.29:beta+
ServiceAccountNodeAudienceRestriction 1.32:beta 1.33:beta+
ServiceAccountTokenJTI 1.29:alpha 1.30:beta+ 1.32:ga+!
ServiceAccountTokenNodeBinding 1.29:alpha 1.31:beta+ 1.33:ga+!
ServiceAccountTokenNodeBindingValidation 1.29:alpha 1.30:beta+ 1.32:ga+!
ServiceAccountTokenPodNodeInfo 1.29:alpha 1.30:beta+ 1.32:ga+!
ServiceTrafficDistribution 1.30:alpha 1.31:beta+ 1.33:ga+!
SidecarContainers 1.28:alpha 1.29:beta+ 1.33:ga+!
SizeMemoryBackedVolumes 1.20:alpha 1.22:beta+ 1.32:ga+!
StatefulSetAutoDeletePVC 1.23:alpha 1.27:beta+ 1.32:ga+!
StatefulSetStartOrdinal 1.26:alpha 1.27:beta+ 1.31:ga+!
StorageCapacityScoring 1.33:alpha
StorageNamespaceIndex 1.30:beta+ 1.33:deprecated+
StorageVersionAPI 1.20:alpha
StorageVersionHash 1.14:alpha 1.15:beta+
StorageVersionMigrator 1.30:alpha
StreamingCollectionEncodingToJSON 1.33:beta+
StreamingCollectionEncodingToProtobuf 1.33:beta+
StrictCostEnforcementForVAP 1.30:beta 1.32:ga+!
StrictCostEnforcementForWebhooks 1.30:beta 1.32:ga+!
StrictIPCIDRValidation 1.33:alpha
StructuredAuthenticationConfiguration 1.29:alpha 1.30:beta+
StructuredAuthorizationConfiguration 1.29:alpha 1.30:beta+ 1.32:ga+!
SupplementalGroupsPolicy 1.31:alpha 1.33:beta+
SystemdWatchdog 1.32:beta+
TopologyAwareHints 1.21:alpha 1.23:beta 1.24:beta+ 1.33:ga+!
TopologyManagerPolicyAlphaOptions 1.26:alpha
TopologyManagerPolicyBetaOptions 1.26:beta 1.28:beta+
TopologyManagerPolicyOptions 1.26:alpha 1.28:beta+ 1.32:ga+
TranslateStreamCloseWebsocketRequests 1.29:alpha 1.30:beta+
UnauthenticatedHTTP2DOSMitigation 1.25:beta 1.29:beta+
UnknownVersionInteroperabilityProxy 1.28:alpha
UserNamespacesPodSecurityStandards 1.29:alpha
UserNamespacesSupport 1.25:alpha 1.30:beta 1.33:beta+
VolumeAttributesClass 1.29:alpha 1.31:beta
WatchCacheInitializationPostStartHook 1.31:beta
WatchFromStorageWithoutResourceVersion 1.27:beta 1.33:deprecated!
WatchList 1.27:alpha 1.32:beta+ 1.33:beta
WatchListClient 1.0:beta
WinDSR 1.14:alpha 1.33:beta+
WinOverlay 1.14:alpha 1.20:beta+
WindowsCPUAndMemoryAffinity 1.32:alpha
WindowsGracefulNodeShutdown 1.32:alpha
WindowsHostNetwork 1.26:alpha 1.33:deprecated
`
