// Made by scripts/catalog.mjs. Do not edit.
export const apiserverinternalV1alpha1 = `@ServerStorageVersion
apiServerID	string	#1
encodingVersion	string	#2
decodableVersions	[string]	L:set	#3
servedVersions	[string]	L:set	#4
@StorageVersion	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.StorageVersionSpec	re	D{}	#2
status	.StorageVersionStatus	re	#3
@StorageVersionCondition
type	string	re	D""	Tv1alpha1.StorageVersionConditionType	#1
status	string	re	D""	Tv1alpha1.ConditionStatus	#2
observedGeneration	integer:int64	#3
lastTransitionTime	meta.v1.Time	e	#4
reason	string	re	D""	#5
message	string	r	#6
@StorageVersionList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.StorageVersion]	re	#2
@StorageVersionSpec
@StorageVersionStatus
storageVersions	[.ServerStorageVersion]	LapiServerID	#1
commonEncodingVersion	string	p	#2
conditions	[.StorageVersionCondition]	Ltype	#3
`
