/**
 * The roles and bindings that every cluster starts with, as short text. A rule is `verbs | groups | resources | names`
 * (the names may be left out), or `verbs | paths`; lists have commas, the core group is the empty text. `Gate: ` or
 * `Gate+Gate: ` before a rule: it is there only while these feature gates are on. A role all of whose rules are missing
 * for that reason is not there, nor are its bindings.
 * A subject is `Kind/name`, or `ServiceAccount/namespace/name`.
 */
export interface RoleData {
  readonly name: string
  readonly namespace?: string
  /** Label keys; the value is always `true`. */
  readonly labels?: readonly string[]
  /** Put together from the roles that have one of these labels. */
  readonly aggregates?: readonly string[]
  readonly rules: readonly string[]
}

export interface BindingData {
  readonly name: string
  readonly namespace?: string
  /** `Kind/name` */
  readonly role: string
  readonly subjects: readonly string[]
}

export const clusterRoleData: readonly RoleData[] = [
  {
    name: 'admin',
    aggregates: ['rbac.authorization.k8s.io/aggregate-to-admin'],
    rules: [],
  },
  {
    name: 'cluster-admin',
    rules: ['* | * | *', '* | *'],
  },
  {
    name: 'edit',
    labels: ['rbac.authorization.k8s.io/aggregate-to-admin'],
    aggregates: ['rbac.authorization.k8s.io/aggregate-to-edit'],
    rules: [],
  },
  {
    name: 'system:aggregate-to-admin',
    labels: ['rbac.authorization.k8s.io/aggregate-to-admin'],
    rules: [
      'create | authorization.k8s.io | localsubjectaccessreviews',
      'create,delete,deletecollection,get,list,patch,update,watch | rbac.authorization.k8s.io | rolebindings,roles',
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    labels: ['rbac.authorization.k8s.io/aggregate-to-edit'],
    rules: [
      'get,list,watch |  | pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy',
      'impersonate |  | serviceaccounts',
      'create,delete,deletecollection,patch,update |  | pods,pods/attach,pods/exec,pods/portforward,pods/proxy',
      'create |  | pods/eviction',
      'create,delete,deletecollection,patch,update |  | configmaps,events,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy',
      'create |  | serviceaccounts/token',
      'create,delete,deletecollection,patch,update | apps | daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale',
      'create,delete,deletecollection,patch,update | autoscaling | horizontalpodautoscalers',
      'create,delete,deletecollection,patch,update | batch | cronjobs,jobs',
      'create,delete,deletecollection,patch,update | extensions | daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale',
      'create,delete,deletecollection,patch,update | policy | poddisruptionbudgets',
      'create,delete,deletecollection,patch,update | networking.k8s.io | ingresses,networkpolicies',
      'create,delete,deletecollection,get,list,patch,update,watch | coordination.k8s.io | leases',
      'DynamicResourceAllocation: create,delete,deletecollection,patch,update | resource.k8s.io | resourceclaims,resourceclaimtemplates',
    ],
  },
  {
    name: 'system:aggregate-to-view',
    labels: ['rbac.authorization.k8s.io/aggregate-to-view'],
    rules: [
      'get,list,watch |  | configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status',
      'get,list,watch |  | bindings,events,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status',
      'get,list,watch |  | namespaces',
      'get,list,watch | discovery.k8s.io | endpointslices',
      'get,list,watch | apps | controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status',
      'get,list,watch | autoscaling | horizontalpodautoscalers,horizontalpodautoscalers/status',
      'get,list,watch | batch | cronjobs,cronjobs/status,jobs,jobs/status',
      'get,list,watch | extensions | daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale',
      'get,list,watch | policy | poddisruptionbudgets,poddisruptionbudgets/status',
      'get,list,watch | networking.k8s.io | ingresses,ingresses/status,networkpolicies',
      'DynamicResourceAllocation: get,list,watch | resource.k8s.io | resourceclaims,resourceclaims/status,resourceclaimtemplates',
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: ['create | authentication.k8s.io | tokenreviews', 'create | authorization.k8s.io | subjectaccessreviews'],
  },
  {
    name: 'system:basic-user',
    rules: [
      'create | authorization.k8s.io | selfsubjectaccessreviews,selfsubjectrulesreviews',
      'create | authentication.k8s.io | selfsubjectreviews',
    ],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    rules: ['create | certificates.k8s.io | certificatesigningrequests/nodeclient'],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    rules: ['create | certificates.k8s.io | certificatesigningrequests/selfnodeclient'],
  },
  {
    name: 'system:certificates.k8s.io:kube-apiserver-client-approver',
    rules: ['approve | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client'],
  },
  {
    name: 'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver',
    rules: ['approve | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client-kubelet'],
  },
  {
    name: 'system:certificates.k8s.io:kubelet-serving-approver',
    rules: ['approve | certificates.k8s.io | signers | kubernetes.io/kubelet-serving'],
  },
  {
    name: 'system:certificates.k8s.io:legacy-unknown-approver',
    rules: ['approve | certificates.k8s.io | signers | kubernetes.io/legacy-unknown'],
  },
  {
    name: 'system:cluster-trust-bundle-discovery',
    rules: ['ClusterTrustBundle: get,list,watch | certificates.k8s.io | clustertrustbundles'],
  },
  {
    name: 'system:discovery',
    rules: ['get | /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/'],
  },
  {
    name: 'system:heapster',
    rules: ['get,list,watch |  | events,namespaces,nodes,pods', 'get,list,watch | extensions | deployments'],
  },
  {
    name: 'system:kube-aggregator',
    rules: ['get,list,watch |  | endpoints,services'],
  },
  {
    name: 'system:kube-controller-manager',
    rules: [
      'create,patch,update | ,events.k8s.io | events',
      'create | coordination.k8s.io | leases',
      'get,update | coordination.k8s.io | leases | kube-controller-manager',
      'create |  | secrets,serviceaccounts',
      'delete |  | secrets',
      'get |  | configmaps,namespaces,secrets,serviceaccounts',
      'update |  | secrets,serviceaccounts',
      'create | authentication.k8s.io | tokenreviews',
      'create | authorization.k8s.io | subjectaccessreviews',
      'list,watch | * | *',
      'create |  | serviceaccounts/token',
    ],
  },
  {
    name: 'system:kube-dns',
    rules: ['list,watch |  | endpoints,services'],
  },
  {
    name: 'system:kube-scheduler',
    rules: [
      'create,patch,update | ,events.k8s.io | events',
      'create | coordination.k8s.io | leases',
      'get,list,update,watch | coordination.k8s.io | leases | kube-scheduler',
      'create,delete,deletecollection,get,list,patch,update,watch | coordination.k8s.io | leasecandidates',
      'get,list,watch |  | nodes',
      'delete,get,list,watch |  | pods',
      'create |  | bindings,pods/binding',
      'patch,update |  | pods/status',
      'get,list,watch |  | replicationcontrollers,services',
      'get,list,watch | apps,extensions | replicasets',
      'get,list,watch | apps | statefulsets',
      'get,list,watch | policy | poddisruptionbudgets',
      'get,list,watch |  | persistentvolumeclaims,persistentvolumes',
      'create | authentication.k8s.io | tokenreviews',
      'create | authorization.k8s.io | subjectaccessreviews',
      'get,list,watch | storage.k8s.io | csinodes',
      'get,list,watch | storage.k8s.io | volumeattachments',
      'get,list,watch |  | namespaces',
      'get,list,watch | storage.k8s.io | csidrivers',
      'get,list,watch | storage.k8s.io | csistoragecapacities',
      'DynamicResourceAllocation: get,list,watch | resource.k8s.io | deviceclasses',
      'DynamicResourceAllocation: get,list,patch,update,watch | resource.k8s.io | resourceclaims',
      'DynamicResourceAllocation: get,list,patch,update,watch | resource.k8s.io | resourceclaims/status',
      'DynamicResourceAllocation: get,list,patch,update,watch |  | pods/finalizers',
      'DynamicResourceAllocation: get,list,watch | resource.k8s.io | resourceslices',
      'DynamicResourceAllocation: get,list,watch | resource.k8s.io | devicetaintrules',
    ],
  },
  {
    name: 'system:kubelet-api-admin',
    rules: [
      'get,list,watch |  | nodes',
      'proxy |  | nodes',
      '* |  | nodes/log,nodes/metrics,nodes/proxy,nodes/stats',
      'KubeletFineGrainedAuthz: * |  | nodes/configz,nodes/healthz,nodes/pods',
    ],
  },
  {
    name: 'system:monitoring',
    rules: [
      'get | /healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*',
      'ComponentFlagz: get | /flagz',
      'ComponentStatusz: get | /statusz',
    ],
  },
  {
    name: 'system:node',
    rules: [
      'create | authentication.k8s.io | tokenreviews',
      'create | authorization.k8s.io | localsubjectaccessreviews,subjectaccessreviews',
      'get,list,watch |  | services',
      'create,get,list,watch |  | nodes',
      'patch,update |  | nodes/status',
      'patch,update |  | nodes',
      'create,patch,update |  | events',
      'get,list,watch |  | pods',
      'create,delete |  | pods',
      'patch,update |  | pods/status',
      'create |  | pods/eviction',
      'get,list,watch |  | configmaps,secrets',
      'get |  | persistentvolumeclaims,persistentvolumes',
      'get |  | endpoints',
      'create,get,list,watch | certificates.k8s.io | certificatesigningrequests',
      'create,delete,get,patch,update | coordination.k8s.io | leases',
      'get | storage.k8s.io | volumeattachments',
      'create |  | serviceaccounts/token',
      'get,patch,update |  | persistentvolumeclaims/status',
      'get,list,watch | storage.k8s.io | csidrivers',
      'create,delete,get,patch,update | storage.k8s.io | csinodes',
      'get,list,watch | node.k8s.io | runtimeclasses',
      'DynamicResourceAllocation: get | resource.k8s.io | resourceclaims',
      'DynamicResourceAllocation: deletecollection | resource.k8s.io | resourceslices',
      'ClusterTrustBundle: get,list,watch | certificates.k8s.io | clustertrustbundles',
      'KubeletServiceAccountTokenForCredentialProviders: get |  | serviceaccounts',
    ],
  },
  {
    name: 'system:node-bootstrapper',
    rules: ['create,get,list,watch | certificates.k8s.io | certificatesigningrequests'],
  },
  {
    name: 'system:node-problem-detector',
    rules: ['get |  | nodes', 'patch |  | nodes/status', 'create,patch,update | ,events.k8s.io | events'],
  },
  {
    name: 'system:node-proxier',
    rules: [
      'list,watch |  | endpoints,services',
      'get,list,watch |  | nodes',
      'create,patch,update | ,events.k8s.io | events',
      'MultiCIDRServiceAllocator: list,watch | networking.k8s.io | servicecidrs',
      'list,watch | discovery.k8s.io | endpointslices',
    ],
  },
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      'create,delete,get,list,watch |  | persistentvolumes',
      'get,list,update,watch |  | persistentvolumeclaims',
      'get,list,watch | storage.k8s.io | storageclasses',
      'watch |  | events',
      'create,patch,update | ,events.k8s.io | events',
    ],
  },
  {
    name: 'system:public-info-viewer',
    rules: ['get | /healthz,/livez,/readyz,/version,/version/'],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      'get | /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/',
    ],
  },
  {
    name: 'system:volume-scheduler',
    rules: [
      'get,list,patch,update,watch |  | persistentvolumes',
      'get,list,watch | storage.k8s.io | storageclasses',
      'get,list,patch,update,watch |  | persistentvolumeclaims',
    ],
  },
  {
    name: 'view',
    labels: ['rbac.authorization.k8s.io/aggregate-to-edit'],
    aggregates: ['rbac.authorization.k8s.io/aggregate-to-view'],
    rules: [],
  },
]

