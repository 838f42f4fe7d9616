/** The generic verbs over a store that loses races and fails on demand: what is written, what is not, and what becomes of reservations. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Admission } from '../api/admission.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { ApiError, forbidden } from '../api/status-error.ts'
import type { Reflector } from '../cache/reflector.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import { type Store, StoreError, type WriteOperation } from '../store/store.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import type { DeleteOptions } from './delete-options.ts'
import type { Registry } from './registry.ts'
import type { Strategy } from './strategy.ts'
import { openTestRegistry, testRequest } from './testing/test-registry.ts'
import { update } from './update.ts'
import type { WriteRequest } from './write-request.ts'

type StoreHook = (operation: WriteOperation) => Promise<void> | void

/** A store whose next writes are preceded, or followed, by something else. */
function hooked(store: Store, hooks: { before: StoreHook[]; after: StoreHook[] }): Store {
  return new Proxy(store, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property)
      if (property !== 'write') return typeof member === 'function' ? member.bind(target) : member
      return async (operation: WriteOperation) => {
        await hooks.before.shift()?.(operation)
        const result = await target.write(operation)
        await hooks.after.shift()?.(operation)
        return result
      }
    },
  })
}

const hooks: { before: StoreHook[]; after: StoreHook[] } = { before: [], after: [] }
let store: Store
let reflector: Reflector
let registry: Registry
/** The calls of reservations and of other hooks of the strategy. */
let reported: string[]
let admission: Admission

beforeEach(async () => {
  reported = []
  hooks.before = []
  hooks.after = []
  admission = { mutate: () => undefined, validate: () => undefined }
  store = hooked(openMemoryStore(), hooks)
  const reservation = { commit: () => void reported.push('commit'), rollback: () => void reported.push('rollback') }
  const opened = await openTestRegistry({
    store,
    builtInDefinitions,
    admission: {
      mutate: (request) => admission.mutate(request),
      validate: (request) => admission.validate(request),
    },
    strategy: {
      beginCreate: () => reservation,
      beginUpdate: () => reservation,
      onUnknownOutcome: () => void reported.push('unknown'),
      afterDelete: ({ metadata }) => void reported.push(`deleted ${metadata.name}`),
    },
  })
  registry = opened.registry
  reflector = opened.reflector
})

afterEach(() => reflector.close())

const request = (given?: Partial<WriteRequest>): WriteRequest => testRequest(registry, given)

