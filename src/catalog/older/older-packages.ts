/**
 * The types of API versions that are served no longer, as what sets them apart from the types of today: what is not
 * here is as in the package (or packages) that the older one is derived from. They are needed where an earlier release
 * is emulated, to read what such a release stored, and to convert files.
 *
 * The form is that of `parse-type.ts`. A type marked `~` is edited: `-a` leaves field `a` out, `a⇥…` puts another one
 * in its place, `a>b⇥…` one of another name, and `a+b⇥…` adds `b` behind `a`.
 */
export interface OlderPackage {
  readonly from: readonly string[]
  /** The kinds that the version has, with their lists. Kinds of `from` that are not here are not of this version. */
  readonly kinds: readonly string[]
  readonly text: string
}

const derived = (from: string, kinds: string, text = ''): OlderPackage => ({
  from: from.split(' '),
  kinds: kinds.split(' '),
  text,
})

const scale = `@Scale	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ScaleSpec	e	#2
status	.ScaleStatus	e	#3
@ScaleSpec
replicas	integer:int32	#1
@ScaleStatus
replicas	integer:int32	re	D0	#1
selector	{string}	Matomic	#2
targetSelector	string	#3
`

const rollback = `@RollbackConfig
revision	integer:int64	#1
@DeploymentRollback	K
kind	string
apiVersion	string
name	string	re	D""	#1
updatedAnnotations	{string}	#2
rollbackTo	.RollbackConfig	re	#3
`

const ingress = `@HTTPIngressPath	~
pathType	string	p	EExact|ImplementationSpecific|Prefix	Tv1beta1.PathType	#3
@IngressBackend
serviceName	string	#1
servicePort	machinery.util.intstr.IntOrString	e	#2
resource	core.v1.TypedLocalObjectReference	p	#3
@IngressSpec	~
defaultBackend>backend	.IngressBackend	p	#1
`

const deployment = `@DeploymentSpec	~
selector	meta.v1.LabelSelector	p	#2
paused+rollbackTo	.RollbackConfig	p	#8
`

const autoscalerStatus = `@HorizontalPodAutoscalerStatus	~
currentReplicas	integer:int32	re	D0	#3
conditions	[.HorizontalPodAutoscalerCondition]	e	L:atomic	#6
`

const flowStatus = `@FlowSchemaStatus	~
conditions	[.FlowSchemaCondition]	Ltype	#1
@PriorityLevelConfigurationStatus	~
conditions	[.PriorityLevelConfigurationCondition]	Ltype	#1
`

const webhook = (name: string): string => `@${name}	~
sideEffects	string	p	ENone|NoneOnDryRun|Some|Unknown	Tv1beta1.SideEffectClass	#6
admissionReviewVersions	[string]	L:atomic	#8
rules	[admissionregistration.v1.RuleWithOperations]	L:atomic	#3
`