export const roleData: readonly RoleData[] = [
  {
    name: 'system:controller:bootstrap-signer',
    namespace: 'kube-public',
    rules: [
      'get,list,watch |  | configmaps',
      'update |  | configmaps | cluster-info',
      'create,patch,update | ,events.k8s.io | events',
    ],
  },
  {
    name: 'extension-apiserver-authentication-reader',
    namespace: 'kube-system',
    rules: ['get,list,watch |  | configmaps | extension-apiserver-authentication'],
  },
  {
    name: 'system::leader-locking-kube-controller-manager',
    namespace: 'kube-system',
    rules: [
      'watch |  | configmaps',
      'get,update |  | configmaps | kube-controller-manager',
      'create,get,list,update,watch | coordination.k8s.io | leases',
      'create,get,list,update,watch | coordination.k8s.io | leasecandidates',
    ],
  },
  {
    name: 'system::leader-locking-kube-scheduler',
    namespace: 'kube-system',
    rules: [
      'watch |  | configmaps',
      'get,update |  | configmaps | kube-scheduler',
      'create,get,list,update,watch | coordination.k8s.io | leases',
      'create,get,list,update,watch | coordination.k8s.io | leasecandidates',
    ],
  },
  {
    name: 'system:controller:bootstrap-signer',
    namespace: 'kube-system',
    rules: ['get,list,watch |  | secrets'],
  },
  {
    name: 'system:controller:cloud-provider',
    namespace: 'kube-system',
    rules: ['create,get,list,watch |  | configmaps'],
  },
  {
    name: 'system:controller:token-cleaner',
    namespace: 'kube-system',
    rules: ['delete,get,list,watch |  | secrets', 'create,patch,update | ,events.k8s.io | events'],
  },
]

