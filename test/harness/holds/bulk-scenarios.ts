/** Ten thousand objects: deleted, collected, listed, watched, counted, authorized by. */
import type { JsonObject } from '../../../src/api/json.ts'
import { type Caller, mapOf, type Scenario } from './scenario.ts'

const count = 10_000
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const partial = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
const protobuf = 'application/vnd.kubernetes.protobuf'

const namespace = (server: Caller, name: string): Promise<unknown> =>
  server.call({ path: '/api/v1/namespaces', body: { metadata: { name } }, mayFail: true })

const configMaps = (name: string): string => `/api/v1/namespaces/${name}/configmaps`

async function fillConfigMaps(server: Caller, name: string, metadata: JsonObject = {}): Promise<void> {
  await namespace(server, name)
  await server.fill(count, (i) => ({
    path: configMaps(name),
    body: { metadata: { name: `c${i}`, ...metadata }, data: { a: 'b' } },
  }))
}

const remaining = async (server: Caller, path: string): Promise<number> => {
  const { metadata, items } = (await server.read(`${path}?limit=1`)) as { metadata: JsonObject; items: unknown[] }
  return items.length + Number(metadata['remainingItemCount'] ?? 0)
}

const pod = (name: string): JsonObject => ({
  metadata: { name, labels: { app: 'a', tier: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1m' } } }] },
})

const pods = '/api/v1/namespaces/pods/pods'

async function fillPods(server: Caller): Promise<void> {
  await namespace(server, 'pods')
  const present = await remaining(server, pods)
  if (present === 0) await server.fill(count, (i) => ({ path: pods, body: pod(`p${i}`) }))
}

/** Reads the list through one accept header, or one query. */
const reading = (name: string, query: string, accept = 'application/json'): Scenario => ({
  name: `list of 10,000 pods, ${name}`,
  prepare: fillPods,
  act: (server) => server.call({ path: `${pods}${query}`, accept }),
})

const rbac = '/apis/rbac.authorization.k8s.io/v1'

async function fillBindings(server: Caller): Promise<void> {
  const isThere = (await server.call({ path: `${rbac}/clusterroles/bulk`, mayFail: true })).status === 200
  if (isThere) return
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]
  await server.call({ path: `${rbac}/clusterroles`, body: { metadata: { name: 'bulk' }, rules } })
  await server.fill(count, (i) => ({ path: `${rbac}/clusterrolebindings`, body: binding(`b${i}`, `user${i}`) }))
}

const binding = (name: string, user: string): JsonObject => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'bulk' },
  subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
})

