// Made by scripts/catalog.mjs. Do not edit.
export const flowcontrolV1 = `@ExemptPriorityLevelConfiguration
nominalConcurrencyShares	integer:int32	p	#1
lendablePercent	integer:int32	p	#2
@FlowDistinguisherMethod
type	string	re	D""	Tv1.FlowDistinguisherMethodType	#1
@FlowSchema	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.FlowSchemaSpec	e	#2
status	.FlowSchemaStatus	e	#3
@FlowSchemaCondition
type	string	Tv1.FlowSchemaConditionType	#1
status	string	Tv1.ConditionStatus	#2
lastTransitionTime	meta.v1.Time	e	#3
reason	string	#4
message	string	#5
@FlowSchemaList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.FlowSchema]	re	#2
@FlowSchemaSpec
priorityLevelConfiguration	.PriorityLevelConfigurationReference	re	#1
matchingPrecedence	integer:int32	e	D0	#2
distinguisherMethod	.FlowDistinguisherMethod	p	#3
rules	[.PolicyRulesWithSubjects]	L:atomic	#4
@FlowSchemaStatus
conditions	[.FlowSchemaCondition]	Ltype	Pmerge:type	#1
@GroupSubject
name	string	re	D""	#1
@LimitResponse	Utype:queuing=Queuing
type	string	re	D""	Tv1.LimitResponseType	#1
queuing	.QueuingConfiguration	p	#2
@LimitedPriorityLevelConfiguration
nominalConcurrencyShares	integer:int32	pe	#1
limitResponse	.LimitResponse	e	#2
lendablePercent	integer:int32	p	#3
borrowingLimitPercent	integer:int32	p	#4
@NonResourcePolicyRule
verbs	[string]	re	L:set	#1
nonResourceURLs	[string]	re	L:set	#6
@PolicyRulesWithSubjects
subjects	[.Subject]	re	L:atomic	#1
resourceRules	[.ResourcePolicyRule]	L:atomic	#2
nonResourceRules	[.NonResourcePolicyRule]	L:atomic	#3
@PriorityLevelConfiguration	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.PriorityLevelConfigurationSpec	e	#2
status	.PriorityLevelConfigurationStatus	e	#3
@PriorityLevelConfigurationCondition
type	string	Tv1.PriorityLevelConfigurationConditionType	#1
status	string	Tv1.ConditionStatus	#2
lastTransitionTime	meta.v1.Time	e	#3
reason	string	#4
message	string	#5
@PriorityLevelConfigurationList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.PriorityLevelConfiguration]	re	#2
@PriorityLevelConfigurationReference
name	string	re	D""	#1
@PriorityLevelConfigurationSpec	Utype:exempt=Exempt,limited=Limited
type	string	re	D""	Tv1.PriorityLevelEnablement	#1
limited	.LimitedPriorityLevelConfiguration	p	#2
exempt	.ExemptPriorityLevelConfiguration	p	#3
@PriorityLevelConfigurationStatus
conditions	[.PriorityLevelConfigurationCondition]	Ltype	Pmerge:type	#1
@QueuingConfiguration
queues	integer:int32	e	D0	#1
handSize	integer:int32	e	D0	#2
queueLengthLimit	integer:int32	e	D0	#3
@ResourcePolicyRule
verbs	[string]	re	L:set	#1
apiGroups	[string]	re	L:set	#2
resources	[string]	re	L:set	#3
clusterScope	boolean	#4
namespaces	[string]	e	L:set	#5
@ServiceAccountSubject
namespace	string	re	D""	#1
name	string	re	D""	#2
@Subject	Ukind:group=Group,serviceAccount=ServiceAccount,user=User
kind	string	re	D""	Tv1.SubjectKind	#1
user	.UserSubject	p	#2
group	.GroupSubject	p	#3
serviceAccount	.ServiceAccountSubject	p	#4
@UserSubject
name	string	re	D""	#1
`