export const clusterRoleBindingData: readonly BindingData[] = [
  { name: 'cluster-admin', role: 'ClusterRole/cluster-admin', subjects: ['Group/system:masters'] },
  { name: 'system:basic-user', role: 'ClusterRole/system:basic-user', subjects: ['Group/system:authenticated'] },
  {
    name: 'system:cluster-trust-bundle-discovery',
    role: 'ClusterRole/system:cluster-trust-bundle-discovery',
    subjects: ['Group/system:serviceaccounts'],
  },
  { name: 'system:discovery', role: 'ClusterRole/system:discovery', subjects: ['Group/system:authenticated'] },
  {
    name: 'system:kube-controller-manager',
    role: 'ClusterRole/system:kube-controller-manager',
    subjects: ['User/system:kube-controller-manager'],
  },
  { name: 'system:kube-dns', role: 'ClusterRole/system:kube-dns', subjects: ['ServiceAccount/kube-system/kube-dns'] },
  {
    name: 'system:kube-scheduler',
    role: 'ClusterRole/system:kube-scheduler',
    subjects: ['User/system:kube-scheduler'],
  },
  { name: 'system:monitoring', role: 'ClusterRole/system:monitoring', subjects: ['Group/system:monitoring'] },
  { name: 'system:node', role: 'ClusterRole/system:node', subjects: [] },
  { name: 'system:node-proxier', role: 'ClusterRole/system:node-proxier', subjects: ['User/system:kube-proxy'] },
  {
    name: 'system:public-info-viewer',
    role: 'ClusterRole/system:public-info-viewer',
    subjects: ['Group/system:authenticated', 'Group/system:unauthenticated'],
  },
  {
    name: 'system:service-account-issuer-discovery',
    role: 'ClusterRole/system:service-account-issuer-discovery',
    subjects: ['Group/system:serviceaccounts'],
  },
  {
    name: 'system:volume-scheduler',
    role: 'ClusterRole/system:volume-scheduler',
    subjects: ['User/system:kube-scheduler'],
  },
]

