/** What a user without any rights tries: headers, paths, methods, privileges, upgrades. */
import { type Attack, adminToken, bearer, forbidden, secretPath, userToken } from './attack.ts'

const impersonations: readonly Record<string, string | readonly string[]>[] = [
  { 'impersonate-user': 'admin' },
  { 'impersonate-user': 'user', 'impersonate-group': 'system:masters' },
  { 'impersonate-user': 'user', 'impersonate-group': ['people', 'system:masters'] },
  { 'impersonate-user': 'system:serviceaccount:kube-system:default' },
  { 'impersonate-user': 'system:node:n' },
  { 'impersonate-user': 'system:anonymous' },
  { 'impersonate-user': 'user', 'impersonate-uid': '1' },
  { 'impersonate-user': 'user', 'impersonate-extra-scopes': 'all' },
  { 'impersonate-user': 'user', 'impersonate-extra-authentication.kubernetes.io%2fnode-name': 'n' },
]

export const headerAttacks: readonly Attack[] = [
  {
    name: "a proxy's headers without a proxy",
    path: secretPath,
    headers: { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
    refusals: forbidden,
  },
  {
    name: "a proxy's headers beside a token",
    path: secretPath,
    headers: { ...bearer(userToken), 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
    refusals: forbidden,
  },
  ...impersonations.map((headers) => ({
    name: `impersonation by ${JSON.stringify(headers)}`,
    path: secretPath,
    headers: { ...bearer(userToken), ...headers },
    refusals: forbidden,
  })),
  ...['impersonate-group', 'impersonate-uid', 'impersonate-extra-scopes'].map((name) => ({
    name: `${name} without a user`,
    path: secretPath,
    headers: { ...bearer(userToken), [name]: 'system:masters' },
    refusals: [500],
  })),
  ...[
    `Bearer ${userToken}, Bearer ${adminToken}`,
    `Bearer ${userToken} ${adminToken}`,
    `Bearer  ${adminToken}x`,
    `Bearer\t${adminToken}`,
    `Token ${adminToken}`,
    `Negotiate ${adminToken}`,
  ].map((authorization) => ({
    name: `the credentials ${JSON.stringify(authorization)}`,
    path: secretPath,
    headers: { authorization },
    refusals: forbidden,
  })),
  ...['x-http-method-override', 'x-original-url', 'x-rewrite-url', 'x-forwarded-for', 'x-forwarded-uri'].map(
    (name) => ({
      name: `the header ${name}`,
      path: '/version',
      headers: { ...bearer(userToken), [name]: secretPath },
      refusals: [200],
      leaves: { path: '/version', without: 'secret' },
    }),
  ),
]

const refusedPaths = [301, 307, 400, 403, 404]

export const pathAttacks: readonly Attack[] = [
  '/api/v1/namespaces/default/%73ecrets/s',
  '/api/v1/namespaces/default/secrets/s/',
  '//api/v1/namespaces/default/secrets/s',
  '/healthz/../api/v1/namespaces/default/secrets/s',
  '/healthz/..%2fapi/v1/namespaces/default/secrets/s',
  '/healthz%2f..%2f..%2fapi/v1/namespaces/default/secrets/s',
  '/version/%2e%2e/api/v1/namespaces/default/secrets/s',
  '/openid/v1/jwks/../../../api/v1/namespaces/default/secrets/s',
  '/api/v1/./namespaces/default/secrets/s',
  '/api/v1/namespaces/default/configmaps/..%2fsecrets%2fs',
  '/api/v1/namespaces/default%2fsecrets%2fs',
  '/api/v1/namespaces/default/secrets/s;x=y',
  '/api/v1/namespaces/default/secrets/s%3Fwatch=1',
  '/api/v1/namespaces/default/secrets/s%23',
  '/api/v1/namespaces/default/secrets/%2573',
  '/api/v1/namespaces/default/secrets\\s',
  '/api/v1/watch/namespaces/default/secrets/s',
  '/api/v1/watch/secrets',
  '/api/v1/secrets?fieldSelector=metadata.name%3Ds',
  '/api/v1/namespaces/default/secrets?labelSelector=%ff',
  '/api/v1/namespaces/default/secrets/s?watch=1',
  '/api/v1/namespaces/default/secrets/s%00',
  '/apis//v1/namespaces/default/secrets/s',
  '/api/v1/proxy/namespaces/default/services/kubernetes/',
].map((path) => ({ name: `the path ${path}`, path, headers: bearer(userToken), refusals: refusedPaths }))

const forms = [
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf',
  'application/yaml',
  'application/cbor',
]

export const formAttacks: readonly Attack[] = [
  ...forms.map((accept) => ({ name: `the secret as ${accept}`, headers: { ...bearer(userToken), accept } })),
  ...['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'].map((method) => ({
    name: `${method} of the secret`,
    method,
    headers: bearer(userToken),
  })),
].map((attack) => ({ path: secretPath, refusals: [401, 403, 405, 406, 415], ...attack }))

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}
const pod = '/api/v1/namespaces/default/pods/p'
const upgraded = ['exec?command=sh', 'attach?stdin=true', 'portforward?ports=80', 'proxy/']

export const upgradeAttacks: readonly Attack[] = [
  ...upgraded.map((what) => ({ name: `WebSocket ${what}`, path: `${pod}/${what}`, headers: bearer(userToken) })),
  ...upgraded.map((what) => ({
    name: `SPDY ${what}`,
    method: 'POST',
    path: `${pod}/${what}`,
    headers: { ...bearer(userToken), upgrade: 'SPDY/3.1' },
  })),
  {
    name: 'a wrong token as a WebSocket protocol',
    path: '/api/v1/namespaces/default/secrets?watch=1',
    headers: {
      'sec-websocket-protocol': `base64url.bearer.authorization.k8s.io.${Buffer.from(`${adminToken}x`).toString('base64url')}, v4.channel.k8s.io`,
    },
  },
  { name: 'a watch over WebSockets', path: '/api/v1/namespaces/default/secrets?watch=1', headers: bearer(userToken) },
  { name: 'a watch over WebSockets of nobody', path: '/api/v1/namespaces/default/secrets?watch=1', headers: {} },
].map((attack) => ({ ...attack, headers: { ...upgrade, ...attack.headers }, refusals: forbidden }))

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const review = (group: string, kind: string, spec: object): object => ({ apiVersion: `${group}/v1`, kind, spec })

export const privilegeAttacks: readonly Attack[] = [
  {
    name: 'a binding to cluster-admin',
    method: 'POST',
    path: `${rbac}/clusterrolebindings`,
    body: {
      metadata: { name: 'x' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'user' }],
    },
  },
  {
    name: 'a role for everything',
    method: 'POST',
    path: `${rbac}/clusterroles`,
    body: { metadata: { name: 'x' }, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] },
  },
  {
    name: "another account's token",
    method: 'POST',
    path: '/api/v1/namespaces/kube-system/serviceaccounts/default/token',
    body: { spec: {} },
  },
  {
    name: 'whether a token is good',
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: review('authentication.k8s.io', 'TokenReview', { token: adminToken }),
  },
  {
    name: 'what others may do',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: review('authorization.k8s.io', 'SubjectAccessReview', {
      user: 'admin',
      resourceAttributes: { verb: 'get', resource: 'secrets' },
    }),
  },
  {
    name: 'an admission webhook of his own',
    method: 'POST',
    path: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    body: { metadata: { name: 'x' } },
  },
  {
    name: 'an API service of his own',
    method: 'POST',
    path: '/apis/apiregistration.k8s.io/v1/apiservices',
    body: { metadata: { name: 'v1.x' } },
  },
  { name: 'a pod proxy to loopback', path: '/api/v1/namespaces/default/pods/https:p:6443/proxy/' },
  { name: 'a node proxy', path: '/api/v1/nodes/n/proxy/secrets' },
  { name: 'a service proxy', path: '/api/v1/namespaces/default/services/https:kubernetes:443/proxy/' },
  { name: 'an exec', method: 'POST', path: '/api/v1/namespaces/default/pods/p/exec?command=sh' },
  ...[
    '/metrics',
    '/debug/pprof/heap',
    '/debug/pprof/profile?seconds=1',
    '/logs/',
    '/flagz',
    '/statusz',
    '/configz',
  ].map((path) => ({ name: `the page ${path}`, path })),
  { name: 'the log level', method: 'PUT', path: '/debug/flags/v', body: 9 },
].map((attack) => ({ ...attack, headers: bearer(userToken), refusals: [401, 403, 404] }))
