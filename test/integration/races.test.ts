/**
 * Every retry loop, on a store that loses races on purpose: what another writer does between the read and the write of a
 * request must not show, unless the request says what it expects to be there.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { openMemoryStore } from '../../src/store/memory.ts'
import type { WriteOperation } from '../../src/store/store.ts'
import { type ContendedStore, contendedStore, erase, type Rival, rewrite, touch } from '../support/contended-store.ts'
import { until } from '../support/until.ts'
import { type Answer, type Json, startTestServer, type TestServer } from './support/test-server.ts'

const ns = '/api/v1/namespaces/default'
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

const merge = { 'content-type': 'application/merge-patch+json' }
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
const jsonPatch = { 'content-type': 'application/json-patch+json' }
const apply = { 'content-type': 'application/apply-patch+yaml' }

let contended: ContendedStore
let server: TestServer

beforeAll(async () => {
  contended = contendedStore(openMemoryStore())
  server = await startTestServer(['--store', 'memory'], systemClock, contended.store)
  await created(`${ns}/serviceaccounts`, { metadata: { name: 'default' } })
})
afterAll(() => server.close())

async function created(path: string, body: Json): Promise<Json> {
  const answer = await server.call('POST', path, body)
  if (answer.status !== 201) throw new Error(`${path}: ${answer.body}`)
  return answer.json()
}

const got = async (path: string): Promise<Json> => (await server.call('GET', path)).json()

const configMap = (name: string, extra: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...extra },
  data: { a: '1' },
})
const role = (name: string): Json => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name },
  rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
})
const deployment = (name: string): Json => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: name } },
    template: { metadata: { labels: { a: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
})
const pod = (name: string): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { a: name } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
})
const scale = (name: string, replicas: number, resourceVersion?: string): Json => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name, namespace: 'default', ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  spec: { replicas },
})
const eviction = (name: string, deleteOptions?: Json): Json => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: 'default' },
  ...(deleteOptions === undefined ? {} : { deleteOptions }),
})

/** The pod runs, and a budget has one disruption left for it. */
async function guardedPod(name: string): Promise<void> {
  await created(`${ns}/pods`, pod(name))
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  await server.call('PATCH', `${ns}/pods/${name}/status`, { status }, merge)
  await created(budgets, { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: { a: name } } } })
  const spare = { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, observedGeneration: 1 }
  await server.call('PATCH', `${budgets}/${name}/status`, { status: spare }, merge)
}

/** Another writer adds a label to a stored ConfigMap. */
const label: Rival = rewrite((text) => text.replace('"labels":{', '"labels":{"rival":"was-here",'))

interface Race {
  readonly name: string
  /** Told a name of its own. */
  readonly prepare?: (name: string) => Promise<unknown>
  readonly call: (name: string, prepared: Json) => Promise<Answer>
  /** Which writes lose; those to keys that end with the name, unless it says otherwise. */
  readonly contested?: (operation: WriteOperation, name: string) => boolean
  readonly times?: number
  readonly rival?: Rival
  readonly status: number
  readonly after?: (name: string, answer: Json) => Promise<void>
}

const labelled = (name: string): Promise<Json> =>
  created(`${ns}/configmaps`, configMap(name, { labels: { mine: 'x' } }))
const bothChanged = async (name: string): Promise<void> => {
  const object = await got(`${ns}/configmaps/${name}`)
  expect(object.metadata.labels.rival).toBe('was-here')
  expect(object.data).toEqual({ a: '2' })
}
const isGone =
  (collection: string) =>
  async (name: string): Promise<void> =>
    expect((await server.call('GET', `${collection}/${name}`)).status).toBe(404)

const update = (type: Record<string, string>, body: Json): Race['call'] => {
  return (name) => server.call('PATCH', `${ns}/configmaps/${name}?fieldManager=me&force=true`, body, type)
}
const withoutForce = (type: Record<string, string>, body: Json): Race['call'] => {
  return (name) => server.call('PATCH', `${ns}/configmaps/${name}`, body, type)
}

