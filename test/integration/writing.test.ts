/** Create, update, patch and delete over real HTTP/2: what must hold whatever the kind. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseGroupVersion } from '../../src/api/group-version.ts'
import { findResource } from '../../src/catalog/resources.ts'
import { applyMergePatch } from '../../src/patch/merge-patch.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
const configMaps = '/api/v1/namespaces/default/configmaps'
const mergePatch = { 'content-type': 'application/merge-patch+json' }
const applyPatch = { 'content-type': 'application/apply-patch+yaml' }

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const create = (name: string, more: Json = {}): Promise<Json> =>
  server
    .call('POST', configMaps, { metadata: { name, ...more.metadata }, data: more.data ?? { n: '0' } })
    .then((answer) => answer.json())

describe('create', () => {
  test('a name that is taken is a 409, and the first object stays', async () => {
    const first = await create('taken')
    const second = await server.call('POST', configMaps, { metadata: { name: 'taken' }, data: { other: 'x' } })
    expect(second.json()).toMatchObject({ code: 409, reason: 'AlreadyExists' })
    expect((await server.call('GET', `${configMaps}/taken`)).json()).toEqual(first)
  })

  test('of many with one name exactly one succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => server.call('POST', configMaps, { metadata: { name: 'race' } })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(29)
  })

  test('generated names are distinct', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => server.call('POST', configMaps, { metadata: { generateName: 'gen-' } })),
    )
    expect(new Set(answers.map((answer) => answer.json().metadata.name)).size).toBe(50)
  })

  test('a dry run shows the object and leaves nothing', async () => {
    const dry = await server.call('POST', `${configMaps}?dryRun=All`, { metadata: { name: 'dry' } })
    expect(dry.status).toBe(201)
    expect(dry.json().metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    expect((await server.call('GET', `${configMaps}/dry`)).status).toBe(404)
  })

  test('a dry run answers in the order of the wire, whoever asks', async () => {
    const made = { metadata: { resourceVersion: 'made-up', name: 'dry' }, data: { a: 'b' } }
    for (const agent of ['curl/8.0', 'client']) {
      const answer = await server.call('POST', `${configMaps}?dryRun=All`, made, { 'user-agent': agent })
      const { metadata, ...rest } = answer.json()
      expect(Object.keys(rest)).toEqual(['kind', 'apiVersion', 'data'])
      const keys = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'managedFields']
      expect(Object.keys(metadata)).toEqual(keys)
      expect(metadata.resourceVersion).toBe('made-up')
    }
  })

  test('so does a review', async () => {
    const spec = { user: 'a', resourceAttributes: { resource: 'pods', verb: 'get' } }
    const answer = await server.call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec })
    expect(Object.keys(answer.json())).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status'])
    expect(Object.keys(answer.json().spec.resourceAttributes)).toEqual(['verb', 'resource'])
  })

  test.each([
    ['', 'Name parameter required.'],
    ['a/b', `Name parameter invalid: "a/b": may not contain '/'`],
  ])('a binding of the pod %j is refused', async (name, message) => {
    const binding = { metadata: { name }, target: { name: 'n' } }
    const answer = await server.call('POST', '/api/v1/namespaces/default/bindings', binding)
    expect(answer.json()).toMatchObject({ code: 400, message })
  })

  test('what is wrong with metadata comes when a budget is good otherwise', async () => {
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
    const causes = async (spec: Json): Promise<string[]> =>
      (await server.call('POST', budgets, { spec })).json().details.causes.map(({ field }: Json) => field)
    expect(await causes({ minAvailable: -1 })).toEqual(['spec.minAvailable'])
    expect(await causes({ minAvailable: 1 })).toEqual(['metadata.name'])
  })

  test.each([
    ['/apis/coordination.k8s.io/v1/namespaces/default/leases', 201],
    [configMaps, 422],
  ])('%s answers a finalizer without a domain with %d', async (path, status) => {
    const answer = await server.call('POST', path, { metadata: { name: 'finalized', finalizers: ['plain'] } })
    expect(answer.status).toBe(status)
  })

  test('reviews do not show what only the server writes in metadata', async () => {
    const metadata = { name: 'x', uid: 'u', deletionTimestamp: '2020-01-01T00:00:00Z' }
    const answer = await server.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      metadata,
      spec: { token: 't' },
    })
    const { managedFields: _, ...shown } = answer.json().metadata
    expect(shown).toEqual({ name: 'x', creationTimestamp: null })
  })

  test.each([
    ['/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {}, 400],
    ['/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews', { spec: { user: 'u' } }, 422],
    ['/api/v1/namespaces/default/pods/none/eviction', {}, 400],
  ])('%s warns of owner references that come twice', async (path, body, status) => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'o', uid: 'u' }
    const answer = await server.call('POST', path, { ...body, metadata: { ownerReferences: [owner, owner] } })
    expect(answer.status).toBe(status)
    expect(answer.headers['warning']).toContain('duplicate UID(s) observed: u')
  })

  test('keys from strangers are plain keys', async () => {
    const body = '{"metadata":{"name":"proto","labels":{"__proto__":"x"}},"data":{"__proto__":"y","constructor":"z"}}'
    const answer = await server.call('POST', configMaps, body)
    expect(answer.status).toBe(422)
    const fine = await server.call('POST', configMaps, body.replace('"labels":{"__proto__":"x"}', '"labels":{}'))
    expect(fine.body.toString()).toContain('"__proto__":"y"')
  })
})

describe('update', () => {
  test('of another object than is meant is a 409 that names its place in the store', async () => {
    const object = await create('meant')
    const body = { ...object, metadata: { ...object.metadata, uid: 'x' } }
    const message = async (query: string): Promise<string> =>
      (await server.call('PUT', `${configMaps}/meant${query}`, body)).json().message
    expect(await message('')).toContain('Key: /registry/configmaps/default/meant,')
    expect(await message('?dryRun=All')).toContain('Key: /configmaps/default/meant,')
  })

  test('with a stale version is a 409', async () => {
    const first = await create('stale')
    await server.call('PUT', `${configMaps}/stale`, { ...first, data: { n: '1' } })
    const second = await server.call('PUT', `${configMaps}/stale`, { ...first, data: { n: '2' } })
    expect(second.json()).toMatchObject({ code: 409, reason: 'Conflict' })
  })

  test('that changes nothing writes nothing', async () => {
    const first = await create('same')
    const again = await server.call('PUT', `${configMaps}/same`, first)
    expect(again.json().metadata.resourceVersion).toBe(first.metadata.resourceVersion)
  })

  test('no change of concurrent patches is lost', async () => {
    await create('patched', { data: {} })
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const answer = await server.call('PATCH', `${configMaps}/patched`, { data: { [`k${i}`]: 'v' } }, mergePatch)
        expect(answer.status).toBe(200)
      }),
    )
    const after = (await server.call('GET', `${configMaps}/patched`)).json()
    expect(Object.keys(after.data)).toHaveLength(60)
  })
})

describe('apply', () => {
  const apply = (name: string, manager: string, data: Json, force = false) => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }
    return server.call(
      'PATCH',
      `${configMaps}/${name}?fieldManager=${manager}${force ? '&force=true' : ''}`,
      body,
      applyPatch,
    )
  }

  test('conflicts name the owner; force takes the field', async () => {
    expect((await apply('owned', 'one', { a: '1' })).status).toBe(201)
    const conflict = await apply('owned', 'two', { a: '2' })
    expect(conflict.json()).toMatchObject({
      code: 409,
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.a' }] },
    })
    const forced = (await apply('owned', 'two', { a: '2' }, true)).json()
    expect(forced.data).toEqual({ a: '2' })
    expect(forced.metadata.managedFields.map((entry: Json) => entry.manager)).toEqual(['two'])
  })

  test('what the only owner leaves out is removed', async () => {
    await apply('given-up', 'one', { a: '1', b: '2' })
    expect((await apply('given-up', 'one', { a: '1' })).json().data).toEqual({ a: '1' })
  })
})

/** After the two generic checks: W for a check of all of metadata, C for one of its change, in the reference's order. */
const metadataChecks: readonly (readonly [collection: string, checks: string, body?: Json])[] = [
  [configMaps, 'CW'],
  ['/api/v1/namespaces/default/podtemplates', 'C', { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } }],
  ['/api/v1/namespaces', 'WC'],
  ['/api/v1/nodes', 'WC'],
  [
    '/api/v1/persistentvolumes',
    'WW',
    { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } } },
  ],
  [
    '/api/v1/namespaces/default/persistentvolumeclaims',
    'WCW',
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  ],
  ['/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', 'WWC'],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    'WWC',
    { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } },
  ],
  ['/apis/node.k8s.io/v1/runtimeclasses', 'WC', { handler: 'h' }],
  ['/apis/storage.k8s.io/v1/storageclasses', 'WC', { provisioner: 'p' }],
  [
    '/apis/storage.k8s.io/v1/volumeattachments',
    'WW',
    { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
  ],
  ['/apis/storage.k8s.io/v1/csinodes', 'WW', { spec: { drivers: [] } }],
  ['/apis/policy/v1/namespaces/default/poddisruptionbudgets', '', { spec: {} }],
  ['/apis/networking.k8s.io/v1/namespaces/default/networkpolicies', 'WC', { spec: { podSelector: {} } }],
  [
    '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    'W',
    { spec: { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 9000 } },
  ],
]

