// Custom resources over a real server: from definition to deletion, versions and their webhook, and other API servers.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { until } from '../support/until.ts'
import { type Answer, type Json, startTestServer, type TestServer } from './support/test-server.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const mergePatch = { 'content-type': 'application/merge-patch+json' }
const strategicPatch = { 'content-type': 'application/strategic-merge-patch+json' }
const applyPatch = { 'content-type': 'application/apply-patch+yaml' }

const version = (name: string, properties: Json, more: Json = {}): Json => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
  ...more,
})

const definition = (group: string, versions: Json[], spec: Json = {}): Json => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}` },
  spec: { group, scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions, ...spec },
})

const thing = (group: string, at: string, name: string, spec: Json, metadata: Json = {}): Json => ({
  apiVersion: `${group}/${at}`,
  kind: 'Thing',
  metadata: { name, ...metadata },
  spec,
})

const path = (group: string, at: string): string => `/apis/${group}/${at}/namespaces/default/things`

async function install(server: TestServer, made: Json): Promise<void> {
  const answer = await server.call('POST', definitions, made)
  expect(answer.status, answer.body.toString()).toBe(201)
  const first = made.spec.versions.find((each: Json) => each.served)
  const resource = path(made.spec.group, first.name)
  await until(`${resource} to be served`, async () => (await server.call('GET', resource)).status === 200)
}

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.close())

describe('a definition', () => {
  const group = 'life.example.com'
  const v1 = version('v1', { size: { type: 'integer' } }, { storage: true, subresources: { status: {} } })

  it('serves its resource, in discovery too, until it is deleted with all its objects', async () => {
    await install(server, definition(group, [v1]))
    expect((await server.call('POST', path(group, 'v1'), thing(group, 'v1', 'a', { size: 1 }))).status).toBe(201)
    const found = (await server.call('GET', `/apis/${group}/v1`)).json()
    expect(found.resources.map((each: Json) => each.name)).toEqual(['things', 'things/status'])
    const watch = await server.watch(`${path(group, 'v1')}?watch=1&resourceVersion=0`)
    await watch.until((events) => events.length === 1)
    const deleted = await server.call('DELETE', `${definitions}/things.${group}`)
    expect(deleted.json().status.conditions.at(-1)).toMatchObject({ type: 'Terminating', status: 'True' })
    await watch.ended
    expect(watch.events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED'])
    for (const removed of [`${definitions}/things.${group}`, path(group, 'v1'), `/apis/${group}`]) {
      await until(`${removed} to go`, async () => (await server.call('GET', removed)).status === 404)
    }
  })

  it('waits for the finalizers of its objects, and takes nothing new meanwhile', async () => {
    await install(server, definition(group, [v1]))
    const held = thing(group, 'v1', 'held', {}, { finalizers: ['example.com/wait'] })
    await server.call('POST', path(group, 'v1'), held)
    await server.call('DELETE', `${definitions}/things.${group}`)
    const object = `${path(group, 'v1')}/held`
    await until(
      'the object to be marked',
      async () => (await server.call('GET', object)).json().metadata.deletionTimestamp !== undefined,
    )
    const refused = await server.call('POST', path(group, 'v1'), thing(group, 'v1', 'late', {}))
    expect(refused.status).toBe(405)
    expect(refused.json().message).toBe('create not allowed while custom resource definition is terminating')
    await server.call('PATCH', object, { metadata: { finalizers: null } }, mergePatch)
    const marked = `${definitions}/things.${group}`
    await until('the definition to go', async () => (await server.call('GET', marked)).status === 404)
  })

  it('tells the steps of its removal', async () => {
    const other = 'steps.example.com'
    const made = definition(other, [v1])
    made.metadata.finalizers = ['example.com/hold']
    await install(server, made)
    const selector = `fieldSelector=metadata.name%3Dthings.${other}`
    const watch = await server.watch(`${definitions}?watch=1&${selector}`)
    await server.call('DELETE', `${definitions}/things.${other}`)
    const terminating = () =>
      watch.events.map(({ object }) => object.status.conditions.find((each: Json) => each.type === 'Terminating'))
    await watch.until(() => terminating().at(-1)?.status === 'False')
    expect(terminating().flatMap((each) => each?.reason ?? [])).toEqual([
      'InstanceDeletionPending',
      'InstanceDeletionInProgress',
      'InstanceDeletionCompleted',
    ])
    await server.call('PATCH', `${definitions}/things.${other}`, { metadata: { finalizers: null } }, mergePatch)
    await watch.until((events) => events.at(-1)?.type === 'DELETED')
    watch.close()
  })

  it('does not take the names of another', async () => {
    const other = 'names.example.com'
    await install(server, definition(other, [v1]))
    const rival = definition(other, [v1], { names: { plural: 'others', kind: 'Thing' } })
    rival.metadata.name = `others.${other}`
    await server.call('POST', definitions, rival)
    const read = async (): Promise<Json> => (await server.call('GET', `${definitions}/others.${other}`)).json()
    await until('two conditions', async () => (await read()).status.conditions?.length === 2)
    expect((await read()).status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict' },
      { type: 'Established', status: 'False', reason: 'NotAccepted' },
    ])
    await server.call('DELETE', `${definitions}/things.${other}`)
    await until('the names', async () => (await read()).status.conditions[1].status === 'True')
    const others = `/apis/${other}/v1/namespaces/default/others`
    await until('the others to be served', async () => (await server.call('GET', others)).status === 200)
  })

  it('shares no name with others that come at the same time', async () => {
    const group = 'crowd.example.com'
    const plurals = ['as', 'bs', 'cs', 'ds', 'es']
    const made = plurals.map((plural) => ({
      ...definition(group, [v1], { names: { plural, kind: 'Same' } }),
      metadata: { name: `${plural}.${group}` },
    }))
    const answers = await Promise.all(made.map((each) => server.call('POST', definitions, each)))
    expect(answers.map(({ status }) => status)).toEqual(plurals.map(() => 201))
    const accepted = await until('all to be decided', async () => {
      const all: Json[] = await Promise.all(
        plurals.map(async (plural) => (await server.call('GET', `${definitions}/${plural}.${group}`)).json()),
      )
      const decided = all.map(({ status }) => status.conditions?.find((each: Json) => each.type === 'NamesAccepted'))
      return decided.every((each) => each !== undefined) && decided.map((each) => each.status)
    })
    expect(accepted.toSorted()).toEqual(['False', 'False', 'False', 'False', 'True'])
  })
})

describe('the scale of an object without replicas', () => {
  const group = 'scale.example.com'
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
  const v1 = version('v1', { replicas: { type: 'integer' } }, { storage: true, subresources: { scale } })
  const put = (name: string, spec: Json): Json => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, namespace: 'default' },
    spec,
  })
  const empty = 'the spec replicas field ".spec.replicas" cannot be empty'

  it.each([
    { verb: 'get', status: 500, says: 'the spec replicas field ".spec.replicas" does not exist' },
    { verb: 'PUT', body: (name: string) => put(name, { replicas: 3 }), status: 200, replicas: 3 },
    { verb: 'PUT of nothing', body: (name: string) => put(name, {}), status: 200, replicas: 0 },
    { verb: 'merge patch', type: mergePatch, body: () => ({ spec: { replicas: 2 } }), status: 200, replicas: 2 },
    { verb: 'patch of others', type: mergePatch, body: () => ({ metadata: {} }), status: 400, says: empty },
    { verb: 'apply', type: applyPatch, body: (name: string) => put(name, { replicas: 4 }), status: 200, replicas: 4 },
    { verb: 'apply of nothing', type: applyPatch, body: (name: string) => put(name, {}), status: 400, says: empty },
  ])('$verb: $status', async ({ verb, body, type, status, replicas, says }) => {
    const known = await server.call('GET', `${definitions}/things.${group}`)
    if (known.status === 404) await install(server, definition(group, [v1]))
    const name = verb.toLowerCase().replaceAll(' ', '-')
    await server.call('POST', path(group, 'v1'), thing(group, 'v1', name, {}))
    const method = body === undefined ? 'GET' : type === undefined ? 'PUT' : 'PATCH'
    const query = type === applyPatch ? '?fieldManager=me' : ''
    const answer = await server.call(method, `${path(group, 'v1')}/${name}/scale${query}`, body?.(name), type)
    expect([answer.status, answer.json().message ?? '']).toEqual([status, expect.stringContaining(says ?? '')])
    const after = await server.call('GET', `${path(group, 'v1')}/${name}`)
    expect(after.json().spec.replicas).toBe(replicas)
  })

  it('gives the part that it makes its defaults, which validation does not count on', async () => {
    const replicas = { type: 'integer' }
    const given = { type: 'number', default: 1.5 }
    for (const [elsewhere, required, expected] of [
      ['defaulted.example.com', undefined, [200, { replicas: 3, given: 1.5 }]],
      ['required.example.com', ['given'], [422, undefined]],
    ] as const) {
      const spec = { type: 'object', properties: { replicas, given }, ...(required === undefined ? {} : { required }) }
      const openAPIV3Schema = { type: 'object', properties: { spec } }
      const v1 = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources: { scale } }
      await install(server, definition(elsewhere, [v1]))
      const at = path(elsewhere, 'v1')
      await server.call('POST', at, { apiVersion: `${elsewhere}/v1`, kind: 'Thing', metadata: { name: 'a' } })
      const type = { 'content-type': 'application/merge-patch+json' }
      const scaled = await server.call('PATCH', `${at}/a/scale`, { spec: { replicas: 3 } }, type)
      expect([scaled.status, (await server.call('GET', `${at}/a`)).json().spec]).toEqual(expected)
    }
  })

  it('has no metadata that are validated; where the schema has no field for replicas they count, and are not stored', async () => {
    const elsewhere = 'unscaled.example.com'
    const bare = version('v1', {}, { storage: true, subresources: { scale } })
    await install(server, definition(elsewhere, [bare]))
    await server.call('POST', path(elsewhere, 'v1'), thing(elsewhere, 'v1', 'a', {}))
    const scaled = put('a', { replicas: 3 })
    scaled.metadata.labels = { a: ' b' }
    const answer = await server.call('PUT', `${path(elsewhere, 'v1')}/a/scale`, scaled)
    expect([answer.status, answer.json().spec]).toEqual([200, {}])
    const negative = await server.call('PUT', `${path(elsewhere, 'v1')}/a/scale`, put('a', { replicas: -2 }))
    expect([negative.status, negative.json().message]).toEqual([
      422,
      expect.stringContaining('.spec.replicas: Invalid value: -2: should be a non-negative integer'),
    ])
    const unknown = await server.call('PUT', `${path(elsewhere, 'v1')}/a/scale?fieldValidation=Strict`, {
      ...put('a', { replicas: 1 }),
      other: 1,
    })
    expect([unknown.status, unknown.json().message]).toEqual([
      400,
      expect.stringContaining('no kind is registered for the type v1.Scale'),
    ])
    const { spec, metadata } = (await server.call('GET', `${path(elsewhere, 'v1')}/a`)).json()
    expect([spec, metadata.labels, metadata.generation]).toEqual([{}, undefined, 2])
  })

  it('tells replicas of a built-in kind that wrapped around from those that are unset', async () => {
    const at = '/api/v1/namespaces/default/replicationcontrollers'
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    await server.call('POST', at, { metadata: { name: 'wrapped' }, spec: { selector: { a: 'b' }, template } })
    const patch = { spec: { replicas: 2 ** 31 } }
    const answer = await server.call('PATCH', `${at}/wrapped/scale`, patch, strategicPatch)
    expect([answer.status, answer.json().message]).toEqual([
      422,
      'Scale.autoscaling "wrapped" is invalid: spec.replicas: Invalid value: -2147483648: must be greater than or equal to 0',
    ])
  })
})

describe('the kind of a custom object', () => {
  it('is found in any case, and must be there in its own', async () => {
    const group = 'cased.example.com'
    await install(server, definition(group, [version('v1', {}, { storage: true })]))
    const { kind, ...rest } = thing(group, 'v1', 'a', {})
    const answer = await server.call('POST', path(group, 'v1'), { ...rest, Kind: kind })
    expect([answer.status, answer.json().message]).toEqual([
      400,
      expect.stringContaining("(must be of type Thing): Object 'Kind' is missing in '{"),
    ])
  })
})

describe('a definition that changes', () => {
  const group = 'change.example.com'

  it('gives what is stored its new defaults, and forgives what is not touched', async () => {
    const before = version('v1', { colour: { type: 'string' } }, { storage: true })
    await install(server, definition(group, [before]))
    await server.call('POST', path(group, 'v1'), thing(group, 'v1', 'a', { colour: 'mauve' }))
    const properties = { colour: { type: 'string', enum: ['red'] }, size: { type: 'integer', default: 3 } }
    const after = version('v1', properties, { storage: true })
    await server.call('PATCH', `${definitions}/things.${group}`, { spec: { versions: [after] } }, mergePatch)
    const read = (): Promise<Answer> => server.call('GET', `${path(group, 'v1')}/a`)
    await until('the new default', async () => (await read()).json().spec?.size === 3)
    const kept = await server.call('PATCH', `${path(group, 'v1')}/a`, { spec: { size: 4 } }, mergePatch)
    expect(kept.json().spec).toEqual({ colour: 'mauve', size: 4 })
    const refused = await server.call('PATCH', `${path(group, 'v1')}/a`, { spec: { colour: 'blue' } }, mergePatch)
    expect(refused.status).toBe(422)
  })
})

describe('apply', () => {
  const group = 'apply.example.com'

  it('merges lists by their keys and tells owners apart', async () => {
    const rows = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id'],
      items: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, v: { type: 'integer' } } },
    }
    await install(server, definition(group, [version('v1', { rows }, { storage: true })]))
    const apply = (manager: string, list: Json[]): Promise<Answer> => {
      const body = thing(group, 'v1', 'a', { rows: list })
      return server.call('PATCH', `${path(group, 'v1')}/a?fieldManager=${manager}`, body, applyPatch)
    }
    expect((await apply('one', [{ id: 'a', v: 1 }])).status).toBe(201)
    expect((await apply('two', [{ id: 'b', v: 2 }])).json().spec.rows).toHaveLength(2)
    expect((await apply('two', [{ id: 'a', v: 2 }])).status).toBe(409)
    expect((await apply('one', [])).json().spec.rows).toEqual([{ id: 'b', v: 2 }])
  })
})

describe('a patch that changes what an object says to be', () => {
  const group = 'type.example.com'
  const object = `${path(group, 'v1')}/a`

  beforeAll(async () => {
    await install(server, definition(group, [version('v1', { size: { type: 'integer' } }, { storage: true })]))
    await server.call('POST', path(group, 'v1'), thing(group, 'v1', 'a', { size: 1 }))
  })

  it.each<[Json, number, string]>([
    [{ kind: null }, 422, "Object 'Kind' is missing in '{"],
    [{ kind: 7 }, 422, 'json parse error: json: cannot unmarshal number into Go struct field .kind of type string'],
    [{ kind: 'Other' }, 422, `Other.${group} "a" is invalid: kind: Invalid value: "Other": must be Thing`],
    [{ apiVersion: null }, 500, "Object 'apiVersion' is missing in 'object has no apiVersion field'"],
    [{ apiVersion: 'a/b/c' }, 422, 'unexpected GroupVersion string: a/b/c'],
    [
      { apiVersion: 'other/v1' },
      422,
      `Thing.other "a" is invalid: apiVersion: Invalid value: "other/v1": must be ${group}/v1`,
    ],
    [{ metadata: null }, 400, 'the name of the object (a based on URL) was undeterminable: name must be provided'],
  ])('%j', async (patch, status, message) => {
    const answer = await server.call('PATCH', object, patch, mergePatch)
    expect(answer.json()).toMatchObject({ code: status, message: expect.stringContaining(message) })
    expect(answer.headers['warning']).toBeUndefined()
  })

  const mismatch = (got: string) =>
    `the API version in the data (${got}) does not match the expected API version (${group}/v1)`
  const malformed = 'the object provided is unrecognized (must be of type Thing): '

  it.each<[Json, string]>([
    [{ kind: 'Thing' }, mismatch('')],
    [{ kind: 'Thing', apiVersion: '' }, mismatch('')],
    [{ kind: 'Thing', apiVersion: '/' }, mismatch('')],
    [{ kind: 'Thing', apiVersion: '/v1' }, mismatch('v1')],
    [{ kind: 'Thing', apiVersion: `${group}/` }, mismatch(`${group}/`)],
    [
      { kind: 'Thing', apiVersion: null },
      'Thing in version "" cannot be handled as a Thing: .apiVersion accessor error: <nil> is of the type <nil>, expected string',
    ],
    [{ kind: 'Thing', apiVersion: 'a/b/c' }, `${malformed}unexpected GroupVersion string: a/b/c (`],
    [{ kind: '', apiVersion: 'a/b/c' }, `${malformed}unexpected GroupVersion string: a/b/c (`],
    [{ apiVersion: `${group}/v1` }, `${malformed}Object 'Kind' is missing in '{`],
    [{}, `${malformed}Object 'Kind' is missing in '{`],
  ])('a body of %j', async (type, message) => {
    const expected = { code: 400, message: expect.stringContaining(message) }
    const body = { ...type, metadata: { name: 'a' } }
    const json = [await server.call('POST', path(group, 'v1'), body), await server.call('PUT', object, body)]
    const yaml = await server.call('POST', path(group, 'v1'), body, { 'content-type': 'application/yaml' })
    for (const answer of [...json, yaml]) expect(answer.json()).toMatchObject(expected)
  })
})

