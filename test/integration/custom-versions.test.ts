// Custom objects through every version of their definition, with a webhook that converts and one that patches.

import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

const group = 'versions.example.com'
const names = ['v1', 'v2', 'v3'] as const
type Version = (typeof names)[number]

const mergePatch = { 'content-type': 'application/merge-patch+json' }
const applyPatch = { 'content-type': 'application/apply-patch+yaml' }

/** The same facts in the shape of each version. */
const shapes: Record<Version, { read: (spec: Json) => Json; write: (facts: Json) => Json; replicas: string }> = {
  v1: { read: ({ size, replicas }) => ({ size, replicas }), write: (facts) => facts, replicas: '.spec.replicas' },
  v2: {
    read: ({ sizeText, scale }) => ({ size: sizeText && Number(sizeText), replicas: scale?.replicas }),
    write: ({ size, replicas }) => ({ sizeText: String(size), scale: { replicas } }),
    replicas: '.spec.scale.replicas',
  },
  v3: {
    read: ({ dim, replicas }) => ({ size: dim?.size, replicas }),
    write: ({ size, replicas }) => ({ dim: { size }, replicas }),
    replicas: '.spec.replicas',
  },
}
const properties: Record<Version, Json> = {
  v1: { size: { type: 'integer' }, replicas: { type: 'integer' }, one: { type: 'string', default: 'v1' } },
  v2: {
    sizeText: { type: 'string' },
    scale: { type: 'object', properties: { replicas: { type: 'integer' } } },
    two: { type: 'string', default: 'v2' },
  },
  v3: {
    dim: { type: 'object', properties: { size: { type: 'integer' }, deep: { type: 'string', default: 'v3' } } },
    replicas: { type: 'integer' },
    three: { type: 'string', default: 'v3' },
  },
}
const selectable: Record<Version, string> = { v1: '.spec.size', v2: '.spec.sizeText', v3: '.spec.dim.size' }

const versionOf = (object: Json): Version => object.apiVersion.split('/')[1]

function convert(object: Json, apiVersion: string): Json {
  const facts = shapes[versionOf(object)].read(object.spec)
  const spec = { color: object.spec.color, ...shapes[versionOf({ apiVersion })].write(facts) }
  return { ...object, apiVersion, spec: JSON.parse(JSON.stringify(spec)) }
}

const definition = (conversion: Json): Json => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    conversion,
    versions: names.map((name) => ({
      name,
      served: true,
      storage: name === 'v3',
      selectableFields: [{ jsonPath: selectable[name] }],
      subresources: {
        status: {},
        scale: { specReplicasPath: shapes[name].replicas, statusReplicasPath: '.status.replicas' },
      },
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            apiVersion: { type: 'string', pattern: `/${name}$` },
            spec: { type: 'object', properties: { color: { type: 'string' }, ...properties[name] } },
            status: { type: 'object', properties: { replicas: { type: 'integer' }, phase: { type: 'string' } } },
          },
        },
      },
    })),
  },
})

const place = (version: string, rest = ''): string => `/apis/${group}/${version}/namespaces/default/widgets${rest}`

