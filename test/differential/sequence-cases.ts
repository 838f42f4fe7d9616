/** Cases of many requests: applies of several managers, pages of a list, the life of a namespace. */
import type { Random } from '../harness/random.ts'
import {
  type CaseGenerator,
  type CaseSource,
  can,
  isParent,
  objectPath,
  representations,
  seedOf,
  toCase,
  writeQuery,
} from './building.ts'
import { contentTypes, type Step } from './case.ts'
import { fragment } from './cases.ts'
import { isMap, type Json, type JsonMap, type JsonPath, merged, pathsOf, withValueAt } from './json.ts'
import { mutated } from './mutate.ts'
import { pathOf } from './resources.ts'

/** Three managers who apply, update and patch the same object, and a look at who owns what. */
export const applySequence: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'patch', 'get', 'create', 'update', 'delete')) return undefined
  const seed = seedOf(source)
  const path = objectPath(resource, seed)
  const steps = Array.from({ length: random.pick([3, 4, 5, 6]) }, (): Step => {
    const manager = random.pick(['one', 'two', 'three'])
    const dice = random.below(10)
    if (dice < 6) return applied(source, { path, manager, seed })
    const type = random.pick([contentTypes.mergePatch, contentTypes.strategicPatch])
    if (dice < 8)
      return {
        method: 'PATCH',
        path: `${path}?fieldManager=${manager}`,
        headers: { 'content-type': type },
        body: fragment(random, seed, resource),
      }
    return { method: 'PUT', path: `${path}?fieldManager=${manager}`, body: mutated(random, seed, resource) }
  })
  return { ...toCase('applies', source, [...steps, { method: 'GET', path }]), cleanup: [path] }
}

interface Application {
  readonly path: string
  readonly manager: string
  readonly seed: JsonMap
}

function applied({ random, resource }: CaseSource, { path, manager, seed }: Application): Step {
  const force = random.chance(0.5) ? '&force=true' : ''
  const part = random.chance(0.6) ? withoutSome(random, seed) : seed
  return {
    method: 'PATCH',
    path: `${path}?fieldManager=${manager}${force}`,
    headers: { 'content-type': contentTypes.applyPatch },
    body: random.chance(0.3) ? mutated(random, part, resource) : part,
  }
}

/** An applied object names what its manager has an opinion on. */
function withoutSome(random: Random, seed: JsonMap): Json {
  const kept = new Set(['apiVersion', 'kind', 'metadata', 'metadata.name', 'metadata.namespace'])
  let result: Json = seed
  for (let i = random.pick([1, 2, 3]); i > 0; i--) {
    const paths: JsonPath[] = [...pathsOf(result)].filter((path) => !kept.has(path.join('.')))
    if (paths.length > 0) result = withValueAt(result, random.pick(paths), undefined) ?? result
  }
  return result
}

/** A namespace of the case's own, so that lists are known as a whole. */
const ownNamespace = (labels: JsonMap = {}): Step => ({
  method: 'POST',
  path: '/api/v1/namespaces',
  body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: '<name>', labels } },
  needed: true,
})

const pageOptions = [
  '',
  '&continue=',
  '&resourceVersion=0',
  '&resourceVersion=<rv>',
  '&resourceVersionMatch=Exact',
  '&labelSelector=page%3Da',
  '&fieldSelector=metadata.name%3Dpage-1',
  '&sendInitialEvents=false',
]

