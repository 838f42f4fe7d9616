import { expect, test } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { customScale, validateScale } from './scale.ts'

const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }

test.each<[JsonObject, string[]]>([
  [{}, []],
  [{ spec: { replicas: 3 }, status: null }, []],
  [{ spec: { replicas: -1 } }, ['.spec.replicas: Invalid value: -1: should be a non-negative integer']],
  [
    { spec: { replicas: 9_007_199_254_740_993n } },
    ['.spec.replicas: Invalid value: 9007199254740993: should be less than or equal to 2147483647'],
  ],
  [
    { status: { replicas: ['a', { b: 1.5 }] } },
    [
      '.status.replicas: Invalid value: 0: .status.replicas accessor error: [a map[b:1.5]] is of the type []interface {}, expected int64',
    ],
  ],
  [
    { spec: 7 },
    [
      '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: 7 is of the type int64, expected map[string]interface{}',
    ],
  ],
])('a scale (%#)', (object, errors) => {
  expect(validateScale(object, scale, 'all').map(({ field, message }) => `${field}: ${message}`)).toEqual(errors)
})

test.each<[JsonObject, JsonObject | string]>([
  [{ spec: { a: 1 } }, { spec: { a: 1, replicas: 3 } }],
  [{}, { spec: { replicas: 3 } }],
  [{ spec: null }, 'value cannot be set because .spec is not a map[string]interface{}'],
])('replicas are set in %j', (object, outcome) => {
  const { withReplicas } = customScale(scale, { prune: (each) => each, complete: (each) => each })
  const set = (): KubeObject => withReplicas(object as KubeObject, 3)
  if (typeof outcome === 'string') expect(set).toThrow(outcome)
  else expect(set()).toEqual(outcome)
})
