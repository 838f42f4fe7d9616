/** What updates and deletes ask of the store: which reads and writes they make, what they remove, and what they do where the cache lags. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { MemoError } from '../lib/memo.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import { type Store, StoreError, type WriteOperation } from '../store/store.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import type { DeleteOptions } from './delete-options.ts'
import type { Registry } from './registry.ts'
import type { Strategy } from './strategy.ts'
import { openTestRegistry, settledOutcomeOf, testRequest } from './testing/test-registry.ts'
import { replace, type UpdateChange, update } from './update.ts'
import type { WriteRequest } from './write-request.ts'

interface Setting {
  readonly registry: Registry
  readonly store: Store
  /** The reads of single keys and the writes since the last look. */
  readonly calls: () => string[]
}

interface Options {
  /** Other servers write to the store, too, so that the cache may lag. */
  readonly shared?: boolean
  readonly strategy?: Partial<Strategy>
}

async function withStore<T>({ shared = false, strategy = {} }: Options, use: (given: Setting) => Promise<T>) {
  const seen: string[] = []
  const store: Store = new Proxy(openMemoryStore(), {
    get(target, property) {
      if (property === 'shared') return shared
      const member: unknown = Reflect.get(target, property)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        if (property === 'get') seen.push('get')
        if (property === 'write') seen.push((given[0] as WriteOperation).type)
        return Reflect.apply(member, target, given) as unknown
      }
    },
  })
  const { registry, reflector } = await openTestRegistry({ store, builtInDefinitions, strategy })
  try {
    await registry.storage.cache()
    return await use({ registry, store, calls: () => seen.splice(0) })
  } finally {
    reflector.close()
    await store.close()
  }
}

const configMap = (metadata: JsonObject = {}, data: JsonObject = { a: '1' }): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns', ...metadata }, data }) as KubeObject

const change = (registry: Registry, apply: UpdateChange['apply'], given: Partial<WriteRequest> = {}) =>
  update(registry, { strategy: registry.definition.strategy, apply }, testRequest(registry, given))

const same = (current: KubeObject): KubeObject => current
const counted = (current: KubeObject): KubeObject => ({
  ...current,
  data: { count: String(Number((current['data'] as JsonObject)['count'] ?? 0) + 1) },
})
const withoutFinalizers = ({ metadata: { finalizers: _, ...metadata }, ...rest }: KubeObject): KubeObject =>
  ({ ...rest, metadata }) as KubeObject

const stored = async ({ storage }: Registry): Promise<KubeObject | undefined> =>
  (await storage.newest('ns/a'))?.object()

describe('the calls of an update', () => {
  it.each<[string, boolean, UpdateChange['apply'], Partial<WriteRequest>, string[]]>([
    ['that changes the object', false, counted, {}, ['replace']],
    ['that changes a large object', false, counted, { isLarge: true }, ['replace']],
    ['that changes nothing', false, same, {}, []],
    ['that only tries', false, counted, { dryRun: true }, []],
    ['over a cache that may lag', true, counted, {}, ['replace']],
    ['that changes nothing over a cache that may lag: it is a no-op on the newest state', true, same, {}, ['get']],
    [
      'that only tries over a cache that may lag: it begins with the newest state',
      true,
      counted,
      { dryRun: true },
      ['get'],
    ],
  ])('%s', async (_, shared, apply, given, expected) => {
    const calls = await withStore({ shared }, async (setting) => {
      await create(setting.registry, configMap(), testRequest(setting.registry))
      await setting.registry.storage.fresh(1000)
      setting.calls()
      await change(setting.registry, apply, given)
      return setting.calls()
    })
    expect(calls).toEqual(expected)
  })
})

