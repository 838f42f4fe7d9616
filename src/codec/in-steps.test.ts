/** Whatever is done to a large value in steps comes out as it does in one go. */
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { compareTexts, keysOf, listKeys } from '../api/key-lists.ts'
import { deferValue, isHeavy, sortInSteps } from '../api/large-values.ts'
import { schemaForKind } from '../catalog/catalog.ts'
import { runToEnd } from '../lib/in-turns.ts'
import { canonicalForm, canonicalFormInSteps, decodeValue, decodeValueInSteps } from '../schema/canonicalize.ts'
import { sortKeys } from '../schema/json-shape.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { cborArrayHead, decodeCbor, decodeCborBody, decodeCborBodyInSteps, encodeCbor } from './cbor.ts'
import { cborObjectProblem, cborProblems } from './cbor-type-error.ts'
import { encodeJson, encodePrettyJson, JsonDocument } from './json.ts'
import { encodeJsonInSteps, encodePrettyJsonInSteps } from './json-in-steps.ts'
import {
  decodeEnvelope,
  decodeMessage,
  decodeMessageInSteps,
  encodeProtobuf,
  encodeProtobufInSteps,
} from './protobuf.ts'
import { decodeYaml } from './yaml.ts'

const schemaOf = (version: string, kind: string): ObjectSchema => {
  const schema = schemaForKind({ group: '', version, kind })
  if (schema === undefined) throw new Error(`no schema of ${kind}`)
  return schema
}

const count = 3_000
const many = <T>(item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i))
const mapOf = (value: (i: number) => JsonValue, key = (i: number) => `k${(i * 7919) % count}`): JsonObject =>
  Object.fromEntries(many((i) => [key(i), value(i)]))

const configMap = (fields: JsonObject): JsonObject => ({ kind: 'ConfigMap', apiVersion: 'v1', ...fields })
const pod = (spec: JsonObject): JsonObject => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, spec })
const container = (i: number): JsonObject => ({ image: '<&>', name: `c${i}`, ports: [], env: null })

const values: Readonly<Record<string, readonly [kind: string, value: JsonObject]>> = {
  'a map with unsorted keys': ['ConfigMap', configMap({ metadata: { name: 'a' }, data: mapOf((i) => `v${i}<>&`) })],
  'keys that are indexes': [
    'ConfigMap',
    configMap({
      data: mapOf(
        (i) => `${i}`,
        (i) => `${count - i}`,
      ),
    }),
  ],
  'strange keys': ['ConfigMap', configMap({ data: { ...mapOf(() => ''), 'ü\u2028': 'x', ['__proto__']: 'y' } })],
  'labels and empty members': [
    'ConfigMap',
    configMap({ metadata: { name: 'a', labels: mapOf(() => 'v') }, binaryData: {} }),
  ],
  'a list of objects out of order': ['Pod', pod({ restartPolicy: 'Never', containers: many(container) })],
  'a heavy member of a list': [
    'Pod',
    pod({ containers: [{ name: 'a', env: many((i) => ({ value: `${i}`, name: `E${i}` })) }, container(1)] }),
  ],
  'quantities that are not canonical': [
    'Pod',
    pod({ containers: [{ name: 'a', resources: { limits: mapOf((i) => `${i}.5`) } }] }),
  ],
  'unknown and wrong fields': ['Pod', pod({ containers: many(container), nothing: mapOf(() => 1) })],
  'a wrong type deep inside': ['Pod', pod({ containers: [...many(container), { name: 7 }] })],
}

