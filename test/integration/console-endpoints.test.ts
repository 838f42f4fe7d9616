/** The parts of the console's API that look into the server, each over real HTTP; and the examples of docs/console-api.md. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestServer } from '../../src/testing/api/server.ts'
import { startServer } from '../../src/testing/testing.ts'
import { Browser } from './support/browser.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Json = any

let server: TestServer
let admin: Browser
/** Who may use the console and nothing else. */
let carol: Browser

const configMaps = '/api/v1/namespaces/default/configmaps'
const merge = { 'content-type': 'application/merge-patch+json' }
const configMap = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
  data: { colour: 'blue' },
})

const policy = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'no-red' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
        ],
      },
      validations: [{ expression: "object.?data.?colour != optional.of('red')", message: 'nothing is red here' }],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'no-red' },
    spec: { policyName: 'no-red', validationActions: ['Deny'] },
  },
]

beforeAll(async () => {
  server = await startServer()
  admin = new Browser(server.url, server.ca)
  carol = new Browser(server.url, server.ca)
  await admin.signIn(await server.console())
  await carol.signIn(await server.console({ user: 'carol' }))
  await server.apply([
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'carol' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'pilothouse:console' },
      subjects: [{ kind: 'User', name: 'carol', apiGroup: 'rbac.authorization.k8s.io' }],
    },
    ...policy,
  ])
  await admin.get('/console/v1/requests')
})

afterAll(async () => {
  admin.close()
  carol.close()
  await server.close()
})

describe('history', () => {
  const of = (name: string): string => `/console/v1/history?resource=configmaps&namespace=default&name=${name}`

  it('has every version, over a deletion too', async () => {
    await admin.fetch('POST', configMaps, configMap('settings'))
    await admin.fetch('PATCH', `${configMaps}/settings?fieldManager=editor`, { data: { colour: 'green' } }, merge)
    await admin.fetch('DELETE', `${configMaps}/settings`)
    await admin.fetch('POST', configMaps, configMap('settings'))
    const { items, complete } = await admin.get(of('settings'))
    expect(items.map(({ type, object }: Json) => [type, object.data.colour])).toEqual([
      ['ADDED', 'blue'],
      ['DELETED', 'green'],
      ['MODIFIED', 'green'],
      ['ADDED', 'blue'],
    ])
    expect(complete).toBe(true)
    expect(items[2]).toMatchObject({ manager: 'editor', operation: 'Update', user: 'admin' })
    expect(items[1]).toMatchObject({ user: 'admin' })
    for (const { revision, object } of items) expect(object.metadata.resourceVersion).toBe(String(revision))
    const first = await admin.get(`${of('settings')}&limit=3`)
    expect(first).toMatchObject({ complete: false, more: true })
    const second = await admin.get(`${of('settings')}&before=${first.oldestRevision}`)
    expect(second.items.map(({ revision }: Json) => revision)).toEqual([items[3].revision])
    expect(second.complete).toBe(true)
  })

  it('names who wrote a version only if they did', async () => {
    await admin.get('/console/v1/requests')
    await admin.fetch('POST', configMaps, configMap('written'))
    const patch = (data: object, headers: object, manager: string) =>
      admin.fetch('PATCH', `${configMaps}/written?fieldManager=${manager}`, { data }, { ...merge, ...headers })
    await patch({ colour: 'green' }, { 'impersonate-user': 'alice', 'impersonate-group': 'system:masters' }, 'her-tool')
    // A no-op answers with the version that somebody else wrote.
    await patch({ colour: 'green' }, {}, 'his-tool')
    const { items } = await admin.get(of('written'))
    expect(items.map(({ user, manager }: Json) => [user, manager])).toEqual([
      ['alice', 'her-tool'],
      ['admin', expect.any(String)],
    ])
  })

  it('does not name a user for what controllers wrote', async () => {
    const namespaces = '/api/v1/namespaces'
    await admin.get('/console/v1/requests')
    await admin.fetch('POST', namespaces, { metadata: { name: 'short-lived' } })
    await admin.fetch('DELETE', `${namespaces}/short-lived`)
    await expect.poll(async () => (await admin.fetch('GET', `${namespaces}/short-lived`)).status).toBe(404)
    const { items } = await admin.get('/console/v1/history?resource=namespaces&name=short-lived')
    // Created and marked by the user; finalized, reported on and removed by the server.
    const [removed, ...rest] = items
    expect(removed).toMatchObject({ type: 'DELETED' })
    expect(removed.user).toBeUndefined()
    expect(rest.at(-1)).toMatchObject({ type: 'ADDED', user: 'admin' })
    const marked = rest.findLast(({ object }: Json) => object.metadata.deletionTimestamp !== undefined)
    expect(marked.user).toBe('admin')
    expect(rest.filter(({ user }: Json) => user !== undefined)).toEqual([marked, rest.at(-1)])
  })

  it('finds what is gone, and says where history ends', async () => {
    await admin.fetch('POST', configMaps, configMap('gone'))
    await admin.fetch('DELETE', `${configMaps}/gone`)
    expect((await admin.get(of('gone'))).items.map(({ type }: Json) => type)).toEqual(['DELETED', 'ADDED'])
    await admin.fetch('POST', configMaps, configMap('kept'))
    await admin.fetch('PATCH', `${configMaps}/kept`, { data: { colour: 'green' } }, merge)
    await server.compact()
    const { items, complete } = await admin.get(of('kept'))
    expect(items).toHaveLength(1)
    expect(complete).toBe(false)
    expect((await admin.fetch('GET', of('never'))).status).toBe(404)
  })

  it('is for those who may get the object', async () => {
    const refused = await carol.fetch('GET', of('settings'))
    expect(refused.status).toBe(403)
    expect(refused.json().message).toContain('cannot get resource "configmaps"')
    expect((await admin.fetch('GET', '/console/v1/history?resource=nothings&name=a')).status).toBe(404)
    expect((await admin.fetch('GET', '/console/v1/history?resource=configmaps&name=a')).status).toBe(400)
    expect((await admin.fetch('GET', '/console/v1/history?resource=configmaps&namespace=default')).status).toBe(400)
    expect((await admin.fetch('GET', `${of('settings')}&version=v9`)).status).toBe(400)
  })
})

