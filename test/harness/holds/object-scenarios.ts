/** Large objects in more than one step: custom objects, patches and applies of what is stored, policies, webhooks, audit, encryption. */
import type { JsonObject, JsonValue } from '../../../src/api/json.ts'
import { type Call, type Caller, many, mapOf, type Scenario } from './scenario.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const larges = '/apis/holds.example.com/v1/namespaces/default/larges'
const configMaps = '/api/v1/namespaces/default/configmaps'
const secrets = '/api/v1/namespaces/default/secrets'
const pods = '/api/v1/namespaces/default/pods'
const dry = '?dryRun=All'

const item: JsonObject = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 64, pattern: '^[a-z0-9]+$' },
    size: { type: 'integer', default: 1 },
  },
}

const spec: JsonObject = {
  type: 'object',
  properties: {
    items: { type: 'array', items: item },
    keyed: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    texts: { type: 'object', additionalProperties: { type: 'string' } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    ruled: {
      type: 'array',
      maxItems: 100_000,
      items: { type: 'string', maxLength: 10 },
      'x-kubernetes-validations': [{ rule: 'self.all(x, x.size() < 11)' }],
    },
  },
}

async function define(server: Caller): Promise<void> {
  if ((await server.call({ path: larges, mayFail: true })).status === 200) return
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  await server.call({
    path: definitions,
    body: {
      metadata: { name: 'larges.holds.example.com' },
      spec: {
        group: 'holds.example.com',
        scope: 'Namespaced',
        names: { plural: 'larges', kind: 'Large' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    },
  })
  await server.until(
    'the definition is served',
    async () => (await server.call({ path: larges, mayFail: true })).status === 200,
  )
}

const large = (fields: JsonObject): JsonObject => ({
  apiVersion: 'holds.example.com/v1',
  kind: 'Large',
  metadata: { name: 'large' },
  spec: fields,
})

const named = (i: number): JsonObject => ({ name: `n${i}` })

const wrong = 'items that are wrong'

/** As large as a body may be, or close to it. */
const contents: Readonly<Record<string, JsonObject>> = {
  'items with defaults': { items: many(100_000, named) },
  'items of a keyed list': { keyed: many(100_000, named) },
  'items of a set': { set: many(200_000, (i) => `n${i}`) },
  'texts by 150,000 keys': { texts: mapOf(150_000, (i) => `k${i}`, 'v') },
  'unknown fields that are pruned': mapOf(150_000, (i) => `k${i}`, 1),
  'unknown fields that are kept': { free: mapOf(150_000, (i) => `k${i}`, 1) },
  [wrong]: { items: many(100_000, (i) => ({ name: `!${i}` })) },
  'items under an expression': { ruled: many(100_000, (i) => `n${i}`) },
}

const customScenarios: Scenario[] = Object.entries(contents).flatMap(([name, fields]) => {
  const body = JSON.stringify(large(fields))
  const scenario = (how: string, call: Call): Scenario => ({
    name: `custom object, ${name}, ${how}`,
    prepare: define,
    act: (server) => server.call({ ...call, ...(name === wrong ? { status: 422 } : {}) }),
  })
  return [
    scenario('create', { path: `${larges}${dry}`, body }),
    scenario('create with warnings', { path: `${larges}${dry}&fieldValidation=Warn`, body }),
    scenario('create by YAML', { path: `${larges}${dry}`, body, type: 'application/yaml' }),
    scenario('apply', {
      method: 'PATCH',
      path: `${larges}/large${dry}&fieldManager=m`,
      type: 'application/apply-patch+yaml',
      body,
    }),
  ]
})

/** What may be stored: 1.5 MiB. */
const stored: Readonly<Record<string, { path: string; body: JsonObject }>> = {
  'custom object with 30,000 items': { path: larges, body: large({ keyed: many(30_000, named) }) },
  'config map with 50,000 keys': {
    path: configMaps,
    body: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'large' },
      data: mapOf(50_000, (i) => `k${i}`, 'v'),
    },
  },
  'pod with 15,000 variables': {
    path: pods,
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'large' },
      spec: { containers: [{ name: 'c', image: 'i', env: many(15_000, (i) => ({ name: `E${i}`, value: 'v' })) }] },
    },
  },
}

