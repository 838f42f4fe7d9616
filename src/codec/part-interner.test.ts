import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writingOf } from '../api/given-writing.ts'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { schemaForKind } from '../catalog/catalog.ts'
import { type DefaultingContext, defaultObject, defaultPart } from '../catalog/defaults/defaults.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { JsonDocument } from './json.ts'
import { PartInterner } from './part-interner.ts'

const context: DefaultingContext = { enabled: () => true, now: () => '2024-01-01T00:00:00Z' }

const schemas = new Map<string, ObjectSchema>()
const schemaOf = (group: string, version: string, kind: string): ObjectSchema => {
  const key = `${group}/${version}/${kind}`
  const schema = schemas.get(key) ?? schemaForKind({ group, version, kind })
  if (schema === undefined) throw new Error(`no type ${key}`)
  schemas.set(key, schema)
  return schema
}
const podSchema = schemaOf('', 'v1', 'Pod')

const internerOf = (schema: ObjectSchema): PartInterner =>
  new PartInterner(schema, (field, value) => defaultPart(field, value, context))

interface Outcome {
  readonly text: string
  readonly strict: readonly string[]
  readonly baseline: JsonObject | undefined
  readonly object: JsonObject
}

function read(schema: ObjectSchema, text: string, interner?: PartInterner): Outcome {
  const { object, strict, baseline } = new JsonDocument(Buffer.from(text), interner).decode(schema)
  const complete = defaultObject(object, schema, context, baseline)
  return { text: JSON.stringify(complete), strict, baseline, object: complete }
}

const container = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  image: 'registry.example.com/team/app:v1',
  ports: [{ containerPort: 8080 }],
  resources: { requests: { cpu: '500m', memory: '1Gi' } },
  ...more,
})
const pod = (name: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec,
})

describe('bodies that are alike', () => {
  const spec = (): JsonObject => ({
    nodeName: 'a',
    containers: [container('main')],
    tolerations: [{ operator: 'Exists' }],
  })

  it('share the parts that they have in common from the second on', () => {
    const interner = internerOf(podSchema)
    const [, second, third] = ['a', 'b', 'c'].map((name) =>
      read(podSchema, JSON.stringify(pod(name, spec())), interner),
    )
    const parts = (outcome: Outcome | undefined) => (outcome?.object['spec'] as JsonObject | undefined)?.['containers']
    expect(second?.baseline).toMatchObject({ spec: { containers: [{ name: 'main' }] } })
    expect(parts(third)).toBe(parts(second))
    expect(Object.isFrozen((parts(third) as JsonValue[])[0])).toBe(true)
  })

  it('do not share a part with a quantity that is not in canonical form: its writing belongs to one body', () => {
    const interner = internerOf(podSchema)
    const containers = [container('main', { resources: { requests: { cpu: '0.5' } } })]
    const written = ['a', 'b', 'c'].map((name) => {
      const { baseline, object } = read(podSchema, JSON.stringify(pod(name, { containers })), interner)
      expect(baseline ?? {}).toEqual({})
      const [first] = (object['spec'] as { containers: { resources: { requests: JsonObject } }[] }).containers
      return writingOf(first?.resources.requests, 'cpu')
    })
    expect(written).toEqual(['0.5', '0.5', '0.5'])
  })

  it('keep what they do not have in common', () => {
    const interner = internerOf(podSchema)
    const one = JSON.stringify(pod('a', spec()))
    read(podSchema, one, interner)
    read(podSchema, one, interner)
    const other = JSON.stringify(pod('b', { ...spec(), nodeName: 'b', hostNetwork: true, tolerations: [] }))
    expect(read(podSchema, other, interner).text).toBe(read(podSchema, other).text)
  })

  it.each([
    ['an unknown field', '{"containers":[{"name":"a","image":"b","wrong":1,"args":["a long argument"]}]}'],
    ['a field twice', '{"containers":[{"name":"a","image":"b","image":"c","args":["a long argument"]}]}'],
    [
      'a part twice',
      '{"containers":[{"name":"a","image":"b","args":["long"]}],"containers":[{"name":"a","image":"b","args":["long"]}]}',
    ],
    ['an empty list inside', '{"containers":[{"name":"a","image":"b","args":[],"env":[{"name":"x","value":"y"}]}]}'],
    [
      'numbers with a point',
      '{"containers":[{"name":"a","image":"b","ports":[{"containerPort":80.0}],"args":["long"]}]}',
    ],
    ['blanks', '{ "containers" : [ {"name":"a","image":"b","args":["a long argument"]} ] , "nodeName": "b" }'],
    ['what is no JSON', '{"containers":[{"name":"a","image":nothing,"args":["a long argument"]}]}'],
    ['a list that ends as an object', '{"containers":[{"name":"a","image":"b","args":["a long argument"]}}}'],
    ['escapes', '{"containers":[{"name":"a","image":"\\u0062","args":["a \\"long\\" argument]}{"]}]}'],
    ['a key by another name', '{"__proto__":{"containers":[{"name":"a","image":"a long argument"}]},"containers":[]}'],
  ])('are read as if they were alone: %s', (_, text) => {
    const interner = internerOf(podSchema)
    const body = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":${text}}`
    const alone = outcomeOf(() => read(podSchema, body))
    for (let i = 0; i < 4; i++) expect(outcomeOf(() => read(podSchema, body, interner))).toEqual(alone)
  })

  it('are found however many others there were', () => {
    const interner = internerOf(podSchema)
    const alike = (name: string): Outcome => read(podSchema, JSON.stringify(pod(name, spec())), interner)
    alike('a')
    alike('b')
    for (let i = 0; i < 3_000; i++) {
      const other = { ...spec(), volumes: [{ name: 'v', secret: { secretName: `${i}-${'x'.repeat(100)}` } }] }
      read(podSchema, JSON.stringify(pod(`o-${i}`, other)), interner)
    }
    expect(alike('c').baseline).toMatchObject({ spec: { containers: [{ name: 'main' }] } })
  })

  it('are reported when they are of the wrong type', () => {
    const interner = internerOf(podSchema)
    const body = JSON.stringify(pod('a', spec()))
    for (let i = 0; i < 3; i++) read(podSchema, body, interner)
    const wrong = body.replace('"spec":{', '"spec":[{').replace(/\}$/, ']}')
    expect(outcomeOf(() => read(podSchema, wrong, interner))).toEqual(outcomeOf(() => read(podSchema, wrong)))
  })

  it('of another kind are not given its parts', () => {
    const interner = internerOf(podSchema)
    const body = JSON.stringify(pod('a', spec()))
    for (let i = 0; i < 3; i++) read(podSchema, body, interner)
    const template = schemaOf('', 'v1', 'PodTemplate')
    const decode = (known?: PartInterner) => new JsonDocument(Buffer.from(body), known).decode(template).strict
    expect(decode(interner)).toEqual(decode())
  })
})

