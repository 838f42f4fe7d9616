/** Integers beyond 2^53, wherever JSON of any form is kept: every write takes them, changed and unchanged, and every read shows them. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const large = '9223372036854775807'
const other = '9007199254740993'
const merge = { 'content-type': 'application/merge-patch+json' }
const apply = { 'content-type': 'application/apply-patch+yaml' }
const group = 'large.example.com'

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const keyed = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
  items: { type: 'object', required: ['k'], properties: { k: { type: 'integer' }, v: { type: 'integer' } } },
}
const properties = {
  spec: {
    type: 'object',
    properties: {
      embedded: { ...anything, 'x-kubernetes-embedded-resource': true },
      anything,
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
      keyed,
    },
  },
}

let server: TestServer
beforeAll(async () => {
  server = await startTestServer(['--store=memory', '--runtime-config=api/all=true'])
  await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
      ],
    },
  })
  await until('the definition', async () => (await server.call('GET', `/apis/${group}/v1/things`)).status === 200)
})
afterAll(() => server.close())

interface Raw {
  readonly path: string
  readonly kind: string
  /** The members beside metadata, with an integer in its place. */
  readonly members: (integer: string) => string
  readonly isImmutable?: boolean
}

const custom = (spec: (integer: string) => string): Raw => ({
  path: `/apis/${group}/v1/things`,
  kind: 'Thing',
  members: (integer) => `"spec":${spec(integer)}`,
})

const raws: Record<string, Raw> = {
  'parameters of a device class': {
    path: '/apis/resource.k8s.io/v1beta2/deviceclasses',
    kind: 'DeviceClass',
    members: (integer) => `"spec":{"config":[{"opaque":{"driver":"d","parameters":{"a":${integer}}}}]}`,
  },
  'data of a controller revision': {
    path: '/apis/apps/v1/namespaces/default/controllerrevisions',
    kind: 'ControllerRevision',
    members: (integer) => `"revision":1,"data":{"a":[${integer}]}`,
    isImmutable: true,
  },
  'an embedded object': custom(
    (integer) =>
      `{"embedded":{"apiVersion":"v1","kind":"X","metadata":{"name":"x","generation":${integer}},"a":${integer}}}`,
  ),
  'a free-form object': custom((integer) => `{"anything":{"a":[{"b":${integer}}]}}`),
  'a set': custom((integer) => `{"set":[1,${integer}]}`),
  'keys of a list': custom((integer) => `{"keyed":[{"k":${integer},"v":${integer}}]}`),
}

it.each(Object.entries(raws))('are taken in %s', async (what, { path, kind, members, isImmutable = false }) => {
  const name = what.replaceAll(' ', '-')
  const apiVersion = path.split('/').slice(2, 4).join('/')
  const object = (integer: string, metadata = '') =>
    Buffer.from(
      `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{"name":"${name}"${metadata}},${members(integer)}}`,
    )
  const changed = isImmutable ? 422 : 200
  const attempt = async (expected: number, ...call: Parameters<TestServer['call']>) => {
    const answer = await server.call(...call)
    const text = answer.body.toString()
    expect([answer.status, text.includes('met a fault')], text).toEqual([expected, false])
    return text
  }
  const type = { 'content-type': 'application/json' }
  expect(await attempt(201, 'POST', path, object(large), type)).toContain(large)
  expect(await attempt(200, 'PATCH', `${path}/${name}`, Buffer.from(`{${members(large)}}`), merge)).toContain(large)
  expect(await attempt(changed, 'PATCH', `${path}/${name}`, Buffer.from(`{${members(other)}}`), merge)).toContain(
    isImmutable ? 'field is immutable' : other,
  )
  await attempt(changed, 'PATCH', `${path}/${name}?fieldManager=m&force=true`, object(other), apply)
  const owned = `,"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:x":${large}}}]`
  const version = (await server.call('GET', `${path}/${name}`)).json().metadata.resourceVersion
  await attempt(200, 'PUT', `${path}/${name}`, object(large, `,"resourceVersion":"${version}"${owned}`), type)
  expect(await attempt(200, 'GET', `${path}/${name}`)).toContain(large)
  expect(await attempt(200, 'GET', path)).toContain(large)
})
