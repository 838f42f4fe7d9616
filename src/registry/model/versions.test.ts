/** How the two models of objects convert between versions, and what they make of writes. */

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { typesAt } from '../../catalog/catalog.ts'
import { JsonDocument } from '../../codec/json.ts'
import { customResource } from '../../extensions/custom/custom-resource.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import { builtInDefinitions } from '../../resources/definitions.ts'
import { schemaFromOpenApi } from '../../schema/from-openapi.ts'
import type { ObjectSchema } from '../../schema/schema.ts'
import type { ResourceDefinition } from '../resource-definition.ts'
import { outcomeOf, testCustomDefinition, testDefinition } from '../testing/test-registry.ts'
import { typedVersions } from './typed-versions.ts'
import { typedWrites } from './typed-writes.ts'
import { unstructuredWrites } from './unstructured-writes.ts'
import type { OwnableObject } from './write-rules.ts'

const types = typesAt(33)
const configMaps = testDefinition(builtInDefinitions)
const autoscalers = testDefinition(builtInDefinitions, { resource: 'horizontalpodautoscalers', versions: ['v1', 'v2'] })
const things = testCustomDefinition(customResource)

describe('versions of a typed kind', () => {
  const { hub } = autoscalers
  const older = autoscalers.versions.find(({ apiVersion }) => apiVersion !== hub.apiVersion) ?? hub
  const spec = { maxReplicas: 2, scaleTargetRef: { kind: 'K', name: 'n' } }
  const object = { kind: hub.kind, apiVersion: hub.apiVersion, metadata: { name: 'a' }, spec } as KubeObject
  const inOlder = typedVersions.convert(autoscalers, object, older.apiVersion) as KubeObject

  it('convert to and from the hub', () => {
    expect(inOlder.apiVersion).toBe(older.apiVersion)
    expect(typedVersions.convert(autoscalers, object, hub.apiVersion)).toBe(object)
    expect(typedVersions.convert(autoscalers, inOlder, older.apiVersion)).toBe(inOlder)
    expect(typedVersions.convert(autoscalers, object, 'x/v1')).toBe(object)
    expect(typedVersions.convert(autoscalers, inOlder, hub.apiVersion)).toMatchObject({
      apiVersion: hub.apiVersion,
      spec,
    })
    expect(typedVersions.toWorking(autoscalers, hub, object)).toBe(object)
    expect(typedVersions.toWorking(autoscalers, older, inOlder).apiVersion).toBe(hub.apiVersion)
    expect(typedVersions.fromStored(autoscalers, older, object)).toBe(object)
    expect(typedVersions.restoreAdmitted(autoscalers, inOlder, { kind: hub })).toMatchObject({
      apiVersion: hub.apiVersion,
    })
    const scale = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: {} } as KubeObject
    expect(typedVersions.restoreAdmitted(autoscalers, scale, { kind: hub })).toBe(scale)
  })

  it('convert what has another shape', () => {
    const cpu = { kind: hub.kind, apiVersion: older.apiVersion, metadata: {}, spec: { ...spec } } as KubeObject
    cpu['spec'] = { ...spec, targetCPUUtilizationPercentage: 30 }
    const converted = typedVersions.convert(autoscalers, cpu, hub.apiVersion) as KubeObject
    expect(converted['spec']).toMatchObject({
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 30 } } }],
    })
    expect(converted['spec']).not.toHaveProperty('targetCPUUtilizationPercentage')
  })

  it('are stored with the defaults of the hub', () => {
    expect(typedVersions.toStored(autoscalers, object, { version: hub, isAdmitted: false })).toBe(object)
    const stored = typedVersions.toStored(autoscalers, object, { version: older, isAdmitted: false }) as KubeObject
    expect(stored['spec']).toMatchObject({ minReplicas: 1 })
    expect(typedVersions.written(autoscalers)).toBe(hub)
    expect(typedVersions.written({ ...autoscalers, versions: [older] })).toBe(hub)
    expect(typedVersions.all(autoscalers)).toBe(autoscalers.versions)
  })

  it('convert for owners what something was taken out of', () => {
    const between = { from: hub, to: older }
    const bare = { ...object, metadata: undefined } as never
    expect(typedVersions.convertOwned(autoscalers, bare, between)).toMatchObject({ apiVersion: older.apiVersion })
    expect(typedVersions.convertOwned(autoscalers, object, { from: hub, to: hub })).toMatchObject({ spec })
  })

  it('show subresources of the object itself alone', () => {
    expect(typedVersions.partKind(hub, '')).toBe(hub)
    expect(typedVersions.partKind(hub, 'status')).toBe(hub)
    expect(typedVersions.partKind(hub, 'scale')).toBeUndefined()
  })

  const admitted = (
    value: JsonObject,
    sent: JsonObject = object,
    definition: ResourceDefinition | undefined = autoscalers,
  ) => {
    const document = new JsonDocument(Buffer.from(JSON.stringify(value)))
    const type = { apiVersion: String(value['apiVersion'] ?? ''), kind: String(value['kind'] ?? '') }
    return outcomeOf(() =>
      runToEnd(typedVersions.decodeAdmitted(definition, { object: value, document, type, sent, types })),
    )
  }
  const scale = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'a' } }

  it('are read from what admission patched, with defaults', () => {
    expect(admitted(object)).toMatchObject({ apiVersion: hub.apiVersion, spec: { minReplicas: 1 } })
    const { kind: _, apiVersion: __, ...bare } = object
    expect(admitted(bare as JsonObject)).toMatchObject({ kind: hub.kind, apiVersion: hub.apiVersion })
    expect(admitted(scale, scale)).toMatchObject(scale)
    expect(admitted(scale, scale, undefined)).toMatchObject(scale)
  })

  it.each<[string, JsonObject, JsonObject, string]>([
    [
      'another kind',
      scale,
      object,
      '500 converting (v1.Scale) to (autoscaling.HorizontalPodAutoscaler): unknown conversion',
    ],
    [
      'another kind that is wrong as such',
      { ...scale, spec: 3 },
      object,
      'json: cannot unmarshal number into Go struct field',
    ],
    ['a kind that is not known', { ...object, kind: 'X' }, object, 'no kind "X" is registered for version'],
    ['a version that is none', { ...object, apiVersion: 'a/b/c' }, object, 'unexpected GroupVersion string: a/b/c'],
    ['another kind than a Scale', { ...object }, scale, 'unknown conversion'],
  ])('are refused: %s', (_, value, sent, message) => {
    expect(admitted(value, sent)).toContain(message)
  })
})

