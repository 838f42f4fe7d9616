// Made by scripts/catalog.mjs. Do not edit.
export const admissionregistrationV1 = `@AuditAnnotation
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
matchPolicy	string	p	EEquivalent|Exact	Tv1.MatchPolicyType	#7
@MutatingWebhook
name	string	re	D""	#1
clientConfig	.WebhookClientConfig	re	#2
rules	[.RuleWithOperations]	L:atomic	#3
failurePolicy	string	p	EFail|Ignore	Tv1.FailurePolicyType	#4
matchPolicy	string	p	EEquivalent|Exact	Tv1.MatchPolicyType	#9
namespaceSelector	meta.v1.LabelSelector	p	#5
objectSelector	meta.v1.LabelSelector	p	#11
sideEffects	string	rpe	ENone|NoneOnDryRun|Some|Unknown	Tv1.SideEffectClass	#6
timeoutSeconds	integer:int32	p	#7
admissionReviewVersions	[string]	re	L:atomic	#8
reinvocationPolicy	string	p	EIfNeeded|Never	Tv1.ReinvocationPolicyType	#10
matchConditions	[.MatchCondition]	Lname	Pmerge:name	#12
@MutatingWebhookConfiguration	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
webhooks	[.MutatingWebhook]	Lname	Pmerge:name	#2
@MutatingWebhookConfigurationList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.MutatingWebhookConfiguration]	re	#2
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
parameterNotFoundAction	string	p	Tv1.ParameterNotFoundActionType	#4
@RuleWithOperations
operations	[string]	L:atomic	E*|CONNECT|CREATE|DELETE|UPDATE	T[]v1.OperationType	#1
apiGroups	[string]	L:atomic	#2.1
apiVersions	[string]	L:atomic	#2.2
resources	[string]	L:atomic	#2.3
scope	string	p	Tv1.ScopeType	#2.4
@ServiceReference
namespace	string	re	D""	#1
name	string	re	D""	#2
path	string	p	#3
port	integer:int32	p	#4
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
validationActions	[string]	L:set	EAudit|Deny|Warn	T[]v1.ValidationAction	#4
@ValidatingAdmissionPolicyList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ValidatingAdmissionPolicy]	re	#2
@ValidatingAdmissionPolicySpec
paramKind	.ParamKind	p	#1
matchConstraints	.MatchResources	p	#2
validations	[.Validation]	L:atomic	#3
failurePolicy	string	p	EFail|Ignore	Tv1.FailurePolicyType	#4
auditAnnotations	[.AuditAnnotation]	L:atomic	#5
matchConditions	[.MatchCondition]	Lname	Pmerge:name	#6
variables	[.Variable]	Lname	Pmerge:name	#7
@ValidatingAdmissionPolicyStatus
observedGeneration	integer:int64	#1
typeChecking	.TypeChecking	p	#2
conditions	[meta.v1.Condition]	Ltype	#3
@ValidatingWebhook
name	string	re	D""	#1
clientConfig	.WebhookClientConfig	re	#2
rules	[.RuleWithOperations]	L:atomic	#3
failurePolicy	string	p	EFail|Ignore	Tv1.FailurePolicyType	#4
matchPolicy	string	p	EEquivalent|Exact	Tv1.MatchPolicyType	#9
namespaceSelector	meta.v1.LabelSelector	p	#5
objectSelector	meta.v1.LabelSelector	p	#10
sideEffects	string	rpe	ENone|NoneOnDryRun|Some|Unknown	Tv1.SideEffectClass	#6
timeoutSeconds	integer:int32	p	#7
admissionReviewVersions	[string]	re	L:atomic	#8
matchConditions	[.MatchCondition]	Lname	Pmerge:name	#11
@ValidatingWebhookConfiguration	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
webhooks	[.ValidatingWebhook]	Lname	Pmerge:name	#2
@ValidatingWebhookConfigurationList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ValidatingWebhookConfiguration]	re	#2
@Validation
expression	string	re	D""	#1
message	string	#2
reason	string	p	Tv1.StatusReason	#3
messageExpression	string	#4
@Variable	A
name	string	re	D""	#1
expression	string	re	D""	#2
@WebhookClientConfig
url	string	p	#3
service	.ServiceReference	p	#1
caBundle	string:byte	#2
`
