// Made by scripts/catalog.mjs. Do not edit.
export const autoscalingV2 = `@ContainerResourceMetricSource
name	string	re	D""	Tv1.ResourceName	#1
target	.MetricTarget	re	#2
container	string	re	D""	#3
@ContainerResourceMetricStatus
name	string	re	D""	Tv1.ResourceName	#1
current	.MetricValueStatus	re	#2
container	string	re	D""	#3
@CrossVersionObjectReference
kind	string	re	D""	#1
name	string	re	D""	#2
apiVersion	string	#3
@ExternalMetricSource
metric	.MetricIdentifier	re	#1
target	.MetricTarget	re	#2
@ExternalMetricStatus
metric	.MetricIdentifier	re	#1
current	.MetricValueStatus	re	#2
@HPAScalingPolicy
type	string	re	D""	Tv2.HPAScalingPolicyType	#1
value	integer:int32	re	D0	#2
periodSeconds	integer:int32	re	D0	#3
@HPAScalingRules
stabilizationWindowSeconds	integer:int32	p	#3
selectPolicy	string	p	Tv2.ScalingPolicySelect	#1
policies	[.HPAScalingPolicy]	L:atomic	#2
tolerance	machinery.api.resource.Quantity	p	GHPAConfigurableTolerance	#4
@HorizontalPodAutoscaler	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.HorizontalPodAutoscalerSpec	e	#2
status	.HorizontalPodAutoscalerStatus	e	#3
@HorizontalPodAutoscalerBehavior
scaleUp	.HPAScalingRules	p	#1
scaleDown	.HPAScalingRules	p	#2
@HorizontalPodAutoscalerCondition
type	string	re	D""	Tv2.HorizontalPodAutoscalerConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastTransitionTime	meta.v1.Time	e	#3
reason	string	#4
message	string	#5
@HorizontalPodAutoscalerList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.HorizontalPodAutoscaler]	re	#2
@HorizontalPodAutoscalerSpec
scaleTargetRef	.CrossVersionObjectReference	re	#1
minReplicas	integer:int32	p	#2
maxReplicas	integer:int32	re	D0	#3
metrics	[.MetricSpec]	L:atomic	#4
behavior	.HorizontalPodAutoscalerBehavior	p	#5
@HorizontalPodAutoscalerStatus
observedGeneration	integer:int64	p	#1
lastScaleTime	meta.v1.Time	p	#2
currentReplicas	integer:int32	#3
desiredReplicas	integer:int32	re	D0	#4
currentMetrics	[.MetricStatus]	e	L:atomic	#5
conditions	[.HorizontalPodAutoscalerCondition]	Ltype	Pmerge:type	#6
@MetricIdentifier
name	string	re	D""	#1
selector	meta.v1.LabelSelector	p	#2
@MetricSpec
type	string	re	D""	Tv2.MetricSourceType	#1
object	.ObjectMetricSource	p	#2
pods	.PodsMetricSource	p	#3
resource	.ResourceMetricSource	p	#4
containerResource	.ContainerResourceMetricSource	p	#7
external	.ExternalMetricSource	p	#5
@MetricStatus
type	string	re	D""	Tv2.MetricSourceType	#1
object	.ObjectMetricStatus	p	#2
pods	.PodsMetricStatus	p	#3
resource	.ResourceMetricStatus	p	#4
containerResource	.ContainerResourceMetricStatus	p	#7
external	.ExternalMetricStatus	p	#5
@MetricTarget
type	string	re	D""	Tv2.MetricTargetType	#1
value	machinery.api.resource.Quantity	p	#2
averageValue	machinery.api.resource.Quantity	p	#3
averageUtilization	integer:int32	p	#4
@MetricValueStatus
value	machinery.api.resource.Quantity	p	#1
averageValue	machinery.api.resource.Quantity	p	#2
averageUtilization	integer:int32	p	#3
@ObjectMetricSource
describedObject	.CrossVersionObjectReference	re	#1
target	.MetricTarget	re	#2
metric	.MetricIdentifier	re	#3
@ObjectMetricStatus
metric	.MetricIdentifier	re	#1
current	.MetricValueStatus	re	#2
describedObject	.CrossVersionObjectReference	re	#3
@PodsMetricSource
metric	.MetricIdentifier	re	#1
target	.MetricTarget	re	#2
@PodsMetricStatus
metric	.MetricIdentifier	re	#1
current	.MetricValueStatus	re	#2
@ResourceMetricSource
name	string	re	D""	Tv1.ResourceName	#1
target	.MetricTarget	re	#2
@ResourceMetricStatus
name	string	re	D""	Tv1.ResourceName	#1
current	.MetricValueStatus	re	#2
`
