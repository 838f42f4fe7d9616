// Made by scripts/catalog.mjs. Do not edit.
export const rbacV1 = `@AggregationRule
clusterRoleSelectors	[meta.v1.LabelSelector]	L:atomic	#1
@ClusterRole	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
rules	[.PolicyRule]	e	L:atomic	#2
aggregationRule	.AggregationRule	p	#3
@ClusterRoleBinding	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
subjects	[.Subject]	L:atomic	#2
roleRef	.RoleRef	re	#3
@ClusterRoleBindingList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ClusterRoleBinding]	re	#2
@ClusterRoleList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.ClusterRole]	re	#2
@PolicyRule
verbs	[string]	re	L:atomic	#1
apiGroups	[string]	L:atomic	#2
resources	[string]	L:atomic	#3
resourceNames	[string]	L:atomic	#4
nonResourceURLs	[string]	L:atomic	#5
@Role	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
rules	[.PolicyRule]	e	L:atomic	#2
@RoleBinding	K
kind	string
apiVersion	string
metadata	meta.v1.ObjectMeta	e	#1
subjects	[.Subject]	L:atomic	#2
roleRef	.RoleRef	re	#3
@RoleBindingList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.RoleBinding]	re	#2
@RoleList	K
kind	string
apiVersion	string
metadata	meta.v1.ListMeta	e	#1
items	[.Role]	re	#2
@RoleRef	A
apiGroup	string	re	D""	#1
kind	string	re	D""	#2
name	string	re	D""	#3
@Subject	A
kind	string	re	D""	#1
apiGroup	string	#2
name	string	re	D""	#3
namespace	string	#4
`
