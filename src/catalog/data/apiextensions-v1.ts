// Made by scripts/catalog.mjs. Do not edit.
export const apiextensionsV1 = `@ConversionRequest
uid	string	e	Ttypes.UID	#1
desiredAPIVersion	string	e	#2
objects	[machinery.runtime.RawExtension]	e	#3
@ConversionResponse
uid	string	e	Ttypes.UID	#1
convertedObjects	[machinery.runtime.RawExtension]	e	#2
result	meta.v1.Status	e	#3
@ConversionReview	K
kind	string
apiVersion	string
request	.ConversionRequest	p	#1
response	.ConversionResponse	p	#2
@CustomResourceColumnDefinition
name	string	re	D""	#1
type	string	re	D""	#2
format	string	#3
description	string	#4
priority	integer:int32	#5
jsonPath	string	re	D""	#6
@CustomResourceConversion
strategy	string	re	D""	Tv1.ConversionStrategyType	#1
webhook	.WebhookConversion	p	#2
@CustomResourceDefinition	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.CustomResourceDefinitionSpec	re	#2
status	.CustomResourceDefinitionStatus	e	#3
@CustomResourceDefinitionCondition
type	string	re	D""	Tv1.CustomResourceDefinitionConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastTransitionTime	meta.v1.Time	e	#3
reason	string	#4
message	string	#5
@CustomResourceDefinitionList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.CustomResourceDefinition]	re	#2
@CustomResourceDefinitionNames
plural	string	re	D""	#1
singular	string	#2
shortNames	[string]	L:atomic	#3
kind	string	re	D""	#4
listKind	string	#5
categories	[string]	L:atomic	#6
@CustomResourceDefinitionSpec
group	string	re	D""	#1
names	.CustomResourceDefinitionNames	re	#3
scope	string	re	D""	Tv1.ResourceScope	#4
versions	[.CustomResourceDefinitionVersion]	re	L:atomic	#7
conversion	.CustomResourceConversion	p	#9
preserveUnknownFields	boolean	#10
@CustomResourceDefinitionStatus
conditions	[.CustomResourceDefinitionCondition]	e	Ltype	#1
acceptedNames	.CustomResourceDefinitionNames	e	#2
storedVersions	[string]	e	L:atomic	#3
@CustomResourceDefinitionVersion
name	string	re	D""	#1
served	boolean	re	Dfalse	#2
storage	boolean	re	Dfalse	#3
deprecated	boolean	#7
deprecationWarning	string	p	#8
schema	.CustomResourceValidation	p	#4
subresources	.CustomResourceSubresources	p	#5
additionalPrinterColumns	[.CustomResourceColumnDefinition]	L:atomic	#6
selectableFields	[.SelectableField]	L:atomic	GCustomResourceFieldSelectors	#9
@CustomResourceSubresourceScale
specReplicasPath	string	re	D""	#1
statusReplicasPath	string	re	D""	#2
labelSelectorPath	string	p	#3
@CustomResourceSubresourceStatus
@CustomResourceSubresources
status	.CustomResourceSubresourceStatus	p	#1
scale	.CustomResourceSubresourceScale	p	#2
@CustomResourceValidation
openAPIV3Schema	.JSONSchemaProps	p	#1
@ExternalDocumentation
description	string	#1
url	string	#2
@JSONSchemaProps
id	string	#1
$schema	string	Tv1.JSONSchemaURL	#2
$ref	string	p	#3
description	string	#4
type	string	#5
format	string	#6
title	string	#7
default	.JSON	p	#8
maximum	number:double	p	#9
exclusiveMaximum	boolean	#10
minimum	number:double	p	#11
exclusiveMinimum	boolean	#12
maxLength	integer:int64	p	#13
minLength	integer:int64	p	#14
pattern	string	#15
maxItems	integer:int64	p	#16
minItems	integer:int64	p	#17
uniqueItems	boolean	#18
multipleOf	number:double	p	#19
enum	[.JSON]	L:atomic	#20
maxProperties	integer:int64	p	#21
minProperties	integer:int64	p	#22
required	[string]	L:atomic	#23
items	.JSONSchemaPropsOrArray	p	#24
allOf	[.JSONSchemaProps]	L:atomic	#25
oneOf	[.JSONSchemaProps]	L:atomic	#26
anyOf	[.JSONSchemaProps]	L:atomic	#27
not	.JSONSchemaProps	p	#28
properties	{.JSONSchemaProps}	#29
additionalProperties	.JSONSchemaPropsOrBool	p	#30
patternProperties	{.JSONSchemaProps}	#31
dependencies	{.JSONSchemaPropsOrStringArray}	Tv1.JSONSchemaDependencies	#32
additionalItems	.JSONSchemaPropsOrBool	p	#33
definitions	{.JSONSchemaProps}	Tv1.JSONSchemaDefinitions	#34
externalDocs	.ExternalDocumentation	p	#35
example	.JSON	p	#36
nullable	boolean	#37
x-kubernetes-preserve-unknown-fields	boolean	p	#38
x-kubernetes-embedded-resource	boolean	#39
x-kubernetes-int-or-string	boolean	#40
x-kubernetes-list-map-keys	[string]	L:atomic	#41
x-kubernetes-list-type	string	p	#42
x-kubernetes-map-type	string	p	#43
x-kubernetes-validations	[.ValidationRule]	Lrule	Pmerge:rule	Tv1.ValidationRules	#44
@SelectableField
jsonPath	string	re	D""	#1
@ServiceReference
namespace	string	re	D""	#1
name	string	re	D""	#2
path	string	p	#3
port	integer:int32	p	#4
@ValidationRule
rule	string	re	D""	#1
message	string	#2
messageExpression	string	#3
reason	string	p	EFieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired	Tv1.FieldValueErrorReason	#4
fieldPath	string	#5
optionalOldSelf	boolean	p	GCRDValidationRatcheting	#6
@WebhookClientConfig
url	string	p	#3
service	.ServiceReference	p	#1
caBundle	string:byte	#2
@WebhookConversion
clientConfig	.WebhookClientConfig	p	#2
conversionReviewVersions	[string]	re	L:atomic	#3
`