describe('states that are followed', () => {
  const lines = async (path: string, type: string) => {
    const stream = await admin.follow(path)
    return {
      until: (isDone: (line: Json) => boolean) =>
        stream.until((all) => all.some((line) => line.type === type && isDone(line))),
      close: () => stream.close(),
    }
  }

  it('tell changes, and nothing while there are none', async () => {
    const counts = await lines('/console/v1/counts?follow=true&namespace=default', 'COUNTS')
    const countOf = ({ items }: Json) => items.find(({ resource }: Json) => resource === 'configmaps').count
    const [first] = await counts.until(() => true)
    await admin.fetch('POST', configMaps, configMap('counted'))
    await counts.until((line) => countOf(line) === countOf(first) + 1)
    counts.close()
    const parent = (await admin.fetch('POST', configMaps, configMap('parent'))).json()
    const owned = await lines(
      '/console/v1/dependents?follow=true&resource=configmaps&namespace=default&name=parent',
      'DEPENDENTS',
    )
    await owned.until(({ dependents }) => dependents.length === 0)
    const { uid } = parent.metadata
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'parent', uid }]
    await admin.fetch('POST', configMaps, configMap('owned', { ownerReferences }))
    await owned.until(({ dependents }) => dependents.length === 1)
    owned.close()
  })

  it('have what cannot change in their first line', async () => {
    const server = await lines('/console/v1/server?follow=true', 'SERVER')
    const all = await server.until(({ flags }) => flags === undefined)
    expect(all[0].flags.length).toBeGreaterThan(10)
    server.close()
    const testing = await lines('/console/v1/testing?follow=true', 'TESTING')
    await testing.until(({ faultList, scripts }) => Array.isArray(faultList) && Array.isArray(scripts))
    testing.close()
  })

  it('are refused before they begin, as the documents are', async () => {
    for (const path of [
      'dependents?follow=true&resource=configmaps&namespace=default&name=never',
      'requests/77777?follow=true',
    ])
      expect((await admin.fetch('GET', `/console/v1/${path}`)).status).toBe(404)
    expect((await admin.fetch('GET', '/console/v1/counts?follow=perhaps')).status).toBe(400)
  })
})

