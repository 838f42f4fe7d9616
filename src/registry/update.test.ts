/** What an update may change, what it leaves as it was, and what it is refused for. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../api/admission.ts'
import { emptyMap, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { ApiError } from '../api/status-error.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import { ManualClock } from '../store/testing/manual-clock.ts'
import { create } from './create.ts'
import type { Strategy } from './strategy.ts'
import { openTestRegistry, type TestRegistryOptions, testRequest } from './testing/test-registry.ts'
import { type UpdateChange, update } from './update.ts'
import type { WriteRequest } from './write-request.ts'

interface Case {
  readonly options?: Partial<TestRegistryOptions>
  /** The object that is there; null: none. */
  readonly before?: JsonObject | null
  readonly change: (current: KubeObject) => KubeObject
  readonly more?: Partial<UpdateChange>
  readonly given?: Partial<WriteRequest>
}

const configMap = (fields: JsonObject = {}): KubeObject => {
  const { metadata, ...rest } = fields as { metadata?: JsonObject }
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'ns', ...metadata },
    ...rest,
  } as KubeObject
}

/** How many the last refusal had. */
let causes = 0

/** What the update answers, and how many revisions it took; or its refusal. */
async function updated({ options = {}, before = {}, change, more = {}, given = {} }: Case) {
  const clock = new ManualClock()
  const store = openMemoryStore({ clock })
  const { registry, reflector } = await openTestRegistry({ store, clock, builtInDefinitions, ...options })
  try {
    if (before !== null) await create(registry, configMap(before), testRequest(registry))
    await clock.advance(5000)
    const began = await store.currentRevision()
    const { strategy } = registry.definition
    const { written, created } = await update(
      registry,
      { strategy, apply: change, ...more },
      testRequest(registry, given),
    )
    return { object: written.object(), created, writes: (await store.currentRevision()) - began }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    causes = error.status.details?.causes?.length ?? 0
    return `${error.code} ${error.message}`
  } finally {
    reflector.close()
    await store.close()
  }
}

const withMeta =
  (metadata: JsonObject) =>
  (current: KubeObject): KubeObject =>
    ({ ...current, metadata: { ...current.metadata, ...metadata } }) as KubeObject

const uid = '00000000-0000-4000-8000-000000000000'
const start = '1970-01-01T00:16:40Z'

describe('metadata that an update leaves out or lies about', () => {
  it.each<[string, JsonObject, unknown]>([
    ['keeps its uid', { uid: undefined } as JsonObject, { uid }],
    ['keeps the time of its creation', { creationTimestamp: '2001-01-01T00:00:00Z' }, { creationTimestamp: start }],
    ['keeps no generation where it had none', { generation: 7 }, { generation: undefined }],
    ['takes labels', { labels: { a: 'b' } }, { labels: { a: 'b' } }],
  ])('%s', async (_, metadata, expected) => {
    const result = await updated({ change: withMeta(metadata) })
    const shown = typeof result === 'string' ? { refused: result } : result.object.metadata
    for (const [key, value] of Object.entries(expected as JsonObject))
      expect((shown as unknown as JsonObject)[key]).toEqual(value)
  })

  it.each<[string, JsonObject, string]>([
    [
      'of another uid',
      { uid: 'x' },
      '422 ConfigMap "a" is invalid: metadata.uid: Invalid value: "x": field is immutable',
    ],
    [
      'of another name',
      { name: 'b' },
      '422 ConfigMap "b" is invalid: metadata.name: Invalid value: "b": field is immutable',
    ],
    [
      'of another grace period',
      { deletionGracePeriodSeconds: 9 },
      '422 ConfigMap "a" is invalid: metadata.deletionGracePeriodSeconds: Invalid value: 9: field is immutable',
    ],
    [
      'of a bad finalizer',
      { finalizers: ['x'] },
      'metadata.finalizers[0]: Invalid value: "x": name is neither a standard',
    ],
  ])('is refused: %s', async (_, metadata, why) => {
    expect(await updated({ change: withMeta(metadata) })).toContain(why)
  })
})

