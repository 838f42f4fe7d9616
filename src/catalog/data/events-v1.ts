// Made by scripts/catalog.mjs. Do not edit.
export const eventsV1 = `@Event	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
eventTime	meta.v1.MicroTime	re	#2
series	.EventSeries	p	#3
reportingController	string	#4
reportingInstance	string	#5
action	string	#6
reason	string	#7
regarding	core.v1.ObjectReference	e	#8
related	core.v1.ObjectReference	p	#9
note	string	#10
type	string	#11
deprecatedSource	core.v1.EventSource	e	#12
deprecatedFirstTimestamp	meta.v1.Time	e	#13
deprecatedLastTimestamp	meta.v1.Time	e	#14
deprecatedCount	integer:int32	#15
@EventList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Event]	re	#2
@EventSeries
count	integer:int32	re	D0	#1
lastObservedTime	meta.v1.MicroTime	re	#2
`