const patchTypes: Readonly<Record<string, (body: JsonObject) => JsonValue | string>> = {
  'application/json-patch+json': () =>
    many(5000, (i) => ({ op: 'add', path: `/metadata/annotations/a${i}`, value: 'v' })),
  'application/merge-patch+json': (body) => ({ ...body, metadata: { annotations: { a: 'b' } } }),
  'application/strategic-merge-patch+json': (body) => ({ ...body, metadata: { annotations: { a: 'b' } } }),
  'application/apply-patch+yaml': (body) => JSON.stringify(body),
}

const storedScenarios: Scenario[] = Object.entries(stored).flatMap(([name, { path, body }]) => {
  const prepare = async (server: Caller): Promise<void> => {
    await define(server)
    const url = `${path}/large`
    if ((await server.call({ path: url, mayFail: true })).status === 200) return
    await server.call({ path, body: { ...body, metadata: { name: 'large', annotations: { x: 'y' } } } })
  }
  const url = `${path}/large`
  const isCustom = path === larges
  const reads = ['application/json', 'application/yaml', 'application/cbor', 'application/vnd.kubernetes.protobuf'].map(
    (accept): Scenario => ({
      name: `${name}, get as ${accept}`,
      prepare,
      act: (server) =>
        server.call({ path: url, accept, ...(isCustom && accept.includes('protobuf') ? { status: 406 } : {}) }),
    }),
  )
  // Made before: what the client does must not count.
  const text = JSON.stringify(body)
  const types = Object.entries(patchTypes).filter(([type]) => !isCustom || !type.includes('strategic'))
  const patches = types.map(([type, patch]): Scenario => {
    const given = patch(body)
    const sent = typeof given === 'string' ? given : JSON.stringify(given)
    return {
      name: `${name}, ${type}`,
      prepare,
      act: (server) =>
        server.call({
          method: 'PATCH',
          path: `${url}${dry}&fieldManager=m${type.includes('apply') ? '&force=true' : ''}`,
          type,
          body: sent,
        }),
    }
  })
  return [
    ...reads,
    ...patches,
    { name: `${name}, get, pretty`, prepare, act: (server) => server.call({ path: `${url}?pretty=true` }) },
    {
      name: `${name}, replace`,
      prepare,
      act: async (server) => {
        const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
        const read = (await server.call({ path: url, accept })).body
        const [, resourceVersion] = /"resourceVersion":"(\d+)"/.exec(read.toString('latin1')) ?? []
        const metadata = JSON.stringify({ name: 'large', annotations: { x: 'y' }, resourceVersion })
        await server.call({ method: 'PUT', path: url, body: text.replace('{"name":"large"}', metadata) })
      },
    },
    {
      name: `${name}, replace of one field`,
      prepare,
      act: (server, attempt) =>
        server.call({
          method: 'PATCH',
          path: url,
          type: 'application/merge-patch+json',
          body: { metadata: { annotations: { x: `${attempt}` } } },
        }),
    },
  ]
})

const policies = '/apis/admissionregistration.k8s.io/v1'
const largeConfigMap = JSON.stringify({ metadata: { name: 'admitted' }, data: mapOf(50_000, (i) => `k${i}`, 'v') })
const largeSecret = JSON.stringify({
  metadata: { name: 'admitted' },
  stringData: mapOf(1000, (i) => `k${i}`, 'x'.repeat(1000)),
})
const secretOfKeys = JSON.stringify({
  metadata: { name: 'admitted' },
  stringData: mapOf(30_000, (i) => `k${i}`, 'x'),
})

async function addPolicy(server: Caller): Promise<void> {
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
  ]
  const expressions = ['!has(object.data) || object.data.all(k, k.size() < 100)', 'size(object.metadata.name) > 0']
  const policy = {
    metadata: { name: 'large' },
    spec: { matchConstraints: { resourceRules }, validations: expressions.map((expression) => ({ expression })) },
  }
  await server.call({ path: `${policies}/validatingadmissionpolicies`, body: policy, mayFail: true })
  const bound = { metadata: { name: 'large' }, spec: { policyName: 'large', validationActions: ['Deny'] } }
  await server.call({ path: `${policies}/validatingadmissionpolicybindings`, body: bound, mayFail: true })
}