describe.each(Object.entries(values))('%s', (_, [kind, value]) => {
  const schema = schemaOf('v1', kind)
  const decoded = decodeValue(value, schema)

  it('is heavy', () => {
    expect(isHeavy(value)).toBe(true)
  })

  it('is decoded', () => {
    expect(runToEnd(decodeValueInSteps(value, schema))).toEqual(decoded)
    const document = new JsonDocument(Buffer.from(JSON.stringify(value)))
    const inOneGo = attempt(() => document.decode(schema))
    expect(attempt(() => runToEnd(document.decodeInSteps(schema)))).toEqual(inOneGo)
    const stepped = attempt(() => {
      const inSteps = runToEnd(JsonDocument.inSteps(Buffer.from(JSON.stringify(value))))
      return runToEnd(inSteps.decodeInSteps(schema))
    })
    expect(stepped).toEqual(inOneGo)
  })

  it('goes in steps of bounded size', () => {
    const steps: Iterator<unknown, unknown>[] = [
      decodeValueInSteps(value, schema),
      encodeJsonInSteps(value),
      encodePrettyJsonInSteps(value),
    ]
    if (decoded.error === undefined) {
      const canonical = canonicalForm(decoded.object, schema).object
      steps.push(canonicalFormInSteps(decoded.object, schema), encodeProtobufInSteps(canonical, schema))
    }
    for (const each of steps) expect(countSteps(each)).toBeGreaterThanOrEqual(count / 1_000)
  })

  it('is written as JSON', () => {
    expect(runToEnd(encodeJsonInSteps(value)) === encodeJson(value)).toBe(true)
    expect(runToEnd(encodeJsonInSteps(value, true)) === encodeJson(sortKeys(value))).toBe(true)
    expect(runToEnd(encodePrettyJsonInSteps(value)) === encodePrettyJson(value)).toBe(true)
  })

  it.runIf(decoded.error === undefined)('is written in canonical form and as Protobuf', () => {
    const object = decoded.error === undefined ? decoded.object : {}
    const canonical = canonicalForm(object, schema)
    const stepped = runToEnd(canonicalFormInSteps(object, schema))
    expect(encodeJson(stepped.object)).toBe(encodeJson(canonical.object))
    expect(stepped.losesEmpties).toBe(canonical.losesEmpties)
    const bytes = encodeProtobuf(canonical.object, schema)
    expect(runToEnd(encodeProtobufInSteps(stepped.object, schema)).equals(bytes)).toBe(true)
    const { raw, ...type } = decodeEnvelope(bytes)
    const inOneGo = decodeMessage(raw, schema, type)
    expect(encodeJson(runToEnd(decodeMessageInSteps(raw, schema, type)))).toBe(encodeJson(inOneGo))
    expect(countSteps(decodeMessageInSteps(raw, schema, type))).toBeGreaterThanOrEqual(raw.length / 50_000)
  })

  it('shares its parts with an object that it changes', () => {
    if (decoded.error !== undefined) return
    const baseline = canonicalForm(decoded.object, schema).object
    const changed = { ...baseline, metadata: { name: 'b' } }
    const stepped = runToEnd(canonicalFormInSteps(changed, schema, { baseline }))
    expect(encodeJson(stepped.object)).toBe(encodeJson(canonicalForm(changed, schema, { baseline }).object))
  })
})

function countSteps(steps: Iterator<unknown, unknown>): number {
  let count = 0
  while (steps.next().done !== true) count++
  return count
}

const attempt = (decode: () => unknown): unknown => {
  try {
    return decode()
  } catch (error) {
    return (error as Error).message
  }
}

it('reads a line of JSON with many keys as the YAML that it is', () => {
  const wide = Object.fromEntries(Array.from({ length: 21_000 }, (_, i) => [`k${i}`, i % 3 === 0 ? [i] : 'v']))
  expect(decodeYaml(Buffer.from(JSON.stringify(wide))).value).toEqual(wide)
  const duplicate = `${JSON.stringify(wide).slice(0, -1)},"k1":"again"}`
  expect(decodeYaml(Buffer.from(duplicate)).duplicates).toEqual(['line 1: key "k1" already set in map'])
})

it('writes CBOR of listed and of unlisted maps alike', () => {
  const map = mapOf((i) => i)
  const listed = listKeys({ ...map }, Object.keys(map))
  expect(encodeCbor(listed).equals(encodeCbor(map))).toBe(true)
  expect(decodeCbor(encodeCbor(listed))).toEqual(map)
})