describe('dependents', () => {
  it('says what a deletion takes along', async () => {
    const made = (await admin.fetch('POST', configMaps, configMap('owner'))).json()
    const owner = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'owner',
      uid: made.metadata.uid,
      blockOwnerDeletion: true,
    }
    const child = (await admin.fetch('POST', configMaps, configMap('child', { ownerReferences: [owner] }))).json()
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'grandchild', ownerReferences: [{ ...owner, name: 'child', uid: child.metadata.uid }] },
    }
    const grandchild = (await admin.fetch('POST', '/api/v1/namespaces/default/secrets', secret)).json()
    const found = await admin.get('/console/v1/dependents?resource=configmaps&namespace=default&name=owner')
    const uids = [made, child, grandchild].map(({ metadata }) => metadata.uid)
    expect(found.dependents.map(({ name }: Json) => name)).toEqual(['child', 'grandchild'])
    expect(found.deletion.background.deletes).toEqual(uids)
    expect(found.deletion.foreground.waitsFor).toEqual(uids.slice(1))
    expect(found.deletion.orphan).toMatchObject({ deletes: uids.slice(0, 1), releases: uids.slice(1, 2) })
    const up = await admin.get('/console/v1/dependents?resource=secrets&namespace=default&name=grandchild')
    expect(up.owners.map(({ name, exists }: Json) => [name, exists])).toEqual([
      ['child', true],
      ['owner', true],
    ])
  })

  it('does not name what the user may not list', async () => {
    await server.apply([
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'maps', namespace: 'default' },
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'maps', namespace: 'default' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'maps' },
        subjects: [{ kind: 'User', name: 'carol', apiGroup: 'rbac.authorization.k8s.io' }],
      },
    ])
    const found = await carol.get('/console/v1/dependents?resource=configmaps&namespace=default&name=owner')
    expect(found.hidden).toBe(1)
    expect(JSON.stringify(found)).not.toContain('grandchild')
    expect(found.deletion.background.deletes).toHaveLength(2)
    await server.call('DELETE', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings/maps')
    expect(
      (await carol.fetch('GET', '/console/v1/dependents?resource=configmaps&namespace=default&name=owner')).status,
    ).toBe(403)
  })
})

describe('policies', () => {
  it('have their last denials', async () => {
    await admin.get('/console/v1/requests')
    const refused = await admin.fetch('POST', configMaps, { ...configMap('red'), data: { colour: 'red' } })
    expect(refused.status).toBe(422)
    const { items } = await admin.get('/console/v1/policies')
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      kind: 'ValidatingAdmissionPolicy',
      name: 'no-red',
      bindings: [{ name: 'no-red', actions: ['Deny'] }],
    })
    expect(items[0].denied).toBe(1)
    expect(items[0].denials[0]).toMatchObject({ user: 'admin', operation: 'CREATE', resource: 'configmaps' })
    expect(items[0].denials[0].message).toContain('nothing is red here')
    const detail = await admin.get(`/console/v1/requests/${items[0].denials[0].request}`)
    const step = detail.admission.find(({ plugin }: Json) => plugin === 'ValidatingAdmissionPolicy')
    expect(step.calls).toMatchObject([{ kind: 'policy', name: 'no-red', binding: 'no-red', outcome: 'deny' }])
    expect(detail.refusedBy).toBe('admission')
    expect((await carol.get('/console/v1/policies')).items).toEqual([])
  })

  it('match requests', async () => {
    const matches = (query: string): Promise<Json> => admin.get(`/console/v1/policies/matches?${query}`)
    expect((await matches('operation=CREATE&version=v1&resource=configmaps&namespace=default')).items).toEqual([
      { kind: 'ValidatingAdmissionPolicy', name: 'no-red', matches: true, conditional: [] },
    ])
    expect((await matches('operation=DELETE&version=v1&resource=configmaps&namespace=default')).items).toEqual([])
    expect((await matches('operation=CREATE&version=v1&resource=pods&namespace=default')).items).toEqual([])
    expect((await admin.fetch('GET', '/console/v1/policies/matches?operation=READ&resource=pods')).status).toBe(400)
    expect((await admin.fetch('GET', '/console/v1/policies/matches?operation=CREATE&resource=nothings')).status).toBe(
      404,
    )
  })
})