describe('the version that an update names', () => {
  const modified = 'the object has been modified; please apply your changes to the latest version and try again'
  const isCurrent = { unconditionalUpdate: false }
  it.each<[string, string, Partial<TestRegistryOptions>['definition'], unknown]>([
    ['is the present one', '2', isCurrent, 1],
    ['is none', '', {}, 1],
    ['is 0, which is none', '0', {}, 1],
    [
      'is none where there must be one',
      '',
      isCurrent,
      '422 configmaps "a" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    ],
    [
      'is 0 where there must be one',
      '0',
      isCurrent,
      '422 configmaps "a" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    ],
    ['is an old one', '1', {}, `409 Operation cannot be fulfilled on configmaps "a": ${modified}`],
    ['is the present one in other words', '02', {}, 1],
    ['is no number', 'x', {}, '500 strconv.ParseUint: parsing "x": invalid syntax'],
    [
      'is too large',
      '18446744073709551616',
      {},
      '500 strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ],
  ])('%s', async (_, resourceVersion, definition, expected) => {
    const change = withMeta({ resourceVersion, labels: { a: 'b' } })
    const result = await updated({ options: definition === undefined ? {} : { definition }, change })
    expect(typeof result === 'string' ? result : result.writes).toBe(expected)
  })
})

describe('the uid that an update names', () => {
  it.each<[string, string | undefined, unknown]>([
    ['none', undefined, 1],
    ['an empty one', '', 1],
    ['the same', uid, 1],
    [
      'another',
      'x',
      expect.stringContaining(`Precondition failed: UID in precondition: x, UID in object meta: ${uid}`),
    ],
  ])('%s', async (_, named, expected) => {
    const more = named === undefined ? {} : { uid: named }
    const result = await updated({ change: withMeta({ labels: { a: 'b' } }), more })
    expect(typeof result === 'string' ? result : result.writes).toEqual(expected)
  })
})

describe('an object that is not there', () => {
  it('is a 404', async () => {
    expect(await updated({ before: null, change: (current) => current })).toBe('404 configmaps "a" not found')
  })

  it('is created where the change can, without the version that it names', async () => {
    const make = () => configMap({ metadata: { resourceVersion: '9' }, data: { a: 'b' } })
    const result = await updated({ before: null, change: (current) => current, more: { create: make } })
    expect(result).toMatchObject({
      created: true,
      writes: 1,
      object: { data: { a: 'b' }, metadata: { resourceVersion: '2' } },
    })
  })

  it('is shown to plugins with the version that it names', async () => {
    const seen: unknown[] = []
    const admission = {
      mutate: () => undefined,
      validate: ({ object }: AdmissionRequest) => void seen.push(object?.metadata.resourceVersion),
    }
    const make = () => configMap({ metadata: { resourceVersion: '9' } })
    await updated({ options: { admission }, before: null, change: (current) => current, more: { create: make } })
    expect(seen).toEqual(['9'])
  })

  it('is not created by the uid of another one', async () => {
    const more = { uid: 'x', create: () => configMap() }
    expect(await updated({ before: null, change: (current) => current, more })).toContain(
      'Precondition failed: UID in precondition: x, UID in object meta: ',
    )
  })
})

describe('the generation', () => {
  const fields = { binaryData: emptyMap }
  it.each<[string, Strategy['generation'], (current: KubeObject) => KubeObject, number | undefined]>([
    ['moves when the object changes', 'spec', (current) => ({ ...current, data: { a: 'c' } }) as KubeObject, 2],
    ['stays when labels change', 'spec', withMeta({ labels: { a: 'b' } }), 1],
    ['stays when the status changes', 'spec', (current) => ({ ...current, status: { a: 'b' } }) as KubeObject, 1],
    ['stays when an empty map is left out', 'spec', (current) => ({ ...current, ...fields }) as KubeObject, 1],
    [
      'moves when an empty map is left out, compared exactly',
      'exact-spec',
      (current) => ({ ...current, ...fields }) as KubeObject,
      2,
    ],
    ['moves when a field goes', 'spec', ({ data: _, ...current }) => current as KubeObject, 2],
  ])('%s', async (_, generation, change, expected) => {
    const strategy = generation === undefined ? {} : { generation }
    const result = await updated({ options: { strategy }, before: { data: { a: 'b' } }, change })
    expect(typeof result === 'string' ? result : result.object.metadata.generation).toBe(expected)
  })
})

describe('what a kind checks again of metadata', () => {
  const bad = withMeta({ labels: { a: 'b c' } })
  type Rules = Strategy['validateMetadataUpdate']
  const whole: Rules = (metadata) => metadata.validate()
  it.each<[string, Rules, number]>([
    ['what it may not become', undefined, 3],
    ['nothing', () => [], 2],
    ['all', whole, 3],
    ['all and what it may not become', (metadata) => [...metadata.validate(), ...metadata.validateUpdate()], 4],
    ['all twice', (metadata) => [...metadata.validate(), ...metadata.validateUpdate(), ...metadata.validate()], 5],
  ])('%s', async (_, validateMetadataUpdate, expected) => {
    const strategy = { validateMetadataUpdate } as Partial<Strategy>
    expect(await updated({ options: { strategy }, change: bad })).toContain('metadata.labels: Invalid value: "b c": ')
    expect(causes).toBe(expected)
  })

  it.each<[string, boolean, unknown]>([
    ['which looks at all of it', true, '422 ConfigMap "a" is invalid: metadata.name: Invalid value: "a": no'],
    ['which looks at the change alone', false, { writes: 1 }],
  ])('finds a name that only the kind refuses, %s', async (_, isWhole, expected) => {
    let isStrict = false
    const validateName = (): string[] => (isStrict ? ['no'] : [])
    const rules: Strategy = {
      validateMetadata: (metadata) => metadata.validate({ validateName }),
      validateMetadataUpdate: (metadata) => (isWhole ? metadata.validate({ validateName }) : metadata.validateUpdate()),
    }
    const options = { strategy: rules as Partial<Strategy> }
    const change = (current: KubeObject): KubeObject => {
      isStrict = true
      return withMeta({ labels: { a: 'b' } })(current)
    }
    const result = await updated({ options, change })
    if (typeof expected === 'string') expect(result).toBe(expected)
    else expect(result).toMatchObject(expected as object)
  })
})

describe('an update that tries', () => {
  it('answers with what it would write, and writes nothing', async () => {
    const result = await updated({ change: withMeta({ labels: { a: 'b' } }), given: { dryRun: true } })
    expect(result).toMatchObject({ writes: 0, object: { metadata: { labels: { a: 'b' }, resourceVersion: '2' } } })
  })

  it('and changes nothing but the times of its managed fields is a no-op', async () => {
    const later = ({ metadata, ...current }: KubeObject): KubeObject => {
      const managedFields = metadata.managedFields?.map((entry) => ({ ...entry, time: '2030-01-01T00:00:00Z' }))
      return { ...current, metadata: { ...metadata, managedFields } } as KubeObject
    }
    const result = await updated({ before: { data: { a: 'b' } }, change: later })
    expect(result).toMatchObject({ writes: 0, object: { metadata: { managedFields: [{ time: start }] } } })
  })

  it('and changes nothing is a no-op', async () => {
    expect(await updated({ change: (current) => current })).toMatchObject({ writes: 0, created: false })
  })
})
