/** Who owns what after a write: through which version, and through which subresource, it was made. */
import { describe, expect, it } from 'vitest'
import { equalJson, type JsonObject } from '../api/json.ts'
import type { KubeObject, ManagedFieldsEntry } from '../api/object.ts'
import { customResource } from '../extensions/custom/custom-resource.ts'
import { inTurns } from '../lib/in-turns.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { ManualClock } from '../store/testing/manual-clock.ts'
import {
  keepManagedFieldsTimes,
  manageCreatedFields,
  manageCreatedFieldsInSteps,
  manageUpdatedFields,
  manageUpdatedFieldsInSteps,
  recordAction,
} from './managed-fields.ts'
import type { Registry } from './registry.ts'
import { withConversions } from './remote-conversions.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import type { ActionSubresource } from './subresource.ts'
import { testCustomDefinition, testDefinition, testRequest } from './testing/test-registry.ts'
import type { WriteRequest } from './write-request.ts'

const deployments = testDefinition(builtInDefinitions, { resource: 'deployments' })
const autoscalers = testDefinition(builtInDefinitions, { resource: 'horizontalpodautoscalers', versions: ['v1', 'v2'] })
const things = testCustomDefinition(customResource)

/** A definition of its own: what is made of one once is made anew. */
const registryOf = (definition: ResourceDefinition): Registry =>
  ({ definition: { ...definition }, clock: new ManualClock() }) as unknown as Registry

const versionOf = (definition: ResourceDefinition, version: string) => {
  const found = definition.versions.find((each) => each.version === version)
  if (found === undefined) throw new Error(`there is no ${version}`)
  return found
}

interface Write {
  readonly definition: ResourceDefinition
  readonly version?: string
  readonly current?: JsonObject
  readonly next: JsonObject
  readonly given?: Partial<WriteRequest>
}

const requestOf = ({ definition, version, given }: Pick<Write, 'definition' | 'version' | 'given'>): WriteRequest =>
  testRequest(registryOf(definition), {
    version: version === undefined ? definition.hub : versionOf(definition, version),
    ...given,
  })

const objectOf = ({ apiVersion, kind }: { apiVersion: string; kind: string }, fields: JsonObject): KubeObject =>
  ({ apiVersion, kind, metadata: { name: 'a', namespace: 'ns' }, ...fields }) as unknown as KubeObject

/** Manager, version and fields of each entry. */
const shown = (entries: readonly ManagedFieldsEntry[] | undefined): unknown =>
  entries?.map(({ manager, apiVersion, subresource, fieldsV1 }) => [
    [manager, apiVersion, subresource].filter((each) => each !== undefined && each !== '').join(' '),
    fieldsV1,
  ])

function ownersAfter({ definition, version, current, next, given = {} }: Write): unknown {
  const request = requestOf({ definition, ...(version === undefined ? {} : { version }), given })
  const before = current === undefined ? undefined : objectOf(request.version, current)
  return shown(
    manageUpdatedFields(registryOf(definition), before, objectOf(request.version, next), request).metadata
      .managedFields,
  )
}

