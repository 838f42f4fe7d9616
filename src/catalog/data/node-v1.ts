// Made by scripts/catalog.mjs. Do not edit.
export const nodeV1 = `@Overhead
podFixed	{machinery.api.resource.Quantity}	Tv1.ResourceList	#1
@RuntimeClass	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
handler	string	re	D""	#2
overhead	.Overhead	p	#3
scheduling	.Scheduling	p	#4
@RuntimeClassList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.RuntimeClass]	re	#2
@Scheduling
nodeSelector	{string}	Matomic	#1
tolerations	[core.v1.Toleration]	L:atomic	#2
`