test.each(metadataChecks)('%s has causes of its metadata for each check: %s', async (collection, checks, body = {}) => {
  const object = { ...body, metadata: { name: 'checked' } }
  expect((await server.call('POST', collection, object)).status).toBe(201)
  const change = { metadata: { generateName: 'A /B', deletionGracePeriodSeconds: 5 } }
  const answer = await server.call('PATCH', `${collection}/checked`, change, mergePatch)
  expect(answer.status).toBe(422)
  const letters: Json = { 'metadata.generateName': 'W', 'metadata.deletionGracePeriodSeconds': 'C' }
  expect(
    answer
      .json()
      .details.causes.map(({ field }: Json) => letters[field] ?? field)
      .join(''),
  ).toBe(`WC${checks}`)
})

test('the status of a flow schema is written without its metadata', async () => {
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/checked/status'
  const answer = await server.call(
    'PATCH',
    path,
    { metadata: { generateName: 'A /B', labels: { a: 'b' } } },
    mergePatch,
  )
  expect(answer.status).toBe(200)
  expect(answer.json().metadata).not.toMatchObject({ labels: { a: 'b' } })
})

describe('data of a controller revision is its bytes', () => {
  const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions'
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
  const body = (name: string, data: string): string =>
    `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"${name}"},"revision":1,"data":${data}}`
  const json = { 'content-type': 'application/json' }

  test.each<[stored: string, method: string, change: string, headers: Record<string, string>, status: number]>([
    ['{"b":1,"a":2}', 'PUT', '{"b":1,"a":2}', json, 200],
    ['{"b":1,"a":2}', 'PUT', '{"a":2,"b":1}', json, 422],
    // Whatever a patch reaches is written anew, with its keys in order.
    ['{"b":1,"a":2}', 'PATCH', '{"data":{"b":1}}', mergePatch, 422],
    ['{"a":2,"b":1}', 'PATCH', '{"data":{"b":1}}', mergePatch, 200],
    ['{"b":1,"a":2}', 'PATCH', '{"metadata":{"labels":{"a":"b"}}}', mergePatch, 200],
    ['{"b":1,"a":2}', 'PATCH', '{"metadata":{"labels":{"a":"b"}}}', strategic, 422],
    ['{"a":2,"b":{"c":3}}', 'PATCH', '{"metadata":{"labels":{"a":"b"}}}', strategic, 200],
  ])('%s %s %s', async (stored, method, change, headers, status) => {
    await server.call('POST', revisions, body('raw', stored), json)
    const sent = method === 'PUT' ? body('raw', change) : change
    const answer = await server.call(method, `${revisions}/raw`, sent, headers)
    await server.call('DELETE', `${revisions}/raw`)
    expect(answer.status).toBe(status)
  })
})

