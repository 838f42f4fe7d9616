/**
 * What users with a few rights make of them: impersonation of others than they may, roles beyond their own rights, subresources as a way
 * to the object itself, names as a way to other objects, certificates and requests in other names.
 */
import { type Attack, type Attempt, bearer, forbidden } from './attack.ts'

const rbacGroup = 'rbac.authorization.k8s.io'
const rbac = `/apis/${rbacGroup}/v1`
const core = '/api/v1/namespaces/default'
const marker = 'written-by-an-intruder'

type Rule = Readonly<Record<string, readonly string[]>>

/** Each has a token of its own name, and these rights in the whole cluster. */
export const limitedUsers: Readonly<Record<string, readonly Rule[]>> = {
  impersonator: [{ verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['bob'] }],
  'role-maker': [
    {
      verbs: ['create', 'update', 'patch', 'get'],
      apiGroups: [rbacGroup],
      resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
    },
  ],
  'part-writer': [
    {
      verbs: ['update', 'patch', 'get'],
      apiGroups: [''],
      resources: ['pods/status', 'pods/ephemeralcontainers', 'pods/resize', 'serviceaccounts/status', 'nodes/status'],
    },
  ],
  named: [
    {
      verbs: ['get', 'list', 'watch', 'deletecollection'],
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: ['other'],
    },
    { verbs: ['get'], apiGroups: [''], resources: ['services/proxy', 'pods/proxy'], resourceNames: ['allowed'] },
  ],
  requester: [
    {
      verbs: ['create', 'get', 'update', 'patch'],
      apiGroups: ['certificates.k8s.io'],
      resources: [
        'certificatesigningrequests',
        'certificatesigningrequests/approval',
        'certificatesigningrequests/status',
      ],
    },
  ],
  'flag-reader': [{ verbs: ['get', 'put', 'post', 'head'], nonResourceURLs: ['/debug/flags/*'] }],
  'pod-maker': [{ verbs: ['create'], apiGroups: [''], resources: ['pods', 'configmaps'] }],
}

export const tokenOf = (user: string): string => `token-of-the-${user}`

/** What the administrator makes first. */
export const limitedObjects: readonly (Required<Pick<Attempt, 'path'>> & { readonly body: object })[] = [
  ...Object.entries(limitedUsers).flatMap(([user, rules]) => [
    { path: `${rbac}/clusterroles`, body: { metadata: { name: user }, rules } },
    {
      path: `${rbac}/clusterrolebindings`,
      body: {
        metadata: { name: user },
        roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: user },
        subjects: [{ apiGroup: rbacGroup, kind: 'User', name: user }],
      },
    },
  ]),
  { path: `${rbac}/namespaces/default/roles`, body: { metadata: { name: 'small' }, rules: [] } },
  {
    path: `${rbac}/namespaces/default/rolebindings`,
    body: { metadata: { name: 'small' }, roleRef: { apiGroup: rbacGroup, kind: 'Role', name: 'small' }, subjects: [] },
  },
  {
    path: `${core}/pods`,
    body: {
      metadata: { name: 'victim' },
      spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'honest' }] },
    },
  },
]

export const asUser = (user: string, attacks: readonly (Omit<Attack, 'refusals'> & Partial<Attack>)[]): Attack[] =>
  attacks.map((attack) => ({
    refusals: forbidden,
    ...attack,
    name: `${user}: ${attack.name}`,
    headers: { ...bearer(tokenOf(user)), ...attack.headers },
  }))

const secret = `${core}/secrets/s`

const impersonations = asUser(
  'impersonator',
  [
    { 'impersonate-user': 'alice' },
    { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' },
    { 'impersonate-user': 'bob', 'impersonate-uid': '1' },
    { 'impersonate-user': 'bob', 'impersonate-extra-scopes': 'all' },
    { 'impersonate-user': 'system:serviceaccount:default:bob' },
    { 'impersonate-user': 'Bob' },
    { 'impersonate-user': 'bob' },
  ].map((headers) => ({ name: JSON.stringify(headers), path: secret, headers })),
)

const everything = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]
const admin = { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'cluster-admin' }
const self = [{ apiGroup: rbacGroup, kind: 'User', name: 'role-maker' }]
const smallRole = `${rbac}/namespaces/default/roles/small`
const merge = { 'content-type': 'application/merge-patch+json' }
const apply = { 'content-type': 'application/apply-patch+yaml' }
const json = { 'content-type': 'application/json-patch+json' }