describe('CBOR in steps', () => {
  /** Arrays of arrays: one may have a thousand items. */
  const nested = (item: Buffer): Buffer => {
    const inner = Buffer.concat([cborArrayHead(1000), ...Array<Buffer>(1000).fill(item)])
    return Buffer.concat([cborArrayHead(10), ...Array<Buffer>(10).fill(inner)])
  }
  const prefixed = (...items: Buffer[]): Buffer => Buffer.concat([Buffer.from([0xd9, 0xd9, 0xf7]), ...items])
  const bodies: Readonly<Record<string, Buffer>> = {
    numbers: prefixed(nested(Buffer.from([7]))),
    'empty lists': prefixed(nested(Buffer.from([0x80]))),
    maps: prefixed(nested(Buffer.from([0xa1, 0x41, 0x61, 1]))),
    'maps up to a break': prefixed(nested(Buffer.from([0xbf, 0x41, 0x61, 1, 0xff]))),
    'a string in pieces': prefixed(Buffer.from([0x5f]), Buffer.alloc(count * 4, 'Ax'), Buffer.from([0xff])),
    'a text in pieces, as a key': prefixed(
      Buffer.from([0xa1, 0x7f]),
      Buffer.alloc(count * 4, 'ax'),
      Buffer.from([0xff, 1]),
    ),
    'a tag of each': prefixed(nested(Buffer.from([0xd6, 0x41, 0x61]))),
  }

  it.each(Object.entries(bodies))('%s', (_, bytes) => {
    expect(countSteps(decodeCborBodyInSteps(bytes))).toBeGreaterThanOrEqual(10)
    expect(runToEnd(decodeCborBodyInSteps(bytes))).toEqual(decodeCborBody(bytes))
    expect(countSteps(cborObjectProblem(bytes))).toBeGreaterThanOrEqual(bytes[3] === 0xa1 ? 0 : 10)
  })

  it('what is wrong with a body is found in steps', () => {
    const wrong = encodeCbor({ metadata: { finalizers: many((i) => i) } })
    const schema = schemaOf('v1', 'ConfigMap')
    expect(countSteps(cborProblems(wrong, schema))).toBeGreaterThanOrEqual(count / 1_000)
    expect(runToEnd(cborProblems(wrong, schema)).error).toContain('cannot unmarshal positive integer')
  })
})

it('reads a definition from Protobuf in steps as in one go', () => {
  const schema = schemaForKind({ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' })
  if (schema === undefined) throw new Error('no schema of definitions')
  const properties = mapOf((i) =>
    i % 2 === 0 ? { type: 'string', default: i } : { type: 'array', items: { type: 'object' } },
  )
  const deep = { type: 'object', additionalProperties: { type: 'array', items: { type: 'object', properties } } }
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'a' },
    spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object', properties: { spec: deep } } } }] },
  }
  const { raw, ...type } = decodeEnvelope(encodeProtobuf(definition, schema))
  const steps = decodeMessageInSteps(raw, schema, type)
  expect(countSteps(steps)).toBeGreaterThanOrEqual(raw.length / 50_000)
  const stepped = encodeJson(runToEnd(decodeMessageInSteps(raw, schema, type)))
  expect(stepped === encodeJson(decodeMessage(raw, schema, type))).toBe(true)
})

it('lists keys only where the engine has them in that order', () => {
  const map = mapOf(
    () => 1,
    (i) => `${i}`,
  )
  expect(keysOf(listKeys(map, Object.keys(map).reverse()))).toEqual(Object.keys(map))
})

it('sorts stably', () => {
  const list = many((i) => ({ key: `${(i * 31) % 100}`, i }))
  const compare = (a: { key: string }, b: { key: string }): number => compareTexts(a.key, b.key)
  expect(runToEnd(sortInSteps([...list], compare))).toEqual([...list].sort(compare))
})

describe('a value that is made when it is first looked into', () => {
  it.each([
    ['indented', (value: JsonValue) => encodePrettyJsonInSteps(value), (value: JsonValue) => encodePrettyJson(value)],
    ['sorted', (value: JsonValue) => encodeJsonInSteps(value, true), (value: JsonValue) => encodeJson(sortKeys(value))],
  ] as const)('is made in steps before it is written: %s', (_, inSteps, inOneGo) => {
    const late: JsonObject = {}
    let steps = 0
    deferValue(late, function* () {
      for (let i = 0; i < count; i++) {
        yield
        steps++
        late[`k${i}`] = i
      }
    })
    const text = runToEnd(inSteps({ light: [{ late }], heavy: many((i) => i) }))
    expect(steps).toBe(count)
    expect(text).toBe(inOneGo({ light: [{ late }], heavy: many((i) => i) }))
  })
})
