// What the server keeps true by itself: first objects, garbage collection, the end of namespaces.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { type Answer, type Json, startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const get = (path: string): Promise<Answer> => server.call('GET', path)
const remove = (path: string, policy?: string): Promise<Answer> =>
  server.call('DELETE', policy === undefined ? path : `${path}?propagationPolicy=${policy}`)
const patch = (path: string, body: Json): Promise<Answer> =>
  server.call('PATCH', path, body, { 'content-type': 'application/merge-patch+json' })

const gone = (path: string): Promise<unknown> => until(`${path} gone`, async () => (await get(path)).status === 404)

let count = 0

/** A namespace of its own for every test. */
async function namespace(): Promise<string> {
  const name = `controllers-${++count}`
  await server.call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  return name
}

const reference = ({ apiVersion, kind, metadata }: Json, more: Json = {}): Json => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  ...more,
})

async function configMap(in_: string, name: string, metadata: Json = {}): Promise<Json> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } }
  const answer = await server.call('POST', `/api/v1/namespaces/${in_}/configmaps`, body)
  expect(answer.status).toBe(201)
  return answer.json()
}

describe('the first objects', () => {
  it.each([
    '/api/v1/namespaces/default',
    '/api/v1/namespaces/kube-system',
    '/api/v1/namespaces/kube-public',
    '/api/v1/namespaces/kube-node-lease',
    '/api/v1/namespaces/default/services/kubernetes',
    '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical',
    '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/catch-all',
    '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/workload-low',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/cluster-admin',
    '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps',
    '/apis/networking.k8s.io/v1/servicecidrs/kubernetes',
    '/apis/networking.k8s.io/v1/ipaddresses/10.0.0.1',
  ])('%s', async (path) => {
    expect((await get(path)).status).toBe(200)
  })

  it('come back when somebody deletes them', async () => {
    const path = '/api/v1/namespaces/default/services/kubernetes'
    const { uid } = (await get(path)).json().metadata
    await remove(path)
    await until('a new service', async () => {
      const answer = await get(path)
      return answer.status === 200 && answer.json().metadata.uid !== uid
    })
  })
})

