/** The stages of a create, an update and a replacement: in which order they come, what each sees, and what is stored in the end. */
import { describe, expect, it } from 'vitest'
import type { Admission, AdmissionRequest } from '../api/admission.ts'
import { invalid as invalidField } from '../api/field-error.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject, OwnerReference } from '../api/object.ts'
import { ApiError, forbidden } from '../api/status-error.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import { ManualClock } from '../store/testing/manual-clock.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import type { Registry } from './registry.ts'
import type { Strategy } from './strategy.ts'
import { openTestRegistry, type TestRegistryOptions, testRequest } from './testing/test-registry.ts'
import { replace, type UpdateChange, update } from './update.ts'
import type { WriteRequest } from './write-request.ts'

type Options = Omit<TestRegistryOptions, 'store' | 'builtInDefinitions'>

async function withRegistry<T>(options: Options, use: (registry: Registry) => Promise<T>): Promise<T> {
  const clock = new ManualClock()
  const store = openMemoryStore({ clock })
  const { registry, reflector } = await openTestRegistry({ store, builtInDefinitions, clock, ...options })
  try {
    return await use(registry)
  } finally {
    reflector.close()
    await store.close()
  }
}

const configMap = (metadata: JsonObject = {}, data: JsonObject = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns', ...metadata }, data }) as KubeObject

const withData =
  (data: JsonObject) =>
  (current: KubeObject): KubeObject =>
    ({ ...current, data }) as KubeObject

const storedData = async (registry: Registry, name = 'a'): Promise<unknown> =>
  (await registry.storage.newest(`ns/${name}`))?.object()['data']

/** What a promise is refused with, or what is shown of its value. */
async function outcome<T>(promise: Promise<T>, show: (value: T) => unknown = () => 'written'): Promise<unknown> {
  try {
    return show(await promise)
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`
    throw error
  }
}

const refuse = (): never => {
  throw forbidden({ group: '', resource: 'configmaps' }, 'a', 'no')
}
const nothing = (): undefined => undefined

/** Every write is made as a small one, and as one whose stages are turns of their own. */
const sizes: [string, Partial<WriteRequest>][] = [
  ['small', {}],
  ['large', { isLarge: true }],
]

describe.each(sizes)('the stages of a %s write', (_, size) => {
  /** Hooks that say when they run, and that leave a mark in the object. */
  function observed(seen: string[]): Options {
    const mark = (draft: KubeObject, name: string): void => {
      seen.push(name)
      Object.assign(draft, { data: { ...(draft['data'] as JsonObject), [name]: 'x' } })
    }
    const keys = (object: KubeObject | undefined): string => Object.keys((object?.['data'] ?? {}) as object).join('+')
    const note = (name: string, object: KubeObject | undefined): void => void seen.push(`${name}: ${keys(object)}`)
    const rules = (object: KubeObject): [] => {
      note('validate', object)
      return []
    }
    const strategy = {
      validateInTurns: undefined,
      prepareForCreate: (draft: KubeObject) => mark(draft, 'prepared'),
      prepareForUpdate: (draft: KubeObject) => mark(draft, 'prepared'),
      validate: rules,
      validateUpdate: rules,
      warningsOnCreate: () => ['careful'],
      warningsOnUpdate: () => ['careful'],
      beforeStore: (draft: KubeObject, old: KubeObject | undefined) =>
        mark(draft, old === undefined ? 'new' : 'changed'),
    } as unknown as Partial<Strategy>
    const admission: Admission = {
      mutate: ({ object }) => {
        note('mutate', object)
        return undefined
      },
      validate: ({ object }) => note('admit', object),
    }
    return { strategy, admission }
  }

  it('come in order on create, and what they did is stored', async () => {
    const seen: string[] = []
    const stored = await withRegistry(observed(seen), async (registry) => {
      const warn = (text: string): void => void seen.push(`warn: ${text}`)
      await create(registry, configMap({}, { a: '1' }), testRequest(registry, { ...size, warn }))
      return storedData(registry)
    })
    expect(seen).toEqual(['mutate: a', 'prepared', 'validate: a+prepared', 'warn: careful', 'admit: a+prepared', 'new'])
    expect(stored).toEqual({ a: '1', prepared: 'x', new: 'x' })
  })

  it('come in order on update, and what they did is stored', async () => {
    const seen: string[] = []
    const stored = await withRegistry(observed(seen), async (registry) => {
      await create(registry, configMap({}, { a: '1' }), testRequest(registry))
      seen.length = 0
      const warn = (text: string): void => void seen.push(`warn: ${text}`)
      const { strategy } = registry.definition
      const result = await update(
        registry,
        { strategy, apply: withData({ b: '2' }) },
        testRequest(registry, { ...size, warn }),
      )
      expect(result.created).toBe(false)
      return storedData(registry)
    })
    expect(seen).toEqual([
      'mutate: b',
      'prepared',
      'validate: b+prepared',
      'admit: b+prepared',
      'changed',
      'warn: careful',
    ])
    expect(stored).toEqual({ b: '2', prepared: 'x', changed: 'x' })
  })

  it('are all seen by what a dry run answers', async () => {
    const answers = await withRegistry(observed([]), async (registry) => {
      const request = testRequest(registry, { ...size, dryRun: true })
      const made = await create(registry, configMap({}, { a: '1' }), request)
      await create(registry, configMap({}, { a: '1' }), testRequest(registry))
      const { strategy } = registry.definition
      const changed = await update(registry, { strategy, apply: withData({ b: '2' }) }, request)
      return [made.object()['data'], changed.written.object()['data'], await storedData(registry)]
    })
    expect(answers).toEqual([
      { a: '1', prepared: 'x', new: 'x' },
      { b: '2', prepared: 'x', changed: 'x' },
      { a: '1', prepared: 'x', new: 'x' },
    ])
  })

  const wrong = [invalidField('data', 'x', 'no')]
  type Rules = Strategy['validateInTurns']
  const own = '422 ConfigMap "a" is invalid: data: Invalid value: "x": no'
  const plain = '422 ConfigMap "a" is invalid: data: Invalid value: "x": plain'
  it.each<[string, Rules, unknown]>([
    ['find nothing later', async () => [], 'written'],
    ['find something later', async () => wrong, own],
    ['find nothing at once', () => [], 'written'],
    ['find something at once', () => wrong, own],
    ['leave it to the others', nothing as unknown as Rules, plain],
  ])('end with rules that %s', async (__, validateInTurns, expected) => {
    const validate = () => [invalidField('data', 'x', 'plain')]
    let isStrict = false
    const strategy = {
      validateInTurns: (...given: Parameters<NonNullable<Rules>>) => (isStrict ? validateInTurns?.(...given) : []),
      validate,
      validateUpdate: validate,
    } as Partial<Strategy>
    const found = await withRegistry({ strategy }, async (registry) => {
      await create(registry, configMap({ name: 'b' }), testRequest(registry))
      isStrict = true
      const made = await outcome(create(registry, configMap(), testRequest(registry, size)))
      const change = { strategy: registry.definition.strategy, apply: withData({ b: '2' }) }
      const changed = await outcome(update(registry, change, testRequest(registry, { ...size, name: 'b' })))
      return [made, String(changed).replace('"b"', '"a"')]
    })
    expect(found).toEqual([expected, expected])
  })

  it.each<[string, Partial<Admission>, string]>([
    ['mutating', { mutate: async () => refuse() }, 'mutated'],
    ['validating', { validate: async () => refuse() }, 'admitted'],
  ])('end with a %s plugin that refuses later', async (__, plugin) => {
    let isStrict = false
    const admission: Admission = {
      mutate: (request) => (isStrict ? plugin.mutate?.(request) : undefined),
      validate: (request) => (isStrict ? plugin.validate?.(request) : undefined),
    }
    const found = await withRegistry({ admission }, async (registry) => {
      await create(registry, configMap({ name: 'b' }, { a: '1' }), testRequest(registry))
      isStrict = true
      const made = await outcome(create(registry, configMap(), testRequest(registry, size)))
      const change = { strategy: registry.definition.strategy, apply: withData({ b: '2' }) }
      const changed = await outcome(update(registry, change, testRequest(registry, { ...size, name: 'b' })))
      return [made, changed, await storedData(registry), await storedData(registry, 'b')]
    })
    const refused = '403 configmaps "a" is forbidden: no'
    expect(found).toEqual([refused, refused, undefined, { a: '1' }])
  })

  it('store what plugins put in the place of the object', async () => {
    const admission: Admission = {
      mutate: async ({ object }) => ({ ...object, data: { plugin: 'x' } }) as unknown as KubeObject,
      validate: nothing,
    }
    const found = await withRegistry({ admission }, async (registry) => {
      await create(registry, configMap({}, { a: '1' }), testRequest(registry, size))
      return storedData(registry)
    })
    expect(found).toEqual({ plugin: 'x' })
  })
})

describe('owner references that come twice', () => {
  const owner: OwnerReference = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }
  const twice = { ownerReferences: [owner, { ...owner }] } as unknown as JsonObject
  const duplicate = (when: string): string =>
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u`
  const given = duplicate('')
  const admitted = duplicate(' after mutating admission happens')

  type Write = (registry: Registry, request: WriteRequest) => Promise<unknown>
  const doubles: Write = (registry, request) => create(registry, configMap(twice), request)
  const plain: Write = (registry, request) => create(registry, configMap(), request)
  const adds: Admission = {
    mutate: ({ object }) => ({ ...object, metadata: { ...object?.metadata, ...twice } }) as unknown as KubeObject,
    validate: nothing,
  }
  const changed =
    (metadata: JsonObject): Write =>
    (registry, request) => {
      const apply = (current: KubeObject) =>
        ({ ...current, metadata: { ...current.metadata, ...metadata } }) as KubeObject
      return update(registry, { strategy: registry.definition.strategy, apply }, request)
    }
  const replaced: Write = (registry, request) =>
    replace(registry, registry.definition.strategy, () => configMap(twice), request, nothing)

  it.each<[string, Write, Admission | undefined, boolean, string]>([
    ['in a create', doubles, undefined, false, given],
    ['of a plugin in a create', plain, adds, false, admitted],
    ['in an update', changed(twice), undefined, true, admitted],
    ['of a plugin in an update', changed({ labels: { a: 'b' } }), adds, true, admitted],
    ['in a replacement', replaced, undefined, true, given],
  ])('%s are warned of, and stored once', async (_, write, plugin, isThere, warning) => {
    const warned: string[] = []
    let isOn = false
    const admission: Admission = {
      mutate: (request) => (isOn ? plugin?.mutate(request) : undefined),
      validate: nothing,
    }
    const references = await withRegistry({ admission }, async (registry) => {
      if (isThere) await plain(registry, testRequest(registry))
      isOn = true
      await write(registry, testRequest(registry, { warn: (text) => void warned.push(text) }))
      return (await registry.storage.newest('ns/a'))?.object().metadata.ownerReferences
    })
    expect(warned).toEqual([warning])
    expect(references).toEqual([owner])
  })

  it('in a replacement of what is not there are warned of all the same', async () => {
    const warned: string[] = []
    const found = await withRegistry({}, (registry) =>
      outcome(replaced(registry, testRequest(registry, { warn: (text) => void warned.push(text) }))),
    )
    expect([found, warned]).toEqual(['404 configmaps "a" not found', [given]])
  })
})

describe('the namespace of a new object', () => {
  it('is there when plugins see it, and again when they took it away', async () => {
    const seen: unknown[] = []
    const admission: Admission = {
      mutate: ({ object }) => {
        seen.push(object?.metadata.namespace)
        delete object?.metadata.namespace
      },
      validate: ({ object }) => void seen.push(object?.metadata.namespace),
    }
    const metadata = { namespace: undefined } as unknown as JsonObject
    await withRegistry({ admission }, (registry) => create(registry, configMap(metadata), testRequest(registry)))
    expect(seen).toEqual(['ns', 'ns'])
  })

  it('is not for plugins to change', async () => {
    const admission: Admission = {
      mutate: ({ object }) => void Object.assign(object?.metadata ?? {}, { namespace: 'other' }),
      validate: nothing,
    }
    const found = await withRegistry({ admission }, (registry) =>
      outcome(create(registry, configMap(), testRequest(registry))),
    )
    expect(found).toBe('400 the namespace of the provided object does not match the namespace sent on the request')
  })
})

describe('the name that plugins are asked about', () => {
  const asked = async (metadata: JsonObject, mutate: Admission['mutate'] = nothing): Promise<unknown> => {
    const names: string[] = []
    const note = (request: AdmissionRequest): void => void names.push(request.name)
    const admission: Admission = {
      mutate: (request) => {
        note(request)
        return mutate(request)
      },
      validate: note,
    }
    return withRegistry({ admission }, async (registry) => {
      const written = await create(registry, configMap(metadata), testRequest(registry, { name: '' }))
      return [...names, written.object().metadata.name]
    })
  }

  it('is that of the object', async () => {
    expect(await asked({})).toEqual(['a', 'a', 'a'])
  })

  it('is the generated one once there is one', async () => {
    const metadata = { name: undefined, generateName: 'b-' } as unknown as JsonObject
    expect(await asked(metadata)).toEqual(['', 'b-rrrrr', 'b-rrrrr'])
  })

  it('stays that of the request when a plugin gives the object another', async () => {
    const rename: Admission['mutate'] = ({ object }) => void Object.assign(object?.metadata ?? {}, { name: 'c' })
    expect(await asked({}, rename)).toEqual(['a', 'a', 'c'])
  })

  it('is none for a member of a collection', async () => {
    const names: string[] = []
    let isOn = false
    const admission: Admission = { mutate: ({ name }) => void (isOn && names.push(name)), validate: nothing }
    await withRegistry({ admission }, async (registry) => {
      await create(registry, configMap(), testRequest(registry))
      await create(registry, configMap({ name: 'b' }), testRequest(registry))
      isOn = true
      await remove(registry, {}, testRequest(registry, { admittedName: '', ofCollection: true }))
      await remove(registry, {}, testRequest(registry, { name: 'b' }))
    })
    expect(names).toEqual(['', 'b'])
  })
})

it('a name beside generateName is tried once, and what it loses to is no generated name', async () => {
  let names = 0
  const strategy = { beginCreate: () => void names++ } as Partial<Strategy>
  const found = await withRegistry({ strategy }, async (registry) => {
    await create(registry, configMap(), testRequest(registry))
    names = 0
    return outcome(create(registry, configMap({ generateName: 'b-' }), testRequest(registry)))
  })
  expect(names).toBe(1)
  expect(found).toMatch(/^409 .*"a" already exists/)
})

describe('a replacement', () => {
  const strategyOf = ({ definition }: Registry): Strategy => definition.strategy
  const put = (registry: Registry, bodies: KubeObject[], given: Partial<WriteRequest> = {}, authorize = nothing) =>
    replace(registry, strategyOf(registry), () => bodies.shift() ?? refuse(), testRequest(registry, given), authorize)

  it.each(sizes)('is the whole of the object, with its writer recorded (%s)', async (_, size) => {
    const object = await withRegistry({}, async (registry) => {
      await create(registry, configMap({ labels: { a: 'b' } }, { a: '1' }), testRequest(registry))
      await put(registry, [configMap({}, { c: '3' })], { ...size, fieldManager: 'other' })
      return (await registry.storage.newest('ns/a'))?.object()
    })
    expect([object?.metadata.labels, object?.['data']]).toEqual([undefined, { c: '3' }])
    expect(object?.metadata.managedFields).toMatchObject([
      { manager: 'm', fieldsV1: { 'f:data': {} } },
      { manager: 'other', fieldsV1: { 'f:data': { 'f:c': {} } } },
    ])
  })

  it('asks for its body again when another writer was faster', async () => {
    const found = await withRegistry({}, async (registry) => {
      await create(registry, configMap({}, { a: '1' }), testRequest(registry))
      let isFirst = true
      const apply = async (): Promise<KubeObject> => {
        if (isFirst) return configMap({}, { c: '3' })
        return configMap({}, { c: '4' })
      }
      const { strategy } = registry.definition
      const racing: Strategy = {
        ...strategy,
        beforeStore: () => undefined,
        prepareForUpdate: () => undefined,
        beginUpdate: async () => {
          if (isFirst) {
            isFirst = false
            await update(registry, { strategy, apply: withData({ b: '2' }) }, testRequest(registry))
          }
          return undefined
        },
      }
      await replace(registry, racing, apply, testRequest(registry), nothing)
      return storedData(registry)
    })
    expect(found).toEqual({ c: '4' })
  })

  it.each<[string, JsonObject, string, unknown]>([
    ['creates where its kind lets it, once that is authorized', {}, '', ['authorized', true]],
    ['finds none in a subresource', {}, 'status', ['404 configmaps "a" not found']],
    ['finds none where its kind does not let it', { createOnUpdate: false }, '', ['404 configmaps "a" not found']],
  ])('%s', async (_, definition, subresource, expected) => {
    const seen: unknown[] = []
    const authorize = () => void seen.push('authorized')
    await withRegistry({ definition: { createOnUpdate: true, ...definition } }, async (registry) => {
      const done = put(registry, [configMap()], { subresource }, authorize as typeof nothing)
      seen.push(await outcome(done, ({ created }) => created))
    })
    expect(seen).toEqual(expected)
  })

  it('is not made when its create is not authorized', async () => {
    const found = await withRegistry({ definition: { createOnUpdate: true } }, async (registry) => [
      await outcome(put(registry, [configMap()], {}, refuse)),
      await storedData(registry),
    ])
    expect(found).toEqual(['403 configmaps "a" is forbidden: no', undefined])
  })

  it.each<[string, JsonObject, unknown]>([
    ['the uid of the object', { uid: '00000000-0000-4000-8000-000000000000' }, 'written'],
    ['another uid', { uid: 'x' }, expect.stringContaining('Precondition failed: UID in precondition: x')],
  ])('names %s', async (_, metadata, expected) => {
    const found = await withRegistry({}, async (registry) => {
      await create(registry, configMap(), testRequest(registry))
      return outcome(put(registry, [configMap(metadata)]))
    })
    expect(found).toEqual(expected)
  })

  it('of what is there already writes nothing', async () => {
    const revisions = await withRegistry({}, async (registry) => {
      await create(registry, configMap({}, { a: '1' }), testRequest(registry))
      const before = (await registry.storage.newest('ns/a'))?.revision
      await put(registry, [configMap({}, { a: '1' })])
      return [before, (await registry.storage.newest('ns/a'))?.revision]
    })
    expect(revisions[0]).toBe(revisions[1])
  })
})

describe('an update that would create', () => {
  const make = (registry: Registry, given: JsonObject, more: Partial<UpdateChange> = {}) =>
    update(
      registry,
      {
        strategy: registry.definition.strategy,
        apply: withData({ changed: 'x' }),
        create: () => configMap(given),
        ...more,
      },
      testRequest(registry),
    )

  it.each<[string, string, unknown]>([
    ['none', '', 'written'],
    ['any number', '7', 'written'],
    ['no number', 'x', '500 strconv.ParseUint: parsing "x": invalid syntax'],
  ])('may name %s as its version', async (_, resourceVersion, expected) => {
    const found = await withRegistry({}, (registry) => outcome(make(registry, { resourceVersion })))
    expect(found).toBe(expected)
  })

  it('changes what another writer created meanwhile', async () => {
    let isFirst = true
    const found = await withRegistry({}, async (registry) => {
      const racing = async (): Promise<KubeObject> => {
        if (isFirst) await create(registry, configMap({}, { a: '1' }), testRequest(registry))
        isFirst = false
        return configMap()
      }
      const { created } = await make(registry, {}, { create: racing })
      return [created, await storedData(registry)]
    })
    expect(found).toEqual([false, { changed: 'x' }])
  })
})

it('an update of an object that is being deleted keeps its grace period', async () => {
  const strategy = { gracePeriodSeconds: () => 30 } as Partial<Strategy>
  const found = await withRegistry({ strategy }, async (registry) => {
    await create(registry, configMap(), testRequest(registry))
    await remove(registry, {}, testRequest(registry))
    const withoutPeriod = ({ metadata, ...current }: KubeObject): KubeObject => {
      const { deletionGracePeriodSeconds: _, deletionTimestamp: __, ...kept } = metadata
      return { ...current, metadata: { ...kept, labels: { a: 'b' } } } as KubeObject
    }
    const change = { strategy: registry.definition.strategy, apply: withoutPeriod }
    const { written } = await update(registry, change, testRequest(registry))
    const { deletionGracePeriodSeconds, deletionTimestamp, labels } = written.object().metadata
    return { deletionGracePeriodSeconds, deletionTimestamp, labels }
  })
  expect(found).toEqual({
    deletionGracePeriodSeconds: 30,
    deletionTimestamp: '1970-01-01T00:17:10Z',
    labels: { a: 'b' },
  })
})

describe('managed fields that a plugin changes', () => {
  const entry = { manager: 'plugin', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }
  const warning =
    '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: '

  it.each<[string, JsonObject[] | undefined, string[], string[]]>([
    ['and that can be read are taken', [{ ...entry, fieldsV1: { 'f:data': {} } }], ['plugin'], []],
    ['may be none', undefined, [], []],
    [
      'are as they were when an operation is unknown',
      [{ ...entry, operation: 'Bogus' }],
      ['me'],
      ['operation must be `Apply` or `Update`'],
    ],
    [
      'are as they were when a path is none',
      [{ ...entry, fieldsV1: { data: {} } }],
      ['me'],
      ['error decoding set: missing colon: data'],
    ],
  ])('%s', async (_, managedFields, managers, problems) => {
    const warnings: string[] = []
    const admission: Admission = {
      mutate: ({ object }) =>
        object && ({ ...object, metadata: { ...object.metadata, managedFields } } as unknown as KubeObject),
      validate: () => undefined,
    }
    const owners = await withRegistry({ admission }, async (registry) => {
      const warn = (text: string): void => void warnings.push(text)
      const request = (): WriteRequest => testRequest(registry, { warn, fieldManager: 'me' })
      const seen: unknown[] = []
      const note = async (): Promise<void> => {
        const stored = (await registry.storage.newest('ns/a'))?.object()
        seen.push(stored?.metadata.managedFields?.map(({ manager }) => manager) ?? [])
      }
      await create(registry, configMap({}, { a: '1' }), request())
      await note()
      await update(registry, { strategy: registry.definition.strategy, apply: withData({ a: '2' }) }, request())
      await note()
      return seen
    })
    expect(owners).toEqual([managers, managers])
    expect(warnings).toEqual([...problems, ...problems].map((problem) => warning + problem))
  })
})