export const paging: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !resource.namespaced || !can(resource, 'create', 'list', 'delete')) return undefined
  const seed = seedOf(source)
  const collection = `${pathOf(resource.groupVersion)}/namespaces/<name>/${resource.name}`
  const count = random.pick([2, 3, 4])
  const objects = Array.from({ length: count }, (_, i): Step => {
    const metadata = { name: `page-${i}`, namespace: '<name>', labels: { page: random.pick(['a', 'b']) } }
    return { method: 'POST', path: collection, body: merged(seed, { metadata }) }
  })
  const selector = random.pick(['', '', '&labelSelector=page%3Da', '&fieldSelector=metadata.namespace%3D<name>'])
  const headers = { accept: random.pick(['application/json', ...representations]) }
  const page = (token: string): Step => ({
    method: 'GET',
    path: `${collection}?limit=${random.pick([1, 1, 2, 10])}${selector}${token}`,
    headers,
  })
  const between: Step[] = random.chance(0.4)
    ? [{ method: 'DELETE', path: `${collection}/page-${random.below(count)}`, body: { gracePeriodSeconds: 0 } }]
    : []
  const steps = [
    ownNamespace(),
    ...objects,
    page(random.chance(0.8) ? '' : random.pick(pageOptions)),
    ...(random.chance(0.2) ? [] : [page('&continue=<continue>'), page('&continue=<continue>')]),
    ...(random.chance(0.3) ? [page(`&continue=<continue>${random.pick(pageOptions)}`)] : []),
  ]
  return {
    family: 'paging',
    resource: `${resource.name} ${resource.groupVersion}`,
    // What is removed between two pages must not be asked for its token.
    steps: random.chance(0.5) ? steps : [...steps.slice(0, 1 + count), ...between, ...steps.slice(1 + count)],
    cleanup: [...objects.map((_, i) => `${collection}/page-${i}`), '/api/v1/namespaces/<name>'],
  }
}

const podSecurity = 'pod-security.kubernetes.io'

export const namespaceLife: CaseGenerator = (source) => {
  const { random } = source
  const resource = random.pick(
    source.resources.filter((each) => isParent(each) && each.namespaced && can(each, 'create', 'get', 'delete')),
  )
  const seed = merged(seedOf({ ...source, resource }), { metadata: { namespace: '<name>' } })
  const collection = `${pathOf(resource.groupVersion)}/namespaces/<name>/${resource.name}`
  const body = random.chance(0.6) ? seed : mutated(random, seed, resource)
  const namespace = '/api/v1/namespaces/<name>'
  const make: Step = { method: 'POST', path: `${collection}${writeQuery(random)}`, body }
  const events: Step[] = [
    make,
    { method: 'GET', path: namespace },
    { method: 'DELETE', path: namespace, ...(random.chance(0.3) ? { body: { propagationPolicy: 'Foreground' } } : {}) },
    { method: 'DELETE', path: namespace, body: { preconditions: { uid: random.pick(['<uid>', 'x']) } } },
    { method: 'PUT', path: `${namespace}/finalize`, body: finalized(random) },
    {
      method: 'PUT',
      path: `${namespace}/status`,
      body: { ...finalized(random), status: { phase: random.pick(['Active', 'Terminating', 'x']) } },
    },
    { method: 'PATCH', path: namespace, headers: { 'content-type': contentTypes.mergePatch }, body: labelled(random) },
    { method: 'GET', path: collection },
  ]
  const steps = [
    ownNamespace(labelsOf(random)),
    ...Array.from({ length: random.pick([2, 3, 4, 5]) }, () => random.pick(events)),
  ]
  const name = isMap(seed) && isMap(seed['metadata']) ? String(seed['metadata']['name']) : '<name>'
  return {
    family: 'namespace',
    resource: `${resource.name} ${resource.groupVersion}`,
    steps,
    cleanup: [`${collection}/${name}`, namespace, namespace],
  }
}

const finalized = (random: Random): JsonMap => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: '<name>', ...(random.chance(0.5) ? { labels: { a: 'b' } } : {}) },
  spec: { finalizers: random.pick<Json>([[], ['kubernetes'], ['example.com/f', 'kubernetes'], ['x'], null]) },
})

const labelsOf = (random: Random): JsonMap =>
  random.chance(0.5)
    ? {}
    : {
        [`${podSecurity}/${random.pick(['enforce', 'warn', 'audit'])}`]: random.pick([
          'baseline',
          'restricted',
          'privileged',
        ]),
        ...(random.chance(0.4) ? { [`${podSecurity}/${random.pick(['enforce', 'warn'])}`]: 'restricted' } : {}),
        ...(random.chance(0.3)
          ? { [`${podSecurity}/enforce-version`]: random.pick(['v1.25', 'latest', 'v1.0', 'v1.99']) }
          : {}),
      }

const labelled = (random: Random): Json => ({
  metadata: {
    labels: random.pick<Json>([
      { 'kubernetes.io/metadata.name': 'x' },
      { 'kubernetes.io/metadata.name': null },
      { [`${podSecurity}/enforce`]: 'x' },
      { [`${podSecurity}/enforce`]: 'restricted' },
      { [`${podSecurity}/enforce-version`]: 'y' },
      { a: 'b' },
    ]),
  },
})