describe('garbage collection', () => {
  it('deletes what has no owner left, generation by generation', async () => {
    const ns = await namespace()
    const grandparent = await configMap(ns, 'grandparent')
    const parent = await configMap(ns, 'parent', { ownerReferences: [reference(grandparent)] })
    await configMap(ns, 'child', { ownerReferences: [reference(parent)] })
    await remove(`/api/v1/namespaces/${ns}/configmaps/grandparent`)
    await gone(`/api/v1/namespaces/${ns}/configmaps/child`)
    await gone(`/api/v1/namespaces/${ns}/configmaps/parent`)
  })

  it('looks after custom resources that are named like events', async () => {
    const ns = await namespace()
    const schema = { openAPIV3Schema: { type: 'object' } }
    await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'events.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'events', kind: 'Event' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    })
    const path = `/apis/example.com/v1/namespaces/${ns}/events`
    await until('the resource', async () => (await get(path)).status === 200)
    const owner = await configMap(ns, 'owner')
    const metadata = { name: 'owned', ownerReferences: [reference(owner)] }
    const made = await server.call('POST', path, { apiVersion: 'example.com/v1', kind: 'Event', metadata })
    await configMap(ns, 'owned', { ownerReferences: [reference(made.json())] })
    await remove(`/api/v1/namespaces/${ns}/configmaps/owner`)
    await gone(`${path}/owned`)
    await gone(`/api/v1/namespaces/${ns}/configmaps/owned`)
  })

  it('deletes what names an owner that is not there, has another uid or lives elsewhere', async () => {
    const ns = await namespace()
    const other = await namespace()
    const elsewhere = await configMap(other, 'elsewhere')
    const here = await configMap(ns, 'here')
    await configMap(ns, 'missing', { ownerReferences: [reference(here, { name: 'nobody' })] })
    await configMap(ns, 'wrong-uid', { ownerReferences: [reference(here, { uid: 'another' })] })
    await configMap(ns, 'cross', { ownerReferences: [reference(elsewhere)] })
    for (const name of ['missing', 'wrong-uid', 'cross']) await gone(`/api/v1/namespaces/${ns}/configmaps/${name}`)
    expect((await get(`/api/v1/namespaces/${ns}/configmaps/here`)).status).toBe(200)
  })

  it('lets an object with one owner left forget the other', async () => {
    const ns = await namespace()
    const one = await configMap(ns, 'one')
    const two = await configMap(ns, 'two')
    await configMap(ns, 'child', { ownerReferences: [reference(one), reference(two)] })
    await remove(`/api/v1/namespaces/${ns}/configmaps/one`)
    const child = `/api/v1/namespaces/${ns}/configmaps/child`
    await until('one owner', async () => (await get(child)).json().metadata.ownerReferences?.length === 1)
    expect((await get(child)).json().metadata.ownerReferences[0].uid).toBe(two.metadata.uid)
  })

  it('waits for blocking dependents in the foreground, and only for those', async () => {
    const ns = await namespace()
    const path = `/api/v1/namespaces/${ns}/configmaps`
    const owner = await configMap(ns, 'owner')
    const finalizers = ['example.com/wait']
    const blocking = [reference(owner, { blockOwnerDeletion: true })]
    await configMap(ns, 'blocking', { ownerReferences: blocking, finalizers })
    await configMap(ns, 'free', { ownerReferences: [reference(owner)], finalizers })
    await remove(`${path}/owner`, 'Foreground')
    const marked = async (name: string) => (await get(`${path}/${name}`)).json().metadata.deletionTimestamp != null
    await until('both marked', async () => (await marked('blocking')) && (await marked('free')))
    expect((await get(`${path}/owner`)).status).toBe(200)
    await patch(`${path}/blocking`, { metadata: { finalizers: null } })
    await gone(`${path}/owner`)
    expect((await get(`${path}/free`)).status).toBe(200)
    await patch(`${path}/free`, { metadata: { finalizers: null } })
  })

  it('leaves no circle of objects that wait for one another', async () => {
    const ns = await namespace()
    const path = `/api/v1/namespaces/${ns}/configmaps`
    const a = await configMap(ns, 'a')
    const b = await configMap(ns, 'b', { ownerReferences: [reference(a, { blockOwnerDeletion: true })] })
    await patch(`${path}/a`, { metadata: { ownerReferences: [reference(b, { blockOwnerDeletion: true })] } })
    await remove(`${path}/a`, 'Foreground')
    await gone(`${path}/a`)
    await gone(`${path}/b`)
  })

  it('lets orphans go free', async () => {
    const ns = await namespace()
    const owner = await configMap(ns, 'owner')
    await configMap(ns, 'child', { ownerReferences: [reference(owner)] })
    await remove(`/api/v1/namespaces/${ns}/configmaps/owner`, 'Orphan')
    await gone(`/api/v1/namespaces/${ns}/configmaps/owner`)
    const child = await get(`/api/v1/namespaces/${ns}/configmaps/child`)
    expect(child.json().metadata.ownerReferences).toBeUndefined()
  })

  it('does not touch what names an owner of an unknown kind, or a namespaced owner from outside', async () => {
    const ns = await namespace()
    const owner = await configMap(ns, 'owner')
    const unknown = [{ apiVersion: 'example.com/v1', kind: 'Nothing', name: 'x', uid: 'x' }]
    await configMap(ns, 'unknown', { ownerReferences: unknown })
    const metadata = { name: 'controllers-outside', ownerReferences: [reference(owner, { uid: 'gone' })] }
    await server.call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata })
    await configMap(ns, 'last', { ownerReferences: [reference(owner, { name: 'nobody' })] })
    await gone(`/api/v1/namespaces/${ns}/configmaps/last`)
    expect((await get(`/api/v1/namespaces/${ns}/configmaps/unknown`)).status).toBe(200)
    const outside = (await get('/api/v1/namespaces/controllers-outside')).json()
    expect(outside.metadata.deletionTimestamp).toBeUndefined()
  })
})

describe('the end of a namespace', () => {
  it('takes all content with it and says what it waits for', async () => {
    const ns = await namespace()
    const path = `/api/v1/namespaces/${ns}`
    await configMap(ns, 'free')
    await configMap(ns, 'held', { finalizers: ['example.com/hold'] })
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret' } }
    await server.call('POST', `${path}/secrets`, secret)
    const marked = (await remove(path)).json()
    expect(marked).toMatchObject({ status: { phase: 'Terminating' }, spec: { finalizers: ['kubernetes'] } })
    expect(marked.metadata.deletionGracePeriodSeconds).toBeUndefined()
    await until('five conditions', async () => (await get(path)).json().status.conditions?.length === 5)
    const { conditions } = (await get(path)).json().status
    expect(conditions.map((condition: Json) => condition.status)).toEqual(['False', 'False', 'False', 'True', 'True'])
    expect((await get(`${path}/secrets/secret`)).status).toBe(404)
    await patch(`${path}/configmaps/held`, { metadata: { finalizers: null } })
    await gone(path)
  })

  it('waits for the finalizers of others', async () => {
    const ns = await namespace()
    const path = `/api/v1/namespaces/${ns}`
    const body = (finalizers: string[]) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: ns },
      spec: { finalizers },
    })
    await server.call('PUT', `${path}/finalize`, body(['kubernetes', 'example.com/hold']))
    await remove(path)
    const held = async () => (await get(path)).json().spec.finalizers?.join() === 'example.com/hold'
    await until('only the other finalizer', held)
    await server.call('PUT', `${path}/finalize`, body([]))
    await gone(path)
  })
})

