/** What the two models of objects make of the result of a patch. */

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { customResource } from '../../extensions/custom/custom-resource.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import { builtInDefinitions } from '../../resources/definitions.ts'
import { toTree } from '../../schema/json-tree.ts'
import type { ResourceDefinition } from '../resource-definition.ts'
import { outcomeOf, testCustomDefinition, testDefinition } from '../testing/test-registry.ts'
import { noTypeMeta, type PatchedValue, type PatchFormat } from './patch-format.ts'
import { typedPatch } from './typed-patch.ts'
import { unstructuredPatch } from './unstructured-patch.ts'

const configMaps = testDefinition(builtInDefinitions)
const autoscalers = testDefinition(builtInDefinitions, { resource: 'horizontalpodautoscalers', versions: ['v1', 'v2'] })
const things = testCustomDefinition(customResource)

describe.each<[string, boolean]>([
  ['in one go', false],
  ['in steps', true],
])('a patched object that is decoded %s', (_, isLarge) => {
  const current = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { a: 'b' } } as KubeObject
  const patched = (
    format: PatchFormat,
    definition: ResourceDefinition,
    value: JsonObject,
    more: Partial<PatchedValue> = {},
  ) =>
    outcomeOf(() => {
      const target = { definition, version: definition.hub }
      const whole = { value, current, typed: false, shown: () => toTree(value), exact: false, isLarge, ...more }
      return runToEnd(format.decodePatched(target, whole))
    })
  const typed = (value: JsonObject, more: Partial<PatchedValue> = {}) => patched(typedPatch, configMaps, value, more)
  const custom = (value: JsonObject) => patched(unstructuredPatch, things, value)

  it('is of its type, and tells unknown fields in alphabetical order', () => {
    expect(typed({ ...current, y: 1, x: 2 })).toMatchObject({
      object: current,
      strict: ['unknown field "x"', 'unknown field "y"'],
    })
  })

  it('tells no keys of maps where it was merged as an object of its type', () => {
    const slices = testDefinition(builtInDefinitions, { resource: 'resourceslices', versions: ['v1beta1'] })
    const devices = ['m', 'n'].map((model) => ({
      name: 'd',
      basic: { attributes: { [model]: { string: 'a', x: 1 } } },
    }))
    const value = { apiVersion: slices.hub.apiVersion, kind: 'ResourceSlice', metadata: {}, spec: { devices } }
    const at = (i: number, key: string): string => `unknown field "spec.devices[${i}].basic.attributes${key}.x"`
    const strict = (isTyped: boolean) => patched(typedPatch, slices, value as JsonObject, { typed: isTyped })
    expect(strict(false)).toMatchObject({ strict: [at(0, '.m'), at(1, '.n')] })
    expect(strict(true)).toMatchObject({ strict: [at(0, ''), at(1, '')] })
  })

  it('shares what it left alone', () => {
    const result = typed({ ...current, immutable: true }) as { object: JsonObject }
    expect(result.object['data']).toBe(current['data'])
  })

  it('is of the type of the request where it was merged as such, whatever it says', () => {
    expect(typed({ ...current, kind: 'X' }, { typed: true })).toMatchObject({ object: { kind: 'ConfigMap' } })
  })

  it.each<[string, JsonObject]>([
    ['null', { kind: null }],
    ['empty', { kind: '' }],
  ])('is of the kind of the request where its own is %s', (_, fields) => {
    expect(typed({ ...current, ...fields })).toMatchObject({ object: { kind: 'ConfigMap', apiVersion: 'v1' } })
  })

  it('is refused in another version of its kind', () => {
    const { kind } = autoscalers.hub
    const value = { apiVersion: 'autoscaling/v1', kind, metadata: { name: 'a' } }
    expect(patched(typedPatch, autoscalers, value)).toContain('422  "" is invalid: patch: Invalid value: ')
  })

  it.each([
    ['ConfigMap', undefined],
    ['Pod', 'converting (core.Pod) to (core.ConfigMap): unknown conversion'],
    ['Deployment', 'no kind "Deployment" is registered for the internal version of group ""'],
    ['v1', 'no kind "v1" is registered for the internal version of group ""'],
  ])('without a version is of the group that it is in: %s', (kind, problem) => {
    const { apiVersion: _, ...rest } = current
    const result = typed({ ...rest, kind } as JsonObject)
    if (problem === undefined) expect(result).toHaveProperty('object')
    else expect(JSON.stringify(result)).toContain(JSON.stringify(problem).slice(1, -1))
  })

  it('has no known fields without a version', () => {
    const { apiVersion: _, ...rest } = current
    expect(typed(rest as JsonObject)).toEqual({
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { creationTimestamp: null } },
      strict: ['unknown field "data"', 'unknown field "metadata"'],
    })
  })

  it.each<[string, JsonObject, string]>([
    ['a kind that is no text', { ...current, kind: 3 }, 'json: cannot unmarshal number into Go struct field'],
    ['a version that is no text', { ...current, apiVersion: 3 }, 'json: cannot unmarshal number into Go struct field'],
    ['a version that is none', { ...current, apiVersion: 'a/b/c' }, 'unexpected GroupVersion string: a/b/c'],
    [
      'another kind',
      { apiVersion: 'v1', kind: 'Secret' },
      'converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    ['another kind, which it is no object of', { ...current, kind: 'Secret' }, 'illegal base64 data at input byte 0'],
    ['a kind that is not known, whatever else', { ...current, kind: 'X', data: 3 }, 'no kind "X" is registered for'],
    ['a wrong value', { ...current, data: 3 }, 'patch: Invalid value: '],
  ])('is refused: %s', (_, value, message) => {
    expect(typed(value)).toContain(message)
  })

  it('of a custom type is pruned', () => {
    const value = { kind: 'Thing', apiVersion: 'example.com/v1', metadata: {}, spec: { x: 1 } }
    expect(custom(value)).toMatchObject({ object: { spec: {} }, strict: ['unknown field "spec.x"'] })
  })

  it.each<[string, JsonObject, string]>([
    ['no kind', { apiVersion: 'example.com/v1' }, `Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}'`],
    ['an empty kind', { apiVersion: 'example.com/v1', kind: '' }, `Object 'Kind' is missing in`],
    [
      'no version',
      { kind: 'Thing' },
      "500 Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
    ],
    [
      'no version, after what cannot be read',
      { kind: 'Thing', metadata: { labels: { a: {} } } },
      'json: cannot unmarshal object into Go struct field ObjectMeta.labels of type string',
    ],
    [
      'an empty version',
      { kind: 'Thing', apiVersion: '' },
      "Object 'apiVersion' is missing in 'object has no apiVersion field'",
    ],
    [
      'a kind that is no text',
      { kind: 3, apiVersion: 'example.com/v1' },
      "couldn't get version/kind; json parse error: json: cannot unmarshal number",
    ],
    [
      'metadata that cannot be',
      { kind: 'Thing', apiVersion: 'example.com/v1', metadata: 3 },
      '422  "" is invalid: patch: Invalid value: ',
    ],
  ])('of a custom type is refused: %s', (_, value, message) => {
    expect(custom(value)).toContain(message)
  })

  const applied = (format: PatchFormat, definition: ResourceDefinition, value: JsonObject, config: JsonObject = {}) =>
    outcomeOf(() =>
      runToEnd(format.decodeApplied({ definition, version: definition.hub }, { value, current, config, isLarge })),
    )

  it('by an apply is of its type', () => {
    const result = applied(typedPatch, configMaps, { ...current, immutable: true })
    expect(result).toMatchObject({ ...current, immutable: true })
    expect((result as JsonObject)['data']).toBe(current['data'])
    const config = { metadata: { name: 'n', namespace: 'm' } }
    expect(applied(typedPatch, configMaps, { ...current, data: 3 }, config)).toContain(
      '500 failed to convert new object (m/n; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: ',
    )
    expect(applied(typedPatch, configMaps, { ...current, data: 3 })).toContain('new object (/; /v1')
  })

  it('by an apply wraps integers that are too large, as Go does', () => {
    const { apiVersion, kind } = autoscalers.hub
    const value = { apiVersion, kind, metadata: { name: 'a' }, spec: { maxReplicas: 2 ** 32 + 2 } }
    expect(applied(typedPatch, autoscalers, value)).toMatchObject({ spec: { maxReplicas: 2 } })
  })

  it('by an apply to a custom type keeps nulls', () => {
    const value = { kind: 'Thing', apiVersion: 'example.com/v1', metadata: {}, spec: { size: null, x: 1 } }
    expect(applied(unstructuredPatch, things, value)).toMatchObject({ spec: { size: null } })
  })
})

it('a document has one reason for having no type', () => {
  expect(noTypeMeta({ kind: 'X', apiVersion: 'v1' } as never)).toBe('')
  expect(noTypeMeta({ kind: 3 } as never)).toContain("couldn't get version/kind; json parse error: ")
})

it('the patches that a model takes', () => {
  expect(typedPatch.types).toContain('application/strategic-merge-patch+json')
  expect(unstructuredPatch.types).not.toContain('application/strategic-merge-patch+json')
  expect(Object.keys(unstructuredPatch.inShownOrder({ b: 1, a: 2 }))).toEqual(['a', 'b'])
  expect(Object.keys(typedPatch.inShownOrder({ b: 1, a: 2 }))).toEqual(['b', 'a'])
})