describe('versions of a custom type', () => {
  const { versions } = things.model
  const object = {
    kind: 'Thing',
    apiVersion: 'example.com/v1',
    metadata: { name: 'a' },
    spec: { size: 1 },
  } as KubeObject
  const second = things.versions.find(({ apiVersion }) => apiVersion !== things.hub.apiVersion) ?? things.hub

  it('work in the version of the request, and are stored in one', async () => {
    expect(versions.written(things)).toBe(things.versions[0])
    expect(versions.toWorking(things, second, object)).toBe(object)
    const unknown = { ...object, spec: { size: 1, other: 2 } } as KubeObject
    const owned = versions.convertOwned(things, unknown, { from: things.hub, to: second })
    expect(owned).toEqual({ ...unknown, apiVersion: second.apiVersion })
    expect(versions.toStored(things, object, { version: things.hub, isAdmitted: false })).toBe(object)
    const pruned = await versions.toStored(things, { ...object, x: 1 } as KubeObject, {
      version: things.hub,
      isAdmitted: true,
    })
    expect(pruned).not.toHaveProperty('x')
    const other = { ...object, apiVersion: 'example.com/v2' }
    expect(await versions.toStored(things, other, { version: second, isAdmitted: false })).toMatchObject(object)
    expect(await versions.convert(things, object, 'example.com/v2')).toMatchObject(other)
    expect(await versions.fromStored(things, second, object)).toMatchObject(other)
    expect(await versions.restoreAdmitted(things, other, { kind: things.hub })).toMatchObject(object)
    const scale = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: {} } as KubeObject
    expect(
      versions.restoreAdmitted(things, scale, { kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } }),
    ).toBe(scale)
  })

  it('show their subresources', () => {
    expect(versions.partKind(things.hub, '')).toBe(things.hub)
    expect(versions.partKind(things.hub, 'x')).toBeUndefined()
    expect(versions.partKind(things.hub, 'status')).toBe(things.hub)
    expect(versions.partKind(things.hub, 'scale')).toEqual({ group: 'autoscaling', version: 'v1', kind: 'Scale' })
  })

  const admitted = (value: JsonObject, definition: ResourceDefinition | undefined = things) => {
    const type = { apiVersion: String(value['apiVersion'] ?? ''), kind: String(value['kind'] ?? '') }
    return outcomeOf(() =>
      runToEnd(
        versions.decodeAdmitted(definition, { object: value, document: undefined as never, type, sent: object, types }),
      ),
    )
  }

  it('are read from what admission patched', () => {
    expect(admitted(object)).toMatchObject(object)
  })

  it.each<[string, JsonObject, string]>([
    [
      'no kind',
      { apiVersion: 'example.com/v1', b: 1, a: 2 },
      `Object 'Kind' is missing in '{"a":2,"apiVersion":"example.com/v1","b":1}'`,
    ],
    ['a version that is none', { ...object, apiVersion: 'a/b/c' }, 'unexpected GroupVersion string: a/b/c'],
    [
      'another group',
      { ...object, apiVersion: 'other/v1' },
      'other/v1, Kind=Thing is unstructured and is not suitable for converting to "example.com/v1"',
    ],
    [
      'another version',
      { ...object, apiVersion: 'example.com/v9' },
      'request to convert CR from an invalid group/version: example.com/v9',
    ],
    ['no metadata', { kind: 'Thing', apiVersion: 'example.com/v1' }, 'system metadata was not initialized'],
  ])('are refused: %s', (_, value, message) => {
    expect(admitted(value)).toContain(message)
  })
})