describe('with webhooks', () => {
  const authority = createCertificateAuthority('webhooks', Date.now())
  const { certPem, keyPem } = issueCertificate(authority, {
    commonName: 'webhook',
    names: ['127.0.0.1'],
    usage: 'server',
    now: Date.now(),
  })
  const caBundle = Buffer.from(authority.certPem).toString('base64')
  let server: TestServer
  let webhook: Server
  let base: string
  let patch: Json[] = []
  /** What the admission webhooks were asked, by path. */
  const asked: { readonly path: string; readonly request: Json }[] = []

  beforeAll(async () => {
    server = await startTestServer()
    webhook = createServer({ key: keyPem, cert: certPem }, (incoming, answer) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const { request } = JSON.parse(Buffer.concat(chunks).toString()) as Json
        const [path = ''] = (incoming.url ?? '').split('?')
        answer.writeHead(200, { 'content-type': 'application/json' })
        answer.end(JSON.stringify(path === '/convert' ? conversionReview(request) : admissionReview(path, request)))
      })
    })
    await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve))
    base = `https://127.0.0.1:${(webhook.address() as AddressInfo).port}`
    const clientConfig = { url: `${base}/convert`, caBundle }
    const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } }
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    expect((await server.call('POST', definitions, definition(conversion))).status).toBe(201)
    for (const name of names) {
      await until('the resource', async () => (await server.call('GET', place(name))).status === 200)
    }
  })

  afterAll(async () => {
    await server.close()
    await new Promise((resolve) => webhook.close(resolve))
  })

  function conversionReview({ uid, desiredAPIVersion, objects }: Json): Json {
    const convertedObjects = objects.map((object: Json) => convert(object, desiredAPIVersion))
    const response = { uid, result: { status: 'Success' }, convertedObjects }
    return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response }
  }

  function admissionReview(path: string, request: Json): Json {
    asked.push({ path, request })
    const changes = path === '/mutate' && patch.length > 0 && request.object?.kind === 'Widget'
    const encoded = Buffer.from(JSON.stringify(patch)).toString('base64')
    const patched = changes ? { patchType: 'JSONPatch', patch: encoded } : {}
    const response = { uid: request.uid, allowed: true, ...patched }
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
  }

  async function register(kind: 'Mutating' | 'Validating', apiVersions: string[]): Promise<void> {
    const resource = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`
    await server.call('DELETE', `${resource}/test`)
    const clientConfig = { url: `${base}/${kind === 'Mutating' ? 'mutate' : 'validate'}`, caBundle }
    const rules = [{ apiGroups: [group], apiVersions, resources: ['*/*'], operations: ['*'] }]
    const made = await server.call('POST', resource, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: 'test' },
      webhooks: [{ name: 'a.example.com', clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] }],
    })
    expect(made.status).toBe(201)
  }

  const widget = (version: Version, name: string): Json => ({
    apiVersion: `${group}/${version}`,
    kind: 'Widget',
    metadata: { name },
    spec: { color: 'red', ...shapes[version].write({ size: 4, replicas: 2 }) },
  })

  describe.each(names)('that look at %s', (seen) => {
    beforeAll(async () => {
      await register('Mutating', [seen])
      await register('Validating', [seen])
    })

    it.each(names)('take part in writes through %s', async (version) => {
      patch = [
        { op: 'add', path: '/metadata/labels', value: { by: 'webhook' } },
        { op: 'add', path: '/spec/color', value: 'blue' },
        { op: 'add', path: '/spec/undeclared', value: 1 },
      ]
      const name = `${seen}-${version}`
      asked.length = 0
      const created = (await server.call('POST', place(version), widget(version, name))).json()
      expect(created.apiVersion).toBe(`${group}/${version}`)
      expect(created.spec, 'what a webhook adds').not.toHaveProperty('undeclared')
      const writes: [string, string, Json, Record<string, string>][] = [
        ['PUT', '', { ...created, spec: { ...created.spec, color: 'put' } }, {}],
        ['PATCH', '', { spec: { color: 'merged' } }, mergePatch],
        ['PATCH', '?fieldManager=me&force=true', { ...widget(version, name), spec: { color: 'applied' } }, applyPatch],
        ['PATCH', '/status', { status: { phase: 'x' } }, mergePatch],
      ]
      for (const [method, rest, body, headers] of writes) {
        const answer = await server.call(method, place(version, `/${name}${rest}`), body, headers)
        expect(answer.status, answer.body.toString()).toBe(200)
        const { spec, metadata, apiVersion } = answer.json()
        expect(apiVersion).toBe(`${group}/${version}`)
        expect(metadata.labels, rest).toEqual({ by: 'webhook' })
        expect(spec.color).toBe('blue')
        expect(spec).not.toHaveProperty('undeclared')
      }
      for (const { request } of asked) {
        for (const object of [request.object, request.oldObject]) {
          if (object === null) continue
          expect(object.apiVersion).toBe(`${group}/${seen}`)
          expect(shapes[seen].read(object.spec)).toEqual({ size: 4, replicas: 2 })
        }
      }
      expect(asked.map(({ path }) => path)).toEqual(
        writes.flatMap(() => ['/mutate', '/validate']).concat('/mutate', '/validate'),
      )
    })

    it('are shown the scale of every version', async () => {
      patch = []
      const name = `scaled-${seen}`
      await server.call('POST', place('v3'), widget('v3', name))
      for (const version of names) {
        asked.length = 0
        const to = { spec: { replicas: version.length + names.indexOf(version) } }
        const scaled = await server.call('PATCH', place(version, `/${name}/scale`), to, mergePatch)
        expect(scaled.json().spec).toEqual(to.spec)
        expect(asked.map(({ request }) => [request.kind.kind, request.resource.version])).toEqual([
          ['Scale', seen],
          ['Scale', seen],
        ])
      }
    })
  })

  it('give every version the defaults of the stored one, and no other', async () => {
    patch = []
    const created = (await server.call('POST', place('v1'), widget('v1', 'defaulted'))).json()
    expect(created.spec).toEqual({ color: 'red', size: 4, replicas: 2 })
    const stored = (await server.call('GET', place('v3', '/defaulted'))).json()
    expect(stored.spec).toEqual({ color: 'red', dim: { size: 4, deep: 'v3' }, replicas: 2, three: 'v3' })
  })

  it('let fields of a version select in lists, pages, watches and deletes', async () => {
    patch = []
    for (const name of ['sel-a', 'sel-b', 'sel-c']) {
      const made = widget('v3', name)
      made.metadata.labels = { test: 'selection' }
      made.spec.dim.size = name === 'sel-b' ? 7 : 8
      await server.call('POST', place('v3'), made)
    }
    const listed = async (version: string, query: string): Promise<string[]> => {
      const answer = await server.call('GET', place(version, `?labelSelector=test%3Dselection&${query}`))
      return answer.json().items.map(({ metadata }: Json) => metadata.name)
    }
    expect(await listed('v1', 'fieldSelector=spec.size%3D8')).toEqual(['sel-a', 'sel-c'])
    expect(await listed('v2', 'fieldSelector=spec.sizeText%3D8')).toEqual(['sel-a', 'sel-c'])
    expect(await listed('v3', 'fieldSelector=spec.dim.size!%3D8')).toEqual(['sel-b'])
    const first = (
      await server.call('GET', place('v2', '?labelSelector=test%3Dselection&fieldSelector=spec.sizeText%3D8&limit=1'))
    ).json()
    expect(first.items.map(({ metadata }: Json) => metadata.name)).toEqual(['sel-a'])
    expect(await listed('v2', `fieldSelector=spec.sizeText%3D8&limit=1&continue=${first.metadata.continue}`)).toEqual([
      'sel-c',
    ])
    const watch = await server.watch(
      place('v2', '?watch=1&resourceVersion=0&labelSelector=test%3Dselection&fieldSelector=spec.sizeText%3D7'),
    )
    await watch.until((events) => events.length === 1)
    const resize = (name: string, size: number) =>
      server.call('PATCH', place('v1', `/${name}`), { spec: { size } }, mergePatch)
    await resize('sel-a', 7)
    await server.call('PATCH', place('v1', '/sel-a'), { spec: { color: 'green' } }, mergePatch)
    await resize('sel-a', 9)
    await resize('sel-b', 9)
    await watch.until((events) => events.length === 5)
    watch.close()
    expect(watch.events.map(({ type, object }) => [type, object.metadata.name, object.spec.sizeText])).toEqual([
      ['ADDED', 'sel-b', '7'],
      ['ADDED', 'sel-a', '7'],
      ['MODIFIED', 'sel-a', '7'],
      ['DELETED', 'sel-a', '7'],
      ['DELETED', 'sel-b', '7'],
    ])
    const removed = await server.call(
      'DELETE',
      place('v2', '?labelSelector=test%3Dselection&fieldSelector=spec.sizeText%3D9'),
    )
    expect(removed.json().items.map(({ metadata }: Json) => metadata.name)).toEqual(['sel-a', 'sel-b'])
    expect(await listed('v3', '')).toEqual(['sel-c'])
  })

  it('keep the owners of a version that is no longer served', async () => {
    patch = []
    const mine = { ...widget('v1', 'owned'), spec: { size: 4 } }
    await server.call('PATCH', place('v1', '/owned?fieldManager=first'), mine, applyPatch)
    const definitions = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`
    const now = (await server.call('GET', definitions)).json()
    const versions = now.spec.versions.map((each: Json) => ({ ...each, served: each.name !== 'v1' }))
    await server.call('PUT', definitions, { ...now, spec: { ...now.spec, versions } })
    await until('v1 to go', async () => (await server.call('GET', place('v1'))).status === 404)
    await server.call('PATCH', place('v2', '/owned'), { spec: { color: 'new' } }, mergePatch)
    const kept = (await server.call('GET', place('v3', '/owned'))).json()
    const first = kept.metadata.managedFields.find(({ manager }: Json) => manager === 'first')
    expect(first).toMatchObject({ apiVersion: `${group}/v1`, fieldsV1: { 'f:spec': { 'f:size': {} } } })
    const other = { ...widget('v3', 'owned'), spec: { dim: { size: 5 } } }
    const refused = await server.call('PATCH', place('v3', '/owned?fieldManager=second'), other, applyPatch)
    expect(refused.status).toBe(409)
    expect(refused.json().message).toContain('conflict with "first": .spec.size')
  })

  it('forget the owners of a version that is no longer there, and no others', async () => {
    patch = []
    const applied = async (version: Version, manager: string, spec: Json): Promise<Json> => {
      const body = { ...widget(version, 'left'), spec }
      return (await server.call('PATCH', place(version, `/left?fieldManager=${manager}`), body, applyPatch)).json()
    }
    // In the order of their names: their own is by seconds.
    const managers = (object: Json): string[] =>
      object.metadata.managedFields.map(({ manager }: Json) => manager).toSorted()
    await applied('v2', 'old', { sizeText: '4' })
    expect(managers(await applied('v3', 'kept', { color: 'red' }))).toEqual(['kept', 'old'])
    const definitions = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`
    const now = (await server.call('GET', definitions)).json()
    const versions = now.spec.versions.filter(({ name }: Json) => name === 'v3')
    const written = await server.call('PUT', definitions, { ...now, spec: { ...now.spec, versions } })
    expect(written.status, written.body.toString()).toBe(200)
    await until('v2 to go', async () => (await server.call('GET', place('v2'))).status === 404)
    // What the forgotten owner had is free, what the other has is not.
    expect((await applied('v3', 'new', { color: 'blue' })).message).toContain('conflict with "kept": .spec.color')
    const taken = await applied('v3', 'new', { dim: { size: 5 } })
    expect(taken.spec.dim.size).toBe(5)
    expect(managers(taken)).toEqual(['kept', 'new'])
  })
})
