import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { runToEnd } from '../lib/in-turns.ts'
import { sortKeys } from '../schema/json-shape.ts'
import { decodeJson, encodeJson, encodePrettyJson, JsonDocument } from './json.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

function decoded(text: string, type = 'core.v1.Pod'): { text: string; strict: readonly string[] } {
  const { object, strict } = decodeJson(bytes(text), typeSchema(type))
  return { text: encodeJson(object), strict }
}

const failure = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    return (error as Error).message
  }
  return 'no error'
}

describe('decodeJson gives the canonical object', () => {
  it.each([
    {
      name: 'fields in wire order, always-written ones filled in',
      type: 'core.v1.Pod',
      given:
        '{"spec":{"containers":[{"image":"x","name":"a"}]},"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}}',
      expected:
        '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","creationTimestamp":null},"spec":{"containers":[{"name":"a","image":"x","resources":{}}]},"status":{}}',
    },
    {
      name: 'keys of maps sorted, nulls in maps and lists as zero',
      type: 'core.v1.ConfigMap',
      given: '{"data":{"b":"1","a":null},"metadata":{"finalizers":[null]}}',
      expected: '{"metadata":{"creationTimestamp":null,"finalizers":[""]},"data":{"a":"","b":"1"}}',
    },
    {
      name: 'zero left out unless it means something',
      type: 'core.v1.PodSpec',
      given: '{"containers":[],"hostNetwork":false,"terminationGracePeriodSeconds":0,"hostname":"","volumes":[]}',
      expected: '{"containers":[],"terminationGracePeriodSeconds":0}',
    },
    {
      name: 'amounts and times in their one form',
      type: 'core.v1.PodStatus',
      given:
        '{"startTime":"2020-01-01T01:00:00+01:00","containerStatuses":[{"allocatedResources":{"cpu":"1000m","memory":1024}}]}',
      expected:
        '{"startTime":"2020-01-01T00:00:00Z","containerStatuses":[{"name":"","state":{},"lastState":{},"ready":false,"restartCount":0,"image":"","imageID":"","allocatedResources":{"cpu":"1","memory":"1024"}}]}',
    },
    {
      name: 'whole numbers beyond 2^53',
      type: 'meta.v1.ObjectMeta',
      given: '{"generation":9223372036854775807}',
      expected: '{"generation":9223372036854775807,"creationTimestamp":null}',
    },
    {
      name: 'the schema inside of a schema',
      type: 'apiextensions.v1.JSONSchemaProps',
      given:
        '{"items":{"type":"string","nonsense":1,"format":"byte"},"additionalProperties":false,"default":{"b":1,"a":2}}',
      expected: '{"default":{"b":1,"a":2},"items":{"type":"string","format":"byte"},"additionalProperties":false}',
    },
  ])('$name', ({ given, expected, type }) => {
    expect(decoded(given, type).text).toBe(expected)
  })

  it('is the same when decoded again, and then shared', () => {
    const schema = typeSchema('core.v1.Pod')
    const { object } = decodeJson(bytes('{"spec":{"hostIPC":true,"containers":[{"name":"a"}]},"metadata":{}}'), schema)
    expect(encodeJson(decodeJson(bytes(encodeJson(object)), schema).object)).toBe(encodeJson(object))
  })
})

describe('decodeJson reports', () => {
  it.each([
    ['{"spec":{"foo":1},"bar":{}}', ['unknown field "spec.foo"', 'unknown field "bar"']],
    ['{"spec":{"hostIPC":true,"hostIPC":false}}', ['duplicate field "spec.hostIPC"']],
    [
      '{"spec":{"containers":[{"x":1,"name":"a","name":"b"}]}}',
      ['unknown field "spec.containers[0].x"', 'duplicate field "spec.containers[0].name"'],
    ],
    ['{"metadata":{"labels":{"a":"1","a":"2"}}}', ['duplicate field "metadata.labels.a"']],
    ['{"__proto__":{"x":1}}', ['unknown field "__proto__"']],
    ['{"Spec":{}}', ['unknown field "Spec"']],
  ])('%s', (text, strict) => {
    expect(decoded(text).strict).toEqual(strict)
  })
})

