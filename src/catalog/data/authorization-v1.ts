// Made by scripts/catalog.mjs. Do not edit.
export const authorizationV1 = `@FieldSelectorAttributes
rawSelector	string	#1
requirements	[meta.v1.FieldSelectorRequirement]	L:atomic	#2
@LabelSelectorAttributes
rawSelector	string	#1
requirements	[meta.v1.LabelSelectorRequirement]	L:atomic	#2
@LocalSubjectAccessReview	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.SubjectAccessReviewSpec	re	#2
status	.SubjectAccessReviewStatus	e	#3
@NonResourceAttributes
path	string	#1
verb	string	#2
@NonResourceRule
verbs	[string]	re	L:atomic	#1
nonResourceURLs	[string]	L:atomic	#2
@ResourceAttributes
namespace	string	#1
verb	string	#2
group	string	#3
version	string	#4
resource	string	#5
subresource	string	#6
name	string	#7
fieldSelector	.FieldSelectorAttributes	p	#8
labelSelector	.LabelSelectorAttributes	p	#9
@ResourceRule
verbs	[string]	re	L:atomic	#1
apiGroups	[string]	L:atomic	#2
resources	[string]	L:atomic	#3
resourceNames	[string]	L:atomic	#4
@SelfSubjectAccessReview	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.SelfSubjectAccessReviewSpec	re	#2
status	.SubjectAccessReviewStatus	e	#3
@SelfSubjectAccessReviewSpec
resourceAttributes	.ResourceAttributes	p	#1
nonResourceAttributes	.NonResourceAttributes	p	#2
@SelfSubjectRulesReview	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.SelfSubjectRulesReviewSpec	re	#2
status	.SubjectRulesReviewStatus	e	#3
@SelfSubjectRulesReviewSpec
namespace	string	#1
@SubjectAccessReview	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.SubjectAccessReviewSpec	re	#2
status	.SubjectAccessReviewStatus	e	#3
@SubjectAccessReviewSpec
resourceAttributes	.ResourceAttributes	p	#1
nonResourceAttributes	.NonResourceAttributes	p	#2
user	string	#3
groups	[string]	L:atomic	#4
extra	{[string]}	Tmap[string]v1.ExtraValue	#5:.ExtraValue
uid	string	#6
@SubjectAccessReviewStatus
allowed	boolean	re	Dfalse	#1
denied	boolean	#4
reason	string	#2
evaluationError	string	#3
@SubjectRulesReviewStatus
resourceRules	[.ResourceRule]	re	L:atomic	#1
nonResourceRules	[.NonResourceRule]	re	L:atomic	#2
incomplete	boolean	re	Dfalse	#3
evaluationError	string	#4
`
