// Made by scripts/catalog.mjs. Do not edit.
export const certificatesV1beta1 = `@ClusterTrustBundle	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ClusterTrustBundleSpec	re	#2
@ClusterTrustBundleList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ClusterTrustBundle]	re	#2
@ClusterTrustBundleSpec
signerName	string	#1
trustBundle	string	re	D""	#2
`