/** A pod or claim in a namespace that has limits and a quota whose status says what is used. */
export const limits: CaseGenerator = (source) => {
  const { random, resources } = source
  const wanted = random.pick([
    'Pod',
    'Pod',
    'PersistentVolumeClaim',
    'Service',
    'ConfigMap',
    'Deployment',
    'Secret',
    'ResourceClaim',
  ])
  const resource = resources.find(({ kind, name }) => kind === wanted && !name.includes('/'))
  if (resource === undefined) return undefined
  const namespace = '/api/v1/namespaces/<name>'
  const collection = `${pathOf(resource.groupVersion)}/namespaces/<name>/${resource.name}`
  const seed = merged(seedOf({ ...source, resource }), { metadata: { namespace: '<name>' } })
  const hard = hardLimits(random)
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: '<name>' },
    spec: { hard, ...quotaScope(random) },
  }
  const used = Object.fromEntries(Object.keys(hard).map((key) => [key, random.pick(['0', '0', '1'])]))
  const steps: Step[] = [
    ownNamespace(),
    ...(random.chance(0.6) ? [limitRange(random)] : []),
    ...(random.chance(0.7)
      ? [
          { method: 'POST', path: `${namespace}/resourcequotas`, body: quota },
          { method: 'PUT', path: `${namespace}/resourcequotas/q/status`, body: { ...quota, status: { hard, used } } },
        ]
      : []),
    { method: 'POST', path: collection, body: mutated(random, seed, resource), pause: 300 },
    {
      method: 'POST',
      path: collection,
      body: mutated(random, merged(seed, { metadata: { name: 'second' } }), resource),
    },
    { method: 'GET', path: `${namespace}/resourcequotas/q` },
  ]
  const cleanup = [
    `${collection}/<name>`,
    `${collection}/second`,
    `${namespace}/resourcequotas/q`,
    `${namespace}/limitranges/l`,
    namespace,
  ]
  return { family: 'limits', resource: `${resource.name} ${resource.groupVersion}`, steps, cleanup }
}

const quotaNames = [
  'pods',
  'requests.cpu',
  'limits.memory',
  'cpu',
  'memory',
  'services',
  'services.nodeports',
  'services.loadbalancers',
  'configmaps',
  'secrets',
  'persistentvolumeclaims',
  'requests.storage',
  'count/deployments.apps',
  'count/configmaps',
  'requests.example.com/x',
  'gold.storageclass.storage.k8s.io/requests.storage',
  'count/resourceclaims.resource.k8s.io',
  'requests.ephemeral-storage',
]
const hardLimits = (random: Random): JsonMap =>
  Object.fromEntries(
    Array.from({ length: random.pick([1, 2, 3]) }, () => [
      random.pick(quotaNames),
      random.pick(['0', '1', '2', '100m', '1Gi']),
    ]),
  )

const quotaScope = (random: Random): JsonMap =>
  random.chance(0.8)
    ? {}
    : random.chance(0.5)
      ? { scopes: [random.pick(['BestEffort', 'NotTerminating', 'Terminating', 'NotBestEffort', 'PriorityClass'])] }
      : {
          scopeSelector: {
            matchExpressions: [
              {
                scopeName: 'PriorityClass',
                operator: random.pick(['Exists', 'DoesNotExist', 'In']),
                ...(random.chance(0.5) ? { values: ['high'] } : {}),
              },
            ],
          },
        }

const limitRange = (random: Random): Step => ({
  method: 'POST',
  path: '/api/v1/namespaces/<name>/limitranges',
  body: {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'l', namespace: '<name>' },
    spec: {
      limits: [
        {
          type: random.pick(['Container', 'Container', 'Pod', 'PersistentVolumeClaim']),
          ...Object.fromEntries(
            ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio']
              .filter(() => random.chance(0.4))
              .map((name) => [
                name,
                { [random.pick(['cpu', 'memory', 'storage'])]: random.pick(['1', '2', '500m', '1Gi']) },
              ]),
          ),
        },
      ],
    },
  },
})
