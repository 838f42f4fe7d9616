// Made by scripts/catalog.mjs. Do not edit.
export const coreV1 = `@AWSElasticBlockStoreVolumeSource
volumeID	string	re	D""	#1
fsType	string	#2
partition	integer:int32	#3
readOnly	boolean	#4
@Affinity
nodeAffinity	.NodeAffinity	p	#1
podAffinity	.PodAffinity	p	#2
podAntiAffinity	.PodAntiAffinity	p	#3
@AppArmorProfile	Utype:localhostProfile=LocalhostProfile
type	string	re	ELocalhost|RuntimeDefault|Unconfined	D""	Tv1.AppArmorProfileType	#1
localhostProfile	string	p	#2
@AttachedVolume
name	string	re	D""	Tv1.UniqueVolumeName	#1
devicePath	string	re	D""	#2
@AzureDiskVolumeSource
diskName	string	re	D""	#1
diskURI	string	re	D""	#2
cachingMode	string	p	ENone|ReadOnly|ReadWrite	D"ReadWrite"	Tv1.AzureDataDiskCachingMode	#3
fsType	string	p	D"ext4"	#4
readOnly	boolean	p	Dfalse	#5
kind	string	p	EDedicated|Managed|Shared	D"Shared"	Tv1.AzureDataDiskKind	#6
@AzureFilePersistentVolumeSource
secretName	string	re	D""	#1
shareName	string	re	D""	#2
readOnly	boolean	#3
secretNamespace	string	pe	#4
@AzureFileVolumeSource
secretName	string	re	D""	#1
shareName	string	re	D""	#2
readOnly	boolean	#3
@Binding	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
target	.ObjectReference	re	#2
@CSIPersistentVolumeSource
driver	string	re	D""	#1
volumeHandle	string	re	D""	#2
readOnly	boolean	#3
fsType	string	#4
volumeAttributes	{string}	#5
controllerPublishSecretRef	.SecretReference	p	#6
nodeStageSecretRef	.SecretReference	p	#7
nodePublishSecretRef	.SecretReference	p	#8
controllerExpandSecretRef	.SecretReference	p	#9
nodeExpandSecretRef	.SecretReference	p	#10
@CSIVolumeSource
driver	string	re	D""	#1
readOnly	boolean	p	#2
fsType	string	p	#3
volumeAttributes	{string}	#4
nodePublishSecretRef	.LocalObjectReference	p	#5
@Capabilities
add	[string]	L:atomic	T[]v1.Capability	#1
drop	[string]	L:atomic	T[]v1.Capability	#2
@CephFSPersistentVolumeSource
monitors	[string]	re	L:atomic	#1
path	string	#2
user	string	#3
secretFile	string	#4
secretRef	.SecretReference	p	#5
readOnly	boolean	#6
@CephFSVolumeSource
monitors	[string]	re	L:atomic	#1
path	string	#2
user	string	#3
secretFile	string	#4
secretRef	.LocalObjectReference	p	#5
readOnly	boolean	#6
@CinderPersistentVolumeSource
volumeID	string	re	D""	#1
fsType	string	#2
readOnly	boolean	#3
secretRef	.SecretReference	p	#4
@CinderVolumeSource
volumeID	string	re	D""	#1
fsType	string	#2
readOnly	boolean	#3
secretRef	.LocalObjectReference	p	#4
@ClientIPConfig
timeoutSeconds	integer:int32	p	#1
@ClusterTrustBundleProjection
name	string	p	#1
signerName	string	p	#2
labelSelector	meta.v1.LabelSelector	p	#3
optional	boolean	p	#5
path	string	re	D""	#4
@ComponentCondition
type	string	re	D""	Tv1.ComponentConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
message	string	#3
error	string	#4
@ComponentStatus	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
conditions	[.ComponentCondition]	Ltype	Pmerge:type	#2
@ComponentStatusList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ComponentStatus]	re	#2
@ConfigMap	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
immutable	boolean	p	#4
data	{string}	#2
binaryData	{string:byte}	#3
@ConfigMapEnvSource
name	string	D""	#1.1
optional	boolean	p	#2
@ConfigMapKeySelector	A
name	string	D""	#1.1
key	string	re	D""	#2
optional	boolean	p	#3
@ConfigMapList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ConfigMap]	re	#2
@ConfigMapNodeConfigSource
namespace	string	re	D""	#1
name	string	re	D""	#2
uid	string	Ttypes.UID	#3
resourceVersion	string	#4
kubeletConfigKey	string	re	D""	#5
@ConfigMapProjection
name	string	D""	#1.1
items	[.KeyToPath]	L:atomic	#2
optional	boolean	p	#4
@ConfigMapVolumeSource
name	string	D""	#1.1
items	[.KeyToPath]	L:atomic	#2
defaultMode	integer:int32	p	#3
optional	boolean	p	#4
@Container
name	string	re	D""	#1
image	string	#2
command	[string]	L:atomic	#3
args	[string]	L:atomic	#4
workingDir	string	#5
ports	[.ContainerPort]	LcontainerPort,protocol	Pmerge:containerPort	#6
envFrom	[.EnvFromSource]	L:atomic	#19
env	[.EnvVar]	Lname	Pmerge:name	#7
resources	.ResourceRequirements	e	#8
resizePolicy	[.ContainerResizePolicy]	L:atomic	GInPlacePodVerticalScaling	#23
restartPolicy	string	p	GSidecarContainers	Tv1.ContainerRestartPolicy	#24
volumeMounts	[.VolumeMount]	LmountPath	Pmerge:mountPath	#9
volumeDevices	[.VolumeDevice]	LdevicePath	Pmerge:devicePath	#21
livenessProbe	.Probe	p	#10
readinessProbe	.Probe	p	#11
startupProbe	.Probe	p	#22
lifecycle	.Lifecycle	p	#12
terminationMessagePath	string	#13
terminationMessagePolicy	string	EFallbackToLogsOnError|File	Tv1.TerminationMessagePolicy	#20
imagePullPolicy	string	EAlways|IfNotPresent|Never	Tv1.PullPolicy	#14
securityContext	.SecurityContext	p	#15
stdin	boolean	#16
stdinOnce	boolean	#17
tty	boolean	#18
@ContainerImage
names	[string]	e	L:atomic	#1
sizeBytes	integer:int64	#2
@ContainerPort
name	string	#1
hostPort	integer:int32	#2
containerPort	integer:int32	re	D0	#3
protocol	string	ESCTP|TCP|UDP	D"TCP"	Tv1.Protocol	#4
hostIP	string	#5
@ContainerResizePolicy
resourceName	string	re	D""	Tv1.ResourceName	#1
restartPolicy	string	re	D""	Tv1.ResourceResizeRestartPolicy	#2
@ContainerState
waiting	.ContainerStateWaiting	p	#1
running	.ContainerStateRunning	p	#2
terminated	.ContainerStateTerminated	p	#3
@ContainerStateRunning
startedAt	meta.v1.Time	e	#1
@ContainerStateTerminated
exitCode	integer:int32	re	D0	#1
signal	integer:int32	#2
reason	string	#3
message	string	#4
startedAt	meta.v1.Time	e	#5
finishedAt	meta.v1.Time	e	#6
containerID	string	#7
@ContainerStateWaiting
reason	string	#1
message	string	#2
@ContainerStatus
name	string	re	D""	#1
state	.ContainerState	e	#2
lastState	.ContainerState	e	#3
ready	boolean	re	Dfalse	#4
restartCount	integer:int32	re	D0	#5
image	string	re	D""	#6
imageID	string	re	D""	#7
containerID	string	#8
started	boolean	p	#9
allocatedResources	{machinery.api.resource.Quantity}	GInPlacePodVerticalScalingAllocatedStatus	Tv1.ResourceList	#10
resources	.ResourceRequirements	p	GInPlacePodVerticalScaling	#11
volumeMounts	[.VolumeMountStatus]	LmountPath	Pmerge:mountPath	GRecursiveReadOnlyMounts	#12
user	.ContainerUser	p	GSupplementalGroupsPolicy	#13
allocatedResourcesStatus	[.ResourceStatus]	Lname	Pmerge:name	GResourceHealthStatus	#14
stopSignal	string	p	ESIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ	GContainerStopSignals	Tv1.Signal	#15
@ContainerUser
linux	.LinuxContainerUser	p	#1
@DaemonEndpoint
Port	integer:int32	re	D0	#1
@DownwardAPIProjection
items	[.DownwardAPIVolumeFile]	L:atomic	#1
@DownwardAPIVolumeFile
path	string	re	D""	#1
fieldRef	.ObjectFieldSelector	p	#2
resourceFieldRef	.ResourceFieldSelector	p	#3
mode	integer:int32	p	#4
@DownwardAPIVolumeSource
items	[.DownwardAPIVolumeFile]	L:atomic	#1
defaultMode	integer:int32	p	#2
@EmptyDirVolumeSource
medium	string	Tv1.StorageMedium	#1
sizeLimit	machinery.api.resource.Quantity	p	#2
@EndpointAddress	A
ip	string	re	D""	#1
hostname	string	#3
nodeName	string	p	#4
targetRef	.ObjectReference	p	#2
@EndpointPort	A
name	string	#1
port	integer:int32	re	D0	#2
protocol	string	ESCTP|TCP|UDP	Tv1.Protocol	#3
appProtocol	string	p	#4
@EndpointSubset
addresses	[.EndpointAddress]	L:atomic	#1
notReadyAddresses	[.EndpointAddress]	L:atomic	#2
ports	[.EndpointPort]	L:atomic	#3
@Endpoints	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
subsets	[.EndpointSubset]	L:atomic	#2
@EndpointsList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Endpoints]	re	#2
@EnvFromSource
prefix	string	#1
configMapRef	.ConfigMapEnvSource	p	#2
secretRef	.SecretEnvSource	p	#3
@EnvVar
name	string	re	D""	#1
value	string	#2
valueFrom	.EnvVarSource	p	#3
@EnvVarSource
fieldRef	.ObjectFieldSelector	p	#1
resourceFieldRef	.ResourceFieldSelector	p	#2
configMapKeyRef	.ConfigMapKeySelector	p	#3
secretKeyRef	.SecretKeySelector	p	#4
@EphemeralContainer
name	string	re	D""	#1.1
image	string	#1.2
command	[string]	L:atomic	#1.3
args	[string]	L:atomic	#1.4
workingDir	string	#1.5
ports	[.ContainerPort]	LcontainerPort,protocol	Pmerge:containerPort	#1.6
envFrom	[.EnvFromSource]	L:atomic	#1.19
env	[.EnvVar]	Lname	Pmerge:name	#1.7
resources	.ResourceRequirements	e	#1.8
resizePolicy	[.ContainerResizePolicy]	L:atomic	GInPlacePodVerticalScaling	#1.23
restartPolicy	string	p	GSidecarContainers	Tv1.ContainerRestartPolicy	#1.24
volumeMounts	[.VolumeMount]	LmountPath	Pmerge:mountPath	#1.9
volumeDevices	[.VolumeDevice]	LdevicePath	Pmerge:devicePath	#1.21
livenessProbe	.Probe	p	#1.10
readinessProbe	.Probe	p	#1.11
startupProbe	.Probe	p	#1.22
lifecycle	.Lifecycle	p	#1.12
terminationMessagePath	string	#1.13
terminationMessagePolicy	string	EFallbackToLogsOnError|File	Tv1.TerminationMessagePolicy	#1.20
imagePullPolicy	string	EAlways|IfNotPresent|Never	Tv1.PullPolicy	#1.14
securityContext	.SecurityContext	p	#1.15
stdin	boolean	#1.16
stdinOnce	boolean	#1.17
tty	boolean	#1.18
targetContainerName	string	#2
@EphemeralVolumeSource
volumeClaimTemplate	.PersistentVolumeClaimTemplate	p	#1
@Event	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	re	#1
involvedObject	.ObjectReference	re	#2
reason	string	#3
message	string	#4
source	.EventSource	e	#5
firstTimestamp	meta.v1.Time	e	#6
lastTimestamp	meta.v1.Time	e	#7
count	integer:int32	#8
type	string	#9
eventTime	meta.v1.MicroTime	e	#10
series	.EventSeries	p	#11
action	string	#12
related	.ObjectReference	p	#13
reportingComponent	string	e	D""	#14
reportingInstance	string	e	D""	#15
@EventList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Event]	re	#2
@EventSeries
count	integer:int32	#1
lastObservedTime	meta.v1.MicroTime	e	#2
@EventSource
component	string	#1
host	string	#2
@ExecAction
command	[string]	L:atomic	#1
@FCVolumeSource
targetWWNs	[string]	L:atomic	#1
lun	integer:int32	p	#2
fsType	string	#3
readOnly	boolean	#4
wwids	[string]	L:atomic	#5
@FlexPersistentVolumeSource
driver	string	re	D""	#1
fsType	string	#2
secretRef	.SecretReference	p	#3
readOnly	boolean	#4
options	{string}	#5
@FlexVolumeSource
driver	string	re	D""	#1
fsType	string	#2
secretRef	.LocalObjectReference	p	#3
readOnly	boolean	#4
options	{string}	#5
@FlockerVolumeSource
datasetName	string	#1
datasetUUID	string	#2
@GCEPersistentDiskVolumeSource
pdName	string	re	D""	#1
fsType	string	#2
partition	integer:int32	#3
readOnly	boolean	#4
@GRPCAction
port	integer:int32	re	D0	#1
service	string	pe	D""	#2
@GitRepoVolumeSource
repository	string	re	D""	#1
revision	string	#2
directory	string	#3
@GlusterfsPersistentVolumeSource
endpoints	string	re	D""	#1
path	string	re	D""	#2
readOnly	boolean	#3
endpointsNamespace	string	p	#4
@GlusterfsVolumeSource
endpoints	string	re	D""	#1
path	string	re	D""	#2
readOnly	boolean	#3
@HTTPGetAction
path	string	#1
port	machinery.util.intstr.IntOrString	re	#2
host	string	#3
scheme	string	EHTTP|HTTPS	Tv1.URIScheme	#4
httpHeaders	[.HTTPHeader]	L:atomic	#5
@HTTPHeader
name	string	re	D""	#1
value	string	re	D""	#2
@HostAlias
ip	string	re	D""	#1
hostnames	[string]	L:atomic	#2
@HostIP
ip	string	re	D""	#1
@HostPathVolumeSource
path	string	re	D""	#1
type	string	p	E|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket	Tv1.HostPathType	#2
@ISCSIPersistentVolumeSource
targetPortal	string	re	D""	#1
iqn	string	re	D""	#2
lun	integer:int32	re	D0	#3
iscsiInterface	string	D"default"	#4
fsType	string	#5
readOnly	boolean	#6
portals	[string]	L:atomic	#7
chapAuthDiscovery	boolean	#8
chapAuthSession	boolean	#11
secretRef	.SecretReference	p	#10
initiatorName	string	p	#12
@ISCSIVolumeSource
targetPortal	string	re	D""	#1
iqn	string	re	D""	#2
lun	integer:int32	re	D0	#3
iscsiInterface	string	D"default"	#4
fsType	string	#5
readOnly	boolean	#6
portals	[string]	L:atomic	#7
chapAuthDiscovery	boolean	#8
chapAuthSession	boolean	#11
secretRef	.LocalObjectReference	p	#10
initiatorName	string	p	#12
@ImageVolumeSource
reference	string	#1
pullPolicy	string	EAlways|IfNotPresent|Never	Tv1.PullPolicy	#2
@KeyToPath
key	string	re	D""	#1
path	string	re	D""	#2
mode	integer:int32	p	#3
@Lifecycle
postStart	.LifecycleHandler	p	#1
preStop	.LifecycleHandler	p	#2
stopSignal	string	p	ESIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ	Tv1.Signal	#3
@LifecycleHandler
exec	.ExecAction	p	#1
httpGet	.HTTPGetAction	p	#2
tcpSocket	.TCPSocketAction	p	#3
sleep	.SleepAction	p	GPodLifecycleSleepAction	#4
@LimitRange	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.LimitRangeSpec	e	#2
@LimitRangeItem
type	string	re	D""	Tv1.LimitType	#1
max	{machinery.api.resource.Quantity}	Tv1.ResourceList	#2
min	{machinery.api.resource.Quantity}	Tv1.ResourceList	#3
default	{machinery.api.resource.Quantity}	Tv1.ResourceList	#4
defaultRequest	{machinery.api.resource.Quantity}	Tv1.ResourceList	#5
maxLimitRequestRatio	{machinery.api.resource.Quantity}	Tv1.ResourceList	#6
@LimitRangeList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.LimitRange]	re	#2
@LimitRangeSpec
limits	[.LimitRangeItem]	re	L:atomic	#1
@LinuxContainerUser
uid	integer:int64	re	D0	#1
gid	integer:int64	re	D0	#2
supplementalGroups	[integer:int64]	L:atomic	#3
@LoadBalancerIngress
ip	string	#1
hostname	string	#2
ipMode	string	p	Tv1.LoadBalancerIPMode	#3
ports	[.PortStatus]	L:atomic	#4
@LoadBalancerStatus
ingress	[.LoadBalancerIngress]	L:atomic	#1
@LocalObjectReference	A
name	string	D""	#1
@LocalVolumeSource
path	string	re	D""	#1
fsType	string	p	#2
@ModifyVolumeStatus
targetVolumeAttributesClassName	string	#1
status	string	re	EInProgress|Infeasible|Pending	D""	Tv1.PersistentVolumeClaimModifyVolumeStatus	#2
@NFSVolumeSource
server	string	re	D""	#1
path	string	re	D""	#2
readOnly	boolean	#3
@Namespace	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.NamespaceSpec	e	#2
status	.NamespaceStatus	e	#3
@NamespaceCondition
type	string	re	D""	Tv1.NamespaceConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastTransitionTime	meta.v1.Time	e	#4
reason	string	#5
message	string	#6
@NamespaceList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Namespace]	re	#2
@NamespaceSpec
finalizers	[string]	L:atomic	T[]v1.FinalizerName	#1
@NamespaceStatus
phase	string	EActive|Terminating	Tv1.NamespacePhase	#1
conditions	[.NamespaceCondition]	Ltype	Pmerge:type	#2
@Node	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.NodeSpec	e	#2
status	.NodeStatus	e	#3
@NodeAddress
type	string	re	D""	Tv1.NodeAddressType	#1
address	string	re	D""	#2
@NodeAffinity
requiredDuringSchedulingIgnoredDuringExecution	.NodeSelector	p	#1
preferredDuringSchedulingIgnoredDuringExecution	[.PreferredSchedulingTerm]	L:atomic	#2
@NodeCondition
type	string	re	D""	Tv1.NodeConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastHeartbeatTime	meta.v1.Time	e	#3
lastTransitionTime	meta.v1.Time	e	#4
reason	string	#5
message	string	#6
@NodeConfigSource
configMap	.ConfigMapNodeConfigSource	p	#2
@NodeConfigStatus
assigned	.NodeConfigSource	p	#1
active	.NodeConfigSource	p	#2
lastKnownGood	.NodeConfigSource	p	#3
error	string	#4
@NodeDaemonEndpoints
kubeletEndpoint	.DaemonEndpoint	e	#1
@NodeFeatures
supplementalGroupsPolicy	boolean	p	#1
@NodeList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Node]	re	#2
@NodeProxyOptions	K
kind	string
apiVersion	string
path	string	#1
@NodeRuntimeHandler
name	string	e	D""	#1
features	.NodeRuntimeHandlerFeatures	p	#2
@NodeRuntimeHandlerFeatures
recursiveReadOnlyMounts	boolean	p	GRecursiveReadOnlyMounts	#1
userNamespaces	boolean	p	GUserNamespacesSupport	#2
@NodeSelector	A
nodeSelectorTerms	[.NodeSelectorTerm]	re	L:atomic	#1
@NodeSelectorRequirement
key	string	re	D""	#1
operator	string	re	EDoesNotExist|Exists|Gt|In|Lt|NotIn	D""	Tv1.NodeSelectorOperator	#2
values	[string]	L:atomic	#3
@NodeSelectorTerm	A
matchExpressions	[.NodeSelectorRequirement]	L:atomic	#1
matchFields	[.NodeSelectorRequirement]	L:atomic	#2
@NodeSpec
podCIDR	string	#1
podCIDRs	[string]	L:set	Pmerge	#7
providerID	string	#3
unschedulable	boolean	#4
taints	[.Taint]	L:atomic	#5
configSource	.NodeConfigSource	p	#6
externalID	string	#2
@NodeStatus
capacity	{machinery.api.resource.Quantity}	Tv1.ResourceList	#1
allocatable	{machinery.api.resource.Quantity}	Tv1.ResourceList	#2
phase	string	EPending|Running|Terminated	Tv1.NodePhase	#3
conditions	[.NodeCondition]	Ltype	Pmerge:type	#4
addresses	[.NodeAddress]	Ltype	Pmerge:type	#5
daemonEndpoints	.NodeDaemonEndpoints	e	#6
nodeInfo	.NodeSystemInfo	e	#7
images	[.ContainerImage]	L:atomic	#8
volumesInUse	[string]	L:atomic	T[]v1.UniqueVolumeName	#9
volumesAttached	[.AttachedVolume]	L:atomic	#10
config	.NodeConfigStatus	p	#11
runtimeHandlers	[.NodeRuntimeHandler]	L:atomic	GRecursiveReadOnlyMounts,UserNamespacesSupport	#12
features	.NodeFeatures	p	GSupplementalGroupsPolicy	#13
@NodeSwapStatus
capacity	integer:int64	p	#1
@NodeSystemInfo
machineID	string	re	D""	#1
systemUUID	string	re	D""	#2
bootID	string	re	D""	#3
kernelVersion	string	re	D""	#4
osImage	string	re	D""	#5
containerRuntimeVersion	string	re	D""	#6
kubeletVersion	string	re	D""	#7
kubeProxyVersion	string	re	D""	#8
operatingSystem	string	re	D""	#9
architecture	string	re	D""	#10
swap	.NodeSwapStatus	p	#11
@ObjectFieldSelector	A
apiVersion	string	#1
fieldPath	string	re	D""	#2
@ObjectReference	A
kind	string	#1
namespace	string	#2
name	string	#3
uid	string	Ttypes.UID	#4
apiVersion	string	#5
resourceVersion	string	#6
fieldPath	string	#7
@PersistentVolume	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.PersistentVolumeSpec	e	#2
status	.PersistentVolumeStatus	e	#3
@PersistentVolumeClaim	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.PersistentVolumeClaimSpec	e	#2
status	.PersistentVolumeClaimStatus	e	#3
@PersistentVolumeClaimCondition
type	string	re	D""	Tv1.PersistentVolumeClaimConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastProbeTime	meta.v1.Time	e	#3
lastTransitionTime	meta.v1.Time	e	#4
reason	string	#5
message	string	#6
@PersistentVolumeClaimList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.PersistentVolumeClaim]	re	#2
@PersistentVolumeClaimSpec
accessModes	[string]	L:atomic	EReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod	T[]v1.PersistentVolumeAccessMode	#1
selector	meta.v1.LabelSelector	p	#4
resources	.VolumeResourceRequirements	e	#2
volumeName	string	#3
storageClassName	string	p	#5
volumeMode	string	p	EBlock|Filesystem	Tv1.PersistentVolumeMode	#6
dataSource	.TypedLocalObjectReference	p	#7
dataSourceRef	.TypedObjectReference	p	#8
volumeAttributesClassName	string	p	GVolumeAttributesClass	#9
@PersistentVolumeClaimStatus
phase	string	EBound|Lost|Pending	Tv1.PersistentVolumeClaimPhase	#1
accessModes	[string]	L:atomic	EReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod	T[]v1.PersistentVolumeAccessMode	#2
capacity	{machinery.api.resource.Quantity}	Tv1.ResourceList	#3
conditions	[.PersistentVolumeClaimCondition]	Ltype	Pmerge:type	#4
allocatedResources	{machinery.api.resource.Quantity}	GRecoverVolumeExpansionFailure	Tv1.ResourceList	#5
allocatedResourceStatuses	{string}	Mgranular	EControllerResizeInProgress|ControllerResizeInfeasible|NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending	GRecoverVolumeExpansionFailure	Tmap[v1.ResourceName]v1.ClaimResourceStatus	#7
currentVolumeAttributesClassName	string	p	GVolumeAttributesClass	#8
modifyVolumeStatus	.ModifyVolumeStatus	p	GVolumeAttributesClass	#9
@PersistentVolumeClaimTemplate
metadata	meta.v1.ObjectMeta	e	#1
spec	.PersistentVolumeClaimSpec	re	#2
@PersistentVolumeClaimVolumeSource
claimName	string	re	D""	#1
readOnly	boolean	#2
@PersistentVolumeList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.PersistentVolume]	re	#2
@PersistentVolumeSpec
capacity	{machinery.api.resource.Quantity}	Tv1.ResourceList	#1
gcePersistentDisk	.GCEPersistentDiskVolumeSource	p	#2.1
awsElasticBlockStore	.AWSElasticBlockStoreVolumeSource	p	#2.2
hostPath	.HostPathVolumeSource	p	#2.3
glusterfs	.GlusterfsPersistentVolumeSource	p	#2.4
nfs	.NFSVolumeSource	p	#2.5
rbd	.RBDPersistentVolumeSource	p	#2.6
iscsi	.ISCSIPersistentVolumeSource	p	#2.7
cinder	.CinderPersistentVolumeSource	p	#2.8
cephfs	.CephFSPersistentVolumeSource	p	#2.9
fc	.FCVolumeSource	p	#2.10
flocker	.FlockerVolumeSource	p	#2.11
flexVolume	.FlexPersistentVolumeSource	p	#2.12
azureFile	.AzureFilePersistentVolumeSource	p	#2.13
vsphereVolume	.VsphereVirtualDiskVolumeSource	p	#2.14
quobyte	.QuobyteVolumeSource	p	#2.15
azureDisk	.AzureDiskVolumeSource	p	#2.16
photonPersistentDisk	.PhotonPersistentDiskVolumeSource	p	#2.17
portworxVolume	.PortworxVolumeSource	p	#2.18
scaleIO	.ScaleIOPersistentVolumeSource	p	#2.19
local	.LocalVolumeSource	p	#2.20
storageos	.StorageOSPersistentVolumeSource	p	#2.21
csi	.CSIPersistentVolumeSource	p	#2.22
accessModes	[string]	L:atomic	EReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod	T[]v1.PersistentVolumeAccessMode	#3
claimRef	.ObjectReference	p	Mgranular	#4
persistentVolumeReclaimPolicy	string	EDelete|Recycle|Retain	Tv1.PersistentVolumeReclaimPolicy	#5
storageClassName	string	#6
mountOptions	[string]	L:atomic	#7
volumeMode	string	p	EBlock|Filesystem	Tv1.PersistentVolumeMode	#8
nodeAffinity	.VolumeNodeAffinity	p	#9
volumeAttributesClassName	string	p	GVolumeAttributesClass	#10
@PersistentVolumeStatus
phase	string	EAvailable|Bound|Failed|Pending|Released	Tv1.PersistentVolumePhase	#1
message	string	#2
reason	string	#3
lastPhaseTransitionTime	meta.v1.Time	p	#4
@PhotonPersistentDiskVolumeSource
pdID	string	re	D""	#1
fsType	string	#2
@Pod	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.PodSpec	e	#2
status	.PodStatus	e	#3
@PodAffinity
requiredDuringSchedulingIgnoredDuringExecution	[.PodAffinityTerm]	L:atomic	#1
preferredDuringSchedulingIgnoredDuringExecution	[.WeightedPodAffinityTerm]	L:atomic	#2
@PodAffinityTerm
labelSelector	meta.v1.LabelSelector	p	#1
namespaces	[string]	L:atomic	#2
topologyKey	string	re	D""	#3
namespaceSelector	meta.v1.LabelSelector	p	#4
matchLabelKeys	[string]	L:atomic	#5
mismatchLabelKeys	[string]	L:atomic	#6
@PodAntiAffinity
requiredDuringSchedulingIgnoredDuringExecution	[.PodAffinityTerm]	L:atomic	#1
preferredDuringSchedulingIgnoredDuringExecution	[.WeightedPodAffinityTerm]	L:atomic	#2
@PodAttachOptions	K
kind	string
apiVersion	string
stdin	boolean	#1
stdout	boolean	#2
stderr	boolean	#3
tty	boolean	#4
container	string	#5
@PodCondition
type	string	re	D""	Tv1.PodConditionType	#1
observedGeneration	integer:int64	GPodObservedGenerationTracking	#7
status	string	re	D""	Tv1.ConditionStatus	#2
lastProbeTime	meta.v1.Time	e	#3
lastTransitionTime	meta.v1.Time	e	#4
reason	string	#5
message	string	#6
@PodDNSConfig
nameservers	[string]	L:atomic	#1
searches	[string]	L:atomic	#2
options	[.PodDNSConfigOption]	L:atomic	#3
@PodDNSConfigOption
name	string	#1
value	string	p	#2
@PodExecOptions	K
kind	string
apiVersion	string
stdin	boolean	#1
stdout	boolean	#2
stderr	boolean	#3
tty	boolean	#4
container	string	#5
command	[string]	e	#6
@PodIP
ip	string	re	D""	#1
@PodList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Pod]	re	#2
@PodLogOptions	K
kind	string
apiVersion	string
container	string	#1
follow	boolean	#2
previous	boolean	#3
sinceSeconds	integer:int64	p	#4
sinceTime	meta.v1.Time	p	#5
timestamps	boolean	#6
tailLines	integer:int64	p	#7
limitBytes	integer:int64	p	#8
insecureSkipTLSVerifyBackend	boolean	#9
stream	string	p	#10
@PodOS
name	string	re	D""	Tv1.OSName	#1
@PodPortForwardOptions	K
kind	string
apiVersion	string
ports	[integer:int32]	#1
@PodProxyOptions	K
kind	string
apiVersion	string
path	string	#1
@PodReadinessGate
conditionType	string	re	D""	Tv1.PodConditionType	#1
@PodResourceClaim
name	string	re	D""	#1
resourceClaimName	string	p	#3
resourceClaimTemplateName	string	p	#4
@PodResourceClaimStatus
name	string	re	D""	#1
resourceClaimName	string	p	#2
@PodSchedulingGate
name	string	re	D""	#1
@PodSecurityContext
seLinuxOptions	.SELinuxOptions	p	#1
windowsOptions	.WindowsSecurityContextOptions	p	#8
runAsUser	integer:int64	p	#2
runAsGroup	integer:int64	p	#6
runAsNonRoot	boolean	p	#3
supplementalGroups	[integer:int64]	L:atomic	#4
supplementalGroupsPolicy	string	p	EMerge|Strict	GSupplementalGroupsPolicy	Tv1.SupplementalGroupsPolicy	#12
fsGroup	integer:int64	p	#5
sysctls	[.Sysctl]	L:atomic	#7
fsGroupChangePolicy	string	p	EAlways|OnRootMismatch	Tv1.PodFSGroupChangePolicy	#9
seccompProfile	.SeccompProfile	p	#10
appArmorProfile	.AppArmorProfile	p	#11
seLinuxChangePolicy	string	p	GSELinuxChangePolicy	Tv1.PodSELinuxChangePolicy	#13
@PodSpec
volumes	[.Volume]	Lname	Pmerge,retainKeys:name	#1
initContainers	[.Container]	Lname	Pmerge:name	#20
containers	[.Container]	re	Lname	Pmerge:name	#2
ephemeralContainers	[.EphemeralContainer]	Lname	Pmerge:name	#34
restartPolicy	string	EAlways|Never|OnFailure	Tv1.RestartPolicy	#3
terminationGracePeriodSeconds	integer:int64	p	#4
activeDeadlineSeconds	integer:int64	p	#5
dnsPolicy	string	EClusterFirst|ClusterFirstWithHostNet|Default|None	Tv1.DNSPolicy	#6
nodeSelector	{string}	Matomic	#7
serviceAccountName	string	#8
serviceAccount	string	#9
automountServiceAccountToken	boolean	p	#21
nodeName	string	#10
hostNetwork	boolean	#11
hostPID	boolean	#12
hostIPC	boolean	#13
shareProcessNamespace	boolean	p	#27
securityContext	.PodSecurityContext	p	#14
imagePullSecrets	[.LocalObjectReference]	Lname	Pmerge:name	#15
hostname	string	#16
subdomain	string	#17
affinity	.Affinity	p	#18
schedulerName	string	#19
tolerations	[.Toleration]	L:atomic	#22
hostAliases	[.HostAlias]	Lip	Pmerge:ip	#23
priorityClassName	string	#24
priority	integer:int32	p	#25
dnsConfig	.PodDNSConfig	p	#26
readinessGates	[.PodReadinessGate]	L:atomic	#28
runtimeClassName	string	p	#29
enableServiceLinks	boolean	p	#30
preemptionPolicy	string	p	ENever|PreemptLowerPriority	Tv1.PreemptionPolicy	#31
overhead	{machinery.api.resource.Quantity}	Tv1.ResourceList	#32
topologySpreadConstraints	[.TopologySpreadConstraint]	LtopologyKey,whenUnsatisfiable	Pmerge:topologyKey	#33
setHostnameAsFQDN	boolean	p	#35
os	.PodOS	p	#36
hostUsers	boolean	p	#37
schedulingGates	[.PodSchedulingGate]	Lname	Pmerge:name	#38
resourceClaims	[.PodResourceClaim]	Lname	Pmerge,retainKeys:name	GDynamicResourceAllocation	#39
resources	.ResourceRequirements	p	GPodLevelResources	#40
@PodStatus
observedGeneration	integer:int64	GPodObservedGenerationTracking	#17
phase	string	EFailed|Pending|Running|Succeeded|Unknown	Tv1.PodPhase	#1
conditions	[.PodCondition]	Ltype	Pmerge:type	#2
message	string	#3
reason	string	#4
nominatedNodeName	string	#11
hostIP	string	#5
hostIPs	[.HostIP]	L:atomic	Pmerge:ip	#16
podIP	string	#6
podIPs	[.PodIP]	Lip	Pmerge:ip	#12
startTime	meta.v1.Time	p	#7
initContainerStatuses	[.ContainerStatus]	L:atomic	#10
containerStatuses	[.ContainerStatus]	L:atomic	#8
qosClass	string	EBestEffort|Burstable|Guaranteed	Tv1.PodQOSClass	#9
ephemeralContainerStatuses	[.ContainerStatus]	L:atomic	#13
resize	string	GInPlacePodVerticalScaling	Tv1.PodResizeStatus	#14
resourceClaimStatuses	[.PodResourceClaimStatus]	Lname	Pmerge,retainKeys:name	GDynamicResourceAllocation	#15
@PodStatusResult	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
status	.PodStatus	e	#2
@PodTemplate	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
template	.PodTemplateSpec	e	#2
@PodTemplateList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.PodTemplate]	re	#2
@PodTemplateSpec
metadata	meta.v1.ObjectMeta	e	#1
spec	.PodSpec	e	#2
@PortStatus
port	integer:int32	re	D0	#1
protocol	string	re	ESCTP|TCP|UDP	D""	Tv1.Protocol	#2
error	string	p	#3
@PortworxVolumeSource
volumeID	string	re	D""	#1
fsType	string	#2
readOnly	boolean	#3
@PreferredSchedulingTerm
weight	integer:int32	re	D0	#1
preference	.NodeSelectorTerm	re	#2
@Probe
exec	.ExecAction	p	#1.1
httpGet	.HTTPGetAction	p	#1.2
tcpSocket	.TCPSocketAction	p	#1.3
grpc	.GRPCAction	p	#1.4
initialDelaySeconds	integer:int32	#2
timeoutSeconds	integer:int32	#3
periodSeconds	integer:int32	#4
successThreshold	integer:int32	#5
failureThreshold	integer:int32	#6
terminationGracePeriodSeconds	integer:int64	p	#7
@ProjectedVolumeSource
sources	[.VolumeProjection]	e	L:atomic	#1
defaultMode	integer:int32	p	#2
@QuobyteVolumeSource
registry	string	re	D""	#1
volume	string	re	D""	#2
readOnly	boolean	#3
user	string	#4
group	string	#5
tenant	string	#6
@RBDPersistentVolumeSource
monitors	[string]	re	L:atomic	#1
image	string	re	D""	#2
fsType	string	#3
pool	string	D"rbd"	#4
user	string	D"admin"	#5
keyring	string	D"/etc/ceph/keyring"	#6
secretRef	.SecretReference	p	#7
readOnly	boolean	#8
@RBDVolumeSource
monitors	[string]	re	L:atomic	#1
image	string	re	D""	#2
fsType	string	#3
pool	string	D"rbd"	#4
user	string	D"admin"	#5
keyring	string	D"/etc/ceph/keyring"	#6
secretRef	.LocalObjectReference	p	#7
readOnly	boolean	#8
@RangeAllocation	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
range	string	e	#2
data	string:byte	e	#3
@ReplicationController	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ReplicationControllerSpec	e	#2
status	.ReplicationControllerStatus	e	#3
@ReplicationControllerCondition
type	string	re	D""	Tv1.ReplicationControllerConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastTransitionTime	meta.v1.Time	e	#3
reason	string	#4
message	string	#5
@ReplicationControllerList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ReplicationController]	re	#2
@ReplicationControllerSpec
replicas	integer:int32	p	D1	#1
minReadySeconds	integer:int32	D0	#4
selector	{string}	Matomic	#2
template	.PodTemplateSpec	p	#3
@ReplicationControllerStatus
replicas	integer:int32	re	D0	#1
fullyLabeledReplicas	integer:int32	#2
readyReplicas	integer:int32	#4
availableReplicas	integer:int32	#5
observedGeneration	integer:int64	#3
conditions	[.ReplicationControllerCondition]	Ltype	Pmerge:type	#6
@ResourceClaim
name	string	re	D""	#1
request	string	#2
@ResourceFieldSelector	A
containerName	string	#1
resource	string	re	D""	#2
divisor	machinery.api.resource.Quantity	e	#3
@ResourceHealth
resourceID	string	re	D""	Tv1.ResourceID	#1
health	string	Tv1.ResourceHealthStatus	#2
@ResourceQuota	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ResourceQuotaSpec	e	#2
status	.ResourceQuotaStatus	e	#3
@ResourceQuotaList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ResourceQuota]	re	#2
@ResourceQuotaSpec
hard	{machinery.api.resource.Quantity}	Tv1.ResourceList	#1
scopes	[string]	L:atomic	EBestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass	T[]v1.ResourceQuotaScope	#2
scopeSelector	.ScopeSelector	p	#3
@ResourceQuotaStatus
hard	{machinery.api.resource.Quantity}	Tv1.ResourceList	#1
used	{machinery.api.resource.Quantity}	Tv1.ResourceList	#2
@ResourceRequirements
limits	{machinery.api.resource.Quantity}	Tv1.ResourceList	#1
requests	{machinery.api.resource.Quantity}	Tv1.ResourceList	#2
claims	[.ResourceClaim]	Lname	GDynamicResourceAllocation	#3
@ResourceStatus
name	string	re	D""	Tv1.ResourceName	#1
resources	[.ResourceHealth]	LresourceID	#2
@SELinuxOptions
user	string	#1
role	string	#2
type	string	#3
level	string	#4
@ScaleIOPersistentVolumeSource
gateway	string	re	D""	#1
system	string	re	D""	#2
secretRef	.SecretReference	rpe	#3
sslEnabled	boolean	#4
protectionDomain	string	#5
storagePool	string	#6
storageMode	string	D"ThinProvisioned"	#7
volumeName	string	#8
fsType	string	D"xfs"	#9
readOnly	boolean	#10
@ScaleIOVolumeSource
gateway	string	re	D""	#1
system	string	re	D""	#2
secretRef	.LocalObjectReference	rpe	#3
sslEnabled	boolean	#4
protectionDomain	string	#5
storagePool	string	#6
storageMode	string	D"ThinProvisioned"	#7
volumeName	string	#8
fsType	string	D"xfs"	#9
readOnly	boolean	#10
@ScopeSelector	A
matchExpressions	[.ScopedResourceSelectorRequirement]	L:atomic	#1
@ScopedResourceSelectorRequirement
scopeName	string	re	EBestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass	D""	Tv1.ResourceQuotaScope	#1
operator	string	re	EDoesNotExist|Exists|In|NotIn	D""	Tv1.ScopeSelectorOperator	#2
values	[string]	L:atomic	#3
@SeccompProfile	Utype:localhostProfile=LocalhostProfile
type	string	re	ELocalhost|RuntimeDefault|Unconfined	D""	Tv1.SeccompProfileType	#1
localhostProfile	string	p	#2
@Secret	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
immutable	boolean	p	#5
data	{string:byte}	#2
stringData	{string}	#4
type	string	Tv1.SecretType	#3
@SecretEnvSource
name	string	D""	#1.1
optional	boolean	p	#2
@SecretKeySelector	A
name	string	D""	#1.1
key	string	re	D""	#2
optional	boolean	p	#3
@SecretList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Secret]	re	#2
@SecretProjection
name	string	D""	#1.1
items	[.KeyToPath]	L:atomic	#2
optional	boolean	p	#4
@SecretReference	A
name	string	#1
namespace	string	#2
@SecretVolumeSource
secretName	string	#1
items	[.KeyToPath]	L:atomic	#2
defaultMode	integer:int32	p	#3
optional	boolean	p	#4
@SecurityContext
capabilities	.Capabilities	p	#1
privileged	boolean	p	#2
seLinuxOptions	.SELinuxOptions	p	#3
windowsOptions	.WindowsSecurityContextOptions	p	#10
runAsUser	integer:int64	p	#4
runAsGroup	integer:int64	p	#8
runAsNonRoot	boolean	p	#5
readOnlyRootFilesystem	boolean	p	#6
allowPrivilegeEscalation	boolean	p	#7
procMount	string	p	EDefault|Unmasked	Tv1.ProcMountType	#9
seccompProfile	.SeccompProfile	p	#11
appArmorProfile	.AppArmorProfile	p	#12
@SerializedReference	K
kind	string
apiVersion	string
reference	.ObjectReference	e	#1
@Service	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ServiceSpec	e	#2
status	.ServiceStatus	e	#3
@ServiceAccount	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
secrets	[.ObjectReference]	Lname	Pmerge:name	#2
imagePullSecrets	[.LocalObjectReference]	L:atomic	#3
automountServiceAccountToken	boolean	p	#4
@ServiceAccountList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ServiceAccount]	re	#2
@ServiceAccountTokenProjection
audience	string	#1
expirationSeconds	integer:int64	p	#2
path	string	re	D""	#3
@ServiceList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Service]	re	#2
@ServicePort
name	string	#1
protocol	string	ESCTP|TCP|UDP	D"TCP"	Tv1.Protocol	#2
appProtocol	string	p	#6
port	integer:int32	re	D0	#3
targetPort	machinery.util.intstr.IntOrString	e	#4
nodePort	integer:int32	#5
@ServiceProxyOptions	K
kind	string
apiVersion	string
path	string	#1
@ServiceSpec
ports	[.ServicePort]	Lport,protocol	Pmerge:port	#1
selector	{string}	Matomic	#2
clusterIP	string	#3
clusterIPs	[string]	L:atomic	#18
type	string	EClusterIP|ExternalName|LoadBalancer|NodePort	Tv1.ServiceType	#4
externalIPs	[string]	L:atomic	#5
sessionAffinity	string	EClientIP|None	Tv1.ServiceAffinity	#7
loadBalancerIP	string	#8
loadBalancerSourceRanges	[string]	L:atomic	#9
externalName	string	#10
externalTrafficPolicy	string	ECluster|Local	Tv1.ServiceExternalTrafficPolicy	#11
healthCheckNodePort	integer:int32	#12
publishNotReadyAddresses	boolean	#13
sessionAffinityConfig	.SessionAffinityConfig	p	#14
ipFamilies	[string]	L:atomic	E|IPv4|IPv6	T[]v1.IPFamily	#19
ipFamilyPolicy	string	p	EPreferDualStack|RequireDualStack|SingleStack	Tv1.IPFamilyPolicy	#17
allocateLoadBalancerNodePorts	boolean	p	#20
loadBalancerClass	string	p	#21
internalTrafficPolicy	string	p	ECluster|Local	Tv1.ServiceInternalTrafficPolicy	#22
trafficDistribution	string	p	GServiceTrafficDistribution	#23
@ServiceStatus
loadBalancer	.LoadBalancerStatus	e	#1
conditions	[meta.v1.Condition]	Ltype	Pmerge:type	#2
@SessionAffinityConfig
clientIP	.ClientIPConfig	p	#1
@SleepAction
seconds	integer:int64	re	D0	#1
@StorageOSPersistentVolumeSource
volumeName	string	#1
volumeNamespace	string	#2
fsType	string	#3
readOnly	boolean	#4
secretRef	.ObjectReference	p	#5
@StorageOSVolumeSource
volumeName	string	#1
volumeNamespace	string	#2
fsType	string	#3
readOnly	boolean	#4
secretRef	.LocalObjectReference	p	#5
@Sysctl
name	string	re	D""	#1
value	string	re	D""	#2
@TCPSocketAction
port	machinery.util.intstr.IntOrString	re	#1
host	string	#2
@Taint
key	string	re	D""	#1
value	string	#2
effect	string	re	ENoExecute|NoSchedule|PreferNoSchedule	D""	Tv1.TaintEffect	#3
timeAdded	meta.v1.Time	p	#4
@Toleration
key	string	#1
operator	string	EEqual|Exists	Tv1.TolerationOperator	#2
value	string	#3
effect	string	ENoExecute|NoSchedule|PreferNoSchedule	Tv1.TaintEffect	#4
tolerationSeconds	integer:int64	p	#5
@TopologySelectorLabelRequirement
key	string	re	D""	#1
values	[string]	re	L:atomic	#2
@TopologySelectorTerm	A
matchLabelExpressions	[.TopologySelectorLabelRequirement]	L:atomic	#1
@TopologySpreadConstraint
maxSkew	integer:int32	re	D0	#1
topologyKey	string	re	D""	#2
whenUnsatisfiable	string	re	EDoNotSchedule|ScheduleAnyway	D""	Tv1.UnsatisfiableConstraintAction	#3
labelSelector	meta.v1.LabelSelector	p	#4
minDomains	integer:int32	p	#5
nodeAffinityPolicy	string	p	EHonor|Ignore	Tv1.NodeInclusionPolicy	#6
nodeTaintsPolicy	string	p	EHonor|Ignore	Tv1.NodeInclusionPolicy	#7
matchLabelKeys	[string]	L:atomic	#8
@TypedLocalObjectReference	A
apiGroup	string	pe	#1
kind	string	re	D""	#2
name	string	re	D""	#3
@TypedObjectReference
apiGroup	string	pe	#1
kind	string	re	D""	#2
name	string	re	D""	#3
namespace	string	p	GCrossNamespaceVolumeDataSource	#4
@Volume
name	string	re	D""	#1
hostPath	.HostPathVolumeSource	p	#2.1
emptyDir	.EmptyDirVolumeSource	p	#2.2
gcePersistentDisk	.GCEPersistentDiskVolumeSource	p	#2.3
awsElasticBlockStore	.AWSElasticBlockStoreVolumeSource	p	#2.4
gitRepo	.GitRepoVolumeSource	p	#2.5
secret	.SecretVolumeSource	p	#2.6
nfs	.NFSVolumeSource	p	#2.7
iscsi	.ISCSIVolumeSource	p	#2.8
glusterfs	.GlusterfsVolumeSource	p	#2.9
persistentVolumeClaim	.PersistentVolumeClaimVolumeSource	p	#2.10
rbd	.RBDVolumeSource	p	#2.11
flexVolume	.FlexVolumeSource	p	#2.12
cinder	.CinderVolumeSource	p	#2.13
cephfs	.CephFSVolumeSource	p	#2.14
flocker	.FlockerVolumeSource	p	#2.15
downwardAPI	.DownwardAPIVolumeSource	p	#2.16
fc	.FCVolumeSource	p	#2.17
azureFile	.AzureFileVolumeSource	p	#2.18
configMap	.ConfigMapVolumeSource	p	#2.19
vsphereVolume	.VsphereVirtualDiskVolumeSource	p	#2.20
quobyte	.QuobyteVolumeSource	p	#2.21
azureDisk	.AzureDiskVolumeSource	p	#2.22
photonPersistentDisk	.PhotonPersistentDiskVolumeSource	p	#2.23
projected	.ProjectedVolumeSource	p	#2.26
portworxVolume	.PortworxVolumeSource	p	#2.24
scaleIO	.ScaleIOVolumeSource	p	#2.25
storageos	.StorageOSVolumeSource	p	#2.27
csi	.CSIVolumeSource	p	#2.28
ephemeral	.EphemeralVolumeSource	p	#2.29
image	.ImageVolumeSource	p	GImageVolume	#2.30
@VolumeDevice
name	string	re	D""	#1
devicePath	string	re	D""	#2
@VolumeMount
name	string	re	D""	#1
readOnly	boolean	#2
recursiveReadOnly	string	p	GRecursiveReadOnlyMounts	Tv1.RecursiveReadOnlyMode	#7
mountPath	string	re	D""	#3
subPath	string	#4
mountPropagation	string	p	EBidirectional|HostToContainer|None	Tv1.MountPropagationMode	#5
subPathExpr	string	#6
@VolumeMountStatus
name	string	re	D""	#1
mountPath	string	re	D""	#2
readOnly	boolean	#3
recursiveReadOnly	string	p	GRecursiveReadOnlyMounts	Tv1.RecursiveReadOnlyMode	#4
@VolumeNodeAffinity
required	.NodeSelector	p	#1
@VolumeProjection
secret	.SecretProjection	p	#1
downwardAPI	.DownwardAPIProjection	p	#2
configMap	.ConfigMapProjection	p	#3
serviceAccountToken	.ServiceAccountTokenProjection	p	#4
clusterTrustBundle	.ClusterTrustBundleProjection	p	GClusterTrustBundleProjection	#5
@VolumeResourceRequirements
limits	{machinery.api.resource.Quantity}	Tv1.ResourceList	#1
requests	{machinery.api.resource.Quantity}	Tv1.ResourceList	#2
@VsphereVirtualDiskVolumeSource
volumePath	string	re	D""	#1
fsType	string	#2
storagePolicyName	string	#3
storagePolicyID	string	#4
@WeightedPodAffinityTerm
weight	integer:int32	re	D0	#1
podAffinityTerm	.PodAffinityTerm	re	#2
@WindowsSecurityContextOptions
gmsaCredentialSpecName	string	p	#1
gmsaCredentialSpec	string	p	#2
runAsUserName	string	p	#3
hostProcess	boolean	p	#4
`