describe('the calls of a delete', () => {
  const own = { finalizers: ['example.com/x'] }
  const graceful = { gracePeriodSeconds: () => 30 }
  const terminating = { terminate: () => undefined, isHeld: () => true }
  interface Case {
    readonly name: string
    readonly metadata?: JsonObject
    readonly strategy?: Partial<Strategy>
    readonly given?: Partial<WriteRequest>
    /** It is the second delete of the object. */
    readonly again?: boolean
    readonly options?: DeleteOptions
    readonly current: string[]
    readonly lagging: string[]
    readonly removed: boolean
  }

  it.each<Case>([
    { name: 'of an object', current: ['delete'], lagging: ['delete'], removed: true },
    { name: 'that only tries', given: { dryRun: true }, current: [], lagging: ['get'], removed: true },
    { name: 'of one with finalizers', metadata: own, current: ['replace'], lagging: ['replace'], removed: false },
    {
      name: 'of one with finalizers that only tries',
      metadata: own,
      given: { dryRun: true },
      current: [],
      lagging: ['get'],
      removed: false,
    },
    {
      name: 'of one that waits for its finalizers',
      metadata: own,
      again: true,
      current: [],
      lagging: ['get'],
      removed: false,
    },
    {
      name: 'that changes what is left to do for one that waits',
      metadata: own,
      again: true,
      options: { propagationPolicy: 'Foreground' },
      current: ['replace'],
      lagging: ['replace'],
      removed: false,
    },
    { name: 'with grace', strategy: graceful, current: ['replace'], lagging: ['replace'], removed: false },
    { name: 'within the grace period', strategy: graceful, again: true, current: [], lagging: ['get'], removed: false },
    {
      name: 'of a kind that has no grace for it',
      strategy: { gracePeriodSeconds: () => undefined },
      current: ['delete'],
      lagging: ['delete'],
      removed: true,
    },
    {
      name: 'of a kind that terminates',
      strategy: terminating,
      current: ['replace'],
      lagging: ['replace'],
      removed: false,
    },
    { name: 'of one that is held', strategy: terminating, again: true, current: [], lagging: ['get'], removed: false },
  ])('$name', async ({ metadata = {}, strategy = {}, given = {}, again = false, options = {}, ...expected }) => {
    for (const shared of [false, true]) {
      const found = await withStore({ shared, strategy }, async ({ registry, calls }) => {
        await create(registry, configMap(metadata), testRequest(registry))
        if (again) await remove(registry, {}, testRequest(registry))
        await registry.storage.fresh(1000)
        calls()
        const { removed } = await remove(registry, options, testRequest(registry, given))
        return { calls: calls(), removed }
      })
      expect(found).toEqual({ calls: shared ? expected.lagging : expected.current, removed: expected.removed })
    }
  })
})

describe('the newest state of an object', () => {
  it.each([
    ['is that of the cache', false, []],
    ['is that of the store where the cache may lag', true, ['get']],
  ])('%s', async (_, shared, expected) => {
    const calls = await withStore({ shared }, async (setting) => {
      await create(setting.registry, configMap(), testRequest(setting.registry))
      await setting.registry.storage.fresh(1000)
      setting.calls()
      expect((await stored(setting.registry))?.['data']).toEqual({ a: '1' })
      expect(await setting.registry.storage.newest('ns/b')).toBeUndefined()
      return setting.calls()
    })
    expect(calls).toEqual([...expected, ...expected])
  })
})

describe('an update over a cache that may lag', () => {
  it('is made once', async () => {
    const found = await withStore({ shared: true }, async ({ registry }) => {
      await create(registry, configMap({}, { count: '0' }), testRequest(registry))
      await registry.storage.fresh(1000)
      await change(registry, counted)
      return (await stored(registry))?.['data']
    })
    expect(found).toEqual({ count: '1' })
  })

  it('that creates is made once', async () => {
    let creates = 0
    const found = await withStore({ shared: true }, async ({ registry }) => {
      const fresh = (): KubeObject => {
        creates++
        return configMap()
      }
      const { strategy } = registry.definition
      const { created } = await update(registry, { strategy, apply: counted, create: fresh }, testRequest(registry))
      return [created, (await stored(registry))?.['data']]
    })
    expect(found).toEqual([true, { a: '1' }])
    expect(creates).toBe(1)
  })
})

