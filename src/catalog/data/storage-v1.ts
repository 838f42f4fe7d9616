// Made by scripts/catalog.mjs. Do not edit.
export const storageV1 = `@CSIDriver	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.CSIDriverSpec	re	#2
@CSIDriverList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.CSIDriver]	re	#2
@CSIDriverSpec
attachRequired	boolean	p	#1
podInfoOnMount	boolean	p	#2
volumeLifecycleModes	[string]	L:set	T[]v1.VolumeLifecycleMode	#3
storageCapacity	boolean	p	GCSIStorageCapacity	#4
fsGroupPolicy	string	p	Tv1.FSGroupPolicy	#5
tokenRequests	[.TokenRequest]	L:atomic	#6
requiresRepublish	boolean	p	#7
seLinuxMount	boolean	p	GSELinuxMountReadWriteOncePod	#8
nodeAllocatableUpdatePeriodSeconds	integer:int64	p	GMutableCSINodeAllocatableCount	#9
@CSINode	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.CSINodeSpec	re	#2
@CSINodeDriver
name	string	re	D""	#1
nodeID	string	re	D""	#2
topologyKeys	[string]	e	L:atomic	#3
allocatable	.VolumeNodeResources	p	#4
@CSINodeList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.CSINode]	re	#2
@CSINodeSpec
drivers	[.CSINodeDriver]	re	Lname	Pmerge:name	#1
@CSIStorageCapacity	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
nodeTopology	meta.v1.LabelSelector	p	#2
storageClassName	string	re	D""	#3
capacity	machinery.api.resource.Quantity	p	#4
maximumVolumeSize	machinery.api.resource.Quantity	p	#5
@CSIStorageCapacityList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.CSIStorageCapacity]	re	#2
@StorageClass	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
provisioner	string	re	D""	#2
parameters	{string}	#3
reclaimPolicy	string	p	EDelete|Recycle|Retain	Tv1.PersistentVolumeReclaimPolicy	#4
mountOptions	[string]	L:atomic	#5
allowVolumeExpansion	boolean	p	#6
volumeBindingMode	string	p	EImmediate|WaitForFirstConsumer	Tv1.VolumeBindingMode	#7
allowedTopologies	[core.v1.TopologySelectorTerm]	L:atomic	#8
@StorageClassList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.StorageClass]	re	#2
@TokenRequest
audience	string	re	D""	#1
expirationSeconds	integer:int64	p	#2
@VolumeAttachment	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.VolumeAttachmentSpec	re	#2
status	.VolumeAttachmentStatus	e	#3
@VolumeAttachmentList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.VolumeAttachment]	re	#2
@VolumeAttachmentSource
persistentVolumeName	string	p	#1
inlineVolumeSpec	core.v1.PersistentVolumeSpec	p	#2
@VolumeAttachmentSpec
attacher	string	re	D""	#1
source	.VolumeAttachmentSource	re	#2
nodeName	string	re	D""	#3
@VolumeAttachmentStatus
attached	boolean	re	Dfalse	#1
attachmentMetadata	{string}	#2
attachError	.VolumeError	p	#3
detachError	.VolumeError	p	#4
@VolumeError
time	meta.v1.Time	e	#1
message	string	#2
errorCode	integer:int32	p	GMutableCSINodeAllocatableCount	#3
@VolumeNodeResources
count	integer:int32	p	#1
`
