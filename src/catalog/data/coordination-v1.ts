// Made by scripts/catalog.mjs. Do not edit.
export const coordinationV1 = `@Lease	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.LeaseSpec	e	#2
@LeaseList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Lease]	re	#2
@LeaseSpec
holderIdentity	string	p	#1
leaseDurationSeconds	integer:int32	p	#2
acquireTime	meta.v1.MicroTime	p	#3
renewTime	meta.v1.MicroTime	p	#4
leaseTransitions	integer:int32	p	#5
strategy	string	p	GCoordinatedLeaderElection	Tv1.CoordinatedLeaseStrategy	#6
preferredHolder	string	p	GCoordinatedLeaderElection	#7
`
