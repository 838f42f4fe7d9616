/** Who may do what: roles and their escalation, impersonation, tokens, reviews, and the subresources that connect to a node. */
import type { Random } from '../harness/random.ts'
import { type CaseGenerator, can, collectionOf, isParent, objectPath, post, seedOf } from './building.ts'
import type { Step } from './case.ts'
import { create, read, remove, update } from './cases.ts'
import type { Json, JsonMap } from './json.ts'
import { pathOf, type Resource } from './resources.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const alice = { 'impersonate-user': '<name>' }

const ruleOf = (random: Random, { groupVersion, name }: Resource): JsonMap => {
  const group = groupVersion.includes('/') ? (groupVersion.split('/')[0] ?? '') : ''
  return {
    apiGroups: [random.pick([group, group, '*', 'none'])],
    resources: [random.pick([name, name, '*', `${name}/status`, '*/status', 'none'])],
    verbs: random.pick([
      ['*'],
      ['get'],
      ['get', 'list', 'watch'],
      ['create'],
      ['create', 'get', 'update', 'patch', 'delete'],
      ['delete'],
    ]),
    ...(random.chance(0.2) ? { resourceNames: [random.pick(['<name>', 'other'])] } : {}),
  }
}

/** The same requests as an administrator's, by somebody with a role. */
export const authorization: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create', 'get', 'list')) return undefined
  const made = random.pick([create, update, read, remove])(source)
  if (made === undefined) return undefined
  const cluster = !resource.namespaced || random.chance(0.4)
  const place = cluster ? rbac : `${rbac}/namespaces/<namespace>`
  const [role, binding] = cluster ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding']
  const [roles, bindings] = [`${place}/${role.toLowerCase()}s`, `${place}/${binding.toLowerCase()}s`]
  const rules = Array.from({ length: random.pick([0, 1, 1, 2]) }, () => ruleOf(random, resource))
  const subject = random.pick<Json>([
    { kind: 'User', name: '<name>', apiGroup: 'rbac.authorization.k8s.io' },
    { kind: 'User', name: '<name>', apiGroup: 'rbac.authorization.k8s.io' },
    { kind: 'Group', name: 'devs-<name>', apiGroup: 'rbac.authorization.k8s.io' },
    { kind: 'ServiceAccount', name: '<name>', namespace: '<namespace>' },
  ])
  const headers = random.pick<Record<string, string>>([
    alice,
    alice,
    { ...alice, 'impersonate-group': 'devs-<name>' },
    { 'impersonate-user': 'system:serviceaccount:<namespace>:<name>' },
  ])
  const ready = { kind: 'User', name: 'ready-<name>', apiGroup: 'rbac.authorization.k8s.io' }
  const common = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: '<name>' } }
  const probe = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'ready-<name>' } }
  const as = (step: Step): Step => ({ ...step, headers: { ...step.headers, ...headers } })
  const steps: Step[] = [
    { method: 'POST', path: roles, body: { ...common, kind: role, rules }, needed: true },
    {
      method: 'POST',
      path: bindings,
      body: {
        ...common,
        kind: binding,
        subjects: [subject],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role, name: '<name>' },
      },
    },
    {
      method: 'POST',
      path: `${rbac}/clusterroles`,
      body: { ...probe, kind: 'ClusterRole', rules: [{ nonResourceURLs: ['/ready-<name>'], verbs: ['get'] }] },
    },
    {
      method: 'POST',
      path: `${rbac}/clusterrolebindings`,
      body: {
        ...probe,
        kind: 'ClusterRoleBinding',
        subjects: [ready],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'ready-<name>' },
      },
    },
    // Allowed, and nothing there, once the authorizer has noticed.
    { method: 'GET', path: '/ready-<name>', headers: { 'impersonate-user': 'ready-<name>' }, until: 404 },
    ...made.steps.map((step, i) => (i === 0 && made.steps.length > 1 && random.chance(0.5) ? step : as(step))),
  ]
  const cleanup = [
    `${bindings}/<name>`,
    `${roles}/<name>`,
    `${rbac}/clusterrolebindings/ready-<name>`,
    `${rbac}/clusterroles/ready-<name>`,
  ]
  return {
    family: 'authorization',
    resource: made.resource,
    steps,
    cleanup: [...cleanup, ...made.cleanup],
    audited: true,
  }
}

