/** What the two models of objects, typed and unstructured, make of bodies. */

import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { typesOf } from '../../catalog/catalog.ts'
import { JsonDocument } from '../../codec/json.ts'
import { encodeProtobuf } from '../../codec/protobuf.ts'
import { customResource } from '../../extensions/custom/custom-resource.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import { builtInDefinitions } from '../../resources/definitions.ts'
import type { ResourceDefinition } from '../resource-definition.ts'
import { outcomeOf, testCustomDefinition, testDefinition } from '../testing/test-registry.ts'
import type { BodyFormat, Decoded, ExpectedBody } from './body-format.ts'
import { decodeProtobufBody, typedBody } from './typed-body.ts'
import { unstructuredBody } from './unstructured-body.ts'

const configMaps = testDefinition(builtInDefinitions)
const autoscalers = testDefinition(builtInDefinitions, { resource: 'horizontalpodautoscalers', versions: ['v1', 'v2'] })
const things = testCustomDefinition(customResource)

describe.each<[string, boolean]>([
  ['in one go', false],
  ['in steps', true],
])('a body that is decoded %s', (_, isLarge) => {
  const decode = (format: BodyFormat, expected: Partial<ExpectedBody>, text: string): Decoded => {
    const document = new JsonDocument(Buffer.from(text))
    const bytes = Buffer.from(text)
    const whole = { format, ...expected } as ExpectedBody
    return runToEnd(format.decodeDocument(document, { expected: whole, bytes, isLarge, meta: document.typeMeta() }))
  }
  const typed = (text: string, more: Partial<ExpectedBody> = {}) =>
    outcomeOf(() => decode(typedBody, { kind: configMaps.hub, schema: configMaps.hub.schema, ...more }, text))
  const kind = things.hub
  const custom = (text: string) =>
    outcomeOf(() => decode(unstructuredBody, { kind, schema: kind.schema, coerce: kind.coerce }, text))

  it.each<[string, string]>([
    ['all of it', '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"a":"b"}}'],
    ['no kind', '{"apiVersion":"v1","metadata":{"name":"a"},"data":{"a":"b"}}'],
    ['no version', '{"kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"b"}}'],
    ['an empty group', '{"kind":"ConfigMap","apiVersion":"/v1","metadata":{"name":"a"},"data":{"a":"b"}}'],
  ])('is of the type of the request: %s', (_, text) => {
    expect(typed(text)).toMatchObject({
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { a: 'b' } },
      strict: [],
    })
  })

  it.each([['null'], ['{}'], ['{"metadata":null}']])('has metadata: %s', (text) => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { creationTimestamp: null } }
    expect(typed(text)).toMatchObject({ object })
  })

  it('tells unknown and duplicate fields', () => {
    expect(typed('{"x":1,"data":{},"data":{}}')).toMatchObject({
      strict: ['unknown field "x"', 'duplicate field "data"'],
    })
  })

  it.each<[string, string, string]>([
    [
      'a type that is not known',
      '{"kind":"X","apiVersion":"v1"}',
      'no kind "X" is registered for version "v1" in scheme',
    ],
    [
      'a group that is not known',
      '{"kind":"ConfigMap","apiVersion":"x/v1"}',
      'no kind "ConfigMap" is registered for version "x/v1"',
    ],
    [
      'no version at all',
      '{"apiVersion":"a/b/c"}',
      '400 the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})',
    ],
    [
      'another kind',
      '{"kind":"Secret","apiVersion":"v1"}',
      '400 Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      'another kind of another scheme',
      '{"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1","spec":3}',
      '400 APIService in version "v1" cannot be handled as a ConfigMap: no kind "APIService" is registered for version "apiregistration.k8s.io/v1" in scheme "pkg/api/legacyscheme',
    ],
    [
      'a kind of the machinery',
      '{"kind":"Status","apiVersion":"v1"}',
      '400 Status in version "v1" cannot be handled as a ConfigMap: converting (v1.Status) to (core.ConfigMap): unknown conversion',
    ],
    [
      'another kind that is wrong as such',
      '{"kind":"Secret","apiVersion":"v1","data":3}',
      'Secret in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal',
    ],
    [
      'another group than the empty one',
      '{"kind":"ConfigMap","apiVersion":"/v9"}',
      'no kind "ConfigMap" is registered for version "v9"',
    ],
    [
      'another kind without a version',
      '{"kind":"Secret","data":3}',
      'Secret in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal',
    ],
    [
      'a wrong value',
      '{"data":3}',
      '400 ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number',
    ],
  ])('is refused: %s', (_, text, message) => {
    expect(typed(text)).toContain(message)
  })

  it('shows the beginning of what is not recognized', () => {
    const long = `{"apiVersion":"a/b/c","kind":"${'x'.repeat(40)}"}`
    expect(typed(long)).toContain(`(${long.slice(0, 30)} ...)`)
    const short = '{"apiVersion":"a/b/c","x":"y"}'
    expect(short).toHaveLength(30)
    expect(typed(short)).toContain(`(${short})`)
  })

  it('of another version of the kind does not match', () => {
    const expected = { kind: autoscalers.versions[0], schema: autoscalers.versions[0]?.schema } as Partial<ExpectedBody>
    const want = autoscalers.versions[0]?.apiVersion ?? ''
    const got = want.endsWith('v1') ? 'autoscaling/v2' : 'autoscaling/v1'
    const text = (more = '') => `{"kind":"HorizontalPodAutoscaler","apiVersion":"${got}"${more}}`
    const check = (more?: Partial<ExpectedBody>) => {
      const whole = { ...expected, ...more } as ExpectedBody
      return outcomeOf(() => typedBody.checkVersion(typed(text(), whole) as Decoded, whole))
    }
    expect(check()).toBe(`400 the API version in the data (${got}) does not match the expected API version (${want})`)
    expect(check({ otherVersions: [got] })).toBe(undefined)
    expect(typed(text(), { ...expected, otherVersions: [got] })).toMatchObject({ strict: [] })
    // It is read as what it says to be, and words about it name that.
    const cannot = `HorizontalPodAutoscaler in version "${got.slice(-2)}" cannot be handled as a HorizontalPodAutoscaler: `
    expect(typed(text(',"spec":{"maxReplicas":"a"}'), expected)).toContain(
      `400 ${cannot}json: cannot unmarshal string into Go struct field HorizontalPodAutoscalerSpec.spec.maxReplicas`,
    )
    const unknown = typed(text(',"x":1'), expected) as Decoded
    expect(unknown.strict).toEqual(['unknown field "x"'])
    expect(typedBody.refusal(unknown, expected as ExpectedBody, 'why')).toBe(`${cannot}why`)
  })

  it('of a kind that is converted is of another version', () => {
    const replicaSets = testDefinition(builtInDefinitions, { resource: 'replicasets' })
    const expected = { kind: replicaSets.hub, schema: replicaSets.hub.schema }
    const text = '{"kind":"ReplicationController","apiVersion":"v1","spec":{}}'
    expect(typed(text, expected)).toMatchObject({ claimedVersion: 'v1' })
  })

  it('of a custom type is pruned', () => {
    const text =
      '{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"a"},"spec":{"size":1,"x":2},"spec":{"size":1,"x":2}}'
    expect(custom(text)).toMatchObject({
      object: { kind: 'Thing', spec: { size: 1 } },
      strict: ['duplicate field "spec"', 'unknown field "spec.x"'],
    })
    expect(custom('{"kind":"Thing","apiVersion":"example.com/v1"}')).toMatchObject({
      object: { metadata: { creationTimestamp: null } },
    })
  })

  it.each<[string, string, string]>([
    ['no kind', '{"apiVersion":"example.com/v1"}', `Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}'`],
    [
      'null',
      'null',
      "400 the object provided is unrecognized (must be of type Thing): Object 'Kind' is missing in 'null'",
    ],
    ['a kind under another name', '{"Kind":"Thing","apiVersion":"example.com/v1"}', "Object 'Kind' is missing in '{"],
    [
      'no version at all',
      '{"kind":"Thing","apiVersion":"a/b/c"}',
      '400 the object provided is unrecognized (must be of type Thing): unexpected GroupVersion string: a/b/c',
    ],
    [
      'null for a version',
      '{"kind":"Thing","apiVersion":null}',
      '400 Thing in version "" cannot be handled as a Thing: .apiVersion accessor error: <nil> is of the type <nil>, expected string',
    ],
    [
      'metadata that cannot be',
      '{"kind":"Thing","apiVersion":"example.com/v1","metadata":3}',
      '400 Thing in version "v1" cannot be handled as a Thing: ',
    ],
  ])('of a custom type is refused: %s', (_, text, message) => {
    expect(custom(text)).toContain(message)
  })
})