const body = (data: JsonObject = {}, metadata: JsonObject = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns', ...metadata }, data }) as KubeObject

const make = (object = body(), given: Partial<WriteRequest> = {}) => create(registry, object, request(given))

const change = (apply: (current: KubeObject) => KubeObject, given: Partial<WriteRequest> = {}) =>
  update(registry, { strategy: registry.definition.strategy, apply }, request(given))

const withData =
  (data: JsonObject) =>
  (current: KubeObject): KubeObject => ({ ...current, data: { ...(current['data'] as JsonObject), ...data } })

const drop = (options: DeleteOptions = {}, given: Partial<WriteRequest> = {}) =>
  remove(registry, options, request(given))

async function stored(name = 'a'): Promise<KubeObject | undefined> {
  const entry = await registry.storage.newest(`ns/${name}`)
  return entry?.object()
}

/** The code of the refusal; undefined when there was none. */
async function codeOf(write: Promise<unknown>): Promise<number | undefined> {
  try {
    await write
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

const fails = (maybeApplied: boolean) => (): never => {
  throw new StoreError('unavailable', 'the disk is gone', { maybeApplied })
}
const refuse = (): never => {
  throw forbidden({ group: '', resource: 'configmaps' }, 'a', 'no')
}
/** A key that no object may have. */
const bad = { 'a key!': '1' }

describe('what is reserved for a create', () => {
  interface Case {
    readonly name: string
    readonly object?: KubeObject
    readonly arrange?: () => unknown
    readonly given?: Partial<WriteRequest>
    readonly code?: number
    readonly reported: readonly string[]
    readonly isStored: boolean
  }

  it.each<Case>([
    { name: 'is kept when it was written', reported: ['commit'], isStored: true },
    { name: 'is given back by a dry run', given: { dryRun: true }, reported: ['rollback'], isStored: false },
    {
      name: 'is given back when the object is invalid',
      object: body(bad),
      code: 422,
      reported: ['rollback'],
      isStored: false,
    },
    {
      name: 'is given back when admission refuses it',
      arrange: () => (admission = { mutate: () => undefined, validate: refuse }),
      code: 403,
      reported: ['rollback'],
      isStored: false,
    },
    {
      name: 'is given back when the store refuses it',
      arrange: () => hooks.before.push(fails(false)),
      code: 503,
      reported: ['rollback'],
      isStored: false,
    },
    {
      name: 'is neither when the store may have taken it',
      arrange: () => hooks.after.push(fails(true)),
      code: 503,
      reported: ['unknown'],
      isStored: true,
    },
    {
      name: 'is never made when mutating admission refuses it',
      arrange: () => (admission = { mutate: refuse, validate: () => undefined }),
      code: 403,
      reported: [],
      isStored: false,
    },
  ])('$name', async ({ object = body(), arrange, given, code, reported: expected, isStored }) => {
    arrange?.()
    expect(await codeOf(make(object, given))).toBe(code)
    expect(reported).toEqual(expected)
    expect((await stored()) !== undefined).toBe(isStored)
  })

  it('is given back when the name is taken, also in a dry run', async () => {
    await make()
    reported = []
    expect(await codeOf(make())).toBe(409)
    expect(await codeOf(make(body(), { dryRun: true }))).toBe(409)
    expect(reported).toEqual(['rollback', 'rollback'])
  })

  it('is given back by the one of two creates that loses', async () => {
    const codes = await Promise.all([codeOf(make()), codeOf(make())])
    expect(codes.toSorted()).toEqual([409, undefined])
    expect(reported.toSorted()).toEqual(['commit', 'rollback'])
  })
})

describe('an update', () => {
  beforeEach(async () => {
    await make(body({ a: '1' }))
    reported = []
  })

  it('runs again on what is newest when it loses a race', async () => {
    const seen: unknown[] = []
    hooks.before.push(async () => void (await change(withData({ b: '2' }))))
    await change((current) => {
      seen.push(current['data'])
      return withData({ c: '3' })(current)
    })
    expect((await stored())?.['data']).toEqual({ a: '1', b: '2', c: '3' })
    expect(seen).toEqual([{ a: '1' }, { a: '1', b: '2' }])
  })

  it('warns of what its last attempt found alone', async () => {
    const warned: string[] = []
    const strategy: Strategy = {
      ...registry.definition.strategy,
      warningsOnUpdate: (object) => [Object.keys((object as KubeObject)['data'] as object).join()],
    }
    hooks.before.push(async () => void (await change(withData({ b: '2' }))))
    const warn = (text: string): void => void warned.push(text)
    await update(registry, { strategy, apply: withData({ c: '3' }) }, request({ warn }))
    expect(warned).toEqual(['a,b,c'])
  })

  it('gives back what it reserved in the attempt that lost', async () => {
    hooks.before.push(async () => void (await change(withData({ b: '2' }))))
    await change(withData({ c: '3' }))
    expect(reported).toEqual(['commit', 'rollback', 'commit'])
  })

  it('is a conflict when it names the version that lost', async () => {
    const { resourceVersion } = (await stored())?.metadata ?? {}
    await change(withData({ b: '2' }))
    const old = (current: KubeObject): KubeObject => ({
      ...withData({ c: '3' })(current),
      metadata: { ...current.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    })
    expect(await codeOf(change(old))).toBe(409)
    expect((await stored())?.['data']).toEqual({ a: '1', b: '2' })
  })

  it('of an object that went meanwhile finds none', async () => {
    hooks.before.push(async () => void (await drop()))
    expect(await codeOf(change(withData({ c: '3' })))).toBe(404)
    expect(await stored()).toBe(undefined)
  })

  it.each<[string, () => unknown, number | undefined, readonly string[]]>([
    ['is refused by admission', () => (admission = { mutate: () => undefined, validate: refuse }), 403, ['rollback']],
    ['fails with the store', () => hooks.before.push(fails(false)), 503, ['rollback']],
  ])('%s, and leaves what was', async (_, arrange, code, expected) => {
    const before = await stored()
    arrange()
    expect(await codeOf(change(withData({ c: '3' })))).toBe(code)
    expect(reported).toEqual(expected)
    expect(await stored()).toEqual(before)
  })

  it('is refused when it is invalid, and leaves what was', async () => {
    const before = await stored()
    expect(await codeOf(change(withData(bad)))).toBe(422)
    expect(reported).toEqual(['rollback'])
    expect(await stored()).toEqual(before)
  })

  it('whose outcome is unknown is not tried again', async () => {
    hooks.after.push(fails(true))
    let attempts = 0
    const code = await codeOf(
      change((current) => {
        attempts++
        return withData({ c: '3' })(current)
      }),
    )
    expect([code, attempts, reported]).toEqual([503, 1, ['unknown']])
  })

  it('that changes nothing writes nothing', async () => {
    const before = await stored()
    const { written } = await change((current) => structuredClone(current))
    expect(written.object()).toEqual(before)
    expect(await stored()).toEqual(before)
  })

  it('that only tries answers with what it would write', async () => {
    const before = await stored()
    const { written } = await change(withData({ c: '3' }), { dryRun: true })
    expect(written.object()['data']).toEqual({ a: '1', c: '3' })
    expect(await stored()).toEqual(before)
    expect(reported).toEqual(['rollback'])
  })
})

describe('a delete', () => {
  const finalizers = (...names: string[]) =>
    make(body({ a: '1' }, { finalizers: names.map((name) => `example.com/${name}`) }))

  const without =
    (...names: string[]) =>
    (current: KubeObject): KubeObject => ({
      ...current,
      metadata: {
        ...current.metadata,
        finalizers: (current.metadata.finalizers ?? []).filter((name) => !names.includes(name.slice(12))),
      },
    })

  it('removes the object, and tells its strategy', async () => {
    await make()
    expect((await drop()).removed).toBe(true)
    expect(await stored()).toBe(undefined)
    expect(reported).toEqual(['commit', 'deleted a'])
  })

  it('that only tries leaves the object', async () => {
    await make()
    expect((await drop({}, { dryRun: true })).written.object().metadata.name).toBe('a')
    expect(await stored()).toBeDefined()
    expect(reported).toEqual(['commit'])
  })

  it('only marks what has finalizers; the update that drops the last one removes it', async () => {
    await finalizers('x', 'y')
    expect((await drop()).removed).toBe(false)
    const { deletionTimestamp, deletionGracePeriodSeconds } = (await stored())?.metadata ?? {}
    expect([typeof deletionTimestamp, deletionGracePeriodSeconds]).toEqual(['string', 0])
    await change(without('x'))
    expect((await stored())?.metadata.finalizers).toEqual(['example.com/y'])
    reported = []
    await change(without('y'))
    expect(await stored()).toBe(undefined)
    expect(reported).toContain('deleted a')
  })

  it('marks once: a second one changes nothing', async () => {
    await finalizers('x')
    await drop()
    const before = await stored()
    expect((await drop()).removed).toBe(false)
    expect(await stored()).toEqual(before)
  })

  it('succeeds for all who drop the last finalizer at once, and the object goes once', async () => {
    await finalizers('x')
    await drop()
    reported = []
    await Promise.all([change(without('x')), change(without('x')).catch((error: ApiError) => error.code)])
    expect(await stored()).toBe(undefined)
    expect(reported.filter((each) => each === 'deleted a')).toEqual(['deleted a'])
  })

  it('removes what is newest when it loses a race', async () => {
    await make(body({ a: '1' }))
    hooks.before.push(async () => void (await change(withData({ b: '2' }))))
    const { written, removed } = await drop()
    expect([removed, written.object()['data']]).toEqual([true, { a: '1', b: '2' }])
    expect(await stored()).toBe(undefined)
  })

  it('marks what is newest when it loses a race', async () => {
    await finalizers('x')
    hooks.before.push(async () => void (await change(withData({ b: '2' }))))
    const { written, removed } = await drop()
    expect([removed, written.object()['data']]).toEqual([false, { a: '1', b: '2' }])
    expect((await stored())?.metadata.deletionTimestamp).toBeDefined()
  })

  it('that marks before it removes is done when another removes what it marked, whatever there is then', async () => {
    for (const isMadeAnew of [false, true]) {
      await make(body({}, { finalizers: ['orphan'] }))
      const another = async (): Promise<void> => {
        await drop()
        if (isMadeAnew) await make(body({ b: '2' }))
      }
      hooks.before.push(() => undefined, another)
      expect((await drop({ propagationPolicy: 'Background' })).removed).toBe(true)
      expect((await stored())?.['data']).toEqual(isMadeAnew ? { b: '2' } : undefined)
    }
  })

  it.each<[string, JsonObject, unknown]>([
    ['moves the generation of an object that has one', { generation: 4 }, 5],
    ['leaves one without', {}, undefined],
  ])('that marks %s', async (_, metadata, expected) => {
    const counted = { ...registry.definition.strategy, generation: 'spec' } as Strategy
    const counting =
      'generation' in metadata ? { ...registry, definition: { ...registry.definition, strategy: counted } } : registry
    await create(counting, body({}, { finalizers: ['example.com/x'] }), request())
    for (let i = 1; i < Number(metadata['generation'] ?? 0); i++)
      await update(counting, { strategy: counted, apply: withData({ i: String(i) }) }, request())
    await remove(counting, {}, request())
    expect((await stored())?.metadata.generation).toBe(expected)
    await remove(counting, {}, request())
    expect((await stored())?.metadata.generation).toBe(expected)
  })

  it('is not over for an object that waits for its grace period, or whose finalizers outlast it', async () => {
    const strategy = {
      ...registry.definition.strategy,
      gracePeriodSeconds: (_: KubeObject, { gracePeriodSeconds = 30 }: DeleteOptions) => gracePeriodSeconds,
    }
    const graceful = { ...registry, definition: { ...registry.definition, strategy } }
    await make()
    for (let i = 0; i < 2; i++) expect((await remove(graceful, {}, request())).removed).toBe(false)
    await remove(graceful, { gracePeriodSeconds: 0 }, request())
    expect(await stored()).toBeUndefined()
    await finalizers('x')
    for (let i = 0; i < 2; i++)
      expect((await remove(graceful, { gracePeriodSeconds: 0 }, request())).removed).toBe(false)
    const { deletionGracePeriodSeconds, finalizers: left } = (await stored())?.metadata ?? {}
    expect([deletionGracePeriodSeconds, left]).toEqual([0, ['example.com/x']])
  })

  it('of a kind that terminates insists on the object that it looked at', async () => {
    const strategy = { ...registry.definition.strategy, terminate: () => undefined }
    const terminating = { ...registry, definition: { ...registry.definition, strategy } }
    const asked: unknown[] = []
    for (const uid of [undefined, 'same']) {
      await make(body({}, { name: 'a', finalizers: ['example.com/x'] }))
      const own = (await stored())?.metadata.uid ?? ''
      const preconditions =
        uid === undefined ? { resourceVersion: (await stored())?.metadata.resourceVersion } : { uid: own }
      admission = {
        mutate: ({ options }) => void asked.push(options['preconditions'], { ...preconditions, uid: own }),
        validate: () => undefined,
      }
      const options = { preconditions } as DeleteOptions
      await remove(terminating, options, request({ options: { ...options } as JsonObject }))
      expect((await stored())?.metadata.finalizers).toEqual(['example.com/x'])
      admission = { mutate: () => undefined, validate: () => undefined }
      await change(without('x'))
    }
    expect([asked[0], asked[2]]).toEqual([asked[1], asked[3]])
  })

  it.each<[string, DeleteOptions, number | undefined]>([
    ['of another uid', { preconditions: { uid: 'other' } }, 409],
    ['of another version', { preconditions: { resourceVersion: '1' } }, 409],
    ['of nothing in particular', {}, undefined],
  ])('%s', async (_, options, code) => {
    await make()
    expect(await codeOf(drop(options))).toBe(code)
    expect((await stored()) === undefined).toBe(code === undefined)
  })

  it('that names the version it saw is a conflict when another writer was first', async () => {
    await make()
    const { resourceVersion = '' } = (await stored())?.metadata ?? {}
    hooks.before.push(async () => void (await change(withData({ b: '2' }))))
    expect(await codeOf(drop({ preconditions: { resourceVersion } }))).toBe(409)
    expect((await stored())?.['data']).toEqual({ b: '2' })
  })

  it('is refused by admission', async () => {
    await make()
    admission = { mutate: () => undefined, validate: refuse }
    expect(await codeOf(drop())).toBe(403)
    expect(await stored()).toBeDefined()
  })

  it('of what is not there is a 404', async () => {
    expect(await codeOf(drop())).toBe(404)
  })

  it('is admitted twice, with the options as it takes them', async () => {
    await make(body({}, { finalizers: ['example.com/x'] }))
    const asked: unknown[] = []
    admission = {
      mutate: ({ operation, options }) => void asked.push(['mutate', operation, options]),
      validate: ({ operation, oldObject, object }) =>
        void asked.push(['validate', operation, oldObject?.metadata.name, object]),
    }
    await drop({ gracePeriodSeconds: -5 }, { options: { gracePeriodSeconds: -5 } })
    expect(asked).toEqual([
      ['mutate', 'DELETE', { gracePeriodSeconds: 1 }],
      ['validate', 'DELETE', 'a', undefined],
    ])
    asked.length = 0
    await drop({ gracePeriodSeconds: 5 }, { options: { gracePeriodSeconds: 5 } })
    await drop({}, { options: { gracePeriodSeconds: 'x' } })
    expect(asked.filter((each) => (each as string[])[0] === 'mutate')).toEqual([
      ['mutate', 'DELETE', { gracePeriodSeconds: 5 }],
      ['mutate', 'DELETE', { gracePeriodSeconds: 'x' }],
    ])
  })

  it('that updates before it removes is admitted twice, with the options of the first time', async () => {
    const asked: unknown[] = []
    const record: Admission = {
      mutate: ({ options, oldObject }) => {
        const { deletionGracePeriodSeconds, finalizers = [] } = oldObject?.metadata ?? {}
        asked.push([options['gracePeriodSeconds'], deletionGracePeriodSeconds, finalizers.length])
      },
      validate: () => {},
    }
    await make(body({}, { finalizers: ['orphan'] }))
    admission = record
    expect((await drop({ propagationPolicy: 'Background' })).removed).toBe(true)
    expect(asked.splice(0)).toEqual([
      [undefined, undefined, 1],
      [undefined, undefined, 0],
    ])
    const graceful = { ...registry.definition.strategy, gracePeriodSeconds: () => 0 }
    const pods = { ...registry, definition: { ...registry.definition, strategy: graceful } }
    for (const ofCollection of [false, true]) {
      await make()
      asked.length = 0
      expect((await remove(pods, {}, request({ ofCollection }))).removed).toBe(true)
      const seen = ofCollection ? undefined : 0
      expect(asked).toEqual([
        [seen, undefined, 0],
        [seen, 0, 0],
      ])
    }
  })

  it('is refused for its options, whatever there is', async () => {
    expect(await codeOf(drop({ propagationPolicy: 'x' }))).toBe(422)
  })

  it('that only tries says whether the object would be gone', async () => {
    await make()
    expect((await drop({}, { dryRun: true })).removed).toBe(true)
    await change((current) => ({ ...current, metadata: { ...current.metadata, finalizers: ['example.com/x'] } }))
    const { removed, written } = await drop({}, { dryRun: true })
    expect([removed, typeof written.object().metadata.deletionTimestamp]).toEqual([false, 'string'])
    expect((await stored())?.metadata.deletionTimestamp).toBeUndefined()
  })

  it('whose outcome is unknown is told to the strategy', async () => {
    await make()
    reported = []
    hooks.after.push(fails(true))
    expect(await codeOf(drop())).toBe(503)
    hooks.before.push(fails(false))
    await make(body(), { name: 'b' }).catch(() => undefined)
    expect(reported.filter((each) => each === 'unknown')).toEqual(['unknown'])
  })

  it('of one of a collection does not ask the kind whether it may go', async () => {
    await make()
    const refusing = { ...registry.definition.strategy, checkDelete: refuse, warningsOnDelete: () => ['w'] }
    const guarded = { ...registry, definition: { ...registry.definition, strategy: refusing } }
    const warned: string[] = []
    const warn = (text: string): void => void warned.push(text)
    expect(await codeOf(remove(guarded, {}, request({ warn })))).toBe(403)
    expect(warned).toEqual([])
    expect(await codeOf(remove(guarded, {}, request({ warn, ofCollection: true })))).toBeUndefined()
    expect(warned).toEqual(['w'])
  })
})

describe('managed fields that are too much for the store', () => {
  const tooLarge = (): never => {
    throw new StoreError('too-large', 'x', { maybeApplied: false })
  }

  it('are dropped, but not by an apply', async () => {
    hooks.before.push(tooLarge)
    await make()
    expect((await stored())?.metadata.managedFields).toBeUndefined()
    expect((await stored())?.metadata.name).toBe('a')
    hooks.before.push(tooLarge)
    expect(await codeOf(make(body({}, { name: 'b' }), { name: 'b', applies: true }))).toBe(500)
    hooks.before.push(fails(false))
    expect(await codeOf(make(body({}, { name: 'b' }), { name: 'b' }))).toBe(503)
    hooks.before.push(tooLarge, tooLarge)
    expect(await codeOf(make(body({}, { name: 'b' }), { name: 'b' }))).toBe(500)
  })
})