describe('decodeJson refuses', () => {
  it.each([
    ['{"spec":"x"}', 'core.v1.Pod', 'json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec'],
    [
      '{"spec":{"containers":{}}}',
      'core.v1.Pod',
      'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      '{"spec":{"containers":["x"]}}',
      'core.v1.Pod',
      'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container',
    ],
    [
      '{"spec":{"restartPolicy":1}}',
      'core.v1.Pod',
      'json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy',
    ],
    [
      '{"spec":{"terminationGracePeriodSeconds":1.5}}',
      'core.v1.Pod',
      'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    ],
    [
      '{"spec":{"terminationGracePeriodSeconds":1.0}}',
      'core.v1.Pod',
      'json: cannot unmarshal number 1.0 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    ],
    [
      '{"data":{"a":1}}',
      'core.v1.ConfigMap',
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      '{"data":[]}',
      'core.v1.ConfigMap',
      'json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      '{"spec":{"capacity":1}}',
      'core.v1.PersistentVolume',
      'json: cannot unmarshal number into Go struct field PersistentVolumeSpec.spec.capacity of type v1.ResourceList',
    ],
    ['{"data":{"a":"YQ"}}', 'core.v1.Secret', 'illegal base64 data at input byte 0'],
    [
      '{"data":{"a":5}}',
      'core.v1.Secret',
      'json: cannot unmarshal number into Go struct field Secret.data of type []uint8',
    ],
    [
      '{"spec":{"ports":[{"targetPort":{}}]}}',
      'core.v1.Service',
      'json: cannot unmarshal object into Go struct field ServicePort.spec.ports.targetPort of type int32',
    ],
    [
      '{"metadata":{"creationTimestamp":"x"}}',
      'core.v1.Pod',
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    ['[]', 'core.v1.Pod', 'json: cannot unmarshal array into Go value of type v1.Pod'],
  ])('%s', (text, type, message) => {
    expect(failure(() => decoded(text, type))).toBe(message)
  })

  it('names the first wrong type in the order of the text, and a refused value before any', () => {
    const first = '{"spec":{"hostIPC":1},"metadata":{"name":2}}'
    expect(failure(() => decoded(first))).toContain('PodSpec.spec.hostIPC')
    const refused = '{"spec":{"hostIPC":1,"overhead":{"cpu":"lots"}}}'
    expect(failure(() => decoded(refused))).toContain('quantities must match')
  })
})

describe('text that is not JSON', () => {
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['tru', "invalid character ' ' in literal true (expecting 'e')"],
    ['[f', "invalid character ' ' in literal false (expecting 'a')"],
    ['-', "invalid character ' ' in numeric literal"],
    ['[0.', "invalid character ' ' after decimal point in numeric literal"],
    ['[1e+', "invalid character ' ' in exponent of numeric literal"],
    ['"\\', "invalid character ' ' in string escape code"],
    ['"\\u00', "invalid character ' ' in \\u hexadecimal character escape"],
    ['"a', 'unexpected end of JSON input'],
    ['[1', 'unexpected end of JSON input'],
    ['{bad', "invalid character 'b' looking for beginning of object key string"],
    ['not json', "invalid character 'o' in literal null (expecting 'u')"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 2}', "invalid character '2' after object key:value pair"],
    ['1 2', "invalid character '2' after top-level value"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"\u0001"', "invalid character '\\x01' in string literal"],
    ['\u0000', "invalid character '\\x00' looking for beginning of value"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['['.repeat(10_001), "invalid character '[' exceeded max depth"],
    ['['.repeat(1_001) + ']'.repeat(1_001), 'exceeded max depth of 1000'],
    ['['.repeat(100_000), "invalid character '[' exceeded max depth"],
  ])('%j', (text, message) => {
    expect(failure(() => new JsonDocument(bytes(text)))).toBe(message)
  })

  it('replaces every byte that is no character, and halves of surrogate pairs', () => {
    const broken = Buffer.concat([bytes('"a'), Uint8Array.of(0xe2, 0x82, 0xff), bytes('b"')])
    expect(new JsonDocument(broken).value()).toBe('a\ufffd\ufffd\ufffdb')
    expect(new JsonDocument(bytes('"\\ud83d\\ude00 \\ud800x"')).value()).toBe('😀 \ufffdx')
  })
})

describe('typeMeta', () => {
  it.each([
    ['{"apiVersion":"v1","kind":"Pod"}', { apiVersion: 'v1', kind: 'Pod' }],
    ['{"APIVERSION":"v1","kind":"Pod"}', { apiVersion: 'v1', kind: 'Pod' }],
    ['{}', { apiVersion: '', kind: '' }],
    ['null', { apiVersion: '', kind: '' }],
  ])('%s', (text, expected) => {
    expect(new JsonDocument(bytes(text)).typeMeta()).toEqual(expected)
  })

  it.each([
    [
      '[]',
      'json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    ],
    ['{"kind":{}}', 'json: cannot unmarshal object into Go struct field .kind of type string'],
    ['{"apiVersion":1}', 'json: cannot unmarshal number into Go struct field .apiVersion of type string'],
  ])('refuses %s', (text, message) => {
    expect(failure(() => new JsonDocument(bytes(text)).typeMeta())).toBe(message)
  })
})

describe('JSON without a type', () => {
  it('finds duplicates', () => {
    const document = new JsonDocument(bytes('{"spec":{"a":1,"a":2,"l":[{"x":1,"x":1}]},"s":":"}'))
    expect(document.duplicates()).toEqual(['duplicate field "spec.a"', 'duplicate field "spec.l[0].x"'])
    expect(new JsonDocument(bytes('{"a":":","b":{"c":"\\":"}}')).duplicates()).toEqual([])
  })

  it('reads what JSON.parse reads, and writes it back', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = new JsonDocument(bytes(text)).value()
        expect(JSON.parse(encodeJson(value))).toEqual(JSON.parse(text))
      }),
    )
  })

  it('keeps __proto__ as a key', () => {
    const value = new JsonDocument(bytes('{"__proto__":{"a":1.0}}')).value() as JsonObject
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(encodeJson(value)).toBe('{"__proto__":{"a":1}}')
  })
})

