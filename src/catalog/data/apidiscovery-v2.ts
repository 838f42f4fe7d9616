// Made by scripts/catalog.mjs. Do not edit.
export const apidiscoveryV2 = `@APIGroupDiscovery	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
versions	[.APIVersionDiscovery]	#2
@APIGroupDiscoveryList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.APIGroupDiscovery]	e	#2
@APIResourceDiscovery
resource	string	e	#1
responseKind	meta.v1.GroupVersionKind	p	#2
scope	string	e	Tv2.ResourceScope	#3
singularResource	string	e	#4
verbs	[string]	e	#5
shortNames	[string]	#6
categories	[string]	#7
subresources	[.APISubresourceDiscovery]	#8
@APISubresourceDiscovery
subresource	string	e	#1
responseKind	meta.v1.GroupVersionKind	p	#2
acceptedTypes	[meta.v1.GroupVersionKind]	#3
verbs	[string]	e	#4
@APIVersionDiscovery
version	string	e	#1
resources	[.APIResourceDiscovery]	#2
freshness	string	Tv2.DiscoveryFreshness	#3
`
