// Made by scripts/catalog.mjs. Do not edit.
export const policyV1 = `@Eviction	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
deleteOptions	meta.v1.DeleteOptions	p	#2
@PodDisruptionBudget	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.PodDisruptionBudgetSpec	e	#2
status	.PodDisruptionBudgetStatus	e	#3
@PodDisruptionBudgetList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.PodDisruptionBudget]	re	#2
@PodDisruptionBudgetSpec
minAvailable	machinery.util.intstr.IntOrString	p	#1
selector	meta.v1.LabelSelector	p	Preplace	#2
maxUnavailable	machinery.util.intstr.IntOrString	p	#3
unhealthyPodEvictionPolicy	string	p	EAlwaysAllow|IfHealthyBudget	Tv1.UnhealthyPodEvictionPolicyType	#4
@PodDisruptionBudgetStatus
observedGeneration	integer:int64	#1
disruptedPods	{meta.v1.Time}	#2
disruptionsAllowed	integer:int32	re	D0	#3
currentHealthy	integer:int32	re	D0	#4
desiredHealthy	integer:int32	re	D0	#5
expectedPods	integer:int32	re	D0	#6
conditions	[meta.v1.Condition]	Ltype	Pmerge:type	#7
`
