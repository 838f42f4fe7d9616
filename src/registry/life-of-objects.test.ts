/** What the generic verbs make of metadata: filled in on create, moved by deletion, refused where it must not be. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { ApiError } from '../api/status-error.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import { ManualClock } from '../store/testing/manual-clock.ts'
import { create } from './create.ts'
import { remove, validateDeleteOptions } from './delete.ts'
import { type DeleteOptions, validateDryRun } from './delete-options.ts'
import type { Registry } from './registry.ts'
import { openTestRegistry, type TestRegistryOptions, testRequest } from './testing/test-registry.ts'
import type { WriteRequest } from './write-request.ts'

type Options = Omit<TestRegistryOptions, 'store' | 'builtInDefinitions'>

const start = '1970-01-01T00:16:40Z'

async function withRegistry<T>(
  options: Options,
  use: (registry: Registry, clock: ManualClock) => Promise<T>,
): Promise<T> {
  const clock = new ManualClock()
  const store = openMemoryStore({ clock })
  const { registry, reflector } = await openTestRegistry({ store, builtInDefinitions, clock, ...options })
  try {
    return await use(registry, clock)
  } finally {
    reflector.close()
    await store.close()
  }
}

const configMap = (metadata: JsonObject = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns', ...metadata } }) as KubeObject

/** What a promise is refused with, or what is shown of its value. */
async function outcome<T>(promise: Promise<T>, show: (value: T) => unknown): Promise<unknown> {
  try {
    return show(await promise)
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`
    throw error
  }
}

describe('a create', () => {
  it('fills in what only the server writes, and records who wrote what', async () => {
    const given = {
      uid: 'mine',
      creationTimestamp: '2000-01-01T00:00:00Z',
      deletionTimestamp: '2000-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 3,
      selfLink: '/mine',
      labels: { app: 'web' },
    }
    const { metadata } = await withRegistry({}, async (registry) =>
      (await create(registry, configMap(given), testRequest(registry))).object(),
    )
    expect(metadata).toEqual({
      name: 'a',
      namespace: 'ns',
      uid: '00000000-0000-4000-8000-000000000000',
      resourceVersion: '2',
      creationTimestamp: start,
      labels: { app: 'web' },
      managedFields: [
        {
          manager: 'm',
          operation: 'Update',
          apiVersion: 'v1',
          time: start,
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } } },
        },
      ],
    })
  })

  it.each<[string, JsonObject, Partial<WriteRequest>, unknown]>([
    ['keeps a name beside generateName', { generateName: 'b-' }, {}, 'a'],
    ['makes a name of generateName', { name: undefined, generateName: 'b-' } as JsonObject, {}, 'b-rrrrr'],
    [
      'shortens a long one',
      { name: undefined, generateName: 'b'.repeat(70) } as JsonObject,
      {},
      `${'b'.repeat(58)}rrrrr`,
    ],
    ['takes the namespace of the request', { namespace: undefined } as JsonObject, {}, 'a'],
    [
      'refuses another namespace than that of the request',
      { namespace: 'other' },
      {},
      '400 the namespace of the provided object does not match the namespace sent on the request',
    ],
    ['takes version 0 for none', { resourceVersion: '0' }, {}, 'a'],
    ['takes a version that is no number for none', { resourceVersion: 'x' }, {}, 'a'],
    [
      'refuses a version',
      { resourceVersion: '7' },
      {},
      '500 resourceVersion should not be set on objects to be created',
    ],
    ['does not look at the version of a dry run', { resourceVersion: '7' }, { dryRun: true }, 'a'],
    [
      'refuses a bad name',
      { name: 'A' },
      {},
      expect.stringMatching(/^422 ConfigMap "A" is invalid: metadata\.name: Invalid value: "A": a lowercase RFC 1123/),
    ],
    [
      'refuses no name at all',
      { name: '' },
      {},
      '422 ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
  ])('%s', async (_, metadata, given, expected) => {
    const found = await withRegistry({}, (registry) =>
      outcome(create(registry, configMap(metadata), testRequest(registry, given)), (written) => {
        const { name, namespace } = written.object().metadata
        expect(namespace).toBe('ns')
        return name
      }),
    )
    expect(found).toEqual(expected)
  })

  it('tries a generated name eight times, and says that it was generated', async () => {
    let names = 0
    const options = { strategy: { beginCreate: () => void names++ } } as Options
    const found = await withRegistry(options, async (registry) => {
      const next = () =>
        create(registry, configMap({ name: undefined, generateName: 'b-' } as JsonObject), testRequest(registry))
      await next()
      names = 0
      return outcome(next(), () => 'made')
    })
    expect(names).toBe(8)
    expect(found).toMatch(/^409 .*"b-rrrrr" already exists, the server was not able to generate a unique name/)
  })

  it.each([
    ['that is there', {}, '409 configmaps "a" already exists'],
    ['that is going', { finalizers: ['x.io/y'] }, '409 object is being deleted: configmaps "a" already exists'],
  ])('of one %s is a conflict', async (_, metadata, expected) => {
    const found = await withRegistry({}, async (registry) => {
      await create(registry, configMap(metadata), testRequest(registry))
      if ('finalizers' in metadata) await remove(registry, {}, testRequest(registry))
      return outcome(create(registry, configMap(), testRequest(registry)), () => 'made')
    })
    expect(found).toBe(expected)
  })
})

/** Deletes an object, with some seconds between one delete and the next, and shows what is left. */
const deleted = (
  options: Options,
  { metadata = {}, deletes }: { metadata?: JsonObject; deletes: readonly DeleteOptions[] },
): Promise<unknown> =>
  withRegistry(options, async (registry, clock) => {
    await create(registry, configMap(metadata), testRequest(registry))
    for (const each of deletes) {
      await remove(registry, each, testRequest(registry))
      await clock.advance(10_000)
    }
    const left = (await registry.storage.newest('ns/a'))?.object()
    if (left === undefined) return 'gone'
    const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = left.metadata
    return { deletionTimestamp, deletionGracePeriodSeconds, finalizers }
  })

describe('a graceful delete', () => {
  const graceful = {
    strategy: {
      gracePeriodSeconds: (_: KubeObject, { gracePeriodSeconds = 30 }: DeleteOptions) => gracePeriodSeconds,
    },
  }
  const marked = (seconds: number, at: string) => ({
    deletionTimestamp: at,
    deletionGracePeriodSeconds: seconds,
    finalizers: undefined,
  })

  it.each<[string, DeleteOptions[], unknown]>([
    ['marks for the period of the kind', [{}], marked(30, '1970-01-01T00:17:10Z')],
    ['marks for the period asked for', [{ gracePeriodSeconds: 60 }], marked(60, '1970-01-01T00:17:40Z')],
    ['at once removes', [{ gracePeriodSeconds: 0 }], 'gone'],
    ['of a negative period marks for a second', [{ gracePeriodSeconds: -5 }], marked(1, '1970-01-01T00:16:41Z')],
    [
      'of more seconds than a double has marks for as long as Go waits',
      [{ gracePeriodSeconds: (2n ** 53n) as unknown as number }],
      marked((2n ** 53n) as unknown as number, '2116-02-21T00:10:18Z'),
    ],
    ['is not prolonged', [{}, { gracePeriodSeconds: 60 }], marked(30, '1970-01-01T00:17:10Z')],
    ['is not moved by one like it', [{}, {}], marked(30, '1970-01-01T00:17:10Z')],
    ['is hastened', [{}, { gracePeriodSeconds: 20 }], marked(20, '1970-01-01T00:17:00Z')],
    [
      'that is hastened to before now ends in a second',
      [{}, { gracePeriodSeconds: 5 }],
      marked(1, '1970-01-01T00:16:50Z'),
    ],
    ['is ended', [{}, { gracePeriodSeconds: 0 }], 'gone'],
  ])('%s', async (_, deletes, expected) => {
    expect(await deleted(graceful, { deletes })).toEqual(expected)
  })

  it('whose period is over waits for finalizers', async () => {
    const metadata = { finalizers: ['x.io/y'] }
    expect(await deleted(graceful, { metadata, deletes: [{ gracePeriodSeconds: 0 }] })).toEqual({
      ...marked(0, start),
      finalizers: ['x.io/y'],
    })
  })
})

describe('the finalizers that a delete leaves', () => {
  const own = 'x.io/y'
  it.each<[string, 'background' | 'orphan' | 'unsupported', string[], DeleteOptions, string[] | 'gone']>([
    ['none of a kind in the background', 'background', [], {}, 'gone'],
    ['orphan by the kind', 'orphan', [], {}, ['orphan']],
    ['foreground if asked', 'background', [own], { propagationPolicy: 'Foreground' }, [own, 'foregroundDeletion']],
    ['orphan if asked', 'background', [own], { propagationPolicy: 'Orphan' }, [own, 'orphan']],
    ['orphan the old way', 'background', [], { orphanDependents: true }, ['orphan']],
    ['none of orphans the old way', 'orphan', [], { orphanDependents: false }, 'gone'],
    ['background against the kind', 'orphan', [own], { propagationPolicy: 'Background' }, [own]],
    ['those that are there', 'background', ['foregroundDeletion', own], {}, ['foregroundDeletion', own]],
    ['orphan that is there', 'background', ['orphan'], {}, ['orphan']],
    [
      'another policy than the one there',
      'background',
      ['orphan', own],
      { propagationPolicy: 'Foreground' },
      [own, 'foregroundDeletion'],
    ],
    ['its own alone where there is no collection', 'unsupported', [own], { propagationPolicy: 'Orphan' }, [own]],
  ])('%s', async (_, garbageCollection, finalizers, options, expected) => {
    const left = await deleted({ definition: { garbageCollection } }, { metadata: { finalizers }, deletes: [options] })
    expect(left === 'gone' ? left : (left as JsonObject)['finalizers']).toEqual(expected)
  })
})

describe('a termination', () => {
  it('marks as its kind says, and holds the object however often it is deleted', async () => {
    const strategy = {
      terminate: (draft: KubeObject) => void Object.assign(draft, { data: { phase: 'Terminating' } }),
      finalizersAtTermination: (present: readonly string[]) => present.filter((name) => name !== 'x.io/y'),
      isHeld: () => true,
    }
    const found = await withRegistry({ strategy }, async (registry) => {
      await create(registry, configMap({ finalizers: ['x.io/y'] }), testRequest(registry))
      for (let i = 0; i < 2; i++) await remove(registry, {}, testRequest(registry))
      return (await registry.storage.newest('ns/a'))?.object()
    })
    expect(found).toMatchObject({ data: { phase: 'Terminating' }, metadata: { deletionTimestamp: start } })
    expect(found?.metadata.finalizers).toBeUndefined()
  })

  it('is not that of one of a collection, which gets finalizers as any other kind', async () => {
    const strategy = { terminate: (draft: KubeObject) => void Object.assign(draft, { data: { phase: 'Terminating' } }) }
    const found = await withRegistry({ strategy }, async (registry) => {
      await create(registry, configMap(), testRequest(registry))
      await remove(registry, { propagationPolicy: 'Orphan' }, testRequest(registry, { ofCollection: true }))
      return (await registry.storage.newest('ns/a'))?.object()
    })
    expect(found?.metadata).toMatchObject({ deletionTimestamp: start, finalizers: ['orphan'] })
    expect(found?.['data']).toBeUndefined()
  })

  it.each([
    ['uid', { uid: 'x' }, 'UID in precondition: x, UID in object meta: 00000000-0000-4000-8000-000000000000'],
    ['version', { resourceVersion: '9' }, 'ResourceVersion in precondition: 9, ResourceVersion in object meta: 2'],
  ])('checks the %s that it names', async (_, preconditions, why) => {
    const found = await withRegistry({ strategy: { terminate: () => undefined } }, async (registry) => {
      await create(registry, configMap(), testRequest(registry))
      return outcome(remove(registry, { preconditions }, testRequest(registry)), () => 'deleted')
    })
    expect(found).toBe(`409 Operation cannot be fulfilled on configmaps "a": Precondition failed: ${why}`)
  })
})

describe('a precondition', () => {
  const uid = '00000000-0000-4000-8000-000000000000'
  it.each([
    ['uid', { uid }, 'deleted'],
    ['version', { resourceVersion: '2' }, 'deleted'],
    [
      'other uid',
      { uid: 'x' },
      expect.stringMatching(
        /^409 .* on ConfigMap "a": the UID in the precondition \(x\) does not match the UID in record \(0{8}-/,
      ),
    ],
    [
      'other version',
      { resourceVersion: '9' },
      expect.stringMatching(
        /^409 .* on ConfigMap "a": the ResourceVersion in the precondition \(9\) does not match the ResourceVersion in record \(2\)/,
      ),
    ],
  ])('of the %s', async (_, preconditions, expected) => {
    const found = await withRegistry({}, async (registry) => {
      await create(registry, configMap(), testRequest(registry))
      return outcome(remove(registry, { preconditions }, testRequest(registry)), () => 'deleted')
    })
    expect(found).toEqual(expected)
  })
})

describe('the options of a delete', () => {
  const both = 'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set'
  const unsafe = (name: string): string =>
    `ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .${name}`
  it.each<[DeleteOptions, string | undefined]>([
    [{}, undefined],
    [{ propagationPolicy: 'Orphan' }, undefined],
    [{ propagationPolicy: 'Foreground' }, undefined],
    [{ propagationPolicy: 'Background' }, undefined],
    [{ orphanDependents: true }, undefined],
    [{ dryRun: ['All', 'All'] }, undefined],
    [{ propagationPolicy: 'Orphan', orphanDependents: false }, both],
    [
      { propagationPolicy: 'x' },
      'propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [{ dryRun: ['All', 'x'] }, 'dryRun: Unsupported value: []string{"All", "x"}: supported values: "All"'],
    [{ ignoreStoreReadErrorWithClusterBreakingPotential: true }, undefined],
    [{ ignoreStoreReadErrorWithClusterBreakingPotential: false, dryRun: ['All'] }, undefined],
    [{ ignoreStoreReadErrorWithClusterBreakingPotential: true, dryRun: ['All'] }, unsafe('dryRun')],
    [
      { ignoreStoreReadErrorWithClusterBreakingPotential: true, propagationPolicy: 'Orphan' },
      unsafe('propagationPolicy'),
    ],
    [{ ignoreStoreReadErrorWithClusterBreakingPotential: true, orphanDependents: true }, unsafe('orphanDependents')],
    [{ ignoreStoreReadErrorWithClusterBreakingPotential: true, gracePeriodSeconds: 0 }, unsafe('gracePeriodSeconds')],
    [{ ignoreStoreReadErrorWithClusterBreakingPotential: true, preconditions: {} }, unsafe('preconditions')],
  ])('%j', (options, why) => {
    const validate = () => validateDeleteOptions(options)
    if (why === undefined) expect(validate).not.toThrow()
    else expect(validate).toThrow(why)
  })

  it('has one way to only try', () => {
    expect([[], ['All'], ['x']].map((given) => validateDryRun(given).length)).toEqual([0, 0, 1])
  })
})