describe('expressions', () => {
  const evaluate = async (body: object): Promise<Json> => {
    const answer = await admin.fetch('POST', '/console/v1/expressions', body)
    return answer.json()
  }
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } }

  it.each<[object, object]>([
    [
      { for: 'rule', schema, expression: 'self.spec.size > 1', object: { spec: { size: 2 } } },
      { ok: true, value: true, type: 'bool' },
    ],
    [
      {
        for: 'rule',
        schema,
        expression: 'self.spec.size > oldSelf.spec.size',
        object: { spec: { size: 2 } },
        oldObject: { spec: { size: 3 } },
      },
      { ok: true, value: false },
    ],
    [
      { for: 'rule', schema, path: ['spec'], expression: 'self.size', object: { size: 2 } },
      { ok: true, value: 2, type: 'int' },
    ],
    [
      { for: 'rule', schema, expression: 'self.spec.colour' },
      { ok: false, errors: [{ line: 1, column: 10, phase: 'compile', message: "undefined field 'colour'" }] },
    ],
    [
      { for: 'rule', schema, expression: 'self.spec.size', validate: true },
      { ok: true, type: 'int' },
    ],
    [
      {
        for: 'policy',
        expression: 'object.a + variables.b',
        object: { a: 1 },
        variables: [{ name: 'b', expression: '2' }],
      },
      { ok: true, value: 3 },
    ],
    [
      { for: 'policy', expression: 'params.a == object.a', object: { a: 1 }, params: { a: 1 } },
      { ok: true, value: true },
    ],
    [
      { for: 'policy', expression: 'object.nothing', object: {} },
      { ok: false, errors: [{ phase: 'evaluate' }] },
    ],
    [
      { for: 'policy', expression: "authorizer.group('').resource('pods').check('list').allowed()" },
      { ok: true, value: true },
    ],
    [
      { for: 'policy', expression: '"<script>alert(1)</script>"' },
      { ok: true, value: '<script>alert(1)</script>' },
    ],
    [{ for: 'policy', expression: '__proto__' }, { ok: false }],
    [{ for: 'neither', expression: '1' }, { code: 400 }],
    [{ for: 'policy' }, { code: 400 }],
    [{ for: 'policy', expression: '1', colour: 'blue' }, { code: 400 }],
    [{ for: 'rule', expression: '1' }, { code: 400 }],
    [{ for: 'rule', schema, path: ['nothing'], expression: '1' }, { code: 400 }],
    [{ for: 'rule', definition: 'nothings.example.com', expression: '1' }, { code: 404 }],
  ])('%j', async (body, expected) => expect(await evaluate(body)).toMatchObject(expected))

  it('takes no expression of any length', async () => {
    expect(await evaluate({ for: 'policy', expression: 'x'.repeat(17_000) })).toMatchObject({ code: 400 })
  })

  it('ends what costs too much', async () => {
    const tens = (inner: string): string => `[1,2,3,4,5,6,7,8,9,10].all(a, ${inner})`
    const costly = tens(tens(tens(tens(tens(tens('true'))))))
    const answer = await evaluate({ for: 'policy', expression: costly })
    expect(answer).toMatchObject({
      ok: false,
      errors: [{ message: 'operation cancelled: actual cost limit exceeded' }],
    })
  })

  it('uses definitions that the user may get', async () => {
    await server.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boats.example.com' },
      spec: {
        group: 'example.com',
        names: { kind: 'Boat', plural: 'boats' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    })
    const body = {
      for: 'rule',
      definition: 'boats.example.com',
      expression: 'self.spec.size',
      object: { spec: { size: 7 } },
    }
    expect(await evaluate(body)).toMatchObject({ ok: true, value: 7 })
    expect((await carol.fetch('POST', '/console/v1/expressions', body)).status).toBe(403)
  })
})

