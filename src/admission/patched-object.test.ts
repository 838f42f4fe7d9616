/** What patches of webhooks and policies made of an object, read and brought back into the version of the write. */
import { afterEach, describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../api/admission.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { customResource } from '../extensions/custom/custom-resource.ts'
import {
  openTestRegistry,
  settledOutcomeOf,
  testCustomDefinition,
  testDefinition,
} from '../registry/testing/test-registry.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import { admittedEquality, objectDecoder, versionRestorer } from './patched-object.ts'
import { testRequest } from './testing/test-cluster.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function serving() {
  const store = openMemoryStore()
  const { registries, reflector } = await openTestRegistry({ store, builtInDefinitions })
  closing.push(
    () => store.close(),
    () => reflector.close(),
  )
  registries.add(testDefinition(builtInDefinitions, { resource: 'horizontalpodautoscalers', versions: ['v1', 'v2'] }))
  registries.add(testCustomDefinition(customResource))
  return () => registries
}

function request(apiVersion: string, kind: string, resource: string, subresource = ''): AdmissionRequest {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return testRequest({ resource: { group, version, resource }, kind: { group, version, kind }, subresource })
}

const configMaps = request('v1', 'ConfigMap', 'configmaps')
const things = request('example.com/v1', 'Thing', 'things')
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }
const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'x' } }
const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'x' }, spec: { replicas: 2 } }

describe('what a patch made', () => {
  it.each<[string, AdmissionRequest, JsonObject, JsonObject, unknown]>([
    ['is of the type', configMaps, { ...configMap, data: { a: 'b' } }, configMap, { ...configMap, data: { a: 'b' } }],
    ['has the type of what was sent', configMaps, { metadata: { name: 'x' } }, configMap, configMap],
    ['has fields of the type only', configMaps, { ...configMap, other: 1 }, configMap, configMap],
    [
      'has fields of the right types',
      configMaps,
      { ...configMap, data: { a: 1 } },
      configMap,
      expect.stringContaining('cannot unmarshal number into Go struct field'),
    ],
    [
      'says what it is in text',
      configMaps,
      { ...configMap, kind: 1 },
      configMap,
      expect.stringMatching(/^Error couldn't get version\/kind; json parse error: json: cannot unmarshal number/),
    ],
    ['is a custom object', things, { ...thing, spec: { size: 2 } }, thing, { ...thing, spec: { size: 2 } }],
    [
      'is a custom object of no kind',
      things,
      { metadata: { name: 'x' } },
      thing,
      `Error Object 'Kind' is missing in '{"metadata":{"name":"x"}}'`,
    ],
    ['is the scale of a custom object', request('example.com/v1', 'Scale', 'things', 'scale'), scale, scale, scale],
    [
      'is of a kind that is not served',
      request('v1', 'Binding', 'bindings'),
      { ...configMap, kind: 'Binding', target: { name: 'n' } },
      { ...configMap, kind: 'Binding' },
      { kind: 'Binding', target: { name: 'n' } },
    ],
  ])('%s', async (_, asked, made, sent, expected) => {
    const registries = await serving()
    const found = await settledOutcomeOf(() => objectDecoder(registries)(asked, made, sent))
    if (typeof found === 'string') expect(found).toEqual(expected)
    else expect(JSON.parse(JSON.stringify(found))).toMatchObject(expected as object)
    expect(found).not.toHaveProperty('other')
  })
})

it.each([
  [33, { creationTimestamp: null }],
  [34, {}],
])('what is not stored is of the type of the release: %s', async (release, metadata) => {
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec: {} }
  const asked = request(review.apiVersion, review.kind, 'subjectaccessreviews')
  const found = await objectDecoder(await serving(), release)(asked, review, review)
  expect(found.metadata).toEqual(metadata)
})

describe('what is brought back', () => {
  const autoscalers = request('autoscaling/v1', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers')
  const autoscaler = { ...thing, kind: 'HorizontalPodAutoscaler', spec: { maxReplicas: 2, scaleTargetRef: {} } }
  it.each<[string, AdmissionRequest, JsonObject, string]>([
    ['is in the version of the store', autoscalers, { ...autoscaler, apiVersion: 'autoscaling/v1' }, 'autoscaling/v2'],
    ['is in the version of the request', things, { ...thing, apiVersion: 'example.com/v2' }, 'example.com/v1'],
    [
      'is as it was, where it is not served',
      request('x/v1', 'Other', 'others'),
      { ...thing, apiVersion: 'x/v2' },
      'x/v2',
    ],
  ])('%s', async (_, asked, made, expected) => {
    const restore = versionRestorer(await serving())
    expect((await restore(asked, made as KubeObject, undefined)).apiVersion).toBe(expected)
  })
})

describe('an object that a patch left', () => {
  const pods = request('v1', 'Pod', 'pods')
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } }
  const scaleOf = (resource: AdmissionRequest) => ({ ...resource, subresource: 'scale' })
  it.each<[string, AdmissionRequest, JsonObject, JsonObject, boolean]>([
    ['with an empty list', pods, { ...pod, spec: { tolerations: [] } }, { ...pod, spec: {} }, true],
    ['with an empty map', configMaps, { ...configMap, data: {} }, configMap, true],
    ['with empty lists of metadata', pods, { ...pod, metadata: { name: 'x', finalizers: [] } }, pod, true],
    ['with a struct of nothing', pods, { ...pod, spec: { affinity: {} } }, { ...pod, spec: {} }, false],
    ['with a null', configMaps, { ...configMap, data: null }, configMap, true],
    ['with another value', configMaps, { ...configMap, data: { a: 'b' } }, { ...configMap, data: { a: 'c' } }, false],
    ['with an item', pods, { ...pod, spec: { tolerations: [{}] } }, { ...pod, spec: {} }, false],
    ['custom, with an empty list', things, { ...thing, spec: { list: [] } }, { ...thing, spec: {} }, false],
    ['custom, with an empty map', things, { ...thing, spec: { map: {} } }, { ...thing, spec: {} }, false],
    ['custom, in another order', things, { ...thing, a: 1, b: 2 }, { ...thing, b: 2, a: 1 }, true],
    ['a scale of a custom one', scaleOf(things), { ...scale, metadata: { name: 'x', labels: {} } }, scale, true],
  ])('%s is the same or not', async (_, asked, a, b, expected) => {
    const registries = await serving()
    for (const resource of ['configmaps', 'pods']) {
      if (registries().get('', resource) === undefined)
        registries().add(testDefinition(builtInDefinitions, { resource }))
    }
    const decode = objectDecoder(registries)
    const equal = admittedEquality(registries)
    const [left, right] = [await decode(asked, a, b), await decode(asked, b, b)]
    expect([await equal(asked, left, right), await equal(asked, right, left)]).toEqual([expected, expected])
    expect([await equal(asked, undefined, right), await equal(asked, undefined, undefined)]).toEqual([false, true])
  })
})
