// Made by scripts/catalog.mjs. Do not edit.
export const apiregistrationV1 = `@APIService	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.APIServiceSpec	e	#2
status	.APIServiceStatus	e	#3
@APIServiceCondition
type	string	re	D""	Tv1.APIServiceConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastTransitionTime	meta.v1.Time	e	#3
reason	string	#4
message	string	#5
@APIServiceList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.APIService]	re	#2
@APIServiceSpec
service	.ServiceReference	p	#1
group	string	#2
version	string	#3
insecureSkipTLSVerify	boolean	#4
caBundle	string:byte	L:atomic	#5
groupPriorityMinimum	integer:int32	re	D0	#7
versionPriority	integer:int32	re	D0	#8
@APIServiceStatus
conditions	[.APIServiceCondition]	Ltype	Pmerge:type	#1
@ServiceReference
namespace	string	#1
name	string	#2
port	integer:int32	p	#3
`