describe('delete', () => {
  test('an object with finalizers goes when the last is removed', async () => {
    await create('held', { metadata: { finalizers: ['example.com/hold'] } })
    const marked = await server.call('DELETE', `${configMaps}/held`)
    expect(marked.json().metadata.deletionTimestamp).toMatch(/Z$/)
    expect((await server.call('GET', `${configMaps}/held`)).status).toBe(200)
    await server.call('PATCH', `${configMaps}/held`, { metadata: { finalizers: null } }, mergePatch)
    expect((await server.call('GET', `${configMaps}/held`)).status).toBe(404)
  })

  test('preconditions protect the object', async () => {
    const { metadata } = await create('guarded')
    const wrong = await server.call('DELETE', `${configMaps}/guarded`, { preconditions: { uid: 'other' } })
    expect(wrong.status).toBe(409)
    const right = await server.call('DELETE', `${configMaps}/guarded`, { preconditions: { uid: metadata.uid } })
    expect(right.json()).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'guarded', uid: metadata.uid },
    })
  })
})

// What dependents are to become is settled when the first delete marks it. Mirrors the storage of namespaces and definitions.
describe('the first delete of a namespace', () => {
  const foreground = 'foregroundDeletion'
  test.each<[object, string[], string[]]>([
    [{}, ['a.io/f'], ['a.io/f']],
    [{ orphanDependents: false }, ['a.io/f'], ['a.io/f', foreground]],
    [{ orphanDependents: true }, ['a.io/f', foreground], ['a.io/f', 'orphan']],
    [{ propagationPolicy: 'Foreground' }, ['a.io/f'], ['a.io/f', foreground]],
    [{ propagationPolicy: 'Orphan' }, ['a.io/f'], ['a.io/f', 'orphan']],
    [{ propagationPolicy: 'Background' }, ['a.io/f', 'orphan'], ['a.io/f']],
    [{}, ['a.io/f', 'orphan'], ['a.io/f', 'orphan']],
  ])('with %j and %j', async (options, finalizers, left) => {
    const made = await server.call('POST', '/api/v1/namespaces', { metadata: { generateName: 'ends-', finalizers } })
    const { name } = made.json().metadata
    const marked = await server.call('DELETE', `/api/v1/namespaces/${name}`, options)
    expect(marked.json().metadata.finalizers).toEqual(left)
  })
})