const entry = (manager: string, apiVersion: string, fieldsV1: JsonObject, more: JsonObject = {}): JsonObject => ({
  manager,
  operation: 'Update',
  apiVersion,
  time: '1970-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})

const withOwners = (...managedFields: JsonObject[]): JsonObject => ({
  metadata: { name: 'a', namespace: 'ns', managedFields },
})

describe('what a write may own', () => {
  const next = { spec: { replicas: 2 }, status: { replicas: 1 } }
  it.each<[string, Write, unknown]>([
    [
      'of the object is not its status',
      { definition: deployments, next },
      [['m apps/v1', { 'f:spec': { 'f:replicas': {} } }]],
    ],
    [
      'of the status is not the rest',
      { definition: deployments, next, given: { subresource: 'status' } },
      [['m apps/v1 status', { 'f:status': { 'f:replicas': {} } }]],
    ],
    [
      'of a custom object is not its status',
      { definition: things, version: 'v1', next: { spec: { size: 2 }, status: { size: 1 } } },
      [['m example.com/v1', { 'f:spec': { '.': {}, 'f:size': {} } }]],
    ],
    [
      'of a custom object without subresources is all of it',
      { definition: things, version: 'v2', next: { spec: { size: 2 }, status: { size: 1 } } },
      [['m example.com/v2', { 'f:spec': { '.': {}, 'f:size': {} }, 'f:status': { '.': {}, 'f:size': {} } }]],
    ],
    [
      'of the status of a custom object is not the rest',
      {
        definition: things,
        version: 'v1',
        next: { spec: { size: 2 }, status: { size: 1 } },
        given: { subresource: 'status' },
      },
      [['m example.com/v1 status', { 'f:status': { '.': {}, 'f:size': {} } }]],
    ],
    [
      'of a custom object that does not conform is nothing',
      { definition: things, version: 'v1', next: { spec: { size: 2 }, status: { size: 'x' } } },
      undefined,
    ],
  ])('%s', (_, write, expected) => {
    expect(ownersAfter(write)).toEqual(expected)
  })

  it('is the same where it is found in steps', async () => {
    for (const next of [
      { spec: { size: 2 }, status: { size: 1 } },
      { spec: { size: 2 }, status: { size: 'x' } },
    ]) {
      const request = requestOf({ definition: things, version: 'v1' })
      const write = [registryOf(things), undefined, objectOf(request.version, next), request] as const
      expect(await inTurns(manageUpdatedFieldsInSteps(...write))).toEqual(manageUpdatedFields(...write))
    }
  })
})

describe('owners of another version', () => {
  const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'K', name: 'n' } }
  const fields = { 'f:spec': { 'f:maxReplicas': {}, 'f:targetCPUUtilizationPercentage': {} } }
  const before = { ...withOwners(entry('o', 'autoscaling/v1', fields)), spec: { ...spec, maxReplicas: 2 } }

  it('lose what is written in this one, and keep the rest', () => {
    const next = { ...withOwners(entry('o', 'autoscaling/v1', fields)), spec }
    expect(ownersAfter({ definition: autoscalers, version: 'v2', current: before, next })).toEqual([
      ['o autoscaling/v1', { 'f:spec': { 'f:targetCPUUtilizationPercentage': {} } }],
      ['m autoscaling/v2', { 'f:spec': { 'f:maxReplicas': {} } }],
    ])
  })

  it.each<[string, ResourceDefinition, string, boolean]>([
    ['that is served', autoscalers, 'autoscaling/v1', true],
    ['that there never was', autoscalers, 'autoscaling/v9', false],
    ['of another group', autoscalers, 'apps/v1', false],
    ['of a custom type', things, 'example.com/v2', true],
    ['of a custom type that there never was', things, 'example.com/v9', false],
  ])('%s', (_, definition, apiVersion, isKept) => {
    const version = definition === things ? 'v1' : 'v2'
    const owners = withOwners(entry('o', apiVersion, { 'f:spec': { 'f:size': {} } }))
    const current = { ...owners, spec: { size: 1, maxReplicas: 1 } }
    const next = { ...owners, spec: { size: 1, maxReplicas: 2, names: ['x'] } }
    const found = ownersAfter({ definition, version, current, next }) as [string, unknown][]
    expect(found.some(([owner]) => owner === `o ${apiVersion}`)).toBe(isKept)
  })

  it('are known by what another server converts', async () => {
    const asked: string[] = []
    const remoteConversion = {
      convert: async (objects: readonly KubeObject[], apiVersion: string) => {
        asked.push(apiVersion)
        return objects.map((object) => ({ ...object, apiVersion }))
      },
    }
    const definition = { ...things, remoteConversion } as unknown as ResourceDefinition
    const owners = withOwners(
      entry('o', 'example.com/v2', { 'f:spec': { 'f:size': {}, 'f:names': {} } }),
      entry('p', 'example.com/v9', { 'f:spec': { 'f:size': {} } }),
    )
    const request = requestOf({ definition, version: 'v1' })
    const current = objectOf(request.version, { ...owners, spec: { size: 1, names: ['x'] } })
    const next = objectOf(request.version, { ...owners, spec: { size: 2, names: ['x'] } })
    const registry = registryOf(definition)
    const owned = await withConversions(definition, request, () =>
      manageUpdatedFields(registry, current, next, request),
    )
    expect(shown(owned.metadata.managedFields)).toEqual([
      ['o example.com/v2', { 'f:spec': { 'f:names': {} } }],
      ['m example.com/v1', { 'f:spec': { 'f:size': {} } }],
    ])
    expect([...new Set(asked)]).toEqual(['example.com/v2'])
  })
})

