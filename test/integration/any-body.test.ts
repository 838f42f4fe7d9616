/** Whatever a body holds, the answer is one of the API's: nothing of the runtime's own errors reaches a client. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/api/json.ts'
import { encodeCbor } from '../../src/codec/cbor.ts'
import { faultMessage } from '../../src/lib/fault.ts'
import { LoopMonitor } from '../../src/lib/loop-monitor.ts'
import { worstRequests } from '../harness/holds/worst-requests.ts'
import { exampleNamespace, exampleObjects } from './support/example-objects.ts'
import { type Answer, startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
              status: { type: 'object', properties: { replicas: { type: 'integer' } } },
            },
          },
        },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ],
  },
}

beforeAll(async () => {
  const everything = ['--runtime-config', 'api/all=true', '--feature-gates', 'CBORServingAndStorage=true,AllAlpha=true']
  server = await startTestServer(['--store', 'memory', ...everything])
  await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  const served = async (): Promise<boolean> => (await server.call('GET', '/apis/example.com/v1/widgets')).status === 200
  while (!(await served())) await new Promise((again) => setTimeout(again, 20))
})
afterAll(() => server.close())

const runtimeText =
  /Cannot (?:read|destructure|convert|mix)|is not (?:a function|iterable|defined|an object)|in JSON at position|call stack/

/** What of an answer no client may see. */
function fault(what: string, answer: Answer): string[] {
  const text = answer.body.toString()
  return answer.status === 0 || text.includes(faultMessage) || runtimeText.test(text) ? [`${what}: ${text}`] : []
}

interface Endpoint {
  readonly method: string
  readonly path: string
}

interface DiscoveredResource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