test('fractions of seconds are shown in what may not change', async () => {
  await create('dated')
  const deletionTimestamp = '2024-01-01T00:00:00.5Z'
  const said = 'metadata.deletionTimestamp: Invalid value: 2024-01-01 00:00:00.5 +0000 UTC: field is immutable'
  const put = await server.call('PUT', `${configMaps}/dated`, { metadata: { name: 'dated', deletionTimestamp } })
  expect(put.json().message).toContain(said)
  const patched = await server.call('PATCH', `${configMaps}/dated`, { metadata: { deletionTimestamp } }, mergePatch)
  expect(patched.json().message).toContain(said)
  // Defaults of labels make metadata of their own.
  const { name } = (await server.call('POST', '/api/v1/namespaces', { metadata: { generateName: 'dated-' } })).json()
    .metadata
  for (const path of ['', '/status', '/finalize']) {
    const body = { metadata: { name, deletionTimestamp } }
    expect((await server.call('PUT', `/api/v1/namespaces/${name}${path}`, body)).json().message).toContain(said)
  }
})

test('fractions of seconds are shown of times of the object itself, through the version that renames them, too', async () => {
  const events = '/apis/events.k8s.io/v1/namespaces/default/events'
  const event = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'dated' },
    eventTime: '2024-01-01T00:00:00.000000Z',
    reportingController: 'example.com/c',
    reportingInstance: 'i',
    action: 'A',
    reason: 'R',
    type: 'Normal',
    regarding: { namespace: 'default' },
  }
  expect((await server.call('POST', events, event)).status).toBe(201)
  const change = { deprecatedLastTimestamp: '2024-01-01T00:00:00.5Z' }
  const said = 'lastTimestamp: Invalid value: 2024-01-01 00:00:00.5 +0000 UTC: field is immutable'
  const answers = [
    await server.call('PUT', `${events}/dated`, { ...event, ...change }),
    await server.call('PATCH', `${events}/dated`, change, mergePatch),
  ]
  for (const answer of answers) expect(answer.json().message).toContain(said)
})

