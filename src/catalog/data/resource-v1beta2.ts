// Made by scripts/catalog.mjs. Do not edit.
export const resourceV1beta2 = `@AllocatedDeviceStatus
driver	string	re	D""	#1
pool	string	re	D""	#2
device	string	re	D""	#3
conditions	[meta.v1.Condition]	e	Ltype	#4
data	machinery.runtime.RawExtension	p	#5
networkData	.NetworkDeviceData	p	#6
@AllocationResult
devices	.DeviceAllocationResult	e	#1
nodeSelector	core.v1.NodeSelector	p	#3
@CELDeviceSelector
expression	string	re	D""	#1
@Counter
value	machinery.api.resource.Quantity	re	#1
@CounterSet
name	string	re	D""	#1
counters	{.Counter}	r	#2
@Device
name	string	re	D""	#1
attributes	{.DeviceAttribute}	Tmap[v1beta2.QualifiedName]v1beta2.DeviceAttribute	#2
capacity	{.DeviceCapacity}	Tmap[v1beta2.QualifiedName]v1beta2.DeviceCapacity	#3
consumesCounters	[.DeviceCounterConsumption]	L:atomic	GDRAPartitionableDevices	#4
nodeName	string	p	GDRAPartitionableDevices	#5
nodeSelector	core.v1.NodeSelector	p	GDRAPartitionableDevices	#6
allNodes	boolean	p	GDRAPartitionableDevices	#7
taints	[.DeviceTaint]	L:atomic	GDRADeviceTaints	#8
@DeviceAllocationConfiguration
source	string	re	D""	Tv1beta2.AllocationConfigSource	#1
requests	[string]	L:atomic	#2
opaque	.OpaqueDeviceConfiguration	p	#3.1
@DeviceAllocationResult
results	[.DeviceRequestAllocationResult]	L:atomic	#1
config	[.DeviceAllocationConfiguration]	L:atomic	#2
@DeviceAttribute
int	integer:int64	p	#2
bool	boolean	p	#3
string	string	p	#4
version	string	p	#5
@DeviceCapacity
value	machinery.api.resource.Quantity	re	#1
@DeviceClaim
requests	[.DeviceRequest]	e	L:atomic	#1
constraints	[.DeviceConstraint]	L:atomic	#2
config	[.DeviceClaimConfiguration]	L:atomic	#3
@DeviceClaimConfiguration
requests	[string]	L:atomic	#1
opaque	.OpaqueDeviceConfiguration	p	#2.1
@DeviceClass	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.DeviceClassSpec	re	#2
@DeviceClassConfiguration
opaque	.OpaqueDeviceConfiguration	p	#1.1
@DeviceClassList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.DeviceClass]	re	#2
@DeviceClassSpec
selectors	[.DeviceSelector]	L:atomic	#1
config	[.DeviceClassConfiguration]	L:atomic	#2
@DeviceConstraint
requests	[string]	L:atomic	#1
matchAttribute	string	p	Tv1beta2.FullyQualifiedName	#2
@DeviceCounterConsumption
counterSet	string	re	D""	#1
counters	{.Counter}	r	#2
@DeviceRequest
name	string	re	D""	#1
exactly	.ExactDeviceRequest	p	#2
firstAvailable	[.DeviceSubRequest]	L:atomic	GDRAPrioritizedList	#3
@DeviceRequestAllocationResult
request	string	re	D""	#1
driver	string	re	D""	#2
pool	string	re	D""	#3
device	string	re	D""	#4
adminAccess	boolean	pe	GDRAAdminAccess	#5
tolerations	[.DeviceToleration]	L:atomic	GDRADeviceTaints	#6
@DeviceSelector
cel	.CELDeviceSelector	p	#1
@DeviceSubRequest
name	string	re	D""	#1
deviceClassName	string	re	D""	#2
selectors	[.DeviceSelector]	L:atomic	#3
allocationMode	string	Tv1beta2.DeviceAllocationMode	#4
count	integer:int64	#5
tolerations	[.DeviceToleration]	L:atomic	GDRADeviceTaints	#6
@DeviceTaint
key	string	re	D""	#1
value	string	#2
effect	string	re	ENoExecute|NoSchedule	D""	Tv1beta2.DeviceTaintEffect	#3
timeAdded	meta.v1.Time	p	#4
@DeviceToleration
key	string	#1
operator	string	EEqual|Exists	D"Equal"	Tv1beta2.DeviceTolerationOperator	#2
value	string	#3
effect	string	ENoExecute|NoSchedule	Tv1beta2.DeviceTaintEffect	#4
tolerationSeconds	integer:int64	p	#5
@ExactDeviceRequest
deviceClassName	string	re	D""	#1
selectors	[.DeviceSelector]	L:atomic	#2
allocationMode	string	Tv1beta2.DeviceAllocationMode	#3
count	integer:int64	#4
adminAccess	boolean	p	GDRAAdminAccess	#5
tolerations	[.DeviceToleration]	L:atomic	GDRADeviceTaints	#6
@NetworkDeviceData
interfaceName	string	#1
ips	[string]	L:atomic	#2
hardwareAddress	string	#3
@OpaqueDeviceConfiguration
driver	string	re	D""	#1
parameters	machinery.runtime.RawExtension	re	#2
@ResourceClaim	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ResourceClaimSpec	re	#2
status	.ResourceClaimStatus	e	#3
@ResourceClaimConsumerReference
apiGroup	string	#1
resource	string	re	D""	#3
name	string	re	D""	#4
uid	string	re	D""	Ttypes.UID	#5
@ResourceClaimList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ResourceClaim]	re	#2
@ResourceClaimSpec
devices	.DeviceClaim	e	#1
@ResourceClaimStatus
allocation	.AllocationResult	p	#1
reservedFor	[.ResourceClaimConsumerReference]	Luid	Pmerge:uid	#2
devices	[.AllocatedDeviceStatus]	Ldriver,device,pool	GDRAResourceClaimDeviceStatus	#4
@ResourceClaimTemplate	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ResourceClaimTemplateSpec	re	#2
@ResourceClaimTemplateList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ResourceClaimTemplate]	re	#2
@ResourceClaimTemplateSpec
metadata	meta.v1.ObjectMeta	e	#1
spec	.ResourceClaimSpec	re	#2
@ResourcePool
name	string	re	D""	#1
generation	integer:int64	re	D0	#2
resourceSliceCount	integer:int64	re	D0	#3
@ResourceSlice	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.ResourceSliceSpec	re	#2
@ResourceSliceList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ResourceSlice]	re	#2
@ResourceSliceSpec
driver	string	re	D""	#1
pool	.ResourcePool	re	#2
nodeName	string	p	#3
nodeSelector	core.v1.NodeSelector	p	#4
allNodes	boolean	p	#5
devices	[.Device]	e	L:atomic	#6
perDeviceNodeSelection	boolean	p	GDRAPartitionableDevices	#7
sharedCounters	[.CounterSet]	L:atomic	GDRAPartitionableDevices	#8
`