describe('a definition in a group of the server itself', () => {
  const taken = (plural: string, group: string, kind: string, names: string[]): Json => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, kind },
      versions: names.map((name, i) => version(name, { mine: { type: 'string' } }, { storage: i === 0 })),
    },
  })

  it.each([
    ['clusterroles', 'rbac.authorization.k8s.io', 'ClusterRole', ['v1']],
    ['clusterroles', 'rbac.authorization.k8s.io', 'ClusterRole', ['v2', 'v1']],
    ['customresourcedefinitions', 'apiextensions.k8s.io', 'CustomResourceDefinition', ['v1']],
    ['apiservices', 'apiregistration.k8s.io', 'APIService', ['v1']],
    ['widgets', 'storage.k8s.io', 'Widget', ['v1', 'v2']],
    ['selfsubjectreviews', 'authentication.k8s.io', 'SelfSubjectReview', ['v1']],
  ])('never takes the place of %s.%s', async (plural, group, kind, names) => {
    const name = `${plural}.${group}`
    const paths = ['v1', 'v2'].flatMap((each) => [
      `/apis/${group}/${each}/${plural}`,
      `/apis/${group}/${each}`,
      `/openapi/v3/apis/${group}/${each}`,
    ])
    const see = async (): Promise<Json> => {
      const answers = await Promise.all([`/apis/${group}`, ...paths].map((each) => server.call('GET', each)))
      return answers.map(({ status, body }) => {
        const { items, metadata: _, ...rest } = body.toString().startsWith('{') ? JSON.parse(body.toString()) : {}
        const others = (items as Json[] | undefined)?.filter(({ metadata }) => metadata.name !== name)
        return { status, rest, items: others?.map(({ metadata }) => metadata.name) }
      })
    }
    const before = await see()
    expect((await server.call('POST', definitions, taken(plural, group, kind, names))).status).toBe(201)
    await until('the definition to be established', async () => {
      const { status } = (await server.call('GET', `${definitions}/${name}`)).json()
      return status?.conditions?.some(({ type }: Json) => type === 'Established')
    })
    expect(await see()).toEqual(before)
    expect((await server.call('DELETE', `${definitions}/${name}`)).status).toBe(200)
    await until('it to go', async () => (await server.call('GET', `${definitions}/${name}`)).status === 404)
    expect(await see()).toEqual(before)
  })
})