test('times are compared with their fractions of a second', async () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs'
  const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } }
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'timed' }, spec }
  expect((await server.call('POST', jobs, job)).status).toBe(201)
  const put = async (startTime: string): Promise<string> => {
    const body = { ...job, status: { startTime, completionTime: '2024-01-01T00:00:00Z' } }
    return (await server.call('PUT', `${jobs}/timed/status`, body)).json().message
  }
  expect(await put('2024-01-01T00:00:00.123456Z')).toContain('completionTime cannot be set before startTime')
  expect(await put('2024-01-01T00:00:00Z')).not.toContain('completionTime cannot be set before startTime')
})

test('fractions of seconds are shown in dumps of what may not change', async () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs'
  const template = (more: Json): Json => ({
    metadata: { labels: { a: 'b' }, ...more },
    spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
  })
  const job = (more: Json): Json => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'dated' },
    spec: { manualSelector: true, selector: { matchLabels: { a: 'b' } }, template: template(more) },
  })
  expect((await server.call('POST', jobs, job({}))).status).toBe(201)
  const change = job({ creationTimestamp: '2024-01-01T02:00:00.123456+02:00' })
  const answers = [
    await server.call('PUT', `${jobs}/dated`, change),
    await server.call('PATCH', `${jobs}/dated`, { spec: { template: change.spec.template } }, mergePatch),
    await server.call('PATCH', `${jobs}/dated?fieldManager=m&force=true`, change, {
      'content-type': 'application/apply-patch+yaml',
    }),
  ]
  for (const answer of answers) {
    expect(answer.json().message).toContain('time.Date(2024, time.January, 1, 0, 0, 0, 123456000, time.Local)')
  }
})

test('a namespace that nothing holds is answered with when it goes', async () => {
  const { name } = (await server.call('POST', '/api/v1/namespaces', { metadata: { generateName: 'free-' } })).json()
    .metadata
  const path = `/api/v1/namespaces/${name}`
  await server.call('PUT', `${path}/finalize`, { metadata: { name } })
  const marked = (await server.call('DELETE', path)).json()
  const gone = (await server.call('DELETE', path)).json()
  for (const each of [marked, gone]) {
    expect(each).toMatchObject({ kind: 'Namespace', metadata: { name }, status: { phase: 'Terminating' } })
  }
  expect((await server.call('GET', path)).status).toBe(404)
})

test('a schema of items that is false is none', async () => {
  const schema = { openAPIV3Schema: { type: 'object', properties: { x: { type: 'array', items: false } } } }
  const definition = {
    metadata: { name: 'es.es.io' },
    spec: {
      group: 'es.io',
      scope: 'Cluster',
      names: { plural: 'es', kind: 'E' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
  const refused = await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  expect(refused.json().message).toBe(
    'CustomResourceDefinition.apiextensions.k8s.io "es.es.io" is invalid: spec.validation.openAPIV3Schema.properties[x].items: Required value: must be specified',
  )
})

test('the expressions of a policy are refused in their order', async () => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }
  const refused = await server.call('POST', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
    metadata: { name: 'p' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      auditAnnotations: [{ key: 'k', valueExpression: '5 +' }],
      validations: [
        { expression: '3 +', messageExpression: '4 +' },
        { expression: 'variables.zz', reason: 'x' },
      ],
      matchConditions: [{ name: 'm', expression: '2 +' }],
      variables: [
        { name: 'v', expression: '1 +' },
        { name: 'w', expression: 'variables.v + ' },
      ],
    },
  })
  expect(refused.json().details.causes.map(({ field }: Json) => field)).toEqual([
    'spec.matchConditions[0].expression',
    'spec.variables[0].expression',
    'spec.variables[1].expression',
    'spec.validations[0].expression',
    'spec.validations[0].messageExpression',
    'spec.validations[1].expression',
    'spec.validations[1].reason',
    'spec.auditAnnotations[0].valueExpression',
  ])
})