const escalations = asUser('role-maker', [
  {
    name: 'a role for everything',
    method: 'POST',
    path: `${rbac}/clusterroles`,
    body: { metadata: { name: 'x' }, rules: everything },
  },
  {
    name: 'a role of the verbs that lift the bound',
    method: 'POST',
    path: `${rbac}/clusterroles`,
    body: { metadata: { name: 'x' }, rules: [{ verbs: ['escalate', 'bind'], apiGroups: ['*'], resources: ['*'] }] },
  },
  {
    name: 'a role by aggregation',
    method: 'POST',
    path: `${rbac}/clusterroles`,
    body: { metadata: { name: 'x' }, aggregationRule: { clusterRoleSelectors: [{}] } },
  },
  { name: 'more in a role, merged', method: 'PATCH', path: smallRole, headers: merge, body: { rules: everything } },
  {
    name: 'more in a role, by JSON patch',
    method: 'PATCH',
    path: smallRole,
    headers: json,
    body: [{ op: 'add', path: '/rules', value: everything }],
  },
  {
    name: 'more in a role, applied',
    method: 'PATCH',
    path: `${smallRole}?fieldManager=x&force=true`,
    headers: apply,
    body: { apiVersion: `${rbacGroup}/v1`, kind: 'Role', metadata: { name: 'small' }, rules: everything },
  },
  {
    name: 'a new role, applied',
    method: 'PATCH',
    path: `${rbac}/namespaces/default/roles/new?fieldManager=x`,
    headers: apply,
    body: { apiVersion: `${rbacGroup}/v1`, kind: 'Role', metadata: { name: 'new' }, rules: everything },
  },
  {
    name: 'more in a role, replaced',
    method: 'PUT',
    path: smallRole,
    body: { metadata: { name: 'small' }, rules: everything },
  },
  {
    name: 'a binding to cluster-admin',
    method: 'POST',
    path: `${rbac}/clusterrolebindings`,
    body: { metadata: { name: 'x' }, roleRef: admin, subjects: self },
  },
  {
    name: 'a binding in a namespace to cluster-admin',
    method: 'POST',
    path: `${rbac}/namespaces/default/rolebindings`,
    body: { metadata: { name: 'x' }, roleRef: admin, subjects: self },
  },
  {
    name: 'another role of a binding',
    method: 'PATCH',
    path: `${rbac}/namespaces/default/rolebindings/small`,
    headers: merge,
    body: { roleRef: admin, subjects: self },
    refusals: [403, 422],
  },
])

const victim = `${core}/pods/victim`
const leaves = { path: victim, without: marker }
const image = { containers: [{ name: 'c', image: marker }] }

const parts = asUser('part-writer', [
  {
    name: 'an image through status',
    method: 'PATCH',
    path: `${victim}/status`,
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: { spec: image },
    refusals: [200, 403, 422],
    leaves,
  },
  {
    name: 'a label through the debug containers',
    method: 'PATCH',
    path: `${victim}/ephemeralcontainers`,
    headers: merge,
    body: { metadata: { labels: { a: marker } } },
    refusals: [200, 403, 422],
    leaves,
  },
  {
    name: 'an image through the debug containers',
    method: 'PATCH',
    path: `${victim}/ephemeralcontainers`,
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: { spec: image },
    refusals: [200, 403, 422],
    leaves,
  },
  {
    name: 'an image through resize',
    method: 'PATCH',
    path: `${victim}/resize`,
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: { spec: image },
    refusals: [200, 403, 422],
    leaves,
  },
  {
    name: 'the pod itself',
    method: 'PATCH',
    path: victim,
    headers: merge,
    body: { metadata: { labels: { a: marker } } },
  },
  { name: 'a read of the pod', path: victim },
])

const names = asUser('named', [
  { name: 'another name', path: secret },
  { name: 'all of them', path: `${core}/secrets` },
  { name: 'all but one', path: `${core}/secrets?fieldSelector=metadata.name%21%3Dother` },
  {
    name: 'two names',
    path: `${core}/secrets?fieldSelector=metadata.name%3Dother%2Cmetadata.name%3Ds`,
    refusals: [200, 400, 403],
  },
  { name: 'another name after a good one', path: `${core}/secrets/other/../s`, refusals: [301, 307, 403, 404] },
  {
    name: 'another name in a continued list',
    path: `${core}/secrets?fieldSelector=metadata.name%3Dother&fieldSelector=metadata.name%3Ds`,
    refusals: [200, 400, 403],
  },
  { name: 'all namespaces', path: '/api/v1/secrets' },
  { name: 'a deletion of all', method: 'DELETE', path: `${core}/secrets` },
  { name: 'a watch of all', path: `${core}/secrets?watch=1` },
  ...[
    'other/proxy/',
    'allowed/proxy/../../other/proxy/',
    'allowed/proxy/..%2f..%2fother/proxy/',
    'https:allowed:443/proxy/',
    'allowed%2f..%2fother/proxy/',
  ].map((path) => ({
    name: `the service ${path}`,
    path: `${core}/services/${path}`,
    refusals: [301, 307, 400, 403, 404, 503],
  })),
])

const hostPath = { name: 'p', spec: { containers: [{ name: 'c', image: 'i' }], serviceAccountName: 'nobody-has-it' } }
const laughs = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(',')}]`)

const bodies = asUser('pod-maker', [
  {
    name: 'a pod of an account that there is not',
    method: 'POST',
    path: `${core}/pods`,
    body: { metadata: { name: 'p' }, spec: hostPath.spec },
  },
  {
    name: 'YAML that grows a thousandfold by its aliases',
    method: 'POST',
    path: `${core}/configmaps`,
    headers: { 'content-type': 'application/yaml' },
    body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: laughs}\na0: &a0 x\n${laughs.join('\n')}\n`,
    refusals: [400, 413, 422],
  },
  {
    name: 'a body that says that it is compressed',
    method: 'POST',
    path: `${core}/configmaps`,
    headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
    body: '\u001f\u008b\u0008\u0000',
    refusals: [400, 415],
  },
  {
    name: 'another namespace in the body',
    method: 'POST',
    path: `${core}/configmaps`,
    body: { metadata: { name: 'x', namespace: 'kube-system' } },
    refusals: [400, 403],
  },
])

export const limitedAttacks: readonly Attack[] = [...impersonations, ...escalations, ...parts, ...names, ...bodies]