export const roleBindingData: readonly BindingData[] = [
  {
    name: 'system:controller:bootstrap-signer',
    namespace: 'kube-public',
    role: 'Role/system:controller:bootstrap-signer',
    subjects: ['ServiceAccount/kube-system/bootstrap-signer'],
  },
  {
    name: 'system::extension-apiserver-authentication-reader',
    namespace: 'kube-system',
    role: 'Role/extension-apiserver-authentication-reader',
    subjects: ['User/system:kube-controller-manager', 'User/system:kube-scheduler'],
  },
  {
    name: 'system::leader-locking-kube-controller-manager',
    namespace: 'kube-system',
    role: 'Role/system::leader-locking-kube-controller-manager',
    subjects: [
      'User/system:kube-controller-manager',
      'ServiceAccount/kube-system/kube-controller-manager',
      'ServiceAccount/kube-system/leader-election-controller',
    ],
  },
  {
    name: 'system::leader-locking-kube-scheduler',
    namespace: 'kube-system',
    role: 'Role/system::leader-locking-kube-scheduler',
    subjects: ['User/system:kube-scheduler', 'ServiceAccount/kube-system/kube-scheduler'],
  },
  {
    name: 'system:controller:bootstrap-signer',
    namespace: 'kube-system',
    role: 'Role/system:controller:bootstrap-signer',
    subjects: ['ServiceAccount/kube-system/bootstrap-signer'],
  },
  {
    name: 'system:controller:cloud-provider',
    namespace: 'kube-system',
    role: 'Role/system:controller:cloud-provider',
    subjects: ['ServiceAccount/kube-system/cloud-provider'],
  },
  {
    name: 'system:controller:token-cleaner',
    namespace: 'kube-system',
    role: 'Role/system:controller:token-cleaner',
    subjects: ['ServiceAccount/kube-system/token-cleaner'],
  },
]