test('a selfLink is dropped from whatever is written', async () => {
  await create('linked')
  const at = `${configMaps}/linked`
  const metadata = { name: 'linked', selfLink: '/elsewhere' }
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
  const answers = [
    await server.call('PUT', at, { metadata, data: { a: 'b' } }),
    await server.call('PATCH', at, { metadata: { selfLink: '/elsewhere' } }, mergePatch),
    await server.call('PATCH', `${at}?fieldManager=m`, applied, { 'content-type': 'application/apply-patch+yaml' }),
    await server.call('GET', at),
  ]
  for (const answer of answers) {
    expect(answer.status).toBe(200)
    expect(answer.json().metadata).not.toHaveProperty('selfLink')
  }
  // What is not stored is shown as it would be validated.
  const tried = await server.call('PUT', `${at}?dryRun=All`, { metadata })
  expect(tried.json().metadata.selfLink).toBe('/elsewhere')
})

test('an apply that makes no object of the kind is refused for that before its uid', async () => {
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v', uid: 'a' } }
  const path = '/api/v1/persistentvolumes/v?fieldManager=a'
  const applying = { 'content-type': 'application/apply-patch+yaml' }
  const wrong = { ...volume, spec: { capacity: { storage: false } } }
  expect((await server.call('PATCH', path, wrong, applying)).status).toBe(500)
  expect((await server.call('PATCH', path, volume, applying)).status).toBe(409)
})

describe('bad input', () => {
  test.each([
    ['an empty body', '', 400],
    ['a list', '[]', 400],
    ['half an object', '{"metadata":{"name":"x"', 400],
    ['100,000 levels', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400],
    ['another kind', '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"}}', 400],
    ['NUL bytes', Buffer.from([0, 0, 0, 0]), 400],
    ['invalid UTF-8 in a name', Buffer.from('{"metadata":{"name":"\xff\xfe"}}', 'latin1'), 422],
    ['more than the limit', `{"data":{"a":"${'x'.repeat(3 * 1024 * 1024)}"}}`, 413],
  ])('%s is refused and the server goes on', async (_, body, status) => {
    const answer = await server.call('POST', configMaps, body)
    expect(answer.status).toBe(status)
    expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', code: status })
    expect((await server.call('GET', configMaps)).status).toBe(200)
  })
})

describe('patch', () => {
  const strategic = 'application/strategic-merge-patch+json'
  const json = 'application/json-patch+json'
  const merge = 'application/merge-patch+json'
  const apply = 'application/apply-patch+yaml'
  const noKind =
    'couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
  const twice = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: exact\ndata:\n  "n": "1"\n  "n": "2"\n'

  test.each<[string, string, string, string, number, string?]>([
    // Without field validation the reference reads patches in another way.
    [json, '', '{}', 'Strict', 400, 'error decoding patch: json: cannot unmarshal object into Go value of type []han'],
    [json, '', '{}', 'Ignore', 400, 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    [json, '', '[{"op":1}]', 'Ignore', 422, 'the server rejected our request due to an error in our request'],
    [merge, '', '{"data":', 'Ignore', 400, 'Invalid JSON Patch'],
    [merge, '', '{"data":', 'Warn', 400, 'error decoding patch: unexpected end of JSON input'],
    [merge, '', '[]', 'Ignore', 422, noKind],
    [json, '', '[{"op":"replace","path":"","value":[]}]', 'Warn', 422, noKind],
    // What it says to be is looked up before it is read, and of two wrong values the first one in the text is reported.
    [merge, '', '{"kind":"Nothing","data":[]}', 'Warn', 422, 'no kind "Nothing" is registered for version "v1"'],
    [
      json,
      '',
      '[{"op":"add","path":"/kind","value":1},{"op":"add","path":"/apiVersion","value":[]}]',
      'Warn',
      422,
      'array into Go struct field .apiVersion',
    ],
    // Numbers that no double holds are refused where JSON has no type, and pass where nothing reads them.
    [
      json,
      '',
      '[{"op":"add","path":"/x","value":[1e400]}]',
      'Warn',
      400,
      'number 1e400 into Go struct field jsonPatchOp.value of type float64',
    ],
    [json, '', '[{"op":"add","path":"/x","value":1e400}]', 'Ignore', 200],
    [merge, '', '{"x":1e400}', 'Ignore', 200],
    // Owners that cannot be read are none, until the object is converted.
    [
      apply,
      '',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: exact, managedFields: []}',
      'Warn',
      400,
      'must be nil',
    ],
    [
      apply,
      '',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: exact, managedFields: [1]}',
      'Warn',
      500,
      '.metadata.managedFields[0]: expected map, got &{1}',
    ],
    [
      apply,
      '',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: exact, managedFields: [{time: x}]}',
      'Warn',
      500,
      'unable to convert unstructured object to /v1, Kind=ConfigMap: parsing time "x"',
    ],
    // A missing object is missing, whatever the patch.
    [json, '-not', '{}', 'Warn', 404],
    [merge, '-not', '{"data":', 'Warn', 404],
    [strategic, '-not', '[]', 'Warn', 404],
    // The merge goes by the type of the path: what the patch calls it makes no difference.
    [strategic, '', '{"kind":"Secret","apiVersion":"v2"}', 'Strict', 200],
    [strategic, '', '{"kind":7}', 'Strict', 422, 'cannot convert int64 to string'],
    [
      strategic,
      '',
      '{"binaryData":{"b":"!"}}',
      'Warn',
      422,
      '"map[binaryData:map[b:!]]": error decoding from json: illegal base64 data at input byte 0',
    ],
    // A conflict is reported before what is wrong with the text.
    [apply, '', twice, 'Strict', 409, 'Apply failed with 1 conflict'],
    [apply, '', twice.replace('exact', 'other'), 'Strict', 409, 'Apply failed with 1 conflict'],
    [
      apply,
      '',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}',
      'Strict',
      400,
      'the name of the object (other)',
    ],
  ])('%s %s %s %s', async (type, suffix, body, validation, status, message = '') => {
    await create('exact')
    const path = `${configMaps}/exact${suffix}?fieldManager=patcher&fieldValidation=${validation}`
    const answer = await server.call('PATCH', path, body, { 'content-type': type })
    expect({ status: answer.status, message: answer.json().message ?? '' }).toEqual({
      status,
      message: expect.stringContaining(message),
    })
  })
})