describe('encoding', () => {
  it('escapes as Go does', () => {
    expect(encodeJson({ a: '<b>&\u2028' })).toBe('{"a":"\\u003cb\\u003e\\u0026\\u2028"}')
  })

  it('writes whole numbers beyond 2^53', () => {
    const value: JsonValue = { a: [2n ** 60n, 1], b: '\u00000\u0000' }
    expect(encodeJson(value)).toBe('{"a":[1152921504606846976,1],"b":"\\u00000\\u0000"}')
    expect(encodePrettyJson({ a: 2n ** 60n })).toBe('{\n  "a": 1152921504606846976\n}')
  })

  it('sorts the keys of custom objects at every level', () => {
    expect(encodeJson(sortKeys({ b: [{ d: 1, c: 2 }], a: 1 }))).toBe('{"a":1,"b":[{"c":2,"d":1}]}')
  })
})

it('refuses a number that no double holds, where JSON has no type', () => {
  const document = new JsonDocument(Buffer.from('{"a":[{"b":1e400}]}'))
  expect(() => document.value()).toThrow('json: cannot unmarshal number 1e400 into Go value of type float64')
})

describe('a body of very many keys', () => {
  const members = (count: number, member: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => member(i)).join(',')
  const count = 20_500
  const schema = typeSchema('core.v1.ConfigMap')
  const deep = `${'['.repeat(1200)}${']'.repeat(1200)}`
  const outcome = (act: () => unknown): unknown => {
    try {
      return act()
    } catch (error) {
      return (error as Error).message
    }
  }

  it.each([
    ['keys in any order', `{"data":{${members(count, (i) => `"k${(i * 7919) % count}":"${i}"`)}}}`],
    ['repeated keys, nulls', `{"data":{${members(count, (i) => `"k${i % 20_000}":${i % 3 === 0 ? 'null' : '"v"'}`)}}}`],
    ['unknown fields', `{${members(count, (i) => `"u${i}":${i}`)},"data":{"__proto__":"x"}}`],
    ['a value of another type', `{"data":{${members(count, (i) => `"k${count - i}":${i === 9 ? 1 : '"v"'}`)}}}`],
    ['no end', `{"data":{${members(count, (i) => `"k${i}":"v"`)}`],
    ['too many levels', `{"data":{${members(count, (i) => `"k${i}":"v"`)}},"a":${deep}}`],
  ])('is decoded in steps as it is at once: %s', (_, text) => {
    const inSteps = (): JsonDocument => runToEnd(JsonDocument.inSteps(bytes(text)))
    const typed = ({ object, strict }: { object: JsonObject; strict: readonly string[] }) => [
      encodeJson(object),
      strict,
    ]
    expect(outcome(() => typed(runToEnd(inSteps().decodeInSteps(schema))))).toEqual(
      outcome(() => typed(decodeJson(bytes(text), schema))),
    )
    const plain = (document: JsonDocument) => [encodeJson(sortKeys(document.value())), document.duplicates()]
    expect(outcome(() => plain(inSteps()))).toEqual(outcome(() => plain(new JsonDocument(bytes(text)))))
  })
})