describe('what there is', () => {
  it('counts and finds what the user may list', async () => {
    const { items, hidden } = await admin.get('/console/v1/counts')
    expect(items.find(({ resource }: Json) => resource === 'namespaces')).toMatchObject({ kind: 'Namespace', count: 4 })
    expect(items.find(({ resource }: Json) => resource === 'boats')).toMatchObject({ group: 'example.com', count: 0 })
    expect(hidden).toBe(0)
    const inNamespace = await admin.get('/console/v1/counts?namespace=kube-system')
    expect(inNamespace.items.find(({ resource }: Json) => resource === 'secrets').count).toBe(0)
    const found = await admin.get('/console/v1/search?q=owner')
    expect(found.items[0]).toMatchObject({ kind: 'ConfigMap', namespace: 'default', name: 'owner', matched: 'name' })
    expect((await admin.get('/console/v1/search?q=cm%20owner')).items).toHaveLength(1)
    const { items: visible, hidden: others } = await carol.get('/console/v1/counts')
    expect(visible).toEqual([])
    expect(others).toBeGreaterThan(20)
    expect((await carol.get('/console/v1/search?q=owner')).items).toEqual([])
    expect((await admin.fetch('GET', '/console/v1/search')).status).toBe(400)
  })

  it('shows watches and how far they are', async () => {
    const watch = await admin.follow('/api/v1/namespaces/default/configmaps?watch=true')
    const stream = await admin.follow('/console/v1/watches?follow=true')
    const [first] = await stream.until((lines) => lines.some(({ items }) => items?.length === 1))
    const shown = first.items[0]
    expect(shown).toMatchObject({
      user: 'admin',
      resource: 'configmaps',
      namespace: 'default',
      behind: 0,
      bufferedBytes: 0,
    })
    expect(shown.revision).toBe(shown.newest)
    watch.close()
    await watch.ended
    stream.close()
  })

  it('tells of the server', async () => {
    const info = await admin.get('/console/v1/server')
    expect(info).toMatchObject({ release: 'v1.33.13', store: { kind: 'memory' }, authorizationModes: ['RBAC'] })
    expect(info.flags.find(({ name }: Json) => name === 'store')).toEqual({
      name: 'store',
      value: 'memory',
      isSet: true,
    })
    expect(info.health).toMatchObject([
      { page: 'livez', ok: true },
      { page: 'readyz', ok: true },
    ])
    const flows = await admin.get('/console/v1/flows')
    expect(flows.levels.find(({ name }: Json) => name === 'exempt').requests[0]).toMatchObject({
      path: '/console/v1/flows',
    })
  })

  it('samples while somebody looks', async () => {
    const stream = await admin.follow('/console/v1/metrics?follow=true')
    await stream.until((lines) => lines[0]?.type === 'SERIES')
    await server.clock.advance(1000)
    await server.clock.advance(1000)
    const lines = await stream.until((all) => all.some(({ type }) => type === 'SAMPLE'))
    const { series } = lines[0]
    const sample = lines.find(({ type }) => type === 'SAMPLE')
    expect(sample.values).toHaveLength(series.length)
    expect(sample.values[series.findIndex(({ name }: Json) => name === 'rss')]).toBeGreaterThan(1_000_000)
    stream.close()
    const { samples, times } = await admin.get('/console/v1/metrics')
    expect(samples.length).toBe(times.length)
  })
})

