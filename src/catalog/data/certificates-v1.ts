// Made by scripts/catalog.mjs. Do not edit.
export const certificatesV1 = `@CertificateSigningRequest	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.CertificateSigningRequestSpec	re	#2
status	.CertificateSigningRequestStatus	e	#3
@CertificateSigningRequestCondition
type	string	re	D""	Tv1.RequestConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#6
reason	string	#2
message	string	#3
lastUpdateTime	meta.v1.Time	e	#4
lastTransitionTime	meta.v1.Time	e	#5
@CertificateSigningRequestList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.CertificateSigningRequest]	re	#2
@CertificateSigningRequestSpec
request	string:byte	re	L:atomic	#1
signerName	string	re	D""	#7
expirationSeconds	integer:int32	p	#8
usages	[string]	L:atomic	Eany|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|decipher only|digital signature|email protection|encipher only|ipsec end system|ipsec tunnel|ipsec user|key agreement|key encipherment|microsoft sgc|netscape sgc|ocsp signing|s/mime|server auth|signing|timestamping	T[]v1.KeyUsage	#5
username	string	#2
uid	string	#3
groups	[string]	L:atomic	#4
extra	{[string]}	Tmap[string]v1.ExtraValue	#6:.ExtraValue
@CertificateSigningRequestStatus
conditions	[.CertificateSigningRequestCondition]	Ltype	#1
certificate	string:byte	L:atomic	#2
`