const finalized = async (name: string): Promise<void> => {
  await created(`${ns}/configmaps`, configMap(name, { finalizers: ['example.com/f'] }))
  await server.call('DELETE', `${ns}/configmaps/${name}`)
}

const races: readonly Race[] = [
  {
    name: 'apply that creates',
    call: (name) => server.call('PATCH', `${ns}/configmaps/${name}?fieldManager=me`, configMap(name), apply),
    status: 200,
  },
  {
    name: 'apply that creates, and the rival deletes again',
    call: (name) => server.call('PATCH', `${ns}/configmaps/${name}?fieldManager=me`, configMap(name), apply),
    rival: async (operation, store) => {
      if (operation.type !== 'create') return
      const value = Buffer.from(Buffer.from(operation.value).toString().replace('"a":"1"', '"a":"0"'))
      await store.write({ ...operation, value })
      contended.lose(({ type, key }) => type === 'replace' && key === operation.key, 1, erase)
    },
    status: 201,
  },
  { name: 'PUT that creates', call: (name) => server.call('PUT', `${roles}/${name}`, role(name)), status: 200 },
  {
    name: 'POST of a name',
    call: (name) => server.call('POST', `${ns}/configmaps`, configMap(name)),
    status: 409,
    after: async (_, answer) => expect(answer.reason).toBe('AlreadyExists'),
  },
  {
    name: 'POST of a generated name',
    call: (name) =>
      server.call('POST', `${ns}/configmaps`, { metadata: { generateName: `${name}-` }, data: { a: '1' } }),
    contested: ({ key }, name) => key.includes(`/${name}-`),
    times: 7,
    status: 201,
  },
  {
    name: 'POST of a generated name that is always taken',
    call: (name) => server.call('POST', `${ns}/configmaps`, { metadata: { generateName: `${name}-` } }),
    contested: ({ key }, name) => key.includes(`/${name}-`),
    times: 8,
    status: 409,
    after: async (_, answer) => expect(answer.reason).toBe('AlreadyExists'),
  },
  {
    name: 'PUT without a version',
    prepare: (name) => created(`${ns}/configmaps`, configMap(name)),
    call: (name) => server.call('PUT', `${ns}/configmaps/${name}`, { ...configMap(name), data: { a: '2' } }),
    times: 5,
    status: 200,
  },
  {
    name: 'PUT of a version',
    prepare: (name) => created(`${ns}/configmaps`, configMap(name)),
    call: (name, prepared) => server.call('PUT', `${ns}/configmaps/${name}`, { ...prepared, data: { a: '2' } }),
    status: 409,
    after: async (_, answer) => expect(answer.reason).toBe('Conflict'),
  },
  {
    name: 'PUT of an object that the rival deletes',
    prepare: (name) => created(`${ns}/configmaps`, configMap(name)),
    call: (name) => server.call('PUT', `${ns}/configmaps/${name}`, { ...configMap(name), data: { a: '2' } }),
    rival: erase,
    status: 404,
  },
  ...(
    [
      ['merge patch', withoutForce(merge, { data: { a: '2' } })],
      ['strategic merge patch', withoutForce(strategic, { data: { a: '2' } })],
      ['JSON patch', withoutForce(jsonPatch, [{ op: 'replace', path: '/data/a', value: '2' }])],
      ['apply', update(apply, { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '2' } })],
    ] as const
  ).map(
    ([name, call]): Race => ({
      name,
      prepare: labelled,
      call,
      times: 5,
      rival: label,
      status: 200,
      after: bothChanged,
    }),
  ),
  {
    name: 'patch of a version',
    prepare: labelled,
    call: (name, { metadata: { resourceVersion } }) =>
      server.call('PATCH', `${ns}/configmaps/${name}`, { metadata: { resourceVersion }, data: { a: '2' } }, merge),
    status: 409,
  },
  {
    name: 'patch of a status',
    prepare: (name) => created(`${ns}/pods`, pod(name)),
    call: (name) => server.call('PATCH', `${ns}/pods/${name}/status`, { status: { phase: 'Running' } }, merge),
    times: 3,
    status: 200,
  },
  {
    name: 'PUT of a scale',
    prepare: (name) => created(deployments, deployment(name)),
    call: (name) => server.call('PUT', `${deployments}/${name}/scale`, scale(name, 3)),
    times: 3,
    status: 200,
    after: async (name) => expect((await got(`${deployments}/${name}`)).spec.replicas).toBe(3),
  },
  {
    name: 'PUT of a scale of a version',
    prepare: (name) => created(deployments, deployment(name)),
    call: (name, { metadata }) =>
      server.call('PUT', `${deployments}/${name}/scale`, scale(name, 3, metadata.resourceVersion)),
    status: 409,
  },
  {
    name: 'patch of a scale',
    prepare: (name) => created(deployments, deployment(name)),
    call: (name) => server.call('PATCH', `${deployments}/${name}/scale`, { spec: { replicas: 3 } }, merge),
    times: 3,
    status: 200,
  },
  {
    name: 'binding',
    prepare: (name) => created(`${ns}/pods`, pod(name)),
    call: (name) =>
      server.call('POST', `${ns}/pods/${name}/binding`, { metadata: { name }, target: { kind: 'Node', name: 'n' } }),
    times: 3,
    status: 201,
  },
  {
    name: 'eviction of a pending pod',
    prepare: (name) => created(`${ns}/pods`, pod(name)),
    call: (name) => server.call('POST', `${ns}/pods/${name}/eviction`, eviction(name)),
    times: 3,
    status: 201,
    after: isGone(`${ns}/pods`),
  },
  {
    name: 'eviction of a pending pod of a version',
    prepare: (name) => created(`${ns}/pods`, pod(name)),
    call: (name, { metadata: { resourceVersion } }) =>
      server.call('POST', `${ns}/pods/${name}/eviction`, eviction(name, { preconditions: { resourceVersion } })),
    status: 409,
  },
  {
    name: 'eviction of a guarded pod, while the pod changes',
    prepare: guardedPod,
    call: (name) => server.call('POST', `${ns}/pods/${name}/eviction`, eviction(name)),
    contested: ({ key }, name) => key.endsWith(`/pods/default/${name}`),
    times: 3,
    status: 201,
  },
  {
    name: 'eviction of a guarded pod, while the budget changes',
    prepare: guardedPod,
    call: (name) => server.call('POST', `${ns}/pods/${name}/eviction`, eviction(name)),
    contested: ({ key }, name) => key.endsWith(`/poddisruptionbudgets/default/${name}`),
    times: 3,
    status: 201,
    after: async (name) => expect((await got(`${budgets}/${name}`)).status.disruptionsAllowed).toBe(0),
  },
  {
    name: 'delete',
    prepare: (name) => created(`${ns}/configmaps`, configMap(name)),
    call: (name) => server.call('DELETE', `${ns}/configmaps/${name}`),
    times: 5,
    status: 200,
    after: isGone(`${ns}/configmaps`),
  },
  {
    name: 'delete of what the rival deletes',
    prepare: (name) => created(`${ns}/configmaps`, configMap(name)),
    call: (name) => server.call('DELETE', `${ns}/configmaps/${name}`),
    rival: erase,
    status: 404,
  },
  {
    name: 'delete of a version',
    prepare: (name) => created(`${ns}/configmaps`, configMap(name)),
    call: (name, { metadata: { resourceVersion } }) =>
      server.call('DELETE', `${ns}/configmaps/${name}`, { preconditions: { resourceVersion } }),
    status: 409,
  },
  {
    name: 'delete of a uid',
    prepare: (name) => created(`${ns}/configmaps`, configMap(name)),
    call: (name, { metadata: { uid } }) =>
      server.call('DELETE', `${ns}/configmaps/${name}`, { preconditions: { uid } }),
    times: 3,
    status: 200,
    after: isGone(`${ns}/configmaps`),
  },
  {
    name: 'delete with a grace period',
    prepare: async (name) => {
      await created(`${ns}/pods`, { ...pod(name), spec: { ...pod(name).spec, nodeName: 'n' } })
    },
    call: (name) => server.call('DELETE', `${ns}/pods/${name}`),
    times: 3,
    status: 200,
    after: async (name) => expect((await got(`${ns}/pods/${name}`)).metadata.deletionTimestamp).toBeDefined(),
  },
  {
    name: 'forced delete of a pod, marked and then removed',
    prepare: (name) => created(`${ns}/pods`, pod(name)),
    call: (name) => server.call('DELETE', `${ns}/pods/${name}?gracePeriodSeconds=0`),
    times: 4,
    status: 200,
    after: isGone(`${ns}/pods`),
  },
  {
    name: 'forced delete of a pod that the rival removes once it is marked',
    prepare: (name) => created(`${ns}/pods`, pod(name)),
    call: (name) => server.call('DELETE', `${ns}/pods/${name}?gracePeriodSeconds=0`),
    contested: ({ type, key }, name) => type === 'delete' && key.endsWith(`/${name}`),
    rival: erase,
    status: 200,
  },
  {
    name: 'deletecollection',
    prepare: async (name) => {
      for (const i of [1, 2, 3]) await created(`${ns}/configmaps`, configMap(`${name}-${i}`, { labels: { set: name } }))
    },
    call: (name) => server.call('DELETE', `${ns}/configmaps?labelSelector=set%3D${name}`),
    contested: ({ key }, name) => key.includes(`/${name}-`),
    times: 3,
    status: 200,
    after: async (name) => expect((await got(`${ns}/configmaps?labelSelector=set%3D${name}`)).items).toEqual([]),
  },
  {
    name: 'removal of the last finalizer',
    prepare: finalized,
    call: (name) => server.call('PATCH', `${ns}/configmaps/${name}`, { metadata: { finalizers: null } }, merge),
    times: 3,
    status: 200,
    after: isGone(`${ns}/configmaps`),
  },
  {
    name: 'removal of the last finalizer, while the rival removes it, too',
    prepare: finalized,
    call: (name) => server.call('PATCH', `${ns}/configmaps/${name}`, { metadata: { finalizers: null } }, merge),
    rival: erase,
    status: 200,
    after: isGone(`${ns}/configmaps`),
  },
  {
    name: 'allocation of a node port',
    call: (name) =>
      server.call('POST', `${ns}/services`, { metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }),
    contested: ({ key }) => key.endsWith('/ranges/servicenodeports'),
    times: 3,
    status: 201,
    after: async (_, answer) => expect(answer.spec.ports[0].nodePort).toBeGreaterThan(0),
  },
]