test('what is too large for the store is written without its owners, but not by an apply', async () => {
  const data: Json = {}
  for (let i = 0; i < 9_999; i++)
    data[`a-long-key-that-makes-for-a-set-of-fields-as-large-as-the-object-itself-${i}`] = 'x'
  const created = await create('large-created', { data })
  expect(created.metadata).not.toHaveProperty('managedFields')
  for (const [verb, headers] of [
    ['PUT', {}],
    ['PATCH', mergePatch],
  ] as const) {
    const name = `large-${verb.toLowerCase()}`
    expect((await create(name)).metadata.managedFields).toHaveLength(1)
    const written = await server.call(verb, `${configMaps}/${name}`, { metadata: { name }, data }, headers)
    expect(written.status).toBe(200)
    expect(written.json().metadata).not.toHaveProperty('managedFields')
  }
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large-created' } }
  const applied = await server.call('PATCH', `${configMaps}/large-created?fieldManager=a`, body, applyPatch)
  expect(applied.json()).toMatchObject({ code: 500, message: 'etcdserver: request is too large' })
})

test('an event that is written through one group forgets who wrote it through the other', async () => {
  const core = '/api/v1/namespaces/default/events'
  const events = '/apis/events.k8s.io/v1/namespaces/default/events'
  const owners = async (): Promise<string[]> => {
    const { metadata } = (await server.call('GET', `${core}/both`)).json()
    return metadata.managedFields.map((entry: Json) => `${entry.manager} ${entry.apiVersion}`)
  }
  const write = (path: string, manager: string, body: Json): Promise<unknown> =>
    server.call('PATCH', `${path}/both?fieldManager=${manager}`, body, mergePatch)
  await server.call('POST', `${events}?fieldManager=a`, {
    metadata: { name: 'both', namespace: 'default' },
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
    reason: 'r',
    type: 'Normal',
    action: 'a',
    reportingController: 'c.io/x',
    reportingInstance: 'i',
    eventTime: '2024-01-01T00:00:00.000000Z',
  })
  expect(await owners()).toEqual(['a events.k8s.io/v1'])
  await write(core, 'b', { metadata: { labels: { b: 'b' } } })
  expect(await owners()).toEqual(['b v1'])
  await write(events, 'c', { metadata: { labels: { c: 'c' } } })
  expect(await owners()).toEqual(['c events.k8s.io/v1'])
})