export const bulkScenarios: readonly Scenario[] = [
  {
    name: 'deletecollection of 10,000 config maps',
    prepare: (server) => fillConfigMaps(server, 'dropped'),
    act: async (server, attempt) => {
      if (attempt > 0) return
      await server.call({ method: 'DELETE', path: configMaps('dropped') })
    },
  },
  {
    name: 'deletion of a namespace with 10,000 config maps',
    prepare: (server) => fillConfigMaps(server, 'ending'),
    act: async (server, attempt) => {
      if (attempt > 0) return
      await server.call({ method: 'DELETE', path: '/api/v1/namespaces/ending' })
      await server.until('the namespace is gone', async () => {
        return (await server.call({ path: '/api/v1/namespaces/ending', mayFail: true })).status === 404
      })
    },
  },
  {
    name: 'garbage collection of 10,000 dependents',
    prepare: async (server) => {
      await namespace(server, 'owned')
      await server.call({ path: '/api/v1/namespaces/owned/secrets', body: { metadata: { name: 'owner' } } })
      const { metadata } = (await server.read('/api/v1/namespaces/owned/secrets/owner')) as { metadata: JsonObject }
      const ownerReferences = [{ apiVersion: 'v1', kind: 'Secret', name: 'owner', uid: metadata['uid'] as string }]
      await fillConfigMaps(server, 'owned', { ownerReferences })
    },
    act: async (server, attempt) => {
      if (attempt > 0) return
      await server.call({ method: 'DELETE', path: '/api/v1/namespaces/owned/secrets/owner' })
      await server.until('all dependents are gone', async () => (await remaining(server, configMaps('owned'))) <= 1)
    },
  },
  reading('JSON', ''),
  reading('a label selector', '?labelSelector=app%3Da%2Ctier%21%3Dc'),
  reading('a field selector', '?fieldSelector=status.phase%3DRunning'),
  reading('a table', '', table),
  reading('a table with objects', '?includeObject=Object', table),
  reading('metadata', '', partial),
  reading('Protobuf', '', protobuf),
  reading('YAML', '', 'application/yaml'),
  reading('CBOR', '', 'application/cbor'),
  reading('pretty', '?pretty=true'),
  reading('an old version', '?limit=9000'),
  reading('initial events of a watch', '?watch=true'),
  reading('initial events of a watch, Protobuf', '?watch=true&resourceVersion=0', `${protobuf};stream=watch`),
  reading('initial events of a watch, a table', '?watch=true&resourceVersion=0', table),
  {
    name: 'authorization by 10,000 bindings',
    prepare: fillBindings,
    act: (server) => server.call({ path: `${configMaps('default')}/none`, as: 'user9999', status: 404 }),
  },
  {
    name: 'authorization right after one of 10,000 bindings changed',
    prepare: fillBindings,
    act: async (server, attempt) => {
      await server.call({
        path: `${rbac}/clusterrolebindings`,
        body: binding(`more${attempt}-${Date.now()}`, 'somebody'),
      })
      await server.call({ path: `${configMaps('default')}/none`, as: 'user9999', status: 404 })
    },
  },
  {
    name: 'rules of a user among 10,000 bindings',
    prepare: fillBindings,
    act: (server) =>
      server.call({
        path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
        body: { spec: { namespace: 'default' } },
      }),
  },
  {
    name: 'a quota counted over 10,000 pods',
    prepare: fillPods,
    act: async (server, attempt) => {
      const name = `q${attempt}-${Date.now()}`
      const path = '/api/v1/namespaces/pods/resourcequotas'
      await server.call({
        path,
        body: { metadata: { name }, spec: { hard: { pods: '20000', 'requests.cpu': '100' } } },
      })
      await server.until('the quota is counted', async () => {
        const { status } = (await server.read(`${path}/${name}`)) as { status?: { used?: JsonObject } }
        return status?.used?.['pods'] !== undefined
      })
      await server.call({ method: 'DELETE', path: `${path}/${name}` })
    },
  },
  {
    name: 'a definition among 1,000 and discovery after it',
    prepare: fillDefinitions,
    act: async (server, attempt) => {
      await server.call({ path: definitions, body: definition(`extra${attempt}x${Date.now()}`) })
      await server.call({ path: '/apis' })
      await server.call({
        path: '/apis',
        accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      })
      await server.call({ path: '/apis/bulk.example.com/v1' })
    },
  },
  {
    name: 'OpenAPI v2 with 1,000 definitions',
    prepare: fillDefinitions,
    act: (server) => server.call({ path: '/openapi/v2' }),
  },
  {
    name: 'OpenAPI v2 in Protobuf with 1,000 definitions',
    prepare: fillDefinitions,
    act: (server) =>
      server.call({
        path: '/openapi/v2',
        accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
      }),
  },
  {
    name: 'OpenAPI v3 of a group with 1,000 definitions',
    prepare: fillDefinitions,
    act: (server) => server.call({ path: '/openapi/v3/apis/bulk.example.com/v1' }),
  },
]

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

function definition(name: string): JsonObject {
  const properties = {
    spec: { type: 'object', properties: mapOf(40, (i) => `f${i}`, { type: 'string', description: 'x' }) },
  }
  const schema = { openAPIV3Schema: { type: 'object', properties } }
  return {
    metadata: { name: `${name}s.bulk.example.com` },
    spec: {
      group: 'bulk.example.com',
      scope: 'Namespaced',
      names: { plural: `${name}s`, singular: name, kind: `${name.charAt(0).toUpperCase()}${name.slice(1)}` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
}

async function fillDefinitions(server: Caller): Promise<void> {
  if ((await remaining(server, definitions)) > 900) return
  await server.fill(1000, (i) => ({ path: definitions, body: definition(`bulk${i}`) }))
  await server.until('the last definition is served', async () => {
    return (await server.call({ path: '/apis/bulk.example.com/v1/bulk999s', mayFail: true })).status === 200
  })
}
