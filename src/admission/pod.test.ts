/** Which secrets and config maps a pod refers to, and copies of pods with changes. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import type { PodSpec } from '../catalog/types/core-v1.ts'
import { containersOf, mapContainers, referencedNames, withSpec } from './pod.ts'

const names = (spec: JsonObject, kind: 'secret' | 'configMap'): string[] => [
  ...referencedNames(spec as unknown as PodSpec, kind),
]
const volume = (source: JsonObject): JsonObject => ({ volumes: [{ name: 'v', ...source }] })

describe('a pod refers to', () => {
  it.each<[string, JsonObject, string[], string[]]>([
    ['nothing', {}, [], []],
    ['pull secrets', { imagePullSecrets: [{ name: 'a' }, {}] }, ['a', ''], []],
    [
      'all of one for variables',
      { containers: [{ envFrom: [{ secretRef: { name: 'a' } }, { configMapRef: { name: 'b' } }] }] },
      ['a'],
      ['b'],
    ],
    [
      'parts of one for variables',
      {
        initContainers: [{ env: [{ name: 'X', value: 'x' }, { valueFrom: { secretKeyRef: { name: 'a' } } }] }],
        ephemeralContainers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 'b' } } }] }],
      },
      ['a'],
      ['b'],
    ],
    ['one without a name', { containers: [{ envFrom: [{ secretRef: {} }] }] }, [''], []],
    ['a volume of a secret', volume({ secret: { secretName: 'a' } }), ['a'], []],
    ['a volume of a secret without a name', volume({ secret: {} }), [''], []],
    ['a volume of a config map', volume({ configMap: { name: 'a' } }), [], ['a']],
    [
      'parts of a projected volume',
      volume({
        projected: { sources: [{ secret: { name: 'a' } }, { configMap: { name: 'b' } }, { downwardAPI: {} }] },
      }),
      ['a'],
      ['b'],
    ],
    ['a share', volume({ azureFile: { secretName: 'a' } }), ['a'], []],
    ['storage', volume({ csi: { nodePublishSecretRef: { name: 'a' } } }), ['a'], []],
    ['storage of old', volume({ cephfs: { secretRef: { name: 'a' } } }), ['a'], []],
    ['storage without a secret', volume({ rbd: {} }), [], []],
  ])('%s', (_, spec, secrets, configMaps) => {
    expect([names(spec, 'secret'), names(spec, 'configMap')]).toEqual([secrets, configMaps])
  })
})

it('containers come in their order, with their places', () => {
  const spec = { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'i' }] } as unknown as PodSpec
  expect([...containersOf(spec)].map(({ container, list, index }) => `${container.name} ${list} ${index}`)).toEqual([
    'i initContainers 0',
    'a containers 0',
    'b containers 1',
  ])
})

it('containers of some lists are changed in a copy, and lists that are not there stay so', () => {
  const spec = { containers: [{ name: 'a' }], initContainers: null, ephemeralContainers: [{ name: 'e' }] } as never
  const changed = mapContainers(spec, ['containers', 'initContainers'], (container) => ({ ...container, image: 'x' }))
  expect(changed).toEqual({
    containers: [{ name: 'a', image: 'x' }],
    initContainers: null,
    ephemeralContainers: [{ name: 'e' }],
  })
  expect(spec).toEqual({ containers: [{ name: 'a' }], initContainers: null, ephemeralContainers: [{ name: 'e' }] })
})

it('parts of a spec are replaced in a copy', () => {
  const pod = { metadata: { name: 'p' }, spec: { containers: [], nodeName: 'n' } } as never
  expect(withSpec(pod, { nodeName: 'm' })).toEqual({ metadata: { name: 'p' }, spec: { containers: [], nodeName: 'm' } })
  expect(pod).toMatchObject({ spec: { nodeName: 'n' } })
})