test('a namespace says which precondition of its deletion failed', async () => {
  const made = await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'guarded' } })
  const { uid } = made.json().metadata
  const refused = await server.call('DELETE', '/api/v1/namespaces/guarded', { preconditions: { uid: 'other' } })
  expect(refused.json()).toMatchObject({
    code: 409,
    message: `Operation cannot be fulfilled on namespaces "guarded": Precondition failed: UID in precondition: other, UID in object meta: ${uid}`,
    details: { name: 'guarded', kind: 'namespaces' },
  })
})

// What the reference said to objects that one change had made wrong (facts/cases/refusals.json).
describe('recorded refusals', () => {
  interface Refusal {
    readonly of: string
    readonly set?: string
    readonly to?: Json
    readonly del?: string
    readonly merge?: Json
    readonly code: number
    readonly reason?: string | null
    readonly msg?: string
    /** At most the first three, their messages cut. */
    readonly causes?: readonly (readonly [reason: string, field: string, message: string])[]
    /** Not a dry run. */
    readonly real?: 1
  }
  const file = new URL('../../facts/cases/refusals.json', import.meta.url)
  const recorded: { bases: Record<string, Json>; cases: Refusal[] } = JSON.parse(readFileSync(file, 'utf8'))

  beforeAll(async () => {
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'upd' } })
    await server.call('POST', '/api/v1/namespaces/upd/serviceaccounts', { metadata: { name: 'default' } })
  })

  function bodyOf({ of, set, to, del, merge }: Refusal): Json {
    const body = structuredClone(recorded.bases[of])
    if (merge !== undefined) return applyMergePatch(body, merge)
    const keys = (set ?? del ?? '').replaceAll(/\[(\d+)\]/g, '.$1').split('.')
    const last = keys.pop() ?? ''
    let at = body
    for (const key of keys) at = at[key] ??= {}
    if (del === undefined) at[last] = to
    else delete at[last]
    return body
  }

  /** Recorded messages are cut, and structs in them abridged: as much as is certain; an empty map and none are one. */
  const certain = (message: string): string => message.replace('(nil)', '{').split(/[{…]/)[0]?.slice(0, 150) ?? ''

  test.each(Object.keys(recorded.bases))('%s', async (of) => {
    const slash = of.lastIndexOf('/')
    const version = of.slice(0, slash)
    const resource = findResource(parseGroupVersion(version)!, of.slice(slash + 1))
    const root = version.includes('/') ? `/apis/${version}` : `/api/${version}`
    const path = `${root}/${resource?.namespaced ? 'namespaces/upd/' : ''}${of.slice(slash + 1)}`
    for (const refusal of recorded.cases.filter((each) => each.of === of)) {
      const query = refusal.real === 1 ? '' : '?dryRun=All'
      const body = JSON.stringify(bodyOf(refusal)).replace(/\{x\*(\d+)\}/, (_, count) => 'x'.repeat(Number(count)))
      const answer = (await server.call('POST', path + query, JSON.parse(body))).json()
      const shown = JSON.stringify(refusal)
      expect(answer.code ?? 201, shown).toBe(refusal.code)
      if (refusal.real === 1 && refusal.code === 201) await server.call('DELETE', `${path}/${answer.metadata.name}`)
      if (refusal.code !== 422) continue
      const wanted = refusal.causes ?? []
      const causes = (answer.details.causes ?? []).slice(0, Math.max(3, wanted.length))
      const told = causes.map(({ reason, field, message }: Json, i: number) => {
        const length = certain(wanted[i]?.[2] ?? message).length
        return [reason.replace('FieldValue', ''), field, message.replace('(nil)', '{').slice(0, length)]
      })
      expect(told, shown).toEqual(wanted.map(([reason, field, message]) => [reason, field, certain(message)]))
    }
  })
})

test('system priority classes refuse a delete of their own, there or not, and go with their collection', async () => {
  const classes = '/apis/scheduling.k8s.io/v1/priorityclasses'
  const remove = () => server.call('DELETE', `${classes}/system-node-critical`)
  expect((await remove()).status).toBe(403)
  expect((await server.call('DELETE', classes)).status).toBe(200)
  expect((await server.call('GET', classes)).json().items).toEqual([])
  expect((await remove()).status).toBe(403)
})