describe('controllers that are turned off', () => {
  it('leave everything as it is', async () => {
    const off = ['-garbage-collector-controller', '-namespace-controller'].join(',')
    const quiet = await startTestServer(['--store', 'memory', `--controllers=*,${off}`])
    try {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'left' } }
      await quiet.call('POST', '/api/v1/namespaces', body)
      await quiet.call('DELETE', '/api/v1/namespaces/left')
      await delay(200)
      const left = (await quiet.call('GET', '/api/v1/namespaces/left')).json()
      expect(left.status).toEqual({ phase: 'Terminating' })
    } finally {
      await quiet.close()
    }
  })
})

describe('what every namespace has', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer(['--store', 'memory', '--controllers=*'])
  })
  afterAll(() => server.close())

  const get = (path: string): Promise<Answer> => server.call('GET', path)
  const remove = (path: string): Promise<Answer> => server.call('DELETE', path)
  const namespace = async (): Promise<string> => {
    const name = `home-${++count}`
    await server.call('POST', '/api/v1/namespaces', { metadata: { name } })
    return name
  }
  const accountOf = (name: string): string => `/api/v1/namespaces/${name}/serviceaccounts/default`
  const bundleOf = (name: string): string => `/api/v1/namespaces/${name}/configmaps/kube-root-ca.crt`
  const there = (path: string): Promise<unknown> => until(path, async () => (await get(path)).status === 200)

  it('a service account, so that a pod can be created right after its namespace', async () => {
    const name = await namespace()
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'nginx' }] } }
    const answer = await server.call('POST', `/api/v1/namespaces/${name}/pods`, pod)
    expect([answer.status, answer.json().spec.serviceAccountName]).toEqual([201, 'default'])
  })

  it('the account comes back', async () => {
    const name = await namespace()
    await there(accountOf(name))
    const { uid } = (await get(accountOf(name))).json().metadata
    await remove(accountOf(name))
    await until('a new account', async () => {
      const answer = await get(accountOf(name))
      return answer.status === 200 && answer.json().metadata.uid !== uid
    })
  })

  it('the bundle of the CA, which is put right and comes back', async () => {
    const name = await namespace()
    await there(bundleOf(name))
    const wanted = (await get(bundleOf(name))).json().data
    expect(wanted['ca.crt']).toMatch(/^-----BEGIN CERTIFICATE-----/)
    const merge = { 'content-type': 'application/merge-patch+json' }
    await server.call('PATCH', bundleOf(name), { data: { 'ca.crt': 'mine', other: 'x' } }, merge)
    await until(
      'its own data',
      async () => JSON.stringify((await get(bundleOf(name))).json().data) === JSON.stringify(wanted),
    )
    await remove(bundleOf(name))
    await there(bundleOf(name))
  })

  it('neither holds up the end of a namespace', async () => {
    const name = await namespace()
    await there(bundleOf(name))
    await remove(`/api/v1/namespaces/${name}`)
    await until('its end', async () => (await get(`/api/v1/namespaces/${name}`)).status === 404)
    expect((await get(bundleOf(name))).status).toBe(404)
  })

  it.each([
    { flags: ['--disable-admission-plugins=ServiceAccount', '--controllers=serviceaccount-controller'], accounts: 4 },
    { flags: ['--controllers=*,-serviceaccount-controller'], accounts: 0 },
  ])('$flags: $accounts accounts', async ({ flags, accounts }) => {
    const other = await startTestServer(['--store', 'memory', ...flags])
    try {
      const count = async () => (await other.call('GET', '/api/v1/serviceaccounts')).json().items.length
      await until('that many accounts', async () => (await count()) === accounts)
    } finally {
      await other.close()
    }
  })
})