async function discovered(): Promise<{ root: string; resource: DiscoveredResource }[]> {
  const groups = (await server.call('GET', '/apis')).json().groups as { versions: { groupVersion: string }[] }[]
  const roots = [
    '/api/v1',
    ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`)),
  ]
  const lists = await Promise.all(
    roots.map(async (root) => {
      const resources = (await server.call('GET', root)).json().resources as DiscoveredResource[]
      return resources.map((resource) => ({ root, resource }))
    }),
  )
  return lists.flat()
}

const connections = /\/(?:proxy|exec|attach|portforward)$/

async function endpoints(): Promise<Endpoint[]> {
  const found: Endpoint[] = []
  for (const { root, resource } of await discovered()) {
    const [plural = '', part] = resource.name.split('/')
    const all = `${root}${resource.namespaced ? '/namespaces/default' : ''}/${plural}`
    const one = `${all}/x${part === undefined ? '' : `/${part}`}`
    if (connections.test(one)) continue
    const places: Readonly<Record<string, Endpoint>> = {
      create: { method: 'POST', path: part === undefined ? all : one },
      update: { method: 'PUT', path: one },
      patch: { method: 'PATCH', path: one },
      delete: { method: 'DELETE', path: one },
      deletecollection: { method: 'DELETE', path: `${all}?labelSelector=none` },
    }
    for (const verb of resource.verbs) if (places[verb] !== undefined) found.push(places[verb])
  }
  return found
}

const name = { name: 'x' }
const values: readonly JsonValue[] = [
  null,
  true,
  0,
  1.5,
  '',
  'x',
  [],
  [null],
  [[]],
  {},
  { metadata: null },
  { metadata: [] },
  { metadata: 'x' },
  { metadata: { name: null } },
  { metadata: { ...name, labels: [], annotations: { a: null }, ownerReferences: [null], managedFields: [null] } },
  { metadata: { ...name, finalizers: [null], managedFields: [{ fieldsV1: null }, { fieldsV1: [] }] } },
  { metadata: name, spec: null, status: null },
  { metadata: name, spec: {}, status: {} },
  { metadata: name, spec: [null], status: [] },
  { metadata: name, items: [null], data: null, rules: [null], subjects: [null], webhooks: [null] },
  { metadata: name, spec: { template: null, selector: null, containers: [null], rules: [null], ports: [null] } },
]

type Encode = (value: JsonValue) => Buffer
const json: Encode = (value) => Buffer.from(JSON.stringify(value))
/** An envelope around bytes that are no message, or an empty one. */
const protobuf: Encode = (value) =>
  Buffer.concat([Buffer.from('k8s\0'), value === null ? Buffer.alloc(0) : json(value)])

const encodings: Readonly<Record<string, Encode>> = {
  'application/json': json,
  'application/yaml': json,
  'application/cbor': (value) => Buffer.from(encodeCbor(value)),
  'application/vnd.kubernetes.protobuf': protobuf,
}
const patches: Readonly<Record<string, Encode>> = {
  'application/json-patch+json': json,
  'application/merge-patch+json': json,
  'application/strategic-merge-patch+json': json,
  'application/apply-patch+yaml': json,
}

test('every endpoint with every type of JSON in every encoding', async () => {
  const faults: string[] = []
  for (const { method, path } of await endpoints()) {
    for (const [type, encode] of Object.entries(method === 'PATCH' ? patches : encodings)) {
      const target = type.includes('apply') ? `${path}?fieldManager=a` : path
      const bodies = [...values.map(encode), Buffer.from(' '), Buffer.from('{'), Buffer.from('\xff\xfe', 'latin1')]
      const answers = await Promise.all(
        bodies.map((body) => server.call(method, target, body, { 'content-type': type })),
      )
      for (const [i, answer] of answers.entries())
        faults.push(...fault(`${method} ${target} ${type} ${bodies[i]}`, answer))
    }
  }
  expect(faults).toEqual([])
}, 300_000)

/** Copies of a value, each with another of its parts replaced. */
function* replaced(value: JsonValue, by: JsonValue): Generator<JsonValue> {
  yield by
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      for (const part of replaced(item, by)) yield value.map((other, at) => (at === i ? part : other))
    }
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (key === 'apiVersion' || key === 'kind') continue
      for (const part of replaced(item ?? null, by)) yield { ...value, [key]: part }
    }
  }
}

const replacements: readonly JsonValue[] = [null, '', 0, [null], {}, [{ x: null }]]

test('examples of every kind with each part replaced, created and updated', async () => {
  const paths = new Map<string, string>()
  for (const { root, resource } of await discovered()) {
    if (resource.name.includes('/')) continue
    const version = root.replace(/^\/apis?\//, '')
    paths.set(
      `${version} ${resource.kind}`,
      `${root}${resource.namespaced ? `/namespaces/${exampleNamespace}` : ''}/${resource.name}`,
    )
  }
  const faults: string[] = []
  for (const example of exampleObjects('')) {
    const path = paths.get(`${String(example['apiVersion'])} ${String(example['kind'])}`)
    if (path === undefined) continue
    await server.call('POST', path, example)
    const one = `${path}/${String((example['metadata'] as JsonObject)['name'])}?dryRun=All`
    for (const by of replacements) {
      const bodies = [...replaced(example, by)]
      const answers = await Promise.all(
        bodies.flatMap((body) => [server.call('POST', `${path}?dryRun=All`, body), server.call('PUT', one, body)]),
      )
      for (const [i, answer] of answers.entries()) {
        faults.push(...fault(`${path} ${JSON.stringify(bodies[Math.floor(i / 2)])}`, answer))
      }
    }
  }
  expect(faults).toEqual([])
}, 300_000)

/**
 * Milliseconds of processor time. The server's own bound is 50; the test's client, which writes and reads the bodies, and
 * the compiler share the thread here. What is more than linear in a body, or takes all of it in one turn, takes longer.
 */
const holdBound = 200
const large = ['YAML anchors', 'answer in CBOR', 'bad labels', 'owner references', 'finalizers', 'apply', 'containers']

test.each(worstRequests.filter(({ name }) => large.includes(name)))('no turn is long: $name', async ({ request }) => {
  const sent = request(10_000)
  if (sent === undefined) throw new Error('there is no such body')
  const monitor = new LoopMonitor()
  let hold = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && hold > holdBound; attempt++) {
    monitor.reset()
    const answer = await server.call(sent.method, sent.path, sent.body, sent.headers)
    hold = Math.min(hold, monitor.longestMs)
    expect(answer.status).toBeLessThan(500)
  }
  monitor.stop()
  expect(hold).toBeLessThan(holdBound)
})