describe('conversion by a webhook', () => {
  const group = 'convert.example.com'
  const authority = createCertificateAuthority('conversion', Date.now())
  const certificate = issueCertificate(authority, {
    commonName: 'hook',
    names: ['127.0.0.1'],
    usage: 'server',
    now: Date.now(),
  })
  let hook: Server
  let convert: (object: Json, apiVersion: string) => Json
  const sizes: number[] = []

  const faithful = (object: Json, apiVersion: string): Json => {
    const { first, last, whole } = object.spec
    const spec = apiVersion.endsWith('/v2')
      ? { whole: `${first} ${last}` }
      : { first: whole.split(' ')[0], last: whole.split(' ')[1] }
    return { ...object, apiVersion, spec }
  }

  beforeAll(async () => {
    convert = faithful
    hook = createServer({ key: certificate.keyPem, cert: certificate.certPem }, (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { request: asked } = JSON.parse(Buffer.concat(chunks).toString()) as Json
        sizes.push(asked.objects.length)
        const convertedObjects = asked.objects
          .map((each: Json) => convert(each, asked.desiredAPIVersion))
          .filter(Boolean)
        const answer = { uid: asked.uid, result: { status: 'Success' }, convertedObjects }
        const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: answer }
        response.end(JSON.stringify(review))
      })
    })
    await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done))
    const url = `https://127.0.0.1:${(hook.address() as AddressInfo).port}/`
    const text = { type: 'string' }
    const clientConfig = { url, caBundle: Buffer.from(authority.certPem).toString('base64') }
    const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } }
    const versions = [version('v1', { first: text, last: text }, { storage: true }), version('v2', { whole: text })]
    await install(server, definition(group, versions, { conversion }))
    for (const name of ['a', 'b', 'c']) {
      await server.call('POST', path(group, 'v1'), thing(group, 'v1', name, { first: name, last: 'z' }))
    }
  })

  afterAll(() => {
    hook.closeAllConnections()
    hook.close()
  })

  it('converts reads, lists in one go, watches and writes', async () => {
    expect((await server.call('GET', `${path(group, 'v2')}/a`)).json().spec).toEqual({ whole: 'a z' })
    sizes.length = 0
    const list = (await server.call('GET', path(group, 'v2'))).json()
    expect(list.items.map((each: Json) => each.spec.whole)).toEqual(['a z', 'b z', 'c z'])
    expect(sizes).toEqual([3])
    const watch = await server.watch(`${path(group, 'v2')}?watch=1&resourceVersion=0`)
    await watch.until((events) => events.length === 3)
    const written = await server.call('PATCH', `${path(group, 'v2')}/b`, { spec: { whole: 'b y' } }, mergePatch)
    expect(written.json()).toMatchObject({ apiVersion: `${group}/v2`, spec: { whole: 'b y' } })
    await watch.until((events) => events.length === 4)
    expect(watch.events.map(({ object }) => object.spec.whole)).toEqual(['a z', 'b z', 'c z', 'b y'])
    watch.close()
    expect((await server.call('GET', `${path(group, 'v1')}/b`)).json().spec).toEqual({ first: 'b', last: 'y' })
  })

  it.each<[string, (object: Json, apiVersion: string) => Json, RegExp]>([
    [
      'another name',
      (o, v) => ({ ...faithful(o, v), metadata: { ...o.metadata, name: 'x' } }),
      /must have the same name: a != x/,
    ],
    ['another uid', (o, v) => ({ ...faithful(o, v), metadata: { ...o.metadata, uid: 'x' } }), /must have the same UID/],
    ['another version', (o, v) => ({ ...faithful(o, v), apiVersion: `${group}/v3` }), /invalid groupVersion/],
    ['another kind', (o, v) => ({ ...faithful(o, v), kind: 'Other' }), /invalid kind/],
    ['nothing', () => undefined, /returned 0 objects, expected 1/],
    [
      'bad labels',
      (o, v) => ({ ...faithful(o, v), metadata: { ...o.metadata, labels: { a: '@' } } }),
      /metadata.labels/,
    ],
  ])('refuses an answer with %s', async (_, wrong, message) => {
    convert = wrong
    const answer = await server.call('GET', `${path(group, 'v2')}/a`)
    convert = faithful
    expect(answer.status).toBe(500)
    expect(answer.json().message).toMatch(message)
  })

  it('is counted', async () => {
    const page = (await server.call('GET', '/metrics')).body.toString()
    const counted = `crd_name="things.${group}",from_version="v1",to_version="v2",succeeded="true"`
    expect(page).toContain(`apiserver_crd_conversion_webhook_duration_seconds_count{${counted}}`)
    for (const failure of ['partial_response', 'invalid_converted_object']) {
      const labels = `result="failure",failure_type="conversion_webhook_${failure}_failure"`
      expect(page).toContain(`apiserver_conversion_webhook_request_total{${labels}}`)
    }
  })
})