describe('writes', () => {
  const object = {
    kind: 'Thing',
    apiVersion: 'other/v1',
    metadata: { creationTimestamp: null },
    spec: { size: 1 },
  } as unknown as KubeObject

  it('are refused as what the object says to be, or as the kind', () => {
    expect(unstructuredWrites.refusedAs(things, object)).toEqual({ group: 'other', kind: 'Thing' })
    expect(unstructuredWrites.refusedAs(things, { ...object, apiVersion: 'a/b/c' })).toEqual({
      group: 'example.com',
      kind: 'Thing',
    })
    expect(typedWrites.refusedAs(configMaps, object)).toBe(configMaps.hub)
  })

  it('begin without a time, or with none', () => {
    const draft = structuredClone(object)
    unstructuredWrites.prepareNew(draft)
    expect(draft.metadata).toEqual({})
  })

  const hasOwners = (ownable: OwnableObject): boolean | undefined => {
    const steps = unstructuredWrites.hasOwners?.(ownable)
    return steps && runToEnd(steps)
  }
  const misfit = { size: 'x' }

  it.each<[string, JsonObject, string, JsonObject | undefined, boolean]>([
    ['an object that conforms', { spec: { size: 1 } }, 'status', undefined, true],
    ['one that does not, in a part that the status cannot write', { spec: { size: 'x' } }, 'status', undefined, false],
    [
      'one that was so before',
      { spec: object['spec'] as JsonObject },
      'status',
      { spec: object['spec'] as JsonObject },
      true,
    ],
    ['one whose status does not, written without it', { status: { size: 'x' } }, '', undefined, false],
    ['one whose status does not, written as such', { status: { size: 'x' } }, 'status', undefined, false],
    ['one that did not before, and still does not', { spec: misfit }, 'status', { spec: misfit }, false],
    ['one that did not before', {}, '', { spec: misfit }, false],
    [
      'one whose status does not, written as a Scale',
      { status: { size: 'x' }, spec: { size: 'x' } },
      'scale',
      undefined,
      true,
    ],
    ['one that has a part less', { spec: undefined } as unknown as JsonObject, 'status', { spec: { size: 1 } }, true],
    ['one with a part that its schema does not have', { other: 'x' }, 'status', undefined, true],
    ['one whose spec does not, written as a whole', { spec: { size: 'x' } }, '', undefined, false],
  ])('of %s have owners or none', (_, fields, subresource, current, expected) => {
    const whole = { ...object, ...fields } as KubeObject
    const before = current === undefined ? undefined : ({ ...object, ...current } as KubeObject)
    const ownable = { object: whole, version: things.hub, subresource, current: before }
    expect(hasOwners(ownable)).toBe(expected)
  })

  it.each<[string, JsonObject, JsonObject | undefined, boolean]>([
    ['a list for a text', { on: [] }, undefined, false],
    ['such a list below others', { rows: [{ on: ['x'] }] }, { rows: [] }, false],
    ['such a list below keys', { days: { a: ['x'] } }, undefined, false],
    ['texts', { on: '', rows: [{ on: '' }], days: { a: '' }, list: [1] }, { on: 'x' }, true],
    ['texts in place of such a list', { on: '' }, { on: [] }, false],
  ])('with %s with a format have owners or none', (_, spec, current, expected) => {
    const on = { type: 'string', format: 'date' }
    const rows = { type: 'array', items: { type: 'object', properties: { on } } }
    const days = { type: 'object', additionalProperties: on }
    const list = { type: 'array', items: { type: 'integer' } }
    const schema = schemaFromOpenApi({
      type: 'object',
      properties: { spec: { type: 'object', properties: { on, rows, days, list } } },
    }) as ObjectSchema
    const before = current && ({ ...object, spec: current } as KubeObject)
    const version = { ...things.hub, schema }
    const whole = { ...object, spec } as KubeObject
    expect(hasOwners({ object: whole, version, subresource: '', current: before })).toBe(expected)
  })
})
