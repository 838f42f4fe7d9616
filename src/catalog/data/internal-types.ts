// Made by scripts/catalog.mjs. Do not edit.
export const internalTypesText = `\
apiextensions.FieldValueErrorReason=string
apiextensions.JSONSchemaDefinitions=map[string]apiextensions.JSONSchemaProps
apiextensions.JSONSchemaDependencies=map[string]apiextensions.JSONSchemaPropsOrStringArray
apiextensions.JSONSchemaURL=string
apiextensions.ValidationRules=[]apiextensions.ValidationRule
apps.DaemonSetUpdateStrategyType=string
apps.DeploymentStrategyType=string
apps.StatefulSetUpdateStrategyType=string
batch.PodFailurePolicyAction=string
batch.PodFailurePolicyOnExitCodesOperator=string
certificates.RequestConditionType=string
core.AppArmorProfileType=string
core.AzureDataDiskCachingMode=string
core.AzureDataDiskKind=string
core.Capability=string
core.ConditionStatus=string
core.ContainerRestartPolicy=string
core.DNSPolicy=string
core.HostPathType=string
core.MountPropagationMode=string
core.NodeInclusionPolicy=string
core.NodeSelectorOperator=string
core.OSName=string
core.PersistentVolumeAccessMode=string
core.PersistentVolumeMode=string
core.PersistentVolumeReclaimPolicy=string
core.PodConditionType=string
core.PodFSGroupChangePolicy=string
core.PodSELinuxChangePolicy=string
core.PreemptionPolicy=string
core.ProcMountType=string
core.Protocol=string
core.PullPolicy=string
core.RecursiveReadOnlyMode=string
core.ResourceList=map[core.ResourceName]resource.Quantity
core.ResourceName=string
core.ResourceResizeRestartPolicy=string
core.RestartPolicy=string
core.SeccompProfileType=string
core.Signal=string
core.StorageMedium=string
core.SupplementalGroupsPolicy=string
core.TaintEffect=string
core.TerminationMessagePolicy=string
core.TolerationOperator=string
core.URIScheme=string
core.UnsatisfiableConstraintAction=string
flowcontrol.FlowDistinguisherMethodType=string
flowcontrol.LimitResponseType=string
flowcontrol.PriorityLevelEnablement=string
flowcontrol.SubjectKind=string
resource.AllocationConfigSource=string
resource.DeviceAllocationMode=string
resource.DeviceTaintEffect=string
resource.DeviceTolerationOperator=string
resource.FullyQualifiedName=string
v1.AppArmorProfileType=string
v1.AzureDataDiskCachingMode=string
v1.AzureDataDiskKind=string
v1.Capability=string
v1.ContainerRestartPolicy=string
v1.DNSPolicy=string
v1.HostPathType=string
v1.LabelSelectorOperator=string
v1.ManagedFieldsOperationType=string
v1.MountPropagationMode=string
v1.NodeInclusionPolicy=string
v1.NodeSelectorOperator=string
v1.OSName=string
v1.PersistentVolumeAccessMode=string
v1.PersistentVolumeMode=string
v1.PodConditionType=string
v1.PodFSGroupChangePolicy=string
v1.PodSELinuxChangePolicy=string
v1.PreemptionPolicy=string
v1.ProcMountType=string
v1.Protocol=string
v1.PullPolicy=string
v1.RecursiveReadOnlyMode=string
v1.ResourceList=map[v1.ResourceName]resource.Quantity
v1.ResourceName=string
v1.ResourceResizeRestartPolicy=string
v1.RestartPolicy=string
v1.SeccompProfileType=string
v1.Signal=string
v1.StorageMedium=string
v1.SupplementalGroupsPolicy=string
v1.TaintEffect=string
v1.TerminationMessagePolicy=string
v1.TolerationOperator=string
v1.URIScheme=string
v1.UnsatisfiableConstraintAction=string
apiextensions.CustomResourceColumnDefinition Name:string Type:string Format:string Description:string Priority:int32 JSONPath/jsonPath:string
apiextensions.CustomResourceDefinitionVersion Name:string Served:bool Storage:bool Deprecated:bool DeprecationWarning:*string Schema:*apiextensions.CustomResourceValidation Subresources:*apiextensions.CustomResourceSubresources AdditionalPrinterColumns:[]apiextensions.CustomResourceColumnDefinition SelectableFields:[]apiextensions.SelectableField
apiextensions.CustomResourceSubresourceScale SpecReplicasPath:string StatusReplicasPath:string LabelSelectorPath:*string
apiextensions.CustomResourceSubresourceStatus
apiextensions.CustomResourceSubresources Status:*apiextensions.CustomResourceSubresourceStatus Scale:*apiextensions.CustomResourceSubresourceScale
apiextensions.CustomResourceValidation OpenAPIV3Schema:*apiextensions.JSONSchemaProps
apiextensions.ExternalDocumentation Description:string URL/url:string
apiextensions.JSONSchemaProps ID/id:string Schema/$schema:apiextensions.JSONSchemaURL Ref/$ref:*string Description:string Type:string Nullable:bool Format:string Title:string Default:*apiextensions.JSON Maximum:*float64 ExclusiveMaximum:bool Minimum:*float64 ExclusiveMinimum:bool MaxLength:*int64 MinLength:*int64 Pattern:string MaxItems:*int64 MinItems:*int64 UniqueItems:bool MultipleOf:*float64 Enum:[]apiextensions.JSON MaxProperties:*int64 MinProperties:*int64 Required:[]string Items:*apiextensions.JSONSchemaPropsOrArray AllOf:[]apiextensions.JSONSchemaProps OneOf:[]apiextensions.JSONSchemaProps AnyOf:[]apiextensions.JSONSchemaProps Not:*apiextensions.JSONSchemaProps Properties:map[string]apiextensions.JSONSchemaProps AdditionalProperties:*apiextensions.JSONSchemaPropsOrBool PatternProperties:map[string]apiextensions.JSONSchemaProps Dependencies:apiextensions.JSONSchemaDependencies AdditionalItems:*apiextensions.JSONSchemaPropsOrBool Definitions:apiextensions.JSONSchemaDefinitions ExternalDocs:*apiextensions.ExternalDocumentation Example:*apiextensions.JSON XPreserveUnknownFields/x-kubernetes-preserve-unknown-fields:*bool XEmbeddedResource/x-kubernetes-embedded-resource:bool XIntOrString/x-kubernetes-int-or-string:bool XListMapKeys/x-kubernetes-list-map-keys:[]string XListType/x-kubernetes-list-type:*string XMapType/x-kubernetes-map-type:*string XValidations/x-kubernetes-validations:apiextensions.ValidationRules
apiextensions.JSONSchemaPropsOrBool Allows:bool Schema:*apiextensions.JSONSchemaProps
apiextensions.SelectableField JSONPath/jsonPath:string
apiextensions.ValidationRule Rule:string Message:string MessageExpression:string Reason:*apiextensions.FieldValueErrorReason FieldPath:string OptionalOldSelf:*bool
apps.DaemonSetUpdateStrategy Type:apps.DaemonSetUpdateStrategyType RollingUpdate:*apps.RollingUpdateDaemonSet
apps.DeploymentStrategy Type:apps.DeploymentStrategyType RollingUpdate:*apps.RollingUpdateDeployment
apps.RollingUpdateDaemonSet MaxUnavailable:intstr.IntOrString MaxSurge:intstr.IntOrString
apps.RollingUpdateDeployment MaxUnavailable:intstr.IntOrString MaxSurge:intstr.IntOrString
apps.RollingUpdateStatefulSetStrategy Partition:int32 MaxUnavailable:*intstr.IntOrString
apps.StatefulSetUpdateStrategy Type:apps.StatefulSetUpdateStrategyType RollingUpdate:*apps.RollingUpdateStatefulSetStrategy
batch.PodFailurePolicy Rules:[]batch.PodFailurePolicyRule
batch.PodFailurePolicyOnExitCodesRequirement ContainerName:*string Operator:batch.PodFailurePolicyOnExitCodesOperator Values:[]int32
batch.PodFailurePolicyOnPodConditionsPattern Type:core.PodConditionType Status:core.ConditionStatus
batch.PodFailurePolicyRule Action:batch.PodFailurePolicyAction OnExitCodes:*batch.PodFailurePolicyOnExitCodesRequirement OnPodConditions:[]batch.PodFailurePolicyOnPodConditionsPattern
batch.SuccessPolicy Rules:[]batch.SuccessPolicyRule
batch.SuccessPolicyRule SucceededIndexes:*string SucceededCount:*int32
certificates.CertificateSigningRequestCondition Type:certificates.RequestConditionType Status:core.ConditionStatus Reason:string Message:string LastUpdateTime:v1.Time LastTransitionTime:v1.Time
core.AWSElasticBlockStoreVolumeSource VolumeID:string FSType/fsType:string Partition:int32 ReadOnly:bool
core.Affinity NodeAffinity:*core.NodeAffinity PodAffinity:*core.PodAffinity PodAntiAffinity:*core.PodAntiAffinity
core.AppArmorProfile Type:core.AppArmorProfileType LocalhostProfile:*string
core.AzureDiskVolumeSource DiskName:string DataDiskURI/diskURI:string CachingMode:*core.AzureDataDiskCachingMode FSType/fsType:*string ReadOnly:*bool Kind:*core.AzureDataDiskKind
core.AzureFilePersistentVolumeSource SecretName:string ShareName:string ReadOnly:bool SecretNamespace:*string
core.AzureFileVolumeSource SecretName:string ShareName:string ReadOnly:bool
core.CSIPersistentVolumeSource Driver:string VolumeHandle:string ReadOnly:bool FSType/fsType:string VolumeAttributes:map[string]string ControllerPublishSecretRef:*core.SecretReference NodeStageSecretRef:*core.SecretReference NodePublishSecretRef:*core.SecretReference ControllerExpandSecretRef:*core.SecretReference NodeExpandSecretRef:*core.SecretReference
core.CSIVolumeSource Driver:string ReadOnly:*bool FSType/fsType:*string VolumeAttributes:map[string]string NodePublishSecretRef:*core.LocalObjectReference
core.Capabilities Add:[]core.Capability Drop:[]core.Capability
core.CephFSPersistentVolumeSource Monitors:[]string Path:string User:string SecretFile:string SecretRef:*core.SecretReference ReadOnly:bool
core.CephFSVolumeSource Monitors:[]string Path:string User:string SecretFile:string SecretRef:*core.LocalObjectReference ReadOnly:bool
core.CinderPersistentVolumeSource VolumeID:string FSType/fsType:string ReadOnly:bool SecretRef:*core.SecretReference
core.CinderVolumeSource VolumeID:string FSType/fsType:string ReadOnly:bool SecretRef:*core.LocalObjectReference
core.ClusterTrustBundleProjection Name:*string SignerName:*string LabelSelector:*v1.LabelSelector Optional:*bool Path:string
core.ConfigMapEnvSource LocalObjectReference/:core.LocalObjectReference Optional:*bool
core.ConfigMapKeySelector LocalObjectReference/:core.LocalObjectReference Key:string Optional:*bool
core.ConfigMapProjection LocalObjectReference/:core.LocalObjectReference Items:[]core.KeyToPath Optional:*bool
core.ConfigMapVolumeSource LocalObjectReference/:core.LocalObjectReference Items:[]core.KeyToPath DefaultMode:*int32 Optional:*bool
core.Container Name:string Image:string Command:[]string Args:[]string WorkingDir:string Ports:[]core.ContainerPort EnvFrom:[]core.EnvFromSource Env:[]core.EnvVar Resources:core.ResourceRequirements ResizePolicy:[]core.ContainerResizePolicy RestartPolicy:*core.ContainerRestartPolicy VolumeMounts:[]core.VolumeMount VolumeDevices:[]core.VolumeDevice LivenessProbe:*core.Probe ReadinessProbe:*core.Probe StartupProbe:*core.Probe Lifecycle:*core.Lifecycle TerminationMessagePath:string TerminationMessagePolicy:core.TerminationMessagePolicy ImagePullPolicy:core.PullPolicy SecurityContext:*core.SecurityContext Stdin:bool StdinOnce:bool TTY/tty:bool
core.ContainerPort Name:string HostPort:int32 ContainerPort:int32 Protocol:core.Protocol HostIP:string
core.ContainerResizePolicy ResourceName:core.ResourceName RestartPolicy:core.ResourceResizeRestartPolicy
core.DownwardAPIProjection Items:[]core.DownwardAPIVolumeFile
core.DownwardAPIVolumeFile Path:string FieldRef:*core.ObjectFieldSelector ResourceFieldRef:*core.ResourceFieldSelector Mode:*int32
core.DownwardAPIVolumeSource Items:[]core.DownwardAPIVolumeFile DefaultMode:*int32
core.EmptyDirVolumeSource Medium:core.StorageMedium SizeLimit:*resource.Quantity
core.EnvFromSource Prefix:string ConfigMapRef:*core.ConfigMapEnvSource SecretRef:*core.SecretEnvSource
core.EnvVar Name:string Value:string ValueFrom:*core.EnvVarSource
core.EnvVarSource FieldRef:*core.ObjectFieldSelector ResourceFieldRef:*core.ResourceFieldSelector ConfigMapKeyRef:*core.ConfigMapKeySelector SecretKeyRef:*core.SecretKeySelector
core.EphemeralContainer EphemeralContainerCommon/:core.EphemeralContainerCommon TargetContainerName:string
core.EphemeralContainerCommon Name:string Image:string Command:[]string Args:[]string WorkingDir:string Ports:[]core.ContainerPort EnvFrom:[]core.EnvFromSource Env:[]core.EnvVar Resources:core.ResourceRequirements ResizePolicy:[]core.ContainerResizePolicy RestartPolicy:*core.ContainerRestartPolicy VolumeMounts:[]core.VolumeMount VolumeDevices:[]core.VolumeDevice LivenessProbe:*core.Probe ReadinessProbe:*core.Probe StartupProbe:*core.Probe Lifecycle:*core.Lifecycle TerminationMessagePath:string TerminationMessagePolicy:core.TerminationMessagePolicy ImagePullPolicy:core.PullPolicy SecurityContext:*core.SecurityContext Stdin:bool StdinOnce:bool TTY/tty:bool
core.EphemeralVolumeSource VolumeClaimTemplate:*core.PersistentVolumeClaimTemplate
core.ExecAction Command:[]string
core.FCVolumeSource TargetWWNs:[]string Lun:*int32 FSType/fsType:string ReadOnly:bool WWIDs/wwids:[]string
core.FlexPersistentVolumeSource Driver:string FSType/fsType:string SecretRef:*core.SecretReference ReadOnly:bool Options:map[string]string
core.FlexVolumeSource Driver:string FSType/fsType:string SecretRef:*core.LocalObjectReference ReadOnly:bool Options:map[string]string
core.FlockerVolumeSource DatasetName:string DatasetUUID:string
core.GCEPersistentDiskVolumeSource PDName/pdName:string FSType/fsType:string Partition:int32 ReadOnly:bool
core.GRPCAction Port:int32 Service:*string
core.GitRepoVolumeSource Repository:string Revision:string Directory:string
core.GlusterfsPersistentVolumeSource EndpointsName/endpoints:string Path:string ReadOnly:bool EndpointsNamespace:*string
core.GlusterfsVolumeSource EndpointsName/endpoints:string Path:string ReadOnly:bool
core.HTTPGetAction Path:string Port:intstr.IntOrString Host:string Scheme:core.URIScheme HTTPHeaders/httpHeaders:[]core.HTTPHeader
core.HTTPHeader Name:string Value:string
core.HostAlias IP/ip:string Hostnames:[]string
core.HostPathVolumeSource Path:string Type:*core.HostPathType
core.ISCSIPersistentVolumeSource TargetPortal:string IQN/iqn:string Lun:int32 ISCSIInterface/iscsiInterface:string FSType/fsType:string ReadOnly:bool Portals:[]string DiscoveryCHAPAuth/chapAuthDiscovery:bool SessionCHAPAuth/chapAuthSession:bool SecretRef:*core.SecretReference InitiatorName:*string
core.ISCSIVolumeSource TargetPortal:string IQN/iqn:string Lun:int32 ISCSIInterface/iscsiInterface:string FSType/fsType:string ReadOnly:bool Portals:[]string DiscoveryCHAPAuth/chapAuthDiscovery:bool SessionCHAPAuth/chapAuthSession:bool SecretRef:*core.LocalObjectReference InitiatorName:*string
core.ImageVolumeSource Reference:string PullPolicy:core.PullPolicy
core.KeyToPath Key:string Path:string Mode:*int32
core.Lifecycle PostStart:*core.LifecycleHandler PreStop:*core.LifecycleHandler StopSignal:*core.Signal
core.LifecycleHandler Exec:*core.ExecAction HTTPGet/httpGet:*core.HTTPGetAction TCPSocket/tcpSocket:*core.TCPSocketAction Sleep:*core.SleepAction
core.LocalObjectReference Name:string
core.LocalVolumeSource Path:string FSType/fsType:*string
core.NFSVolumeSource Server:string Path:string ReadOnly:bool
core.NodeAffinity RequiredDuringSchedulingIgnoredDuringExecution:*core.NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[]core.PreferredSchedulingTerm
core.NodeSelector NodeSelectorTerms:[]core.NodeSelectorTerm
core.NodeSelectorRequirement Key:string Operator:core.NodeSelectorOperator Values:[]string
core.NodeSelectorTerm MatchExpressions:[]core.NodeSelectorRequirement MatchFields:[]core.NodeSelectorRequirement
core.ObjectFieldSelector APIVersion/apiVersion:string FieldPath:string
core.ObjectReference Kind:string Namespace:string Name:string UID/uid:types.UID APIVersion/apiVersion:string ResourceVersion:string FieldPath:string
core.PersistentVolumeClaimSpec AccessModes:[]core.PersistentVolumeAccessMode Selector:*v1.LabelSelector Resources:core.VolumeResourceRequirements VolumeName:string StorageClassName:*string VolumeMode:*core.PersistentVolumeMode DataSource:*core.TypedLocalObjectReference DataSourceRef:*core.TypedObjectReference VolumeAttributesClassName:*string
core.PersistentVolumeClaimTemplate ObjectMeta/metadata:v1.ObjectMeta Spec:core.PersistentVolumeClaimSpec
core.PersistentVolumeClaimVolumeSource ClaimName:string ReadOnly:bool
core.PersistentVolumeSource GCEPersistentDisk/gcePersistentDisk:*core.GCEPersistentDiskVolumeSource AWSElasticBlockStore/awsElasticBlockStore:*core.AWSElasticBlockStoreVolumeSource HostPath:*core.HostPathVolumeSource Glusterfs:*core.GlusterfsPersistentVolumeSource NFS/nfs:*core.NFSVolumeSource RBD/rbd:*core.RBDPersistentVolumeSource Quobyte:*core.QuobyteVolumeSource ISCSI/iscsi:*core.ISCSIPersistentVolumeSource FlexVolume:*core.FlexPersistentVolumeSource Cinder:*core.CinderPersistentVolumeSource CephFS/cephfs:*core.CephFSPersistentVolumeSource FC/fc:*core.FCVolumeSource Flocker:*core.FlockerVolumeSource AzureFile:*core.AzureFilePersistentVolumeSource VsphereVolume:*core.VsphereVirtualDiskVolumeSource AzureDisk:*core.AzureDiskVolumeSource PhotonPersistentDisk:*core.PhotonPersistentDiskVolumeSource PortworxVolume:*core.PortworxVolumeSource ScaleIO:*core.ScaleIOPersistentVolumeSource Local:*core.LocalVolumeSource StorageOS/storageos:*core.StorageOSPersistentVolumeSource CSI/csi:*core.CSIPersistentVolumeSource
core.PersistentVolumeSpec Capacity:core.ResourceList PersistentVolumeSource/:core.PersistentVolumeSource AccessModes:[]core.PersistentVolumeAccessMode ClaimRef:*core.ObjectReference PersistentVolumeReclaimPolicy:core.PersistentVolumeReclaimPolicy StorageClassName:string MountOptions:[]string VolumeMode:*core.PersistentVolumeMode NodeAffinity:*core.VolumeNodeAffinity VolumeAttributesClassName:*string
core.PhotonPersistentDiskVolumeSource PdID:string FSType/fsType:string
core.PodAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]core.PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]core.WeightedPodAffinityTerm
core.PodAffinityTerm LabelSelector:*v1.LabelSelector Namespaces:[]string TopologyKey:string NamespaceSelector:*v1.LabelSelector MatchLabelKeys:[]string MismatchLabelKeys:[]string
core.PodAntiAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]core.PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]core.WeightedPodAffinityTerm
core.PodDNSConfig Nameservers:[]string Searches:[]string Options:[]core.PodDNSConfigOption
core.PodDNSConfigOption Name:string Value:*string
core.PodOS Name:core.OSName
core.PodReadinessGate ConditionType:core.PodConditionType
core.PodResourceClaim Name:string ResourceClaimName:*string ResourceClaimTemplateName:*string
core.PodSchedulingGate Name:string
core.PodSecurityContext HostNetwork:bool HostPID:bool HostIPC:bool ShareProcessNamespace:*bool HostUsers:*bool SELinuxOptions/seLinuxOptions:*core.SELinuxOptions WindowsOptions:*core.WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool SupplementalGroups:[]int64 SupplementalGroupsPolicy:*core.SupplementalGroupsPolicy FSGroup/fsGroup:*int64 FSGroupChangePolicy/fsGroupChangePolicy:*core.PodFSGroupChangePolicy Sysctls:[]core.Sysctl SeccompProfile:*core.SeccompProfile AppArmorProfile:*core.AppArmorProfile SELinuxChangePolicy/seLinuxChangePolicy:*core.PodSELinuxChangePolicy
core.PodSpec Volumes:[]core.Volume InitContainers:[]core.Container Containers:[]core.Container EphemeralContainers:[]core.EphemeralContainer RestartPolicy:core.RestartPolicy TerminationGracePeriodSeconds:*int64 ActiveDeadlineSeconds:*int64 DNSPolicy/dnsPolicy:core.DNSPolicy NodeSelector:map[string]string ServiceAccountName:string AutomountServiceAccountToken:*bool NodeName:string SecurityContext:*core.PodSecurityContext ImagePullSecrets:[]core.LocalObjectReference Hostname:string Subdomain:string SetHostnameAsFQDN:*bool Affinity:*core.Affinity SchedulerName:string Tolerations:[]core.Toleration HostAliases:[]core.HostAlias PriorityClassName:string Priority:*int32 PreemptionPolicy:*core.PreemptionPolicy DNSConfig/dnsConfig:*core.PodDNSConfig ReadinessGates:[]core.PodReadinessGate RuntimeClassName:*string Overhead:core.ResourceList EnableServiceLinks:*bool TopologySpreadConstraints:[]core.TopologySpreadConstraint OS/os:*core.PodOS SchedulingGates:[]core.PodSchedulingGate ResourceClaims:[]core.PodResourceClaim Resources:*core.ResourceRequirements
core.PodTemplateSpec ObjectMeta/metadata:v1.ObjectMeta Spec:core.PodSpec
core.PortworxVolumeSource VolumeID:string FSType/fsType:string ReadOnly:bool
core.PreferredSchedulingTerm Weight:int32 Preference:core.NodeSelectorTerm
core.Probe ProbeHandler/:core.ProbeHandler InitialDelaySeconds:int32 TimeoutSeconds:int32 PeriodSeconds:int32 SuccessThreshold:int32 FailureThreshold:int32 TerminationGracePeriodSeconds:*int64
core.ProbeHandler Exec:*core.ExecAction HTTPGet/httpGet:*core.HTTPGetAction TCPSocket/tcpSocket:*core.TCPSocketAction GRPC/grpc:*core.GRPCAction
core.ProjectedVolumeSource Sources:[]core.VolumeProjection DefaultMode:*int32
core.QuobyteVolumeSource Registry:string Volume:string ReadOnly:bool User:string Group:string Tenant:string
core.RBDPersistentVolumeSource CephMonitors/monitors:[]string RBDImage/image:string FSType/fsType:string RBDPool/pool:string RadosUser/user:string Keyring:string SecretRef:*core.SecretReference ReadOnly:bool
core.RBDVolumeSource CephMonitors/monitors:[]string RBDImage/image:string FSType/fsType:string RBDPool/pool:string RadosUser/user:string Keyring:string SecretRef:*core.LocalObjectReference ReadOnly:bool
core.ResourceClaim Name:string Request:string
core.ResourceFieldSelector ContainerName:string Resource:string Divisor:resource.Quantity
core.ResourceRequirements Limits:core.ResourceList Requests:core.ResourceList Claims:[]core.ResourceClaim
core.SELinuxOptions User:string Role:string Type:string Level:string
core.ScaleIOPersistentVolumeSource Gateway:string System:string SecretRef:*core.SecretReference SSLEnabled/sslEnabled:bool ProtectionDomain:string StoragePool:string StorageMode:string VolumeName:string FSType/fsType:string ReadOnly:bool
core.ScaleIOVolumeSource Gateway:string System:string SecretRef:*core.LocalObjectReference SSLEnabled/sslEnabled:bool ProtectionDomain:string StoragePool:string StorageMode:string VolumeName:string FSType/fsType:string ReadOnly:bool
core.SeccompProfile Type:core.SeccompProfileType LocalhostProfile:*string
core.SecretEnvSource LocalObjectReference/:core.LocalObjectReference Optional:*bool
core.SecretKeySelector LocalObjectReference/:core.LocalObjectReference Key:string Optional:*bool
core.SecretProjection LocalObjectReference/:core.LocalObjectReference Items:[]core.KeyToPath Optional:*bool
core.SecretReference Name:string Namespace:string
core.SecretVolumeSource SecretName:string Items:[]core.KeyToPath DefaultMode:*int32 Optional:*bool
core.SecurityContext Capabilities:*core.Capabilities Privileged:*bool SELinuxOptions/seLinuxOptions:*core.SELinuxOptions WindowsOptions:*core.WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool ReadOnlyRootFilesystem:*bool AllowPrivilegeEscalation:*bool ProcMount:*core.ProcMountType SeccompProfile:*core.SeccompProfile AppArmorProfile:*core.AppArmorProfile
core.ServiceAccountTokenProjection Audience:string ExpirationSeconds:int64 Path:string
core.SleepAction Seconds:int64
core.StorageOSPersistentVolumeSource VolumeName:string VolumeNamespace:string FSType/fsType:string ReadOnly:bool SecretRef:*core.ObjectReference
core.StorageOSVolumeSource VolumeName:string VolumeNamespace:string FSType/fsType:string ReadOnly:bool SecretRef:*core.LocalObjectReference
core.Sysctl Name:string Value:string
core.TCPSocketAction Port:intstr.IntOrString Host:string
core.Toleration Key:string Operator:core.TolerationOperator Value:string Effect:core.TaintEffect TolerationSeconds:*int64
core.TopologySpreadConstraint MaxSkew:int32 TopologyKey:string WhenUnsatisfiable:core.UnsatisfiableConstraintAction LabelSelector:*v1.LabelSelector MinDomains:*int32 NodeAffinityPolicy:*core.NodeInclusionPolicy NodeTaintsPolicy:*core.NodeInclusionPolicy MatchLabelKeys:[]string
core.TypedLocalObjectReference APIGroup/apiGroup:*string Kind:string Name:string
core.TypedObjectReference APIGroup/apiGroup:*string Kind:string Name:string Namespace:*string
core.Volume Name:string VolumeSource/:core.VolumeSource
core.VolumeDevice Name:string DevicePath:string
core.VolumeMount Name:string ReadOnly:bool RecursiveReadOnly:*core.RecursiveReadOnlyMode MountPath:string SubPath:string MountPropagation:*core.MountPropagationMode SubPathExpr:string
core.VolumeNodeAffinity Required:*core.NodeSelector
core.VolumeProjection Secret:*core.SecretProjection DownwardAPI:*core.DownwardAPIProjection ConfigMap:*core.ConfigMapProjection ServiceAccountToken:*core.ServiceAccountTokenProjection ClusterTrustBundle:*core.ClusterTrustBundleProjection
core.VolumeResourceRequirements Limits:core.ResourceList Requests:core.ResourceList
core.VolumeSource HostPath:*core.HostPathVolumeSource EmptyDir:*core.EmptyDirVolumeSource GCEPersistentDisk/gcePersistentDisk:*core.GCEPersistentDiskVolumeSource AWSElasticBlockStore/awsElasticBlockStore:*core.AWSElasticBlockStoreVolumeSource GitRepo:*core.GitRepoVolumeSource Secret:*core.SecretVolumeSource NFS/nfs:*core.NFSVolumeSource ISCSI/iscsi:*core.ISCSIVolumeSource Glusterfs:*core.GlusterfsVolumeSource PersistentVolumeClaim:*core.PersistentVolumeClaimVolumeSource RBD/rbd:*core.RBDVolumeSource Quobyte:*core.QuobyteVolumeSource FlexVolume:*core.FlexVolumeSource Cinder:*core.CinderVolumeSource CephFS/cephfs:*core.CephFSVolumeSource Flocker:*core.FlockerVolumeSource DownwardAPI:*core.DownwardAPIVolumeSource FC/fc:*core.FCVolumeSource AzureFile:*core.AzureFileVolumeSource ConfigMap:*core.ConfigMapVolumeSource VsphereVolume:*core.VsphereVirtualDiskVolumeSource AzureDisk:*core.AzureDiskVolumeSource PhotonPersistentDisk:*core.PhotonPersistentDiskVolumeSource Projected:*core.ProjectedVolumeSource PortworxVolume:*core.PortworxVolumeSource ScaleIO:*core.ScaleIOVolumeSource StorageOS/storageos:*core.StorageOSVolumeSource CSI/csi:*core.CSIVolumeSource Ephemeral:*core.EphemeralVolumeSource Image:*core.ImageVolumeSource
core.VsphereVirtualDiskVolumeSource VolumePath:string FSType/fsType:string StoragePolicyName:string StoragePolicyID:string
core.WeightedPodAffinityTerm Weight:int32 PodAffinityTerm:core.PodAffinityTerm
core.WindowsSecurityContextOptions GMSACredentialSpecName/gmsaCredentialSpecName:*string GMSACredentialSpec/gmsaCredentialSpec:*string RunAsUserName:*string HostProcess:*bool
flowcontrol.ExemptPriorityLevelConfiguration NominalConcurrencyShares:*int32 LendablePercent:*int32
flowcontrol.FlowDistinguisherMethod Type:flowcontrol.FlowDistinguisherMethodType
flowcontrol.FlowSchemaSpec PriorityLevelConfiguration:flowcontrol.PriorityLevelConfigurationReference MatchingPrecedence:int32 DistinguisherMethod:*flowcontrol.FlowDistinguisherMethod Rules:[]flowcontrol.PolicyRulesWithSubjects
flowcontrol.GroupSubject Name:string
flowcontrol.LimitResponse Type:flowcontrol.LimitResponseType Queuing:*flowcontrol.QueuingConfiguration
flowcontrol.LimitedPriorityLevelConfiguration NominalConcurrencyShares:int32 LimitResponse:flowcontrol.LimitResponse LendablePercent:*int32 BorrowingLimitPercent:*int32
flowcontrol.NonResourcePolicyRule Verbs:[]string NonResourceURLs:[]string
flowcontrol.PolicyRulesWithSubjects Subjects:[]flowcontrol.Subject ResourceRules:[]flowcontrol.ResourcePolicyRule NonResourceRules:[]flowcontrol.NonResourcePolicyRule
flowcontrol.PriorityLevelConfigurationReference Name:string
flowcontrol.PriorityLevelConfigurationSpec Type:flowcontrol.PriorityLevelEnablement Limited:*flowcontrol.LimitedPriorityLevelConfiguration Exempt:*flowcontrol.ExemptPriorityLevelConfiguration
flowcontrol.QueuingConfiguration Queues:int32 HandSize:int32 QueueLengthLimit:int32
flowcontrol.ResourcePolicyRule Verbs:[]string APIGroups/apiGroups:[]string Resources:[]string ClusterScope:bool Namespaces:[]string
flowcontrol.ServiceAccountSubject Namespace:string Name:string
flowcontrol.Subject Kind:flowcontrol.SubjectKind User:*flowcontrol.UserSubject Group:*flowcontrol.GroupSubject ServiceAccount:*flowcontrol.ServiceAccountSubject
flowcontrol.UserSubject Name:string
resource.AllocationResult Devices:resource.DeviceAllocationResult NodeSelector:*core.NodeSelector
resource.CELDeviceSelector Expression:string
resource.DeviceAllocationConfiguration Source:resource.AllocationConfigSource Requests:[]string DeviceConfiguration/:resource.DeviceConfiguration
resource.DeviceAllocationResult Results:[]resource.DeviceRequestAllocationResult Config:[]resource.DeviceAllocationConfiguration
resource.DeviceAttribute IntValue/int:*int64 BoolValue/bool:*bool StringValue/string:*string VersionValue/version:*string
resource.DeviceClaim Requests:[]resource.DeviceRequest Constraints:[]resource.DeviceConstraint Config:[]resource.DeviceClaimConfiguration
resource.DeviceClaimConfiguration Requests:[]string DeviceConfiguration/:resource.DeviceConfiguration
resource.DeviceConfiguration Opaque:*resource.OpaqueDeviceConfiguration
resource.DeviceConstraint Requests:[]string MatchAttribute:*resource.FullyQualifiedName
resource.DeviceRequest Name:string Exactly:*resource.ExactDeviceRequest FirstAvailable:[]resource.DeviceSubRequest
resource.DeviceRequestAllocationResult Request:string Driver:string Pool:string Device:string AdminAccess:*bool Tolerations:[]resource.DeviceToleration
resource.DeviceSelector CEL/cel:*resource.CELDeviceSelector
resource.DeviceSubRequest Name:string DeviceClassName:string Selectors:[]resource.DeviceSelector AllocationMode:resource.DeviceAllocationMode Count:int64 Tolerations:[]resource.DeviceToleration
resource.DeviceToleration Key:string Operator:resource.DeviceTolerationOperator Value:string Effect:resource.DeviceTaintEffect TolerationSeconds:*int64
resource.ExactDeviceRequest DeviceClassName:string Selectors:[]resource.DeviceSelector AllocationMode:resource.DeviceAllocationMode Count:int64 AdminAccess:*bool Tolerations:[]resource.DeviceToleration
resource.OpaqueDeviceConfiguration Driver:string Parameters:runtime.RawExtension
resource.ResourceClaimSpec Devices:resource.DeviceClaim
resource.ResourceClaimTemplateSpec ObjectMeta/metadata:v1.ObjectMeta Spec:resource.ResourceClaimSpec
storage.CSINodeDriver Name:string NodeID:string TopologyKeys:[]string Allocatable:*storage.VolumeNodeResources
storage.VolumeNodeResources Count:*int32
v1.AWSElasticBlockStoreVolumeSource VolumeID:string FSType/fsType:string Partition:int32 ReadOnly:bool
v1.Affinity NodeAffinity:*v1.NodeAffinity PodAffinity:*v1.PodAffinity PodAntiAffinity:*v1.PodAntiAffinity
v1.AppArmorProfile Type:v1.AppArmorProfileType LocalhostProfile:*string
v1.AzureDiskVolumeSource DiskName:string DataDiskURI/diskURI:string CachingMode:*v1.AzureDataDiskCachingMode FSType/fsType:*string ReadOnly:*bool Kind:*v1.AzureDataDiskKind
v1.AzureFileVolumeSource SecretName:string ShareName:string ReadOnly:bool
v1.CSIVolumeSource Driver:string ReadOnly:*bool FSType/fsType:*string VolumeAttributes:map[string]string NodePublishSecretRef:*v1.LocalObjectReference
v1.Capabilities Add:[]v1.Capability Drop:[]v1.Capability
v1.CephFSVolumeSource Monitors:[]string Path:string User:string SecretFile:string SecretRef:*v1.LocalObjectReference ReadOnly:bool
v1.CinderVolumeSource VolumeID:string FSType/fsType:string ReadOnly:bool SecretRef:*v1.LocalObjectReference
v1.ClusterTrustBundleProjection Name:*string SignerName:*string LabelSelector:*v1.LabelSelector Optional:*bool Path:string
v1.ConfigMapEnvSource LocalObjectReference/:v1.LocalObjectReference Optional:*bool
v1.ConfigMapKeySelector LocalObjectReference/:v1.LocalObjectReference Key:string Optional:*bool
v1.ConfigMapProjection LocalObjectReference/:v1.LocalObjectReference Items:[]v1.KeyToPath Optional:*bool
v1.ConfigMapVolumeSource LocalObjectReference/:v1.LocalObjectReference Items:[]v1.KeyToPath DefaultMode:*int32 Optional:*bool
v1.Container Name:string Image:string Command:[]string Args:[]string WorkingDir:string Ports:[]v1.ContainerPort EnvFrom:[]v1.EnvFromSource Env:[]v1.EnvVar Resources:v1.ResourceRequirements ResizePolicy:[]v1.ContainerResizePolicy RestartPolicy:*v1.ContainerRestartPolicy VolumeMounts:[]v1.VolumeMount VolumeDevices:[]v1.VolumeDevice LivenessProbe:*v1.Probe ReadinessProbe:*v1.Probe StartupProbe:*v1.Probe Lifecycle:*v1.Lifecycle TerminationMessagePath:string TerminationMessagePolicy:v1.TerminationMessagePolicy ImagePullPolicy:v1.PullPolicy SecurityContext:*v1.SecurityContext Stdin:bool StdinOnce:bool TTY/tty:bool
v1.ContainerPort Name:string HostPort:int32 ContainerPort:int32 Protocol:v1.Protocol HostIP:string
v1.ContainerResizePolicy ResourceName:v1.ResourceName RestartPolicy:v1.ResourceResizeRestartPolicy
v1.DownwardAPIProjection Items:[]v1.DownwardAPIVolumeFile
v1.DownwardAPIVolumeFile Path:string FieldRef:*v1.ObjectFieldSelector ResourceFieldRef:*v1.ResourceFieldSelector Mode:*int32
v1.DownwardAPIVolumeSource Items:[]v1.DownwardAPIVolumeFile DefaultMode:*int32
v1.EmptyDirVolumeSource Medium:v1.StorageMedium SizeLimit:*resource.Quantity
v1.EnvFromSource Prefix:string ConfigMapRef:*v1.ConfigMapEnvSource SecretRef:*v1.SecretEnvSource
v1.EnvVar Name:string Value:string ValueFrom:*v1.EnvVarSource
v1.EnvVarSource FieldRef:*v1.ObjectFieldSelector ResourceFieldRef:*v1.ResourceFieldSelector ConfigMapKeyRef:*v1.ConfigMapKeySelector SecretKeyRef:*v1.SecretKeySelector
v1.EphemeralContainer EphemeralContainerCommon/:v1.EphemeralContainerCommon TargetContainerName:string
v1.EphemeralContainerCommon Name:string Image:string Command:[]string Args:[]string WorkingDir:string Ports:[]v1.ContainerPort EnvFrom:[]v1.EnvFromSource Env:[]v1.EnvVar Resources:v1.ResourceRequirements ResizePolicy:[]v1.ContainerResizePolicy RestartPolicy:*v1.ContainerRestartPolicy VolumeMounts:[]v1.VolumeMount VolumeDevices:[]v1.VolumeDevice LivenessProbe:*v1.Probe ReadinessProbe:*v1.Probe StartupProbe:*v1.Probe Lifecycle:*v1.Lifecycle TerminationMessagePath:string TerminationMessagePolicy:v1.TerminationMessagePolicy ImagePullPolicy:v1.PullPolicy SecurityContext:*v1.SecurityContext Stdin:bool StdinOnce:bool TTY/tty:bool
v1.EphemeralVolumeSource VolumeClaimTemplate:*v1.PersistentVolumeClaimTemplate
v1.ExecAction Command:[]string
v1.FCVolumeSource TargetWWNs:[]string Lun:*int32 FSType/fsType:string ReadOnly:bool WWIDs/wwids:[]string
v1.FlexVolumeSource Driver:string FSType/fsType:string SecretRef:*v1.LocalObjectReference ReadOnly:bool Options:map[string]string
v1.FlockerVolumeSource DatasetName:string DatasetUUID:string
v1.GCEPersistentDiskVolumeSource PDName/pdName:string FSType/fsType:string Partition:int32 ReadOnly:bool
v1.GRPCAction Port:int32 Service:*string
v1.GitRepoVolumeSource Repository:string Revision:string Directory:string
v1.GlusterfsVolumeSource EndpointsName/endpoints:string Path:string ReadOnly:bool
v1.HTTPGetAction Path:string Port:intstr.IntOrString Host:string Scheme:v1.URIScheme HTTPHeaders/httpHeaders:[]v1.HTTPHeader
v1.HTTPHeader Name:string Value:string
v1.HostAlias IP/ip:string Hostnames:[]string
v1.HostPathVolumeSource Path:string Type:*v1.HostPathType
v1.ISCSIVolumeSource TargetPortal:string IQN/iqn:string Lun:int32 ISCSIInterface/iscsiInterface:string FSType/fsType:string ReadOnly:bool Portals:[]string DiscoveryCHAPAuth/chapAuthDiscovery:bool SessionCHAPAuth/chapAuthSession:bool SecretRef:*v1.LocalObjectReference InitiatorName:*string
v1.ImageVolumeSource Reference:string PullPolicy:v1.PullPolicy
v1.KeyToPath Key:string Path:string Mode:*int32
v1.LabelSelector MatchLabels:map[string]string MatchExpressions:[]v1.LabelSelectorRequirement
v1.LabelSelectorRequirement Key:string Operator:v1.LabelSelectorOperator Values:[]string
v1.Lifecycle PostStart:*v1.LifecycleHandler PreStop:*v1.LifecycleHandler StopSignal:*v1.Signal
v1.LifecycleHandler Exec:*v1.ExecAction HTTPGet/httpGet:*v1.HTTPGetAction TCPSocket/tcpSocket:*v1.TCPSocketAction Sleep:*v1.SleepAction
v1.LocalObjectReference Name:string
v1.ManagedFieldsEntry Manager:string Operation:v1.ManagedFieldsOperationType APIVersion/apiVersion:string Time:*v1.Time FieldsType:string FieldsV1:*v1.FieldsV1 Subresource:string
v1.NFSVolumeSource Server:string Path:string ReadOnly:bool
v1.NodeAffinity RequiredDuringSchedulingIgnoredDuringExecution:*v1.NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[]v1.PreferredSchedulingTerm
v1.NodeSelector NodeSelectorTerms:[]v1.NodeSelectorTerm
v1.NodeSelectorRequirement Key:string Operator:v1.NodeSelectorOperator Values:[]string
v1.NodeSelectorTerm MatchExpressions:[]v1.NodeSelectorRequirement MatchFields:[]v1.NodeSelectorRequirement
v1.ObjectFieldSelector APIVersion/apiVersion:string FieldPath:string
v1.ObjectMeta Name:string GenerateName:string Namespace:string SelfLink:string UID/uid:types.UID ResourceVersion:string Generation:int64 CreationTimestamp:v1.Time DeletionTimestamp:*v1.Time DeletionGracePeriodSeconds:*int64 Labels:map[string]string Annotations:map[string]string OwnerReferences:[]v1.OwnerReference Finalizers:[]string ManagedFields:[]v1.ManagedFieldsEntry
v1.OwnerReference APIVersion/apiVersion:string Kind:string Name:string UID/uid:types.UID Controller:*bool BlockOwnerDeletion:*bool
v1.PersistentVolumeClaimSpec AccessModes:[]v1.PersistentVolumeAccessMode Selector:*v1.LabelSelector Resources:v1.VolumeResourceRequirements VolumeName:string StorageClassName:*string VolumeMode:*v1.PersistentVolumeMode DataSource:*v1.TypedLocalObjectReference DataSourceRef:*v1.TypedObjectReference VolumeAttributesClassName:*string
v1.PersistentVolumeClaimTemplate ObjectMeta/metadata:v1.ObjectMeta Spec:v1.PersistentVolumeClaimSpec
v1.PersistentVolumeClaimVolumeSource ClaimName:string ReadOnly:bool
v1.PhotonPersistentDiskVolumeSource PdID:string FSType/fsType:string
v1.PodAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]v1.PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]v1.WeightedPodAffinityTerm
v1.PodAffinityTerm LabelSelector:*v1.LabelSelector Namespaces:[]string TopologyKey:string NamespaceSelector:*v1.LabelSelector MatchLabelKeys:[]string MismatchLabelKeys:[]string
v1.PodAntiAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]v1.PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]v1.WeightedPodAffinityTerm
v1.PodDNSConfig Nameservers:[]string Searches:[]string Options:[]v1.PodDNSConfigOption
v1.PodDNSConfigOption Name:string Value:*string
v1.PodOS Name:v1.OSName
v1.PodReadinessGate ConditionType:v1.PodConditionType
v1.PodResourceClaim Name:string ResourceClaimName:*string ResourceClaimTemplateName:*string
v1.PodSchedulingGate Name:string
v1.PodSecurityContext SELinuxOptions/seLinuxOptions:*v1.SELinuxOptions WindowsOptions:*v1.WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool SupplementalGroups:[]int64 SupplementalGroupsPolicy:*v1.SupplementalGroupsPolicy FSGroup/fsGroup:*int64 Sysctls:[]v1.Sysctl FSGroupChangePolicy/fsGroupChangePolicy:*v1.PodFSGroupChangePolicy SeccompProfile:*v1.SeccompProfile AppArmorProfile:*v1.AppArmorProfile SELinuxChangePolicy/seLinuxChangePolicy:*v1.PodSELinuxChangePolicy
v1.PodSpec Volumes:[]v1.Volume InitContainers:[]v1.Container Containers:[]v1.Container EphemeralContainers:[]v1.EphemeralContainer RestartPolicy:v1.RestartPolicy TerminationGracePeriodSeconds:*int64 ActiveDeadlineSeconds:*int64 DNSPolicy/dnsPolicy:v1.DNSPolicy NodeSelector:map[string]string ServiceAccountName:string DeprecatedServiceAccount/serviceAccount:string AutomountServiceAccountToken:*bool NodeName:string HostNetwork:bool HostPID:bool HostIPC:bool ShareProcessNamespace:*bool SecurityContext:*v1.PodSecurityContext ImagePullSecrets:[]v1.LocalObjectReference Hostname:string Subdomain:string Affinity:*v1.Affinity SchedulerName:string Tolerations:[]v1.Toleration HostAliases:[]v1.HostAlias PriorityClassName:string Priority:*int32 DNSConfig/dnsConfig:*v1.PodDNSConfig ReadinessGates:[]v1.PodReadinessGate RuntimeClassName:*string EnableServiceLinks:*bool PreemptionPolicy:*v1.PreemptionPolicy Overhead:v1.ResourceList TopologySpreadConstraints:[]v1.TopologySpreadConstraint SetHostnameAsFQDN:*bool OS/os:*v1.PodOS HostUsers:*bool SchedulingGates:[]v1.PodSchedulingGate ResourceClaims:[]v1.PodResourceClaim Resources:*v1.ResourceRequirements
v1.PodTemplateSpec ObjectMeta/metadata:v1.ObjectMeta Spec:v1.PodSpec
v1.PortworxVolumeSource VolumeID:string FSType/fsType:string ReadOnly:bool
v1.PreferredSchedulingTerm Weight:int32 Preference:v1.NodeSelectorTerm
v1.Probe ProbeHandler/:v1.ProbeHandler InitialDelaySeconds:int32 TimeoutSeconds:int32 PeriodSeconds:int32 SuccessThreshold:int32 FailureThreshold:int32 TerminationGracePeriodSeconds:*int64
v1.ProbeHandler Exec:*v1.ExecAction HTTPGet/httpGet:*v1.HTTPGetAction TCPSocket/tcpSocket:*v1.TCPSocketAction GRPC/grpc:*v1.GRPCAction
v1.ProjectedVolumeSource Sources:[]v1.VolumeProjection DefaultMode:*int32
v1.QuobyteVolumeSource Registry:string Volume:string ReadOnly:bool User:string Group:string Tenant:string
v1.RBDVolumeSource CephMonitors/monitors:[]string RBDImage/image:string FSType/fsType:string RBDPool/pool:string RadosUser/user:string Keyring:string SecretRef:*v1.LocalObjectReference ReadOnly:bool
v1.ResourceClaim Name:string Request:string
v1.ResourceFieldSelector ContainerName:string Resource:string Divisor:resource.Quantity
v1.ResourceRequirements Limits:v1.ResourceList Requests:v1.ResourceList Claims:[]v1.ResourceClaim
v1.SELinuxOptions User:string Role:string Type:string Level:string
v1.ScaleIOVolumeSource Gateway:string System:string SecretRef:*v1.LocalObjectReference SSLEnabled/sslEnabled:bool ProtectionDomain:string StoragePool:string StorageMode:string VolumeName:string FSType/fsType:string ReadOnly:bool
v1.SeccompProfile Type:v1.SeccompProfileType LocalhostProfile:*string
v1.SecretEnvSource LocalObjectReference/:v1.LocalObjectReference Optional:*bool
v1.SecretKeySelector LocalObjectReference/:v1.LocalObjectReference Key:string Optional:*bool
v1.SecretProjection LocalObjectReference/:v1.LocalObjectReference Items:[]v1.KeyToPath Optional:*bool
v1.SecretVolumeSource SecretName:string Items:[]v1.KeyToPath DefaultMode:*int32 Optional:*bool
v1.SecurityContext Capabilities:*v1.Capabilities Privileged:*bool SELinuxOptions/seLinuxOptions:*v1.SELinuxOptions WindowsOptions:*v1.WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool ReadOnlyRootFilesystem:*bool AllowPrivilegeEscalation:*bool ProcMount:*v1.ProcMountType SeccompProfile:*v1.SeccompProfile AppArmorProfile:*v1.AppArmorProfile
v1.ServiceAccountTokenProjection Audience:string ExpirationSeconds:*int64 Path:string
v1.SleepAction Seconds:int64
v1.StorageOSVolumeSource VolumeName:string VolumeNamespace:string FSType/fsType:string ReadOnly:bool SecretRef:*v1.LocalObjectReference
v1.Sysctl Name:string Value:string
v1.TCPSocketAction Port:intstr.IntOrString Host:string
v1.Toleration Key:string Operator:v1.TolerationOperator Value:string Effect:v1.TaintEffect TolerationSeconds:*int64
v1.TopologySpreadConstraint MaxSkew:int32 TopologyKey:string WhenUnsatisfiable:v1.UnsatisfiableConstraintAction LabelSelector:*v1.LabelSelector MinDomains:*int32 NodeAffinityPolicy:*v1.NodeInclusionPolicy NodeTaintsPolicy:*v1.NodeInclusionPolicy MatchLabelKeys:[]string
v1.TypedLocalObjectReference APIGroup/apiGroup:*string Kind:string Name:string
v1.TypedObjectReference APIGroup/apiGroup:*string Kind:string Name:string Namespace:*string
v1.Volume Name:string VolumeSource/:v1.VolumeSource
v1.VolumeDevice Name:string DevicePath:string
v1.VolumeMount Name:string ReadOnly:bool RecursiveReadOnly:*v1.RecursiveReadOnlyMode MountPath:string SubPath:string MountPropagation:*v1.MountPropagationMode SubPathExpr:string
v1.VolumeProjection Secret:*v1.SecretProjection DownwardAPI:*v1.DownwardAPIProjection ConfigMap:*v1.ConfigMapProjection ServiceAccountToken:*v1.ServiceAccountTokenProjection ClusterTrustBundle:*v1.ClusterTrustBundleProjection
v1.VolumeResourceRequirements Limits:v1.ResourceList Requests:v1.ResourceList
v1.VolumeSource HostPath:*v1.HostPathVolumeSource EmptyDir:*v1.EmptyDirVolumeSource GCEPersistentDisk/gcePersistentDisk:*v1.GCEPersistentDiskVolumeSource AWSElasticBlockStore/awsElasticBlockStore:*v1.AWSElasticBlockStoreVolumeSource GitRepo:*v1.GitRepoVolumeSource Secret:*v1.SecretVolumeSource NFS/nfs:*v1.NFSVolumeSource ISCSI/iscsi:*v1.ISCSIVolumeSource Glusterfs:*v1.GlusterfsVolumeSource PersistentVolumeClaim:*v1.PersistentVolumeClaimVolumeSource RBD/rbd:*v1.RBDVolumeSource FlexVolume:*v1.FlexVolumeSource Cinder:*v1.CinderVolumeSource CephFS/cephfs:*v1.CephFSVolumeSource Flocker:*v1.FlockerVolumeSource DownwardAPI:*v1.DownwardAPIVolumeSource FC/fc:*v1.FCVolumeSource AzureFile:*v1.AzureFileVolumeSource ConfigMap:*v1.ConfigMapVolumeSource VsphereVolume:*v1.VsphereVirtualDiskVolumeSource Quobyte:*v1.QuobyteVolumeSource AzureDisk:*v1.AzureDiskVolumeSource PhotonPersistentDisk:*v1.PhotonPersistentDiskVolumeSource Projected:*v1.ProjectedVolumeSource PortworxVolume:*v1.PortworxVolumeSource ScaleIO:*v1.ScaleIOVolumeSource StorageOS/storageos:*v1.StorageOSVolumeSource CSI/csi:*v1.CSIVolumeSource Ephemeral:*v1.EphemeralVolumeSource Image:*v1.ImageVolumeSource
v1.VsphereVirtualDiskVolumeSource VolumePath:string FSType/fsType:string StoragePolicyName:string StoragePolicyID:string
v1.WeightedPodAffinityTerm Weight:int32 PodAffinityTerm:v1.PodAffinityTerm
v1.WindowsSecurityContextOptions GMSACredentialSpecName/gmsaCredentialSpecName:*string GMSACredentialSpec/gmsaCredentialSpec:*string RunAsUserName:*string HostProcess:*bool
`