describe('an object that is stored in another form', () => {
  const older = JSON.stringify({ ...configMap(), metadata: { ...configMap().metadata, uid: 'u' } }).replace('{', '{ ')
  it.each<[string, Partial<WriteRequest>, string[]]>([
    ['is written anew by an update that changes nothing', {}, ['get', 'get', 'replace']],
    ['is left alone by one that only tries', { dryRun: true }, []],
  ])('%s, once', async (_, given, expected) => {
    const calls = await withStore({}, async (setting) => {
      await setting.store.write({ type: 'create', key: '/registry/configmaps/ns/a', value: Buffer.from(older) })
      await setting.registry.storage.fresh(1000)
      setting.calls()
      await change(setting.registry, same, given)
      const first = setting.calls()
      if (given.dryRun !== true) await change(setting.registry, same)
      return [first, setting.calls()]
    })
    expect(calls).toEqual([expected, []])
  })
})

describe('an update that drops the last finalizer', () => {
  const own = { finalizers: ['example.com/x'] }
  const gone = { deleted: ['a'], isThere: false }
  const kept = { deleted: [], isThere: true }
  it.each<[string, Partial<Strategy>, JsonObject, Partial<WriteRequest>, object]>([
    ['removes the object', {}, own, {}, gone],
    ['removes the object of a kind that holds others', { isHeld: () => false }, own, {}, gone],
    ['leaves an object that its kind holds', { isHeld: () => true }, own, {}, kept],
    ['leaves it when it only tries', {}, own, { dryRun: true }, kept],
    ['leaves it while its grace period lasts', { gracePeriodSeconds: () => 30 }, own, {}, kept],
    ['removes it once there is no grace', { gracePeriodSeconds: () => 0 }, own, {}, gone],
  ])('%s', async (_, strategy, metadata, given, expected) => {
    const deleted: unknown[] = []
    const afterDelete: Strategy['afterDelete'] = (object) => void deleted.push(object.metadata.name)
    const found = await withStore({ strategy: { ...strategy, afterDelete } }, async ({ registry }) => {
      await create(registry, configMap(metadata), testRequest(registry))
      await remove(registry, {}, testRequest(registry))
      const { written } = await change(registry, withoutFinalizers, given)
      expect(written.object().metadata.finalizers).toBeUndefined()
      return { deleted, isThere: (await stored(registry)) !== undefined }
    })
    expect(found).toEqual(expected)
  })

  it('leaves an object that is not being deleted', async () => {
    const found = await withStore({}, async ({ registry }) => {
      await create(registry, configMap(own), testRequest(registry))
      await change(registry, withoutFinalizers)
      return stored(registry)
    })
    expect(found?.metadata.finalizers).toBeUndefined()
    expect(found?.['data']).toEqual({ a: '1' })
  })

  it('is made again where another writer added one meanwhile', async () => {
    let isFirst = true
    const found = await withStore({}, async ({ registry }) => {
      await create(registry, configMap(own), testRequest(registry))
      await remove(registry, {}, testRequest(registry))
      await change(registry, async (current) => {
        const dropped = withoutFinalizers(current)
        if (!isFirst) return { ...current, data: { seen: String(current['data'] !== undefined) } }
        isFirst = false
        await change(registry, (other) => ({ ...other, data: { b: '2' } }))
        return dropped
      })
      return stored(registry)
    })
    expect(found?.metadata.finalizers).toEqual(own.finalizers)
    expect(found?.['data']).toEqual({ seen: 'true' })
  })
})

describe('an update of what cannot be read', () => {
  it('is refused, and leaves it', async () => {
    const bad = Buffer.from('{"kind":"Secret","apiVersion":"v1"}')
    const found = await withStore({}, async ({ registry, store, calls }) => {
      await store.write({ type: 'create', key: '/registry/configmaps/ns/a', value: bad })
      await registry.storage.fresh(1000)
      calls()
      return [await settledOutcomeOf(() => change(registry, counted)), calls()]
    })
    expect(found).toEqual([expect.stringContaining('no kind "Secret" is registered for version "v1" in scheme'), []])
  })
})

