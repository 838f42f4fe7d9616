// Made by scripts/catalog.mjs. Do not edit.
export const discoveryV1 = `@Endpoint
addresses	[string]	re	L:set	#1
conditions	.EndpointConditions	e	#2
hostname	string	p	#3
targetRef	core.v1.ObjectReference	p	#4
deprecatedTopology	{string}	#5
nodeName	string	p	#6
zone	string	p	#7
hints	.EndpointHints	p	#8
@EndpointConditions
ready	boolean	p	#1
serving	boolean	p	#2
terminating	boolean	p	#3
@EndpointHints
forZones	[.ForZone]	L:atomic	#1
forNodes	[.ForNode]	L:atomic	#2
@EndpointPort	A
name	string	p	#1
protocol	string	p	ESCTP|TCP|UDP	Tv1.Protocol	#2
port	integer:int32	p	#3
appProtocol	string	p	#4
@EndpointSlice	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
addressType	string	re	EFQDN|IPv4|IPv6	D""	Tv1.AddressType	#4
endpoints	[.Endpoint]	re	L:atomic	#2
ports	[.EndpointPort]	e	L:atomic	#3
@EndpointSliceList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.EndpointSlice]	re	#2
@ForNode
name	string	re	D""	#1
@ForZone
name	string	re	D""	#1
`
