// Made by scripts/catalog.mjs. Do not edit.
export const schedulingV1 = `@PriorityClass	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
value	integer:int32	re	D0	#2
globalDefault	boolean	#3
description	string	#4
preemptionPolicy	string	p	ENever|PreemptLowerPriority	Tv1.PreemptionPolicy	#5
@PriorityClassList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.PriorityClass]	re	#2
`
