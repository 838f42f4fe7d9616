// Made by scripts/catalog.mjs. Do not edit.
export const networkingV1 = `@HTTPIngressPath
path	string	#1
pathType	string	rpe	EExact|ImplementationSpecific|Prefix	Tv1.PathType	#3
backend	.IngressBackend	re	#2
@HTTPIngressRuleValue
paths	[.HTTPIngressPath]	re	L:atomic	#1
@IPAddress	K
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
@IPBlock
cidr	string	re	D""	#1
except	[string]	L:atomic	#2
@Ingress	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.IngressSpec	e	#2
status	.IngressStatus	e	#3
@IngressBackend
service	.IngressServiceBackend	p	#4
resource	core.v1.TypedLocalObjectReference	p	#3
@IngressClass	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.IngressClassSpec	e	#2
@IngressClassList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.IngressClass]	re	#2
@IngressClassParametersReference
apiGroup	string	p	#1
kind	string	re	D""	#2
name	string	re	D""	#3
scope	string	pe	#4
namespace	string	p	#5
@IngressClassSpec
controller	string	#1
parameters	.IngressClassParametersReference	p	#2
@IngressList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Ingress]	re	#2
@IngressLoadBalancerIngress
ip	string	#1
hostname	string	#2
ports	[.IngressPortStatus]	L:atomic	#4
@IngressLoadBalancerStatus
ingress	[.IngressLoadBalancerIngress]	L:atomic	#1
@IngressPortStatus
port	integer:int32	re	D0	#1
protocol	string	re	ESCTP|TCP|UDP	D""	Tv1.Protocol	#2
error	string	p	#3
@IngressRule
host	string	#1
http	.HTTPIngressRuleValue	p	#2.1
@IngressServiceBackend
name	string	re	D""	#1
port	.ServiceBackendPort	e	#2
@IngressSpec
ingressClassName	string	p	#4
defaultBackend	.IngressBackend	p	#1
tls	[.IngressTLS]	L:atomic	#2
rules	[.IngressRule]	L:atomic	#3
@IngressStatus
loadBalancer	.IngressLoadBalancerStatus	e	#1
@IngressTLS
hosts	[string]	L:atomic	#1
secretName	string	#2
@NetworkPolicy	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.NetworkPolicySpec	e	#2
@NetworkPolicyEgressRule
ports	[.NetworkPolicyPort]	L:atomic	#1
to	[.NetworkPolicyPeer]	L:atomic	#2
@NetworkPolicyIngressRule
ports	[.NetworkPolicyPort]	L:atomic	#1
from	[.NetworkPolicyPeer]	L:atomic	#2
@NetworkPolicyList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.NetworkPolicy]	re	#2
@NetworkPolicyPeer
podSelector	meta.v1.LabelSelector	p	#1
namespaceSelector	meta.v1.LabelSelector	p	#2
ipBlock	.IPBlock	p	#3
@NetworkPolicyPort
protocol	string	p	ESCTP|TCP|UDP	Tv1.Protocol	#1
port	machinery.util.intstr.IntOrString	p	#2
endPort	integer:int32	p	#3
@NetworkPolicySpec
podSelector	meta.v1.LabelSelector	re	#1
ingress	[.NetworkPolicyIngressRule]	L:atomic	#2
egress	[.NetworkPolicyEgressRule]	L:atomic	#3
policyTypes	[string]	L:atomic	EEgress|Ingress	T[]v1.PolicyType	#4
@ParentReference
group	string	#1
resource	string	r	#2
namespace	string	#3
name	string	r	#4
@ServiceBackendPort	A
name	string	#1
number	integer:int32	#2
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
