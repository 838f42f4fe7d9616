// Made by scripts/catalog.mjs. Do not edit.
export const networkingV1beta1 = `@IPAddress	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.IPAddressSpec	e	#2
@IPAddressList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.IPAddress]	re	#2
@IPAddressSpec
parentRef	.ParentReference	rp	#1
@ParentReference
group	string	#1
resource	string	r	#2
namespace	string	#3
name	string	r	#4
@ServiceCIDR	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ServiceCIDRSpec	e	#2
status	.ServiceCIDRStatus	e	#3
@ServiceCIDRList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ServiceCIDR]	re	#2
@ServiceCIDRSpec
cidrs	[string]	L:atomic	#1
@ServiceCIDRStatus
conditions	[meta.v1.Condition]	Ltype	Pmerge:type	#1
`
