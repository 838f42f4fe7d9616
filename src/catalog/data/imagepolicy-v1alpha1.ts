// Made by scripts/catalog.mjs. Do not edit.
export const imagepolicyV1alpha1 = `@ImageReview	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ImageReviewSpec	e	#2
status	.ImageReviewStatus	e	#3
@ImageReviewContainerSpec
image	string	#1
@ImageReviewSpec
containers	[.ImageReviewContainerSpec]	#1
annotations	{string}	#2
namespace	string	#3
@ImageReviewStatus
allowed	boolean	e	#1
reason	string	#2
auditAnnotations	{string}	#3
`
