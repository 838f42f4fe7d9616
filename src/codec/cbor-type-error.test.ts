import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { runToEnd } from '../lib/in-turns.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { encodeCbor } from './cbor.ts'
import { cborProblems, cborTypeMetaProblem } from './cbor-type-error.ts'

const schema = typeSchema('core.v1.Pod') as ObjectSchema
const problems = (pod: JsonObject) => runToEnd(cborProblems(encodeCbor(pod), schema))

const container = (more: JsonObject): JsonObject => ({ spec: { containers: [{ name: 'c', ...more }] } })
const limits = (cpu: JsonValue): JsonObject => container({ resources: { limits: { cpu } } })
const probe = (port: JsonValue): JsonObject => container({ livenessProbe: { tcpSocket: { port } } })

// As kube-apiserver v1.33 answers to them.
describe('values of a wrong type', () => {
  it.each<[JsonObject, string]>([
    [{ spec: true }, 'primitives into Go struct field v1.Pod.spec of type v1.PodSpec'],
    [
      { spec: [] },
      'array into Go struct field v1.Pod.spec of type v1.PodSpec (cannot decode CBOR array to struct without toarray option)',
    ],
    [{ spec: { containers: true } }, 'primitives into Go struct field v1.Pod.spec of type []v1.Container'],
    [{ spec: { containers: [{ name: 1 }] } }, 'positive integer into Go struct field v1.Pod.spec of type string'],
    [
      { spec: { containers: [{ name: 'a', ports: [{ containerPort: 'x' }] }] } },
      'byte string into Go struct field v1.Pod.spec of type int32',
    ],
    [
      { spec: { containers: [{ name: 'a', ports: [{ containerPort: 5_000_000_000 }] }] } },
      'positive integer into Go struct field v1.Pod.spec of type int32 (5000000000 overflows int32)',
    ],
    [{ spec: { restartPolicy: -5 } }, 'negative integer into Go struct field v1.Pod.spec of type v1.RestartPolicy'],
    [{ spec: { nodeSelector: [1] } }, 'array into Go struct field v1.Pod.spec of type map[string]string'],
    [{ spec: { nodeSelector: { a: 1 } } }, 'positive integer into Go struct field v1.Pod.spec of type string'],
    [{ spec: { activeDeadlineSeconds: 1.5 } }, 'primitives into Go struct field v1.Pod.spec of type int64'],
    [{ metadata: { creationTimestamp: 5 } }, 'positive integer into Go struct field v1.Pod.metadata of type string'],
    [{ metadata: { creationTimestamp: {} } }, 'map into Go struct field v1.Pod.metadata of type string'],
    [limits(true), 'primitives into Go struct field v1.Pod.spec of type string'],
    [limits([]), 'array into Go struct field v1.Pod.spec of type string'],
    [limits(5), 'positive integer into Go struct field v1.Pod.spec of type string'],
    [probe(true), 'primitives into Go struct field v1.Pod.spec of type int32'],
    [probe([]), 'array into Go struct field v1.Pod.spec of type int32'],
    [
      probe(5_000_000_000),
      'positive integer into Go struct field v1.Pod.spec of type int32 (5000000000 overflows int32)',
    ],
    [{ metadata: { name: 5 } }, 'positive integer into Go struct field v1.Pod.metadata of type string'],
  ])('%j', (pod, expected) => {
    expect(problems(pod).error).toBe(`cbor: cannot unmarshal ${expected}`)
  })
})

// Keys come in the order of their length: `max` before `type`, `time` before `manager`.
describe('values that their type cannot read', () => {
  const limitRange = typeSchema('core.v1.LimitRange') as ObjectSchema
  it.each<[JsonObject, string]>([
    [{ spec: { limits: [{ type: 1, max: { storage: 'a' } }] } }, 'quantities must match the regular expression'],
    [{ spec: { limits: [{ max: { storage: 1 }, default: { storage: 'a' } }] } }, 'cbor: cannot unmarshal positive'],
    [{ metadata: { managedFields: [{ manager: 1, time: 'x' }] } }, 'parsing time "x" as'],
    [{ metadata: { managedFields: [{ time: 1, manager: 'x' }] } }, 'cbor: cannot unmarshal positive'],
    [{ spec: { limits: [{ type: 1, max: { storage: '1' } }] } }, 'cbor: cannot unmarshal positive'],
  ])('%j', (object, expected) => {
    expect(runToEnd(cborProblems(encodeCbor(object), limitRange)).error).toContain(expected)
  })
})

describe('the unknown field that is reported, by its place in its map', () => {
  it.each<[JsonObject, number | undefined]>([
    [{ metadata: { labels: { any: 'x' } } }, undefined],
    [{ foo: 1, spec: {} }, 0],
    [{ spec: { containers: [{ name: 'a' }, { name: 'b', image: 'i', bad: 1 }] } }, 0],
    // Keys come in the order of their length: alsobad before containers.
    [{ spec: { containers: [{ name: 'a', image: 'i', bad: 1 }], alsobad: 2 } }, 0],
    [{ spec: { containers: [{ bad: 1 }], hostname: 'h', unknownUnknown: 2 } }, 2],
  ])('%j', (pod, index) => {
    const unknown = index === undefined ? undefined : `cbor: found unknown field at map element index ${index}`
    expect(problems(pod)).toEqual({ error: undefined, unknown })
  })
})

it.each<[JsonValue, string | undefined]>([
  [{}, undefined],
  [null, undefined],
  [[1], 'array into Go value of type v1.TypeMeta (cannot decode CBOR array to struct without toarray option)'],
  [5, 'positive integer into Go value of type v1.TypeMeta'],
  [true, 'primitives into Go value of type v1.TypeMeta'],
])('%j says what it is only in a map', (value, expected) => {
  const problem = runToEnd(cborTypeMetaProblem(encodeCbor(value)))
  expect(problem).toBe(expected && `cbor: cannot unmarshal ${expected}`)
})
