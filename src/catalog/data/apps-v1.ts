// Made by scripts/catalog.mjs. Do not edit.
export const appsV1 = `@ControllerRevision	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
data	machinery.runtime.RawExtension	e	#2
revision	integer:int64	re	D0	#3
@ControllerRevisionList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ControllerRevision]	re	#2
@DaemonSet	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.DaemonSetSpec	e	#2
status	.DaemonSetStatus	e	#3
@DaemonSetCondition
type	string	re	D""	Tv1.DaemonSetConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastTransitionTime	meta.v1.Time	e	#3
reason	string	#4
message	string	#5
@DaemonSetList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.DaemonSet]	re	#2
@DaemonSetSpec
selector	meta.v1.LabelSelector	rpe	#1
template	core.v1.PodTemplateSpec	re	#2
updateStrategy	.DaemonSetUpdateStrategy	e	#3
minReadySeconds	integer:int32	#4
revisionHistoryLimit	integer:int32	p	#6
@DaemonSetStatus
currentNumberScheduled	integer:int32	re	D0	#1
numberMisscheduled	integer:int32	re	D0	#2
desiredNumberScheduled	integer:int32	re	D0	#3
numberReady	integer:int32	re	D0	#4
observedGeneration	integer:int64	#5
updatedNumberScheduled	integer:int32	#6
numberAvailable	integer:int32	#7
numberUnavailable	integer:int32	#8
collisionCount	integer:int32	p	#9
conditions	[.DaemonSetCondition]	Ltype	Pmerge:type	#10
@DaemonSetUpdateStrategy
type	string	EOnDelete|RollingUpdate	Tv1.DaemonSetUpdateStrategyType	#1
rollingUpdate	.RollingUpdateDaemonSet	p	#2
@Deployment	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.DeploymentSpec	e	#2
status	.DeploymentStatus	e	#3
@DeploymentCondition
type	string	re	D""	Tv1.DeploymentConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastUpdateTime	meta.v1.Time	e	#6
lastTransitionTime	meta.v1.Time	e	#7
reason	string	#4
message	string	#5
@DeploymentList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Deployment]	re	#2
@DeploymentSpec
replicas	integer:int32	p	#1
selector	meta.v1.LabelSelector	rpe	#2
template	core.v1.PodTemplateSpec	re	#3
strategy	.DeploymentStrategy	e	PretainKeys	#4
minReadySeconds	integer:int32	#5
revisionHistoryLimit	integer:int32	p	#6
paused	boolean	#7
progressDeadlineSeconds	integer:int32	p	#9
@DeploymentStatus
observedGeneration	integer:int64	#1
replicas	integer:int32	#2
updatedReplicas	integer:int32	#3
readyReplicas	integer:int32	#7
availableReplicas	integer:int32	#4
unavailableReplicas	integer:int32	#5
terminatingReplicas	integer:int32	p	#9
conditions	[.DeploymentCondition]	Ltype	Pmerge:type	#6
collisionCount	integer:int32	p	#8
@DeploymentStrategy
type	string	ERecreate|RollingUpdate	Tv1.DeploymentStrategyType	#1
rollingUpdate	.RollingUpdateDeployment	p	#2
@ReplicaSet	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ReplicaSetSpec	e	#2
status	.ReplicaSetStatus	e	#3
@ReplicaSetCondition
type	string	re	D""	Tv1.ReplicaSetConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastTransitionTime	meta.v1.Time	e	#3
reason	string	#4
message	string	#5
@ReplicaSetList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ReplicaSet]	re	#2
@ReplicaSetSpec
replicas	integer:int32	p	#1
minReadySeconds	integer:int32	#4
selector	meta.v1.LabelSelector	rpe	#2
template	core.v1.PodTemplateSpec	e	#3
@ReplicaSetStatus
replicas	integer:int32	re	D0	#1
fullyLabeledReplicas	integer:int32	#2
readyReplicas	integer:int32	#4
availableReplicas	integer:int32	#5
terminatingReplicas	integer:int32	p	#7
observedGeneration	integer:int64	#3
conditions	[.ReplicaSetCondition]	Ltype	Pmerge:type	#6
@RollingUpdateDaemonSet
maxUnavailable	machinery.util.intstr.IntOrString	p	#1
maxSurge	machinery.util.intstr.IntOrString	p	#2
@RollingUpdateDeployment
maxUnavailable	machinery.util.intstr.IntOrString	p	#1
maxSurge	machinery.util.intstr.IntOrString	p	#2
@RollingUpdateStatefulSetStrategy
partition	integer:int32	p	#1
maxUnavailable	machinery.util.intstr.IntOrString	p	#2
@StatefulSet	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.StatefulSetSpec	e	#2
status	.StatefulSetStatus	e	#3
@StatefulSetCondition
type	string	re	D""	Tv1.StatefulSetConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastTransitionTime	meta.v1.Time	e	#3
reason	string	#4
message	string	#5
@StatefulSetList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.StatefulSet]	re	#2
@StatefulSetOrdinals
start	integer:int32	e	D0	#1
@StatefulSetPersistentVolumeClaimRetentionPolicy
whenDeleted	string	Tv1.PersistentVolumeClaimRetentionPolicyType	#1
whenScaled	string	Tv1.PersistentVolumeClaimRetentionPolicyType	#2
@StatefulSetSpec
replicas	integer:int32	p	#1
selector	meta.v1.LabelSelector	rpe	#2
template	core.v1.PodTemplateSpec	re	#3
volumeClaimTemplates	[core.v1.PersistentVolumeClaim]	L:atomic	#4
serviceName	string	e	D""	#5
podManagementPolicy	string	EOrderedReady|Parallel	Tv1.PodManagementPolicyType	#6
updateStrategy	.StatefulSetUpdateStrategy	e	#7
revisionHistoryLimit	integer:int32	p	#8
minReadySeconds	integer:int32	#9
persistentVolumeClaimRetentionPolicy	.StatefulSetPersistentVolumeClaimRetentionPolicy	p	#10
ordinals	.StatefulSetOrdinals	p	#11
@StatefulSetStatus
observedGeneration	integer:int64	#1
replicas	integer:int32	re	D0	#2
readyReplicas	integer:int32	#3
currentReplicas	integer:int32	#4
updatedReplicas	integer:int32	#5
currentRevision	string	#6
updateRevision	string	#7
collisionCount	integer:int32	p	#9
conditions	[.StatefulSetCondition]	Ltype	Pmerge:type	#10
availableReplicas	integer:int32	e	D0	#11
@StatefulSetUpdateStrategy
type	string	EOnDelete|RollingUpdate	Tv1.StatefulSetUpdateStrategyType	#1
rollingUpdate	.RollingUpdateStatefulSetStrategy	p	#2
`