describe('a body that was parsed', () => {
  const parsed = (definition: ResourceDefinition, value: JsonValue): Decoded | string =>
    outcomeOf(() => {
      const { hub, model } = definition
      const expected: ExpectedBody = { kind: hub, schema: hub.schema, format: model.body, coerce: hub.coerce }
      const { apiVersion = '', kind = '' } = (value ?? {}) as { apiVersion?: string; kind?: string }
      const bytes = Buffer.from(JSON.stringify(value))
      return runToEnd(
        model.body.decodeParsed(value, ['a'], { expected, bytes, isLarge: false, meta: { apiVersion, kind } }),
      )
    })

  it.each<[string, ResourceDefinition, JsonValue, unknown]>([
    [
      'of a type',
      configMaps,
      { data: { a: 'b' }, x: 1 },
      { object: { data: { a: 'b' } }, strict: ['unknown field "x"'], yamlDuplicates: ['a'] },
    ],
    ['that is no object', configMaps, 'x', { object: { kind: 'ConfigMap' } }],
    [
      'of a custom type',
      things,
      { kind: 'Thing', apiVersion: 'example.com/v1', x: 1 },
      { strict: ['unknown field "x"'], yamlDuplicates: ['a'] },
    ],
  ])('%s', (_, definition, value, expected) => {
    expect(parsed(definition, value)).toMatchObject(expected as object)
  })

  it.each<[ResourceDefinition, JsonValue, string]>([
    [configMaps, { kind: 'Secret', apiVersion: 'v1' }, 'Secret in version "v1" cannot be handled as a ConfigMap'],
    [configMaps, { data: 3 }, '400 ConfigMap in version "v1" cannot be handled as a ConfigMap: '],
    [things, { apiVersion: 'example.com/v1' }, `Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}'`],
    [
      things,
      { kind: 'Thing', apiVersion: 'a/b/c' },
      'is unrecognized (must be of type Thing): unexpected GroupVersion',
    ],
    [things, null, "Object 'Kind' is missing in 'null'"],
  ])('is refused', (definition, value, message) => {
    expect(parsed(definition, value)).toContain(message)
  })

  it.each([
    ['', ''],
    ['# c', '# c'],
    ['~', '~'],
    ['\xf6', 'null'],
  ])('is shown as it was written where it came to null: %j', (written, shown) => {
    const expected: ExpectedBody = { kind: things.hub, schema: things.hub.schema, format: things.model.body }
    const body = { expected, bytes: Buffer.from(written, 'latin1'), isLarge: false, meta: { apiVersion: '', kind: '' } }
    const told = outcomeOf(() => runToEnd(things.model.body.decodeParsed(null, [], body)))
    expect(told).toContain(`Object 'Kind' is missing in '${shown}'`)
  })

  it('must be of the version of the request, where it is of a custom type', () => {
    const check = (format: BodyFormat, apiVersion: string | undefined) =>
      outcomeOf(() => format.checkVersion({ object: { apiVersion } } as never, { kind: things.hub } as never))
    expect(check(unstructuredBody, 'example.com/v1')).toBeUndefined()
    expect(check(typedBody, 'x')).toBeUndefined()
    expect(check(unstructuredBody, '/v2')).toContain(
      'the API version in the data (v2) does not match the expected API version (example.com/v1)',
    )
    expect(check(unstructuredBody, undefined)).toContain('in the data () does not match')
  })

  it('is refused with the version that it says to be of', () => {
    const refusal = (format: BodyFormat, definition: ResourceDefinition) =>
      format.refusal(
        { object: { apiVersion: 'example.com/v1x', kind: 'Thing' } } as never,
        { kind: definition.hub } as never,
        'why',
      )
    expect(refusal(unstructuredBody, things)).toBe('Thing in version "v1x" cannot be handled as a Thing: why')
    expect(refusal(typedBody, configMaps)).toBe('ConfigMap in version "v1" cannot be handled as a ConfigMap: why')
  })
})