function outcomeOf(run: () => Outcome): JsonValue {
  try {
    const { text, strict } = run()
    return { text, strict: [...strict] }
  } catch (error) {
    return String(error)
  }
}

describe('any sequence of bodies', () => {
  const containers = fc.array(
    fc.constantFrom<JsonObject>(
      container('main'),
      container('main', { args: ['--verbose', '--port=8080'], resources: { limits: { cpu: '0.5' } } }),
      container('side', { resources: {}, env: [] }),
      container('main', { livenessProbe: { httpGet: { path: '/', port: 'http' } }, securityContext: {} }),
    ),
    { maxLength: 3 },
  )
  const specs = fc.record(
    {
      containers,
      nodeName: fc.constantFrom('a', 'b'),
      hostNetwork: fc.boolean(),
      volumes: fc.constantFrom<JsonValue>([], [{ name: 'v', secret: { secretName: 'a-long-name-of-a-secret' } }]),
      securityContext: fc.constantFrom<JsonValue>({}, { runAsUser: 1000, seLinuxOptions: { level: 's0:c123,c456' } }),
      nodeSelector: fc.constantFrom<JsonValue>({}, { zone: 'somewhere', disk: 'one-that-is-fast' }),
    },
    { requiredKeys: ['containers'] },
  )

  it('gives what each of them gives alone', () => {
    fc.assert(
      fc.property(fc.array(specs, { minLength: 1, maxLength: 12 }), (bodies) => {
        const interner = internerOf(podSchema)
        const deployments = internerOf(schemaOf('apps', 'v1', 'Deployment'))
        for (const [i, spec] of bodies.entries()) {
          const text = JSON.stringify(pod(`p-${i}`, spec as JsonObject))
          expect(outcomeOf(() => read(podSchema, text, interner))).toEqual(outcomeOf(() => read(podSchema, text)))
          const workload = JSON.stringify({
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: `d-${i}` },
            spec: { selector: { matchLabels: { app: 'of-some-length' } }, template: { spec } },
          })
          const schema = deployments.schema
          expect(outcomeOf(() => read(schema, workload, deployments))).toEqual(outcomeOf(() => read(schema, workload)))
        }
      }),
    )
  })
})