describe('a new object', () => {
  it('has its writer as its owner', () => {
    const request = requestOf({ definition: deployments })
    const object = objectOf(request.version, { spec: { replicas: 2 }, status: { replicas: 1 } })
    manageCreatedFields(registryOf(deployments), object, request)
    expect(shown(object.metadata.managedFields)).toEqual([['m apps/v1', { 'f:spec': { 'f:replicas': {} } }]])
  })

  it('that does not conform has none', () => {
    const request = requestOf({ definition: things, version: 'v1' })
    const object = objectOf(request.version, { status: { size: 'x' } })
    manageCreatedFields(registryOf(things), object, request)
    expect(object.metadata.managedFields).toBeUndefined()
  })

  it('has the same owners in steps, with equal elements and in a version that nobody knows', async () => {
    const many = Array.from({ length: 2000 }, (_, i) => ({ name: `c${i % 1999}`, image: 'x'.repeat(50) }))
    const request = requestOf({ definition: deployments })
    const object = objectOf(request.version, { spec: { template: { spec: { containers: many } } } })
    const unknown = { ...request, version: { ...request.version, apiVersion: 'apps/v9' } }
    for (const asked of [request, unknown]) {
      const [one, other] = [structuredClone(object), structuredClone(object)]
      manageCreatedFields(registryOf(deployments), one, asked)
      await inTurns(manageCreatedFieldsInSteps(registryOf(deployments), other, asked))
      expect(other.metadata.managedFields).toEqual(one.metadata.managedFields)
    }
  })
})

describe('the times of managed fields', () => {
  const owners = (time: string, ...more: JsonObject[]): KubeObject =>
    objectOf(deployments.hub, {
      ...withOwners(entry('o', 'apps/v1', { 'f:spec': { 'f:replicas': {} } }, { time }), ...more),
      spec: { replicas: 1 },
    })
  const old = '1970-01-01T00:00:00Z'
  const now = '1970-01-01T00:16:40Z'
  const timesOf = (draft: KubeObject): unknown => draft.metadata.managedFields?.map(({ time }) => time)

  it('are put back where nothing else has changed', () => {
    const draft = owners(now)
    keepManagedFieldsTimes(draft, owners(old), equalJson)
    expect(timesOf(draft)).toEqual([old])
  })

  it('stay where something has', () => {
    const draft = { ...owners(now), spec: { replicas: 2 } } as unknown as KubeObject
    const entries = draft.metadata.managedFields
    keepManagedFieldsTimes(draft, owners(old), equalJson)
    expect(timesOf(draft)).toEqual([now])
    expect(draft.metadata.managedFields).toBe(entries)
  })
})

it('the body of an action is owned in the version of the action', () => {
  const action = {
    kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
    schema: deployments.hub.schema,
  } as unknown as ActionSubresource
  const body = objectOf({ apiVersion: 'policy/v1', kind: 'Eviction' }, { spec: { replicas: 1 } })
  const { metadata } = recordAction(action, body, { manager: 'm', subresource: 'eviction', time: 't' })
  expect(shown(metadata.managedFields)).toEqual([['m policy/v1 eviction', { 'f:spec': { 'f:replicas': {} } }]])
})
