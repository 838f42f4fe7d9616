// Made by scripts/catalog.mjs. Do not edit.
export const metaV1 = `@APIGroup	K
kind	string
apiVersion	string
name	string	re	D""	#1
versions	[.GroupVersionForDiscovery]	re	L:atomic	#2
preferredVersion	.GroupVersionForDiscovery	e	#3
serverAddressByClientCIDRs	[.ServerAddressByClientCIDR]	L:atomic	#4
@APIGroupList	K
kind	string
apiVersion	string
groups	[.APIGroup]	re	L:atomic	#1
@APIResource
name	string	re	D""	#1
singularName	string	re	D""	#6
namespaced	boolean	re	Dfalse	#2
group	string	#8
version	string	#9
kind	string	re	D""	#3
verbs	[string]	re	Tv1.Verbs	#4:.Verbs
shortNames	[string]	L:atomic	#5
categories	[string]	L:atomic	#7
storageVersionHash	string	#10
@APIResourceList	K
kind	string
apiVersion	string
groupVersion	string	re	D""	#1
resources	[.APIResource]	re	L:atomic	#2
@APIVersions	K
kind	string
apiVersion	string
versions	[string]	re	L:atomic	#1
serverAddressByClientCIDRs	[.ServerAddressByClientCIDR]	re	L:atomic	#2
@ApplyOptions	K
kind	string
apiVersion	string
dryRun	[string]	#1
force	boolean	e	#2
fieldManager	string	e	#3
@Condition
type	string	re	D""	#1
status	string	re	D""	Tv1.ConditionStatus	#2
observedGeneration	integer:int64	#3
lastTransitionTime	.Time	re	#4
reason	string	re	D""	#5
message	string	re	D""	#6
@CreateOptions	K
kind	string
apiVersion	string
dryRun	[string]	#1
fieldManager	string	#3
fieldValidation	string	#4
@DeleteOptions	K
kind	string
apiVersion	string
gracePeriodSeconds	integer:int64	p	#1
preconditions	.Preconditions	p	#2
orphanDependents	boolean	p	#3
propagationPolicy	string	p	Tv1.DeletionPropagation	#4
dryRun	[string]	L:atomic	#5
ignoreStoreReadErrorWithClusterBreakingPotential	boolean	p	#6
@FieldSelectorRequirement
key	string	re	D""	#1
operator	string	re	D""	Tv1.FieldSelectorOperator	#2
values	[string]	L:atomic	#3
@GetOptions	K
kind	string
apiVersion	string
resourceVersion	string	#1
@GroupKind
group	string	e	#1
kind	string	e	#2
@GroupResource
group	string	e	#1
resource	string	e	#2
@GroupVersion
group	string	e	#1
version	string	e	#2
@GroupVersionForDiscovery
groupVersion	string	re	D""	#1
version	string	re	D""	#2
@GroupVersionKind
group	string	e	#1
version	string	e	#2
kind	string	e	#3
@GroupVersionResource
group	string	e	#1
version	string	e	#2
resource	string	e	#3
@LabelSelector	A
matchLabels	{string}	#1
matchExpressions	[.LabelSelectorRequirement]	L:atomic	#2
@LabelSelectorRequirement
key	string	re	D""	#1
operator	string	re	D""	Tv1.LabelSelectorOperator	#2
values	[string]	L:atomic	#3
@List	K
kind	string
apiVersion	string
metadata	.ListMeta	e	#1
items	[machinery.runtime.RawExtension]	e	#2
@ListMeta
selfLink	string	#1
resourceVersion	string	#2
continue	string	#3
remainingItemCount	integer:int64	p	#4
@ListOptions	K
kind	string
apiVersion	string
labelSelector	string	#1
fieldSelector	string	#2
watch	boolean	#3
allowWatchBookmarks	boolean	#9
resourceVersion	string	#4
resourceVersionMatch	string	Tv1.ResourceVersionMatch	#10
timeoutSeconds	integer:int64	p	#5
limit	integer:int64	#7
continue	string	#8
sendInitialEvents	boolean	p	#11
@ManagedFieldsEntry
manager	string	#1
operation	string	Tv1.ManagedFieldsOperationType	#2
apiVersion	string	#3
time	.Time	p	#4
fieldsType	string	#6
fieldsV1	.FieldsV1	p	#7
subresource	string	#8
@ObjectMeta
name	string	#1
generateName	string	#2
namespace	string	#3
selfLink	string	#4
uid	string	Ttypes.UID	#5
resourceVersion	string	#6
generation	integer:int64	#7
creationTimestamp	.Time	e	#8
deletionTimestamp	.Time	p	#9
deletionGracePeriodSeconds	integer:int64	p	#10
labels	{string}	#11
annotations	{string}	#12
ownerReferences	[.OwnerReference]	Luid	Pmerge:uid	#13
finalizers	[string]	L:set	Pmerge	#14
managedFields	[.ManagedFieldsEntry]	L:atomic	#17
@OwnerReference	A
apiVersion	string	re	D""	#5
kind	string	re	D""	#1
name	string	re	D""	#3
uid	string	re	D""	Ttypes.UID	#4
controller	boolean	p	#6
blockOwnerDeletion	boolean	p	#7
@PartialObjectMetadata	K
kind	string
apiVersion	string
metadata	.ObjectMeta	e	#1
@PartialObjectMetadataList	K
kind	string
apiVersion	string
metadata	.ListMeta	e	#1
items	[.PartialObjectMetadata]	e	#2
@Patch
@PatchOptions	K
kind	string
apiVersion	string
dryRun	[string]	#1
force	boolean	p	#2
fieldManager	string	#3
fieldValidation	string	#4
@Preconditions
uid	string	p	Ttypes.UID	#1
resourceVersion	string	p	#2
@RootPaths
paths	[string]	e	#1
@ServerAddressByClientCIDR
clientCIDR	string	re	D""	#1
serverAddress	string	re	D""	#2
@Status	K
kind	string
apiVersion	string
metadata	.ListMeta	e	#1
status	string	#2
message	string	#3
reason	string	Tv1.StatusReason	#4
details	.StatusDetails	p	L:atomic	#5
code	integer:int32	#6
@StatusCause
reason	string	Tv1.CauseType	#1
message	string	#2
field	string	#3
@StatusDetails
name	string	#1
group	string	#2
kind	string	#3
uid	string	Ttypes.UID	#6
causes	[.StatusCause]	L:atomic	#4
retryAfterSeconds	integer:int32	#5
@Table	K
kind	string
apiVersion	string
metadata	.ListMeta	e
columnDefinitions	[.TableColumnDefinition]	e
rows	[.TableRow]	e
@TableColumnDefinition
name	string	e
type	string	e
format	string	e
description	string	e
priority	integer:int32	e
@TableOptions	K
kind	string
apiVersion	string
includeObject	string	Tv1.IncludeObjectPolicy	#1
@TableRow
cells	[any]	e
conditions	[.TableRowCondition]
object	machinery.runtime.RawExtension	e
@TableRowCondition
type	string	e	Tv1.RowConditionType
status	string	e	Tv1.ConditionStatus
reason	string
message	string
@Timestamp
seconds	integer:int64	e	#1
nanos	integer:int32	e	#2
@TypeMeta
kind	string	#1
apiVersion	string	#2
@UpdateOptions	K
kind	string
apiVersion	string
dryRun	[string]	#1
fieldManager	string	#2
fieldValidation	string	#3
@WatchEvent
type	string	re	D""	#1
object	machinery.runtime.RawExtension	re	#2
`
