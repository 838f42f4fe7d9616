// Made by scripts/catalog.mjs. Do not edit.
export const autoscalingV1 = `@CrossVersionObjectReference	A
kind	string	re	D""	#1
name	string	re	D""	#2
apiVersion	string	#3
@HorizontalPodAutoscaler	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.HorizontalPodAutoscalerSpec	e	#2
status	.HorizontalPodAutoscalerStatus	e	#3
@HorizontalPodAutoscalerList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.HorizontalPodAutoscaler]	re	#2
@HorizontalPodAutoscalerSpec
scaleTargetRef	.CrossVersionObjectReference	re	#1
minReplicas	integer:int32	p	#2
maxReplicas	integer:int32	re	D0	#3
targetCPUUtilizationPercentage	integer:int32	p	#4
@HorizontalPodAutoscalerStatus
observedGeneration	integer:int64	p	#1
lastScaleTime	meta.v1.Time	p	#2
currentReplicas	integer:int32	re	D0	#3
desiredReplicas	integer:int32	re	D0	#4
currentCPUUtilizationPercentage	integer:int32	p	#5
@Scale	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ScaleSpec	e	#2
status	.ScaleStatus	e	#3
@ScaleSpec
replicas	integer:int32	#1
@ScaleStatus
replicas	integer:int32	re	D0	#1
selector	string	#2
`
