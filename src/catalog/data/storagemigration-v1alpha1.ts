// Made by scripts/catalog.mjs. Do not edit.
export const storagemigrationV1alpha1 = `@GroupVersionResource
group	string	#1
version	string	#2
resource	string	#3
@MigrationCondition
type	string	re	D""	Tv1alpha1.MigrationConditionType	#1
status	string	re	D""	Tv1.ConditionStatus	#2
lastUpdateTime	meta.v1.Time	e	#3
reason	string	#4
message	string	#5
@StorageVersionMigration	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
spec	.StorageVersionMigrationSpec	e	#2
status	.StorageVersionMigrationStatus	e	#3
@StorageVersionMigrationList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.StorageVersionMigration]	re	Ltype	Pmerge:type	#2
@StorageVersionMigrationSpec
resource	.GroupVersionResource	re	#1
continueToken	string	#2
@StorageVersionMigrationStatus
conditions	[.MigrationCondition]	Ltype	Pmerge:type	#1
resourceVersion	string	#2
`
