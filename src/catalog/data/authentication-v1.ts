// Made by scripts/catalog.mjs. Do not edit.
export const authenticationV1 = `@BoundObjectReference
kind	string	#1
apiVersion	string	#2
name	string	#3
uid	string	Ttypes.UID	#4
@SelfSubjectReview	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
status	.SelfSubjectReviewStatus	e	#2
@SelfSubjectReviewStatus
userInfo	.UserInfo	e	#1
@TokenRequest	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.TokenRequestSpec	re	#2
status	.TokenRequestStatus	e	#3
@TokenRequestSpec
audiences	[string]	re	L:atomic	#1
expirationSeconds	integer:int64	pe	#4
boundObjectRef	.BoundObjectReference	pe	#3
@TokenRequestStatus
token	string	re	D""	#1
expirationTimestamp	meta.v1.Time	re	#2
@TokenReview	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.TokenReviewSpec	re	#2
status	.TokenReviewStatus	e	#3
@TokenReviewSpec
token	string	#1
audiences	[string]	L:atomic	#2
@TokenReviewStatus
authenticated	boolean	#1
user	.UserInfo	e	#2
audiences	[string]	L:atomic	#4
error	string	#3
@UserInfo
username	string	#1
uid	string	#2
groups	[string]	L:atomic	#3
extra	{[string]}	Tmap[string]v1.ExtraValue	#4:.ExtraValue
`