describe('another API server', () => {
  const group = 'far.example.com'
  const services = '/apis/apiregistration.k8s.io/v1/apiservices'
  const folder = mkdtempSync(join(tmpdir(), 'aggregation-'))
  let near: TestServer
  let far: TestServer

  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }

  beforeAll(async () => {
    const authority = createCertificateAuthority('front proxies', Date.now())
    const shown = issueCertificate(authority, { commonName: 'front', usage: 'client', now: Date.now() })
    near = await startTestServer([
      '--store=memory',
      `--proxy-client-cert-file=${file('front.crt', shown.certPem)}`,
      `--proxy-client-key-file=${file('front.key', shown.keyPem)}`,
    ])
    far = await startTestServer([
      '--store=memory',
      `--requestheader-client-ca-file=${file('ca.crt', authority.certPem)}`,
      '--requestheader-allowed-names=front',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    ])
    await install(far, definition(group, [version('v1', { size: { type: 'integer' } }, { storage: true })]))
    await near.call('POST', '/api/v1/namespaces/default/services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'far' },
      spec: { type: 'ExternalName', externalName: '127.0.0.1' },
    })
    await near.call('POST', services, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1.${group}` },
      spec: {
        group,
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { name: 'far', namespace: 'default', port: Number(new URL(far.url).port) },
      },
    })
  })

  const told = (reason: string, message: string) =>
    until(reason, async () => {
      const { conditions } = (await near.call('GET', `${services}/v1.${group}`)).json().status
      return conditions?.[0]?.reason === reason && conditions[0].message === message
    })

  afterAll(async () => {
    await near.close()
    await far.close()
    rmSync(folder, { recursive: true })
  })

  it('is found, reads and writes go through, and so do watches', async () => {
    const available = async (): Promise<string> =>
      (await near.call('GET', `${services}/v1.${group}`)).json().status.conditions?.[0]?.reason
    await until('the other server', async () => (await available()) === 'Passed')
    const groups = async () => (await near.call('GET', '/apis')).json().groups.map((each: Json) => each.name)
    await expect.poll(groups).toContain(group)
    const watch = await near.watch(`${path(group, 'v1')}?watch=1`)
    const made = await near.call('POST', path(group, 'v1'), thing(group, 'v1', 'a', { size: 1 }))
    expect(made.status, made.body.toString()).toBe(201)
    expect((await far.call('GET', `${path(group, 'v1')}/a`)).json().spec).toEqual({ size: 1 })
    await watch.until((events) => events.some(({ object }) => object.metadata.name === 'a'))
    watch.close()
  })

  it('is part of OpenAPI', async () => {
    const key = `apis/${group}/v1`
    const index = async (server: TestServer) => (await server.call('GET', '/openapi/v3')).json().paths
    await until('its part', async () => (await index(near))[key] !== undefined)
    const address = (await index(far))[key].serverRelativeURL
    expect((await index(near))[key].serverRelativeURL).toBe(address)
    const { components, paths } = (await near.call('GET', address)).json()
    expect(Object.keys(components.schemas)).toContain('com.example.far.v1.Thing')
    expect(Object.keys(paths)).toContain(`/${key}/namespaces/{namespace}/things/{name}`)
    const { definitions } = await until('the old form', async () => {
      const page = (await near.call('GET', '/openapi/v2')).json()
      return page.definitions['com.example.far.v1.Thing'] !== undefined && page
    })
    expect(definitions['com.example.far.v1.Thing'].properties.spec.properties).toEqual({ size: { type: 'integer' } })
    expect(definitions['io.k8s.api.core.v1.Pod'].type).toBe('object')
  })

  it('is unavailable once its service has gone', async () => {
    await near.call('DELETE', '/api/v1/namespaces/default/services/far')
    await until('the refusal', async () => (await near.call('GET', path(group, 'v1'))).status === 503)
    await told('ServiceNotFound', 'service/far in "default" is not present')
  })

  it('follows what becomes of its service', async () => {
    const port = Number(new URL(far.url).port)
    const post = (resource: string, object: Json) =>
      near.call('POST', `/api/v1/namespaces/default/${resource}`, {
        apiVersion: 'v1',
        metadata: { name: 'far' },
        ...object,
      })
    await post('services', { kind: 'Service', spec: { ports: [{ name: 'odd', port: port === 1 ? 2 : 1 }] } })
    await told('ServicePortError', `service/far in "default" is not listening on port ${port}`)
    await near.call('DELETE', '/api/v1/namespaces/default/services/far')
    await post('services', { kind: 'Service', spec: { clusterIP: 'None', ports: [{ name: 'api', port }] } })
    await told('EndpointsNotFound', 'cannot find endpoints for service/far in "default"')
    await post('endpoints', { kind: 'Endpoints', subsets: [] })
    await told('MissingEndpoints', 'endpoints for service/far in "default" have no addresses with port name "api"')
  })

  it('is available as a local one once it names no service', async () => {
    const spec = { service: null, insecureSkipTLSVerify: null, caBundle: null }
    expect((await near.call('PATCH', `${services}/v1.${group}`, { spec }, mergePatch)).status).toBe(200)
    await told('Local', 'Local APIServices are always available')
  })
})