const impersonations: readonly Readonly<Record<string, string>>[] = [
  { 'impersonate-group': 'a' },
  { 'impersonate-user': '' },
  { 'impersonate-user': 'alice', 'impersonate-extra-a%2fb': 'c' },
  { 'impersonate-user': 'system:serviceaccount:default:default' },
  { 'impersonate-user': 'system:serviceaccount:x' },
  { 'impersonate-user': 'system:anonymous' },
  { 'impersonate-user': 'system:node:n', 'impersonate-group': 'system:nodes' },
  { 'impersonate-user': 'system:admin', 'impersonate-group': 'system:masters' },
  { 'impersonate-uid': 'u', 'impersonate-user': 'alice' },
  { authorization: 'Bearer plaintoken' },
  { authorization: 'Bearer plaintoken', 'impersonate-user': 'admin' },
  { authorization: 'Bearer wrong' },
  { authorization: 'Basic YTpi' },
  { authorization: 'bearer admintoken' },
  { authorization: 'Bearer  admintoken' },
  { authorization: 'Bearer' },
  { authorization: '' },
  { authorization: 'Bearer <token>' },
]

const asked: readonly string[] = [
  '/api/v1/namespaces/<namespace>/pods?labelSelector=differential%3D<name>',
  '/api/v1/nodes?labelSelector=differential%3D<name>',
  '/api',
  '/version',
  '/healthz',
  '/metrics/x',
  '/apis/authentication.k8s.io/v1',
  '/api/v1/namespaces/<namespace>/secrets/x',
  '/openid/v1/jwks',
  '/none',
]

export const identity: CaseGenerator = ({ random }) => {
  const headers = random.pick(impersonations)
  const self: Step = {
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    headers,
  }
  const token = headers['authorization']?.includes('<token>')
  const account = '/api/v1/namespaces/<namespace>/serviceaccounts'
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {
      ...(random.chance(0.7) ? {} : { audiences: [random.pick(['https://kubernetes.default.svc', 'other'])] }),
      ...(random.chance(0.5) ? {} : { expirationSeconds: random.pick([600, 599, 3607, 2 ** 33]) }),
    },
  }
  const first: Step[] = token
    ? [
        { method: 'POST', path: account, body: { metadata: { name: '<name>' } } },
        { method: 'POST', path: `${account}/<name>/token`, body: request },
      ]
    : []
  const look: Step = { method: random.pick(['GET', 'GET', 'POST', 'DELETE']), path: random.pick(asked), headers }
  return {
    family: 'identity',
    resource: 'selfsubjectreviews authentication.k8s.io/v1',
    steps: [...first, random.chance(0.5) ? self : look],
    cleanup: token ? [`${account}/<name>`] : [],
    audited: true,
  }
}

const connectPaths = [
  'log',
  'log?container=none',
  'log?tailLines=-1',
  'log?follow=x',
  'log?limitBytes=0',
  'log?sinceSeconds=1&sinceTime=2024-01-01T00:00:00Z',
  'log?stream=Stdout',
  'log?previous=true',
  'exec',
  'exec?command=a',
  'exec?command=a&container=none&stdout=true',
  'exec?command=a&stdin=true&tty=true',
  'attach?stdin=true',
  'portforward',
  'portforward?ports=80',
  'proxy',
  'proxy/a/b?c=d',
]

/** There is no kubelet: what is refused before one is asked, and how it is said that none answers. */
export const connect: CaseGenerator = (source) => {
  const { random, resources } = source
  const wanted = random.pick(['Pod', 'Pod', 'Pod', 'Node', 'Service'])
  const resource = resources.find(
    ({ kind, name, groupVersion }) => kind === wanted && !name.includes('/') && groupVersion === 'v1',
  )
  if (resource === undefined) return undefined
  // A node without an address is asked nothing.
  const { status: _, ...seed } = seedOf({ ...source, resource })
  const at = objectPath(resource, seed)
  const name = random.pick([
    at,
    at,
    `${collectionOf(resource)}/none`,
    `${collectionOf(resource)}/https:<name>:80`,
    `${collectionOf(resource)}/<name>:x`,
  ])
  const sub = wanted === 'Pod' ? random.pick(connectPaths) : random.pick(['proxy', 'proxy/', 'proxy/a?b=c'])
  const method = random.pick(['GET', 'GET', 'POST', 'PUT', 'DELETE', 'PATCH'])
  return {
    family: 'connect',
    resource: `${resource.name} ${pathOf(resource.groupVersion)}`,
    steps: [post(resource, seed), { method, path: `${name}/${sub}` }],
    cleanup: [at],
    audited: true,
  }
}
