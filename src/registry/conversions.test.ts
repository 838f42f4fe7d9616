/** Between versions: conversions of objects, of their owners' fields, and selection by fields that only another server can convert. */
import { describe, expect, it } from 'vitest'
import { equalJson, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import { customResource } from '../extensions/custom/custom-resource.ts'
import { systemClock } from '../lib/clock.ts'
import { runToEnd } from '../lib/in-turns.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { allInVersion, anyVersion, fromHub, objectInVersion, toHub } from './convert.ts'
import { convertedFieldFilter } from './converted-fields.ts'
import {
  applyConfiguration,
  keepManagedFieldsTimes,
  manageCreatedFields,
  manageCreatedFieldsInSteps,
  manageUpdatedFields,
} from './managed-fields.ts'
import type { Registry } from './registry.ts'
import { withConversions } from './remote-conversions.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import { testCustomDefinition, testDefinition, testRequest } from './testing/test-registry.ts'
import type { WriteRequest } from './write-request.ts'

const autoscalers = testDefinition(builtInDefinitions, { resource: 'horizontalpodautoscalers', versions: ['v1', 'v2'] })
const v1 = versionOf(autoscalers, 'autoscaling/v1')
const v2 = versionOf(autoscalers, 'autoscaling/v2')
const things = testCustomDefinition(customResource)

function versionOf(definition: ResourceDefinition, apiVersion: string) {
  const found = definition.versions.find((version) => version.apiVersion === apiVersion)
  if (found === undefined) throw new Error(`there is no ${apiVersion}`)
  return found
}

const object = (apiVersion: string, fields: JsonObject = {}): KubeObject => ({
  kind: 'HorizontalPodAutoscaler',
  apiVersion,
  metadata: { name: 'a', namespace: 'ns' },
  spec: { maxReplicas: 2, scaleTargetRef: { kind: 'K', name: 'n' } },
  ...fields,
})

/** A resource whose versions another server converts; what it is asked is counted. */
function remote() {
  const asked: number[] = []
  const convert = async (objects: readonly KubeObject[], apiVersion: string) => {
    asked.push(objects.length)
    return objects.map((each) => ({ ...each, apiVersion, size: `${String(each['size'])}!` }))
  }
  const storage = { ...things.storage, fields: new Map([['size', (each: KubeObject) => String(each['size'])]]) }
  const definition = { ...things, storage, remoteConversion: { convert } } as unknown as ResourceDefinition
  return { asked, definition }
}

describe('an object', () => {
  it('is shared where it needs no other shape', () => {
    const hub = object(v2.apiVersion)
    expect(fromHub(v2, hub)).toBe(hub)
    expect(toHub(autoscalers, v2, hub)).toBe(hub)
    expect(fromHub(v1, hub).apiVersion).toBe('autoscaling/v1')
    expect(toHub(autoscalers, v1, fromHub(v1, hub))).toMatchObject(hub)
  })

  it('is renamed where versions differ by their names alone', () => {
    const bare = { ...v1, fromHub: undefined, toHub: undefined } as unknown as typeof v1
    const hub = object(v2.apiVersion, { x: 1 })
    expect(fromHub(bare, hub)).toEqual({ ...hub, apiVersion: 'autoscaling/v1' })
    expect(toHub(autoscalers, bare, { ...hub, apiVersion: 'autoscaling/v1' })).toEqual(hub)
  })

  it('is converted by another server, one or many at once', async () => {
    const { asked, definition } = remote()
    const second = versionOf(things, 'example.com/v2')
    const thing = { kind: 'Thing', apiVersion: 'example.com/v1', metadata: {}, size: 1 } as unknown as KubeObject
    expect(await objectInVersion(definition, second, thing)).toMatchObject({ apiVersion: 'example.com/v2', size: '1!' })
    expect(await objectInVersion(definition, things.hub, thing)).toBe(thing)
    expect(await allInVersion(definition, second, [thing, thing])).toHaveLength(2)
    expect(asked).toEqual([1, 2])
    expect(await objectInVersion(things, second, thing)).toMatchObject({ apiVersion: 'example.com/v2' })
    expect(await allInVersion(things, second, [thing])).toMatchObject([{ apiVersion: 'example.com/v2' }])
  })

  it('has the versions of its own group, and of others that have the same objects', () => {
    expect(anyVersion(autoscalers, 'autoscaling/v1')).toBe(v1)
    expect(anyVersion(autoscalers, 'x/v1')).toBeUndefined()
    const other = { ...v1, apiVersion: 'other/v1' }
    const shared = { ...autoscalers, versions: [v1], inOtherGroups: () => [other] } as ResourceDefinition
    expect(anyVersion(shared, 'other/v1')).toBeUndefined()
    const joined = { ...shared, otherGroups: ['other'] } as ResourceDefinition
    expect(anyVersion(joined, 'other/v1')).toBe(other)
    expect(anyVersion(joined, joined.hub.apiVersion)).toBe(joined.hub)
  })
})

describe('selection by fields of another version', () => {
  const entryOf = (size: string): CacheEntry => {
    const stored = { kind: 'Thing', apiVersion: 'example.com/v1', metadata: {}, size }
    return { object: () => stored } as unknown as CacheEntry
  }

  it('asks in batches, and for each entry once', async () => {
    const { asked, definition } = remote()
    const entries = Array.from({ length: 130 }, (_, i) => entryOf(String(i)))
    const second = versionOf(things, 'example.com/v2')
    const select = (operator: '=' | '!=', value: string) =>
      convertedFieldFilter(definition, second, [{ field: 'size', operator, value }] as never)(entries)
    const equal = await select('=', '7!')
    expect(equal.flatMap((isIt, i) => (isIt ? [i] : []))).toEqual([7])
    expect(asked).toEqual([128, 2])
    expect((await select('!=', '7!')).filter((isIt) => !isIt)).toHaveLength(1)
    expect(asked).toEqual([128, 2])
    expect(await convertedFieldFilter(definition, second, [] as never)([])).toEqual([])
  })
})

/** The version of another group that has the same objects. */
const other = (group: string) => ({ ...v1, group, apiVersion: group === '' ? 'v1' : `${group}/v1` })

describe('managed fields', () => {
  const registryOf = (definition: ResourceDefinition): Registry =>
    ({ definition, clock: systemClock, gate: () => false }) as unknown as Registry
  const registry = registryOf(autoscalers)
  const request = (given: Partial<WriteRequest> = {}) => testRequest(registry, given)
  const fieldsOf = ({ metadata }: KubeObject) =>
    metadata.managedFields?.map(({ manager, apiVersion, subresource, fieldsV1 }) => ({
      manager,
      apiVersion,
      ...(subresource === undefined ? {} : { subresource }),
      fields: Object.keys(fieldsV1 ?? {}),
    }))

  it('of a new object are those of its writer', () => {
    const draft = object(v2.apiVersion)
    runToEnd(manageCreatedFieldsInSteps(registry, draft, request()))
    expect(fieldsOf(draft)).toEqual([{ manager: 'm', apiVersion: 'autoscaling/v2', fields: ['f:spec'] }])
  })

  it('leave out what the endpoint resets', () => {
    const draft = object(v2.apiVersion, { status: { desiredReplicas: 1 } })
    manageCreatedFields(registry, draft, request())
    expect(fieldsOf(draft)?.[0]?.fields).toEqual(['f:spec'])
    const current = object(v2.apiVersion, { status: { desiredReplicas: 1 } })
    const next = object(v2.apiVersion, { status: { desiredReplicas: 2 } })
    next['spec'] = { maxReplicas: 3, scaleTargetRef: { kind: 'K', name: 'n' } }
    expect(fieldsOf(manageUpdatedFields(registry, current, next, request()))?.at(-1)?.fields).toEqual(['f:spec'])
    const written = manageUpdatedFields(registry, current, next, request({ subresource: 'status' }))
    expect(fieldsOf(written)?.at(-1)).toMatchObject({ subresource: 'status', fields: ['f:status'] })
  })

  it('of an owner who wrote in another version are kept', () => {
    const first = object(v1.apiVersion)
    manageCreatedFields(registry, first, request({ version: v1, fieldManager: 'older' }))
    const hub = toHub(autoscalers, v1, first)
    const next = structuredClone(hub)
    ;(next['spec'] as JsonObject)['minReplicas'] = 1
    const owners = fieldsOf(manageUpdatedFields(registry, hub, next, request()))
    expect(owners?.map(({ manager, apiVersion }) => [manager, apiVersion]).toSorted()).toEqual([
      ['m', 'autoscaling/v2'],
      ['older', 'autoscaling/v1'],
    ])
  })

  it('of an owner who wrote in another version are what that has of the change', () => {
    const metrics = (averageUtilization: number) => [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } },
    ]
    const first = object(v1.apiVersion)
    first['spec'] = { ...(first['spec'] as JsonObject), targetCPUUtilizationPercentage: 30 }
    manageCreatedFields(registry, first, request({ version: v1, fieldManager: 'older' }))
    const hub = toHub(autoscalers, v1, first)
    const owned = (utilization: number) => {
      const next = structuredClone(hub)
      ;(next['spec'] as JsonObject)['metrics'] = metrics(utilization)
      const { managedFields = [] } = manageUpdatedFields(registry, hub, next, request()).metadata
      return JSON.stringify(managedFields.find(({ manager }) => manager === 'older')?.fieldsV1)
    }
    expect(owned(30)).toContain('f:targetCPUUtilizationPercentage')
    expect(owned(50)).not.toContain('f:targetCPUUtilizationPercentage')
    expect(owned(50)).toContain('f:maxReplicas')
  })

  it.each<[string, Partial<ResourceDefinition>, string, readonly string[]]>([
    ['of the hub, which is not served', {}, v2.apiVersion, [v1.apiVersion, v2.apiVersion]],
    ['of another group with the same objects', { inOtherGroups: () => [other('x')] }, 'x/v1', [v1.apiVersion, 'x/v1']],
    ['of the core group, which has types of its own', { inOtherGroups: () => [other('')] }, 'v1', [v1.apiVersion]],
    ['of no group', {}, 'x/v1', [v1.apiVersion]],
  ])('%s are kept if its types are known', (_, more, apiVersion, expected) => {
    const at = registryOf({ ...autoscalers, versions: [v1], ...more })
    const current = object(v1.apiVersion)
    manageCreatedFields(registry, current, request({ version: v2, fieldManager: 'older' }))
    const [entry] = current.metadata.managedFields ?? []
    current.metadata.managedFields = [{ ...entry, apiVersion } as never]
    const next = structuredClone(current)
    ;(next['spec'] as JsonObject)['minReplicas'] = 1
    const written = manageUpdatedFields(at, current, next, testRequest(at, { version: v1 }))
    expect(
      fieldsOf(written)
        ?.map((each) => each.apiVersion)
        .toSorted(),
    ).toEqual(expected)
  })

  it('leave out what the endpoint resets in the version of the request', () => {
    const at = registryOf(things)
    const fields = (version: typeof things.hub) => {
      const draft = {
        kind: 'Thing',
        apiVersion: version.apiVersion,
        metadata: {},
        spec: { size: 1 },
        status: { size: 1 },
      }
      manageCreatedFields(at, draft as unknown as KubeObject, testRequest(at, { version }))
      return fieldsOf(draft as unknown as KubeObject)?.[0]?.fields.toSorted()
    }
    expect(fields(things.hub)).toEqual(['f:spec'])
    expect(fields(versionOf(things, 'example.com/v2'))).toEqual(['f:spec', 'f:status'])
    expect(fields(things.hub)).toEqual(['f:spec'])
  })

  it('of a version of no known group are dropped', () => {
    const current = object(v2.apiVersion)
    manageCreatedFields(registry, current, request())
    const [entry] = current.metadata.managedFields ?? []
    current.metadata.managedFields = [{ ...entry, apiVersion: 'gone/v1' } as never]
    const next = structuredClone(current)
    ;(next['spec'] as JsonObject)['minReplicas'] = 1
    expect(
      fieldsOf(manageUpdatedFields(registry, current, next, request()))?.map(({ apiVersion }) => apiVersion),
    ).toEqual(['autoscaling/v2'])
  })

  it('are none of an object that its model gives none', () => {
    const model = {
      ...things.model,
      writes: {
        ...things.model.writes,
        hasOwners: function* () {
          yield
          return false
        },
      },
    }
    const without = registryOf({ ...things, model })
    const thing = {
      kind: 'Thing',
      apiVersion: 'example.com/v1',
      metadata: { managedFields: [{ manager: 'x' }] },
      spec: {},
    }
    const given = testRequest(without)
    expect(manageUpdatedFields(without, undefined, thing as never, given).metadata.managedFields).toBeUndefined()
    const draft = { ...thing, metadata: {} } as unknown as KubeObject
    manageCreatedFields(without, draft, given)
    expect(draft.metadata.managedFields).toBeUndefined()
  })

  it('of applies conflict unless they are forced', () => {
    const current = object(v2.apiVersion)
    manageCreatedFields(registry, current, request({ fieldManager: 'first' }))
    const config = { ...object(v2.apiVersion), spec: { maxReplicas: 9 } }
    const apply = (force: boolean) =>
      runToEnd(applyConfiguration(registry, current, config, request(), { force, unknownFields: 'refuse' }))
    expect(() => apply(false)).toThrow('conflict')
    expect(apply(true).object).toMatchObject({ spec: { maxReplicas: 9 } })
  })

  it('keep their times where nothing else has changed', () => {
    const entry = (time: string) =>
      ({ manager: 'm', operation: 'Update', apiVersion: 'v1', time, fieldsV1: {} }) as never
    const stored = object(v2.apiVersion)
    stored.metadata.managedFields = [entry('2024-01-01T00:00:00Z')]
    const draft = object(v2.apiVersion)
    draft.metadata.managedFields = [entry('2025-01-01T00:00:00Z')]
    keepManagedFieldsTimes(draft, stored, equalJson)
    expect(draft.metadata.managedFields).toEqual(stored.metadata.managedFields)
    const other = object(v2.apiVersion, { spec: { maxReplicas: 5 } })
    other.metadata.managedFields = [entry('2025-01-01T00:00:00Z')]
    keepManagedFieldsTimes(other, stored, equalJson)
    expect(other.metadata.managedFields).toEqual([entry('2025-01-01T00:00:00Z')])
  })

  it('of owners in other versions are converted by another server', async () => {
    const { asked, definition } = remote()
    const at = registryOf(definition)
    const second = versionOf(things, 'example.com/v2')
    const thing = (spec: JsonObject) =>
      ({ kind: 'Thing', apiVersion: 'example.com/v1', metadata: { name: 'a' }, spec }) as unknown as KubeObject
    const current = { ...thing({ size: 1 }), apiVersion: 'example.com/v2' } as KubeObject
    manageCreatedFields(at, current, testRequest(at, { version: second, fieldManager: 'older' }))
    const before = { ...current, apiVersion: 'example.com/v1' }
    const given = testRequest(at)
    const written = await withConversions(definition, given, () =>
      manageUpdatedFields(at, before, { ...before, ...thing({ size: 2 }), metadata: before.metadata }, given),
    )
    expect(asked.length).toBeGreaterThan(0)
    expect(fieldsOf(written)?.map(({ manager }) => manager)).toContain('m')
  })
})
