import { expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { typeSchema } from '../../catalog/catalog.ts'
import { atomicPaths } from './atomic-paths.ts'

it.each<[string, JsonObject, string[]]>([
  ['scalars', { hostNetwork: true }, []],
  ['lists with keys', { containers: [{ name: 'c', image: 'i', env: [{ name: 'E', value: 'v' }] }] }, []],
  ['a list in one piece', { tolerations: [{ key: 'a' }] }, ['.tolerations']],
  ['a map in one piece', { nodeSelector: { a: 'b' } }, ['.nodeSelector']],
  ['below a list', { containers: [{ name: 'c', command: ['x'] }] }, ['.containers[0].command']],
  ['a reference', { imagePullSecrets: [{ name: 's' }] }, ['.imagePullSecrets[0]']],
])('finds what is kept whole: %s', (_, spec, expected) => {
  expect(atomicPaths(typeSchema('core.v1.PodSpec'), spec)).toEqual(expected)
})

it.each<[string, JsonObject, string[]]>([
  ['an object', { data: { a: { b: 1 } } }, ['.data']],
  ['lists', { data: [[1], { a: 1 }, 2] }, ['.data', '.data[0]', '.data[1]']],
  ['a scalar', { data: 1 }, []],
])('keeps raw values whole: %s', (_, revision, expected) => {
  expect(atomicPaths(typeSchema('apps.v1.ControllerRevision'), revision)).toEqual(expected)
})
