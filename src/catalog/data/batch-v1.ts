// Made by scripts/catalog.mjs. Do not edit.
export const batchV1 = `@CronJob	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.CronJobSpec	e	#2
status	.CronJobStatus	e	#3
@CronJobList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.CronJob]	re	#2
@CronJobSpec
schedule	string	re	D""	#1
timeZone	string	p	#8
startingDeadlineSeconds	integer:int64	p	#2
concurrencyPolicy	string	EAllow|Forbid|Replace	Tv1.ConcurrencyPolicy	#3
suspend	boolean	p	#4
jobTemplate	.JobTemplateSpec	re	#5
successfulJobsHistoryLimit	integer:int32	p	#6
failedJobsHistoryLimit	integer:int32	p	#7
@CronJobStatus
active	[core.v1.ObjectReference]	L:atomic	#1
lastScheduleTime	meta.v1.Time	p	#4
lastSuccessfulTime	meta.v1.Time	p	#5
@Job	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.JobSpec	e	#2
status	.JobStatus	e	#3
@JobCondition
type	string	re	D""	Tv1.JobConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastProbeTime	meta.v1.Time	e	#3
lastTransitionTime	meta.v1.Time	e	#4
reason	string	#5
message	string	#6
@JobList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Job]	re	#2
@JobSpec
parallelism	integer:int32	p	#1
completions	integer:int32	p	#2
activeDeadlineSeconds	integer:int64	p	#3
podFailurePolicy	.PodFailurePolicy	p	#11
successPolicy	.SuccessPolicy	p	#16
backoffLimit	integer:int32	p	#7
backoffLimitPerIndex	integer:int32	p	#12
maxFailedIndexes	integer:int32	p	#13
selector	meta.v1.LabelSelector	p	#4
manualSelector	boolean	p	#5
template	core.v1.PodTemplateSpec	re	#6
ttlSecondsAfterFinished	integer:int32	p	#8
completionMode	string	p	EIndexed|NonIndexed	Tv1.CompletionMode	#9
suspend	boolean	p	#10
podReplacementPolicy	string	p	EFailed|TerminatingOrFailed	Tv1.PodReplacementPolicy	#14
managedBy	string	p	#15
@JobStatus
conditions	[.JobCondition]	L:atomic	Pmerge:type	#1
startTime	meta.v1.Time	p	#2
completionTime	meta.v1.Time	p	#3
active	integer:int32	#4
succeeded	integer:int32	#5
failed	integer:int32	#6
terminating	integer:int32	p	#11
completedIndexes	string	#7
failedIndexes	string	p	#10
uncountedTerminatedPods	.UncountedTerminatedPods	p	#8
ready	integer:int32	p	#9
@JobTemplateSpec
metadata	meta.v1.ObjectMeta	e	#1
spec	.JobSpec	e	#2
@PodFailurePolicy
rules	[.PodFailurePolicyRule]	re	L:atomic	#1
@PodFailurePolicyOnExitCodesRequirement
containerName	string	p	#1
operator	string	re	EIn|NotIn	D""	Tv1.PodFailurePolicyOnExitCodesOperator	#2
values	[integer:int32]	re	L:set	#3
@PodFailurePolicyOnPodConditionsPattern
type	string	re	D""	Tv1.PodConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
@PodFailurePolicyRule
action	string	re	ECount|FailIndex|FailJob|Ignore	D""	Tv1.PodFailurePolicyAction	#1
onExitCodes	.PodFailurePolicyOnExitCodesRequirement	p	#2
onPodConditions	[.PodFailurePolicyOnPodConditionsPattern]	L:atomic	#3
@SuccessPolicy
rules	[.SuccessPolicyRule]	re	L:atomic	#1
@SuccessPolicyRule
succeededIndexes	string	p	#1
succeededCount	integer:int32	p	#2
@UncountedTerminatedPods
succeeded	[string]	L:set	T[]types.UID	#1
failed	[string]	L:set	T[]types.UID	#2
`