describe('a body in Protobuf', () => {
  const expected = { kind: configMaps.hub, schema: configMaps.hub.schema, format: typedBody } as ExpectedBody
  const read = (bytes: Uint8Array) => outcomeOf(() => runToEnd(decodeProtobufBody(Buffer.from(bytes), expected)))
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { a: 'b' } }

  it('is read by its type', () => {
    expect(read(encodeProtobuf(object as KubeObject, configMaps.hub.schema))).toMatchObject({ object, strict: [] })
  })

  it.each<[string, () => Uint8Array, string]>([
    ['no envelope', () => Buffer.from('xyz'), 'the object provided is unrecognized (must be of type ConfigMap)'],
    ['a long text', () => Buffer.alloc(31, 'x'), `(${'78'.repeat(30)} ...)`],
    ['one that is not long', () => Buffer.alloc(30, 'x'), `(${'78'.repeat(30)})`],
    ['a short one', () => Buffer.from('xyz'), '(78797a)'],
    ['nothing', () => Buffer.alloc(0), '(<empty>)'],
    [
      'another kind',
      () => {
        const schema = typesOf(configMaps.hub.schema).schemaForKind({ group: '', version: 'v1', kind: 'Secret' })
        return encodeProtobuf({ ...object, kind: 'Secret', data: {} } as KubeObject, schema as never)
      },
      'Secret in version "v1" cannot be handled as a ConfigMap',
    ],
  ])('is refused: %s', (_, bytes, message) => {
    expect(read(bytes())).toContain(message)
  })
})