describe('a request that loses races', () => {
  it.each(races.map((race, i) => ({ ...race, id: `race-${i}` })))('$name: $status', async (race) => {
    const { id, times = 1, rival = touch, contested = ({ key }: WriteOperation) => key.endsWith(`/${id}`) } = race
    const prepared = await race.prepare?.(id)
    contended.settle()
    contended.lose((operation) => contested(operation, id), times, rival)
    const answer = await race.call(id, prepared)
    expect(`${answer.status} ${answer.status === race.status ? '' : answer.body}`).toBe(`${race.status} `)
    expect(contended.settle()).toBeGreaterThanOrEqual(times)
    await race.after?.(id, answer.json())
  })

  it('counts in a quota', async () => {
    await created('/api/v1/namespaces', { metadata: { name: 'counted' } })
    const quotas = '/api/v1/namespaces/counted/resourcequotas'
    await created(quotas, { metadata: { name: 'q' }, spec: { hard: { 'count/secrets': '5' } } })
    await until('the quota to be counted', async () => (await got(`${quotas}/q`)).status?.hard)
    contended.settle()
    contended.lose(({ key }) => key.endsWith('/resourcequotas/counted/q'), 3)
    for (const name of ['a', 'b']) await created('/api/v1/namespaces/counted/secrets', { metadata: { name } })
    expect(contended.settle()).toBeGreaterThanOrEqual(3)
    expect((await got(`${quotas}/q`)).status.used['count/secrets']).toBe('2')
  })
})

