// Made by scripts/catalog.mjs. Do not edit.
export const apiserverAuditV1 = `@Event	K
kind	string
apiVersion	string
level	string	e	Tv1.Level	#1
auditID	string	e	Ttypes.UID	#2
stage	string	e	Tv1.Stage	#3
requestURI	string	e	#4
verb	string	e	#5
user	authentication.v1.UserInfo	e	#6
impersonatedUser	authentication.v1.UserInfo	p	#7
sourceIPs	[string]	#8
userAgent	string	#16
objectRef	.ObjectReference	p	#9
responseStatus	meta.v1.Status	p	#10
requestObject	machinery.runtime.Unknown	p	#11
responseObject	machinery.runtime.Unknown	p	#12
requestReceivedTimestamp	meta.v1.MicroTime	e	#13
stageTimestamp	meta.v1.MicroTime	e	#14
annotations	{string}	#15
@EventList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Event]	e	#2
@GroupResources
group	string	#1
resources	[string]	#2
resourceNames	[string]	#3
@ObjectReference
resource	string	#1
namespace	string	#2
name	string	#3
uid	string	Ttypes.UID	#4
apiGroup	string	#5
apiVersion	string	#6
resourceVersion	string	#7
subresource	string	#8
@Policy	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
rules	[.PolicyRule]	e	#2
omitStages	[string]	T[]v1.Stage	#3
omitManagedFields	boolean	#4
@PolicyList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Policy]	e	#2
@PolicyRule
level	string	e	Tv1.Level	#1
users	[string]	#2
userGroups	[string]	#3
verbs	[string]	#4
resources	[.GroupResources]	#5
namespaces	[string]	#6
nonResourceURLs	[string]	#7
omitStages	[string]	T[]v1.Stage	#8
omitManagedFields	boolean	p	#9
`
