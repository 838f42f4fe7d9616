// Made by scripts/catalog.mjs. Do not edit.
export const storageV1alpha1 = `@VolumeAttributesClass	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
driverName	string	re	D""	#2
parameters	{string}	#3
@VolumeAttributesClassList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.VolumeAttributesClass]	re	#2
`
