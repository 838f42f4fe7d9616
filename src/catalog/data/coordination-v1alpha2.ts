// Made by scripts/catalog.mjs. Do not edit.
export const coordinationV1alpha2 = `@LeaseCandidate	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.LeaseCandidateSpec	e	#2
@LeaseCandidateList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.LeaseCandidate]	re	#2
@LeaseCandidateSpec
leaseName	string	re	D""	#1
pingTime	meta.v1.MicroTime	p	#2
renewTime	meta.v1.MicroTime	p	#3
binaryVersion	string	re	D""	#4
emulationVersion	string	#5
strategy	string	r	Tv1.CoordinatedLeaseStrategy	#6
`