describe('four writers of one new object', () => {
  const writers = ['a', 'b', 'c', 'd']
  it.each([
    {
      verb: 'apply',
      write: (by: string) =>
        server.call('PATCH', `${ns}/configmaps/four?fieldManager=${by}&force=true`, configMap('four'), apply),
    },
    { verb: 'PUT', write: (_: string) => server.call('PUT', `${roles}/four`, role('four')) },
  ])('$verb: one creates, the others update', async ({ write }) => {
    const answers = await Promise.all(writers.map(write))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
  })
})

describe('two hundred writers of one object', () => {
  it('all succeed', async () => {
    await created(`${ns}/configmaps`, configMap('counter'))
    const write = (i: number) =>
      server.call('PATCH', `${ns}/configmaps/counter`, { data: { [`key-${i}`]: 'x' } }, merge)
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => write(i)))
    expect(answers.filter(({ status }) => status !== 200).map(({ body }) => String(body))).toEqual([])
    expect(Object.keys((await got(`${ns}/configmaps/counter`)).data)).toHaveLength(201)
  })
})

describe("the server's own controllers, when every first attempt loses", () => {
  const crd = {
    metadata: { name: 'things.races.example' },
    spec: {
      group: 'races.example',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const clusterRoles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'

  beforeAll(() => contended.loseFirstAttempts(true))
  afterAll(() => contended.loseFirstAttempts(false))

  it('a definition is established and deleted', async () => {
    await created(crds, crd)
    await until('the definition to be established', async () => {
      const { status } = await got(`${crds}/${crd.metadata.name}`)
      return status?.conditions?.some((each: Json) => each.type === 'Established' && each.status === 'True')
    })
    await created('/apis/races.example/v1/namespaces/default/things', {
      apiVersion: 'races.example/v1',
      kind: 'Thing',
      metadata: { name: 't' },
    })
    await server.call('DELETE', `${crds}/${crd.metadata.name}`)
    await until(
      'the definition to be gone',
      async () => (await server.call('GET', `${crds}/${crd.metadata.name}`)).status === 404,
    )
  })

  it('dependents are collected', async () => {
    const owner = await created(`${ns}/configmaps`, configMap('owner'))
    const { name, uid } = owner.metadata
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true }]
    await created(`${ns}/configmaps`, configMap('dependent', { ownerReferences }))
    await server.call('DELETE', `${ns}/configmaps/owner?propagationPolicy=Foreground`)
    await until('both to be gone', async () => {
      const { items } = await got(`${ns}/configmaps`)
      return items.every((each: Json) => !['owner', 'dependent'].includes(each.metadata.name))
    })
  })

  it('a namespace is emptied and deleted', async () => {
    await created('/api/v1/namespaces', { metadata: { name: 'passing' } })
    await created('/api/v1/namespaces/passing/configmaps', configMap('inside'))
    await server.call('DELETE', '/api/v1/namespaces/passing')
    await until(
      'the namespace to be gone',
      async () => (await server.call('GET', '/api/v1/namespaces/passing')).status === 404,
    )
  })

  it('roles are aggregated', async () => {
    const selector = { matchLabels: { sum: 'yes' } }
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
    await created(clusterRoles, { metadata: { name: 'sum' }, aggregationRule: { clusterRoleSelectors: [selector] } })
    await created(clusterRoles, { metadata: { name: 'part', labels: { sum: 'yes' } }, rules })
    await until('the sum', async () => (await got(`${clusterRoles}/sum`)).rules?.length === 1)
  })
})
