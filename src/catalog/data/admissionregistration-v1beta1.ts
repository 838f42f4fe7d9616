// Made by scripts/catalog.mjs. Do not edit.
export const admissionregistrationV1beta1 = `@AuditAnnotation
key	string	re	D""	#1
valueExpression	string	re	D""	#2
@ExpressionWarning
fieldRef	string	re	D""	#2
warning	string	re	D""	#3
@MatchCondition
name	string	re	D""	#1
expression	string	re	D""	#2
@MatchResources	A
namespaceSelector	meta.v1.LabelSelector	p	#1
objectSelector	meta.v1.LabelSelector	p	#2
resourceRules	[.NamedRuleWithOperations]	L:atomic	#3
excludeResourceRules	[.NamedRuleWithOperations]	L:atomic	#4
matchPolicy	string	p	Tv1beta1.MatchPolicyType	#7
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
parameterNotFoundAction	string	p	Tv1beta1.ParameterNotFoundActionType	#4
@TypeChecking
expressionWarnings	[.ExpressionWarning]	L:atomic	#1
@ValidatingAdmissionPolicy	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ValidatingAdmissionPolicySpec	e	#2
status	.ValidatingAdmissionPolicyStatus	e	#3
@ValidatingAdmissionPolicyBinding	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ValidatingAdmissionPolicyBindingSpec	e	#2
@ValidatingAdmissionPolicyBindingList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ValidatingAdmissionPolicyBinding]	re	#2
@ValidatingAdmissionPolicyBindingSpec
policyName	string	#1
paramRef	.ParamRef	p	#2
matchResources	.MatchResources	p	#3
validationActions	[string]	L:set	EAudit|Deny|Warn	T[]v1beta1.ValidationAction	#4
@ValidatingAdmissionPolicyList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ValidatingAdmissionPolicy]	re	#2
@ValidatingAdmissionPolicySpec
paramKind	.ParamKind	p	#1
matchConstraints	.MatchResources	p	#2
validations	[.Validation]	L:atomic	#3
failurePolicy	string	p	Tv1beta1.FailurePolicyType	#4
auditAnnotations	[.AuditAnnotation]	L:atomic	#5
matchConditions	[.MatchCondition]	Lname	Pmerge:name	#6
variables	[.Variable]	Lname	Pmerge:name	#7
@ValidatingAdmissionPolicyStatus
observedGeneration	integer:int64	#1
typeChecking	.TypeChecking	p	#2
conditions	[meta.v1.Condition]	Ltype	#3
@Validation
expression	string	re	D""	#1
message	string	#2
reason	string	p	Tv1.StatusReason	#3
messageExpression	string	#4
@Variable	A
name	string	re	D""	#1
expression	string	re	D""	#2
`