describe('an update of what is not there, which names a uid', () => {
  const failed = expect.stringContaining('Precondition failed: UID in precondition: x, UID in object meta: ')
  const missing = '404 configmaps "a" not found'
  it.each<[string, boolean, Partial<UpdateChange>, unknown]>([
    ['fails its precondition', false, {}, failed],
    ['finds nothing in releases that look for the object first', true, {}, missing],
    ['fails its precondition before it creates', false, { create: () => configMap() }, failed],
    ['fails its precondition before it creates in any release', true, { create: () => configMap() }, failed],
  ])('%s', async (_, isMissingFirst, more, expected) => {
    const found = await withStore({}, ({ registry }) => {
      const gate = (name: string): boolean => isMissingFirst && name === 'release:missingBeforePreconditions'
      const { strategy } = registry.definition
      const named = { strategy, apply: counted, uid: 'x', ...more }
      return settledOutcomeOf(() => update({ ...registry, gate }, named, testRequest(registry)))
    })
    expect(found).toEqual(expected)
  })
})

describe('a write that the store may have taken', () => {
  it.each<[string, (registry: Registry) => Promise<unknown>]>([
    ['an update', (registry) => change(registry, counted)],
    ['a delete', (registry) => remove(registry, {}, testRequest(registry))],
  ])('is told to the strategy, though nothing is reserved for it: %s', async (_, write) => {
    let unknown = 0
    const onUnknownOutcome = (): void => void unknown++
    await withStore({ strategy: { onUnknownOutcome } }, async ({ registry }) => {
      await create(registry, configMap(), testRequest(registry))
      await registry.storage.fresh(1000)
      const failing = new StoreError('timeout', 'late', { maybeApplied: true })
      registry.storage.store.write = () => Promise.reject(failing)
      expect(await settledOutcomeOf(() => write(registry))).toMatch(/^504 .*late/)
    })
    expect(unknown).toBe(1)
  })
})

describe('an object whose name is taken', () => {
  it('by what cannot be read exists already', async () => {
    const found = await withStore({}, async ({ registry, store }) => {
      await store.write({ type: 'create', key: '/registry/configmaps/ns/a', value: Buffer.from('{}') })
      await registry.storage.fresh(1000)
      return settledOutcomeOf(() => create(registry, configMap(), testRequest(registry)))
    })
    expect(found).toBe('409 configmaps "a" already exists')
  })

  it('by one that is gone by now exists already', async () => {
    const found = await withStore({}, async ({ registry }) => {
      registry.storage.store.write = async () => ({ ok: false, current: undefined }) as never
      return settledOutcomeOf(() => create(registry, configMap(), testRequest(registry)))
    })
    expect(found).toBe('409 configmaps "a" already exists')
  })
})

describe('a replacement that creates', () => {
  it.each([{}, { isLarge: true }])('records its writer: %j', async (size) => {
    const object = await withStore({}, async ({ registry }) => {
      const creating: Registry = { ...registry, definition: { ...registry.definition, createOnUpdate: true } }
      const { strategy } = registry.definition
      await replace(
        creating,
        strategy,
        () => configMap(),
        testRequest(registry, size),
        () => undefined,
      )
      return stored(registry)
    })
    expect(object?.metadata.managedFields).toMatchObject([{ manager: 'm', fieldsV1: { 'f:data': { 'f:a': {} } } }])
  })
})

it('a strategy that refuses a no-op which it accepted before is found out', async () => {
  let isStrict = false
  const validateInTurns: Strategy['validateInTurns'] = () =>
    isStrict ? [{ reason: 'FieldValueInvalid', field: 'data', message: 'no' }] : []
  const failure = await withStore({ strategy: { validateInTurns } }, async ({ registry }) => {
    await create(registry, configMap(), testRequest(registry))
    await change(registry, same)
    isStrict = true
    return change(registry, same).catch((error: unknown) => error)
  })
  expect(failure).toBeInstanceOf(MemoError)
})
