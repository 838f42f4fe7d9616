// Made by scripts/catalog.mjs. Do not edit.
export const admissionV1 = `@AdmissionRequest
uid	string	e	Ttypes.UID	#1
kind	meta.v1.GroupVersionKind	e	#2
resource	meta.v1.GroupVersionResource	e	#3
subResource	string	#4
requestKind	meta.v1.GroupVersionKind	p	#13
requestResource	meta.v1.GroupVersionResource	p	#14
requestSubResource	string	#15
name	string	#5
namespace	string	#6
operation	string	e	Tv1.Operation	#7
userInfo	authentication.v1.UserInfo	e	#8
object	machinery.runtime.RawExtension	e	#9
oldObject	machinery.runtime.RawExtension	e	#10
dryRun	boolean	p	#11
options	machinery.runtime.RawExtension	e	#12
@AdmissionResponse
uid	string	e	Ttypes.UID	#1
allowed	boolean	e	#2
status	meta.v1.Status	p	#3
patch	string:byte	#4
patchType	string	p	Tv1.PatchType	#5
auditAnnotations	{string}	#6
warnings	[string]	#7
@AdmissionReview	K
kind	string
apiVersion	string
request	.AdmissionRequest	p	#1
response	.AdmissionResponse	p	#2
`