describe('a test server', () => {
  const testing = async (method: string, at: string, body?: object): Promise<Json> =>
    (await admin.fetch(method, `/console/v1/testing${at}`, body)).json()

  it('is controlled in its console', async () => {
    const before = (await testing('GET', '/clock')).now
    expect((await testing('POST', '/clock/advance', { ms: 60_000 })).now).toBeGreaterThanOrEqual(before + 60_000)
    const { id } = await testing('POST', '/faults', { verb: 'get', resource: 'pods', error: 503 })
    expect((await testing('GET', '/faults')).items).toMatchObject([{ id, hits: 0 }])
    expect(await testing('DELETE', `/faults/${id}`)).toEqual({ hits: 0 })
    expect(await testing('DELETE', '/faults/none')).toMatchObject({ kind: 'Status', code: 404 })
    expect(await testing('POST', '/nothing')).toMatchObject({ kind: 'Status', code: 404 })
    await testing('POST', '/snapshot', { name: 'here' })
    await admin.fetch('POST', configMaps, configMap('later'))
    const { url, link } = await testing('POST', '/fork')
    const copy = new Browser(url)
    await copy.signIn(link)
    expect((await copy.fetch('GET', `${configMaps}/later`)).status).toBe(200)
    copy.close()
    expect(await testing('POST', '/restore', { to: 'here' })).toEqual({})
    expect((await admin.fetch('GET', `${configMaps}/later`)).status).toBe(404)
    expect(await testing('GET', '')).toMatchObject({
      snapshots: ['here'],
      faults: 0,
      forks: [{ url }],
      simulated: false,
    })
    expect((await carol.fetch('GET', '/api/v1/pods')).status).toBe(403)
  })

  it('does not count the console among the requests of the test', () => {
    expect(server.requests.filter(({ path: asked }) => asked.startsWith('/console'))).toEqual([])
  })
})

/** Every member of the example is in the answer, with a value of the same type; some item of a list fits each of the example's. */
function fits(example: Json, live: Json): boolean {
  if (example === null || typeof example !== 'object') return typeof example === typeof live
  if (Array.isArray(example))
    return Array.isArray(live) && example.every((item) => live.some((other) => fits(item, other)))
  return (
    typeof live === 'object' &&
    live !== null &&
    Object.keys(example).every((key) => key in live && fits(example[key], live[key]))
  )
}

describe('what comes from requests', () => {
  it('is known from the first look at policies or a history on', async () => {
    const refuse = () => admin.fetch('POST', configMaps, { ...configMap('scarlet'), data: { colour: 'red' } })
    const denied = async () => {
      const { items } = await admin.get('/console/v1/policies')
      return items.find(({ name }: Json) => name === 'no-red').denied
    }
    await server.clock.advance(61_000)
    const before = await denied()
    await expect.poll(async () => (await refuse()).status).toBe(422)
    expect(await denied()).toBe(before + 1)
    await server.clock.advance(61_000)
    await refuse()
    expect(await denied()).toBe(before + 1)
    await server.clock.advance(61_000)
    await admin.fetch('POST', configMaps, configMap('seen'))
    const of = '/console/v1/history?resource=configmaps&namespace=default&name=seen'
    await admin.get(of)
    await admin.fetch('PATCH', `${configMaps}/seen`, { data: { colour: 'green' } }, merge)
    const { items } = await admin.get(of)
    expect(items.map(({ user }: Json) => user)).toEqual(['admin', undefined])
    await admin.get('/console/v1/requests')
  })
})

