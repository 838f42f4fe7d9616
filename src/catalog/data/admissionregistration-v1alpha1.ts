// Made by scripts/catalog.mjs. Do not edit.
export const admissionregistrationV1alpha1 = `@ApplyConfiguration
expression	string	#1
@JSONPatch
expression	string	#1
@MatchCondition
name	string	re	D""	#1
expression	string	re	D""	#2
@MatchResources	A
namespaceSelector	meta.v1.LabelSelector	p	#1
objectSelector	meta.v1.LabelSelector	p	#2
resourceRules	[.NamedRuleWithOperations]	L:atomic	#3
excludeResourceRules	[.NamedRuleWithOperations]	L:atomic	#4
matchPolicy	string	p	EEquivalent|Exact	Tv1alpha1.MatchPolicyType	#7
@MutatingAdmissionPolicy	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.MutatingAdmissionPolicySpec	e	#2
@MutatingAdmissionPolicyBinding	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.MutatingAdmissionPolicyBindingSpec	e	#2
@MutatingAdmissionPolicyBindingList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.MutatingAdmissionPolicyBinding]	re	#2
@MutatingAdmissionPolicyBindingSpec
policyName	string	#1
paramRef	.ParamRef	p	#2
matchResources	.MatchResources	p	#3
@MutatingAdmissionPolicyList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.MutatingAdmissionPolicy]	re	#2
@MutatingAdmissionPolicySpec
paramKind	.ParamKind	p	#1
matchConstraints	.MatchResources	p	#2
variables	[.Variable]	L:atomic	#3
mutations	[.Mutation]	L:atomic	#4
failurePolicy	string	p	EFail|Ignore	Tv1alpha1.FailurePolicyType	#5
matchConditions	[.MatchCondition]	Lname	Pmerge:name	#6
reinvocationPolicy	string	EIfNeeded|Never	Tv1.ReinvocationPolicyType	#7
@Mutation
patchType	string	re	EApplyConfiguration|JSONPatch	D""	Tv1alpha1.PatchType	#2
applyConfiguration	.ApplyConfiguration	p	#3
jsonPatch	.JSONPatch	p	#4
@NamedRuleWithOperations	A
resourceNames	[string]	L:atomic	#1
operations	[string]	L:atomic	E*|CONNECT|CREATE|DELETE|UPDATE	T[]v1.OperationType	#2.1
apiGroups	[string]	L:atomic	#2.2.1
apiVersions	[string]	L:atomic	#2.2.2
resources	[string]	L:atomic	#2.2.3
scope	string	p	Tv1.ScopeType	#2.2.4
@ParamKind	A
apiVersion	string	#1
kind	string	#2
@ParamRef	A
name	string	#1
namespace	string	#2
selector	meta.v1.LabelSelector	p	#3
parameterNotFoundAction	string	p	EAllow|Deny	Tv1alpha1.ParameterNotFoundActionType	#4
@Variable
name	string	re	D""	#1
expression	string	re	D""	#2
`