async function addWebhook(server: Caller): Promise<void> {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['secrets'] }]
  const hook = {
    name: 'large.example.com',
    clientConfig: { url: 'https://127.0.0.1:9/' },
    rules,
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }
  for (const kind of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'])
    await server.call({
      path: `${policies}/${kind}`,
      body: { metadata: { name: 'large' }, webhooks: [hook] },
      mayFail: true,
    })
}

const amounts = { requests: { cpu: '1m', memory: '1Mi' }, limits: { cpu: '2m', memory: '2Mi' } }
const podOf = (containers: JsonObject[]): string =>
  JSON.stringify({ metadata: { name: 'counted' }, spec: { containers } })
/** The first count is what a request may bring, the second what can be stored. */
const countedPods: Readonly<Record<string, { counts: [number, number]; of: (count: number) => string }>> = {
  'that say what they want': {
    counts: [9000, 2500],
    of: (count) => podOf(many(count, (i) => ({ name: `c${i}`, image: 'i', resources: amounts }))),
  },
  'that are given what they want': {
    counts: [3000, 2500],
    of: (count) => podOf(many(count, (i) => ({ name: `c${i}`, image: 'i' }))),
  },
  'of many kinds of resources': {
    counts: [50_000, 10_000],
    of: (count) => {
      const limits = mapOf(count, (i) => `example.com/r${i}`, '1')
      return podOf([{ name: 'c', image: 'i', resources: { ...amounts, limits: { ...amounts.limits, ...limits } } }])
    },
  },
}

/** A namespace with quotas and with limits for containers and pods. */
async function addQuotas(server: Caller): Promise<void> {
  const path = '/api/v1/namespaces/counted'
  if ((await server.call({ path, mayFail: true })).status === 200) return
  await server.call({ path: '/api/v1/namespaces', body: { metadata: { name: 'counted' } } })
  const hard = { pods: '9k', 'requests.cpu': '9k', 'limits.memory': '9Ti', 'requests.example.com/r1': '9k' }
  for (const [name, scopes] of Object.entries({ all: [], some: ['NotBestEffort'] }))
    await server.call({ path: `${path}/resourcequotas`, body: { metadata: { name }, spec: { hard, scopes } } })
  const standard = { default: amounts.limits, defaultRequest: amounts.requests, max: { cpu: '9k', memory: '9Ti' } }
  const limits = [
    { type: 'Container', ...standard },
    { type: 'Pod', max: standard.max, min: { cpu: '1m', memory: '1Mi' } },
  ]
  await server.call({ path: `${path}/limitranges`, body: { metadata: { name: 'all' }, spec: { limits } } })
  await server.until('the quotas are counted', async () => {
    const { status } = await server.read(`${path}/resourcequotas/some`)
    return (status as JsonObject | undefined)?.['hard'] !== undefined
  })
}

const counted = '/api/v1/namespaces/counted/pods'

const quotaScenarios: Scenario[] = Object.entries(countedPods).flatMap(([name, { counts, of }]) => {
  const [sent, stored] = counts.map(of)
  return [
    {
      name: `quotas and limits of a pod, containers ${name}, dry run`,
      prepare: addQuotas,
      act: (server) => server.call({ path: `${counted}${dry}`, body: sent as string }),
    },
    {
      name: `quotas and limits of a pod, containers ${name}, create and delete`,
      prepare: addQuotas,
      act: async (server) => {
        await server.call({ path: counted, body: stored as string })
        await server.call({ method: 'DELETE', path: `${counted}/counted?gracePeriodSeconds=0` })
      },
    },
  ]
})

const admissionScenarios: Scenario[] = [
  ...quotaScenarios,
  {
    name: 'policy over 50,000 keys',
    prepare: addPolicy,
    act: (server) => server.call({ path: `${configMaps}${dry}`, body: largeConfigMap }),
  },
  {
    name: 'webhooks that are sent a secret of 1 MiB',
    prepare: addWebhook,
    act: (server) => server.call({ path: `${secrets}${dry}`, body: largeSecret }),
  },
  {
    name: 'webhooks that are sent 30,000 keys',
    prepare: addWebhook,
    act: (server) => server.call({ path: `${secrets}${dry}`, body: secretOfKeys }),
  },
]

export const objectScenarios: readonly Scenario[] = [...customScenarios, ...storedScenarios, ...admissionScenarios]
