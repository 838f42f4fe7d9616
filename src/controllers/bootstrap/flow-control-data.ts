/**
 * The flow schemas and priority levels of every server, in short. A rule reads `subjects > what`, where subjects are
 * `kind/name` (service accounts `sa/namespace/name`) and what is either `verbs groups resources scope` or a path rule
 * `verbs urls`; scope `c` means cluster-scoped and all namespaces, `n` all namespaces.
 */
export interface FlowSchemaData {
  readonly name: string
  readonly mandatory?: true
  readonly level: string
  readonly precedence: number
  readonly by?: 'ByUser' | 'ByNamespace'
  readonly subjects: readonly string[]
  readonly resources?: readonly string[]
  readonly paths?: readonly string[]
}

const everyResource = ['* * * c']
const everyPath = ['* *']
const everybody = ['group/system:unauthenticated', 'group/system:authenticated']

export const flowSchemaData: readonly FlowSchemaData[] = [
  {
    name: 'exempt',
    mandatory: true,
    level: 'exempt',
    precedence: 1,
    subjects: ['group/system:masters'],
    resources: everyResource,
    paths: everyPath,
  },
  {
    name: 'probes',
    level: 'exempt',
    precedence: 2,
    subjects: everybody,
    paths: ['get /healthz,/readyz,/livez'],
  },
  {
    name: 'system-leader-election',
    level: 'leader-election',
    precedence: 100,
    by: 'ByUser',
    subjects: ['user/system:kube-controller-manager', 'user/system:kube-scheduler', 'sa/kube-system/*'],
    resources: ['get,create,update coordination.k8s.io leases n'],
  },
  {
    name: 'endpoint-controller',
    level: 'workload-high',
    precedence: 150,
    by: 'ByUser',
    subjects: [
      'user/system:kube-controller-manager',
      'sa/kube-system/endpoint-controller',
      'sa/kube-system/endpointslicemirroring-controller',
    ],
    resources: ['get,create,update core endpoints n'],
  },
  {
    name: 'workload-leader-election',
    level: 'leader-election',
    precedence: 200,
    by: 'ByUser',
    subjects: ['sa/kube-system/*'],
    resources: ['get,create,update core endpoints,configmaps n', 'get,create,update coordination.k8s.io leases n'],
  },
  {
    name: 'system-node-high',
    level: 'node-high',
    precedence: 400,
    by: 'ByUser',
    subjects: ['group/system:nodes'],
    resources: ['* core nodes,nodes/status c', '* coordination.k8s.io leases n'],
  },
  {
    name: 'system-nodes',
    level: 'system',
    precedence: 500,
    by: 'ByUser',
    subjects: ['group/system:nodes'],
    resources: everyResource,
    paths: everyPath,
  },
  {
    name: 'kube-controller-manager',
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: ['user/system:kube-controller-manager'],
    resources: everyResource,
    paths: everyPath,
  },
  {
    name: 'kube-scheduler',
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: ['user/system:kube-scheduler'],
    resources: everyResource,
    paths: everyPath,
  },
  {
    name: 'kube-system-service-accounts',
    level: 'workload-high',
    precedence: 900,
    by: 'ByNamespace',
    subjects: ['sa/kube-system/*'],
    resources: everyResource,
    paths: everyPath,
  },
  {
    name: 'service-accounts',
    level: 'workload-low',
    precedence: 9000,
    by: 'ByUser',
    subjects: ['group/system:serviceaccounts'],
    resources: everyResource,
    paths: everyPath,
  },
  {
    name: 'global-default',
    level: 'global-default',
    precedence: 9900,
    by: 'ByUser',
    subjects: everybody,
    resources: everyResource,
    paths: everyPath,
  },
  {
    name: 'catch-all',
    mandatory: true,
    level: 'catch-all',
    precedence: 10000,
    by: 'ByUser',
    subjects: everybody,
    resources: everyResource,
    paths: everyPath,
  },
]

export interface PriorityLevelData {
  readonly name: string
  readonly mandatory?: true
  /** Absent: exempt. */
  readonly shares?: number
  readonly lendable?: number
  /** Queues, hand size and queue length; absent: excess is rejected. */
  readonly queues?: readonly [queues: number, handSize: number, length: number]
}

export const priorityLevelData: readonly PriorityLevelData[] = [
  { name: 'exempt', mandatory: true },
  { name: 'catch-all', mandatory: true, shares: 5, lendable: 0 },
  { name: 'global-default', shares: 20, lendable: 50, queues: [128, 6, 50] },
  { name: 'leader-election', shares: 10, lendable: 0, queues: [16, 4, 50] },
  { name: 'node-high', shares: 40, lendable: 25, queues: [64, 6, 50] },
  { name: 'system', shares: 30, lendable: 33, queues: [64, 6, 50] },
  { name: 'workload-high', shares: 40, lendable: 50, queues: [128, 6, 50] },
  { name: 'workload-low', shares: 100, lendable: 90, queues: [128, 6, 50] },
]