describe('docs/console-api.md', () => {
  const text = readFileSync(path.join(import.meta.dirname, '../../docs/console-api.md'), 'utf8')
  const sections = new Map(text.split(/^## /m).map((part) => [part.slice(0, part.indexOf('\n')).trim(), part]))
  const examples = (section: string): Json[] =>
    [...(sections.get(section) ?? '').matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = '']) => JSON.parse(json))

  it('has examples that are true', async () => {
    const get = (at: string): Promise<Json> => admin.get(`/console/v1/${at}`)
    await admin.get('/console/v1/requests')
    const headers = { 'impersonate-user': 'alice', accept: 'application/json' }
    await server.apply([
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1.metrics.example.com' },
        spec: {
          group: 'metrics.example.com',
          version: 'v1',
          groupPriorityMinimum: 1,
          versionPriority: 1,
          service: { name: 'nowhere', namespace: 'default' },
        },
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'edit', namespace: 'default' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
        subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
      },
    ])
    await admin.fetch('POST', configMaps, { ...configMap('red'), data: { colour: 'red' } }, headers)
    const { items } = await get('requests?user=alice')
    const refused = await get(`requests/${items[0].id}`)
    await admin.fetch(
      'POST',
      '/api/v1/namespaces/default/pods?dryRun=All',
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      headers,
    )
    const made = await get(`requests/${(await get('requests?resource=pods')).items[0].id}`)
    const whole = {
      ...made,
      ...refused,
      admission: [...made.admission, ...refused.admission],
      authorization: made.authorization,
    }
    const [denying, bound] = structuredClone(policy) as Json[]
    denying.metadata.name = 'selected'
    denying.spec.matchConstraints.objectSelector = { matchLabels: { selected: 'true' } }
    bound.metadata.name = 'selected'
    bound.spec.policyName = 'selected'
    await server.apply([denying, bound])
    const watch = await admin.follow('/api/v1/namespaces/default/configmaps?watch=true')
    await server.apply({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'guard' },
      webhooks: [
        {
          name: 'guard.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Ignore',
          timeoutSeconds: 5,
          clientConfig: { service: { name: 'guard', namespace: 'default', path: '/validate' } },
          rules: [],
        },
      ],
    })
    await admin.fetch('POST', configMaps, configMap('owner'))
    const owner = (await admin.get(`${configMaps}/owner`)).metadata
    await admin.fetch(
      'POST',
      configMaps,
      configMap('owned', {
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            name: 'owner',
            uid: owner.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      }),
    )
    const session = (await admin.fetch('GET', '/console/v1/session')).json()
    const expression = examples('Expressions')[0]
    const live: Readonly<Record<string, Json[]>> = {
      Capabilities: [
        {
          ...(await get('capabilities')),
          features: {
            requests: (await get('capabilities')).features.requests,
            testing: { available: false, allowed: false, reason: '' },
          },
        },
      ],
      Session: [session],
      Links: [(await server.send('POST', '/console/v1/links')).body],
      Counts: [await get('counts')],
      Search: [await get('search?q=owner')],
      Requests: [await get('requests?user=alice&resource=configmaps'), { type: 'REQUEST', request: items[0] }, whole],
      Watches: [await get('watches')],
      History: [await get('history?resource=configmaps&namespace=default&name=owner')],
      Access: [
        await get('access/who-can?verb=delete&resource=pods&namespace=default'),
        await get('access/explain?user=alice&verb=bind&resource=pods&namespace=default'),
      ],
      Dependents: [await get('dependents?resource=configmaps&namespace=default&name=owner')],
      Policies: [
        await get('policies'),
        await get('policies/matches?operation=CREATE&version=v1&resource=configmaps&namespace=default'),
      ],
      Expressions: [expression, (await admin.fetch('POST', '/console/v1/expressions', expression)).json()],
      Server: [await get('server')],
      Metrics: [await get('metrics')],
      Flows: [await get('flows')],
      Testing: [await get('testing')],
    }
    watch.close()
    for (const [section, answers] of Object.entries(live)) {
      const given = examples(section)
      expect([section, given.length]).toEqual([section, answers.length])
      given.forEach((example, i) => {
        const relaxed = relaxations[section]?.(example) ?? example
        expect(
          fits(relaxed, answers[i]),
          `${section}: ${JSON.stringify(relaxed)}\n${JSON.stringify(answers[i]).slice(0, 4000)}`,
        ).toBe(true)
      })
    }
    expect([...sections.keys()].filter((section) => examples(section).length > 0).toSorted()).toEqual(
      Object.keys(live).toSorted(),
    )
  })
})

/** What cannot be had at the same time, or only now and then. */
const relaxations: Readonly<Record<string, (example: Json) => Json>> = {
  Requests: (example) => (example.type === 'REQUEST' ? { ...example, request: { id: 1, state: '' } } : example),
  History: (example) => ({ ...example, items: example.items.map(({ user: _, ...item }: Json) => item) }),
  Metrics: ({ samples: _, times: __, ...example }) => example,
  Dependents: (example) => ({
    ...example,
    deletion: { background: { deletes: ['a'], keeps: [], waitsFor: [], releases: [] } },
  }),
  Flows: (example) => ({
    ...example,
    levels: example.levels.map(({ queues: _, requests: __, ...level }: Json) => level),
  }),
}