export const olderPackages: ReadonlyMap<string, OlderPackage> = new Map([
  [
    'extensions.v1beta1',
    derived(
      'apps.v1 networking.v1 policy.v1beta1',
      'DaemonSet Deployment DeploymentRollback Ingress NetworkPolicy PodSecurityPolicy ReplicaSet Scale',
      `${deployment}@DaemonSetSpec	~
selector	meta.v1.LabelSelector	p	#1
minReadySeconds+templateGeneration	integer:int64	#5
@ReplicaSetSpec	~
selector	meta.v1.LabelSelector	p	#2
${rollback}${scale}${ingress}`,
    ),
  ],
  [
    'apps.v1beta1',
    derived(
      'apps.v1',
      'ControllerRevision Deployment DeploymentRollback ReplicaSet Scale StatefulSet',
      `${deployment}@StatefulSetSpec	~
selector	meta.v1.LabelSelector	p	#2
@ReplicaSetSpec	~
selector	meta.v1.LabelSelector	p	#2
@StatefulSetStatus	~
observedGeneration	integer:int64	p	#1
${rollback}${scale}`,
    ),
  ],
  [
    'apps.v1beta2',
    derived('apps.v1', 'ControllerRevision DaemonSet Deployment ReplicaSet Scale StatefulSet', `${scale}`),
  ],
  ['events.v1beta1', derived('events.v1', 'Event')],
  [
    'authentication.v1beta1',
    derived(
      'authentication.v1',
      'SelfSubjectReview TokenReview',
      `@SelfSubjectReviewStatus
userInfo	authentication.v1.UserInfo	e	#1
`,
    ),
  ],
  [
    'authorization.v1beta1',
    derived(
      'authorization.v1',
      'LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
      `@ResourceAttributes	~
fieldSelector	authorization.v1.FieldSelectorAttributes	p	#8
labelSelector	authorization.v1.LabelSelectorAttributes	p	#9
@SubjectAccessReviewSpec	~
groups>group	[string]	L:atomic	#4
`,
    ),
  ],
  [
    'autoscaling.v2beta1',
    derived(
      'autoscaling.v2',
      'HorizontalPodAutoscaler',
      `${autoscalerStatus}@HorizontalPodAutoscalerSpec	~
-behavior
@ContainerResourceMetricSource
name	string	re	D""	Tv1.ResourceName	#1
targetAverageUtilization	integer:int32	p	#2
targetAverageValue	machinery.api.resource.Quantity	p	#3
container	string	re	D""	#4
@ContainerResourceMetricStatus
name	string	re	D""	Tv1.ResourceName	#1
currentAverageUtilization	integer:int32	p	#2
currentAverageValue	machinery.api.resource.Quantity	re	#3
container	string	re	D""	#4
@ExternalMetricSource
metricName	string	re	D""	#1
metricSelector	meta.v1.LabelSelector	p	#2
targetValue	machinery.api.resource.Quantity	p	#3
targetAverageValue	machinery.api.resource.Quantity	p	#4
@ExternalMetricStatus
metricName	string	re	D""	#1
metricSelector	meta.v1.LabelSelector	p	#2
currentValue	machinery.api.resource.Quantity	re	#3
currentAverageValue	machinery.api.resource.Quantity	p	#4
@ObjectMetricSource
target	.CrossVersionObjectReference	re	#1
metricName	string	re	D""	#2
targetValue	machinery.api.resource.Quantity	re	#3
selector	meta.v1.LabelSelector	p	#4
averageValue	machinery.api.resource.Quantity	p	#5
@ObjectMetricStatus
target	.CrossVersionObjectReference	re	#1
metricName	string	re	D""	#2
currentValue	machinery.api.resource.Quantity	re	#3
selector	meta.v1.LabelSelector	p	#4
averageValue	machinery.api.resource.Quantity	p	#5
@PodsMetricSource
metricName	string	re	D""	#1
targetAverageValue	machinery.api.resource.Quantity	re	#2
selector	meta.v1.LabelSelector	p	#3
@PodsMetricStatus
metricName	string	re	D""	#1
currentAverageValue	machinery.api.resource.Quantity	re	#2
selector	meta.v1.LabelSelector	p	#3
@ResourceMetricSource
name	string	re	D""	Tv1.ResourceName	#1
targetAverageUtilization	integer:int32	p	#2
targetAverageValue	machinery.api.resource.Quantity	p	#3
@ResourceMetricStatus
name	string	re	D""	Tv1.ResourceName	#1
currentAverageUtilization	integer:int32	p	#2
currentAverageValue	machinery.api.resource.Quantity	re	#3
`,
    ),
  ],
  [
    'autoscaling.v2beta2',
    derived(
      'autoscaling.v2',
      'HorizontalPodAutoscaler',
      `${autoscalerStatus}@HPAScalingRules	~
-tolerance
`,
    ),
  ],
  [
    'batch.v1beta1',
    derived(
      'batch.v1',
      'CronJob',
      `@JobTemplateSpec	~
spec	batch.v1.JobSpec	e	#2
`,
    ),
  ],
  [
    'batch.v2alpha1',
    derived(
      'batch.v1',
      'CronJob',
      `@JobTemplateSpec	~
spec	batch.v1.JobSpec	e	#2
`,
    ),
  ],
  [
    'certificates.v1beta1',
    derived(
      'certificates.v1',
      'CertificateSigningRequest',
      `@CertificateSigningRequestCondition	~
status	string	e	D""	Tv1.ConditionStatus	#6
@CertificateSigningRequestSpec	~
signerName	string	p	#7
`,
    ),
  ],
  [
    'networking.v1beta1',
    derived(
      'networking.v1',
      'Ingress IngressClass',
      `${ingress}@IngressClassParametersReference	~
scope	string	pe	#4
`,
    ),
  ],
  [
    'policy.v1beta1',
    derived(
      'policy.v1',
      'Eviction PodDisruptionBudget PodSecurityPolicy',
      `@PodDisruptionBudgetSpec	~
selector	meta.v1.LabelSelector	p	#2
@PodSecurityPolicy	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.PodSecurityPolicySpec	e	#2
@PodSecurityPolicyList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.PodSecurityPolicy]	re	#2
@PodSecurityPolicySpec
privileged	boolean	#1
defaultAddCapabilities	[string]	#2
requiredDropCapabilities	[string]	#3
allowedCapabilities	[string]	#4
volumes	[string]	#5
hostNetwork	boolean	#6
hostPorts	[.HostPortRange]	#7
hostPID	boolean	#8
hostIPC	boolean	#9
seLinux	.SELinuxStrategyOptions	re	#10
runAsUser	.RunAsUserStrategyOptions	re	#11
runAsGroup	.RunAsGroupStrategyOptions	p	#22
supplementalGroups	.SupplementalGroupsStrategyOptions	re	#12
fsGroup	.FSGroupStrategyOptions	re	#13
readOnlyRootFilesystem	boolean	#14
defaultAllowPrivilegeEscalation	boolean	p	#15
allowPrivilegeEscalation	boolean	p	#16
allowedHostPaths	[.AllowedHostPath]	#17
allowedFlexVolumes	[.AllowedFlexVolume]	#18
allowedCSIDrivers	[.AllowedCSIDriver]	#23
allowedUnsafeSysctls	[string]	#19
forbiddenSysctls	[string]	#20
allowedProcMountTypes	[string]	#21
runtimeClass	.RuntimeClassStrategyOptions	p	#24
@AllowedCSIDriver
name	string	re	D""	#1
@AllowedFlexVolume
driver	string	re	D""	#1
@AllowedHostPath
pathPrefix	string	#1
readOnly	boolean	#2
@FSGroupStrategyOptions
rule	string	Tv1beta1.FSGroupStrategyType	#1
ranges	[.IDRange]	#2
@HostPortRange
min	integer:int32	re	D0	#1
max	integer:int32	re	D0	#2
@IDRange
min	integer:int64	re	D0	#1
max	integer:int64	re	D0	#2
@RunAsGroupStrategyOptions
rule	string	re	D""	Tv1beta1.RunAsGroupStrategy	#1
ranges	[.IDRange]	#2
@RunAsUserStrategyOptions
rule	string	re	D""	Tv1beta1.RunAsUserStrategy	#1
ranges	[.IDRange]	#2
@RuntimeClassStrategyOptions
allowedRuntimeClassNames	[string]	re	#1
defaultRuntimeClassName	string	p	#2
@SELinuxStrategyOptions
rule	string	re	D""	Tv1beta1.SELinuxStrategy	#1
seLinuxOptions	core.v1.SELinuxOptions	p	#2
@SupplementalGroupsStrategyOptions
rule	string	Tv1beta1.SupplementalGroupsStrategyType	#1
ranges	[.IDRange]	#2
`,
    ),
  ],
  ['rbac.v1beta1', derived('rbac.v1', 'ClusterRole ClusterRoleBinding Role RoleBinding')],
  [
    'rbac.v1alpha1',
    derived(
      'rbac.v1',
      'ClusterRole ClusterRoleBinding Role RoleBinding',
      `@Subject
kind	string	re	D""	#1
apiVersion	string	#2
name	string	re	D""	#3
namespace	string	#4
`,
    ),
  ],
  ['storage.v1beta1', derived('storage.v1', 'CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment')],
  ['storage.v1alpha1', derived('storage.v1', 'CSIStorageCapacity VolumeAttachment')],
  [
    'admissionregistration.v1beta1',
    derived(
      'admissionregistration.v1',
      'MutatingWebhookConfiguration ValidatingWebhookConfiguration',
      `${webhook('MutatingWebhook')}${webhook('ValidatingWebhook')}`,
    ),
  ],
  [
    'apiextensions.v1beta1',
    derived(
      'apiextensions.v1',
      'ConversionReview CustomResourceDefinition',
      `@CustomResourceColumnDefinition	~
jsonPath>JSONPath	string	re	D""	#6
@CustomResourceConversion	~
webhook>webhookClientConfig	.WebhookClientConfig	p	#2
webhookClientConfig+conversionReviewVersions	[string]	L:atomic	#3
@CustomResourceDefinitionSpec	~
group+version	string	#2
scope+validation	.CustomResourceValidation	p	#5
validation+subresources	.CustomResourceSubresources	p	#6
versions	[.CustomResourceDefinitionVersion]	L:atomic	#7
versions+additionalPrinterColumns	[.CustomResourceColumnDefinition]	L:atomic	#8
additionalPrinterColumns+selectableFields	[.SelectableField]	L:atomic	#11
preserveUnknownFields	boolean	p	#10
`,
    ),
  ],
  ['apiregistration.v1beta1', derived('apiregistration.v1', 'APIService')],
  ['scheduling.v1beta1', derived('scheduling.v1', 'PriorityClass')],
  ['scheduling.v1alpha1', derived('scheduling.v1', 'PriorityClass')],
  ['coordination.v1beta1', derived('coordination.v1', 'Lease')],
  ['node.v1beta1', derived('node.v1', 'RuntimeClass')],
  [
    'node.v1alpha1',
    derived(
      'node.v1',
      'RuntimeClass',
      `@RuntimeClass	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.RuntimeClassSpec	re	#2
@RuntimeClassSpec
runtimeHandler	string	re	D""	#1
overhead	.Overhead	p	#2
scheduling	.Scheduling	p	#3
`,
    ),
  ],
  [
    'discovery.v1beta1',
    derived(
      'discovery.v1',
      'EndpointSlice',
      `@Endpoint	~
deprecatedTopology>topology	{string}	#5
-zone
hints	.EndpointHints	p	#7
`,
    ),
  ],
  [
    'flowcontrol.v1alpha1',
    derived(
      'flowcontrol.v1',
      'FlowSchema PriorityLevelConfiguration',
      `@LimitedPriorityLevelConfiguration	~
nominalConcurrencyShares>assuredConcurrencyShares	integer:int32	e	D0	#1
${flowStatus}`,
    ),
  ],
  [
    'flowcontrol.v1beta1',
    derived(
      'flowcontrol.v1',
      'FlowSchema PriorityLevelConfiguration',
      `@LimitedPriorityLevelConfiguration	~
nominalConcurrencyShares>assuredConcurrencyShares	integer:int32	e	D0	#1
${flowStatus}`,
    ),
  ],
  [
    'flowcontrol.v1beta2',
    derived(
      'flowcontrol.v1',
      'FlowSchema PriorityLevelConfiguration',
      `@LimitedPriorityLevelConfiguration	~
nominalConcurrencyShares>assuredConcurrencyShares	integer:int32	e	D0	#1
${flowStatus}`,
    ),
  ],
  [
    'flowcontrol.v1beta3',
    derived(
      'flowcontrol.v1',
      'FlowSchema PriorityLevelConfiguration',
      `@LimitedPriorityLevelConfiguration	~
nominalConcurrencyShares	integer:int32	e	D0	#1
`,
    ),
  ],
])
