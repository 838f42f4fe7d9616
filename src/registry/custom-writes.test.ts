/** The generic verbs over a custom type, and its objects as they are stored. */
import { describe, expect, it } from 'vitest'
import type { Admission } from '../api/admission.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { hasCborPrefix } from '../codec/cbor.ts'
import { customResource } from '../extensions/custom/custom-resource.ts'
import { openMemoryStore } from '../store/memory.ts'
import { create } from './create.ts'
import { type CodecOptions, objectCodec } from './object-codec.ts'
import type { Registry } from './registry.ts'
import { openTestRegistry, testCustomDefinition, testRequest } from './testing/test-registry.ts'
import { ReadError } from './unreadable.ts'
import { update } from './update.ts'
import type { WriteRequest } from './write-request.ts'

const things = testCustomDefinition(customResource)
const key = '/registry/example.com/things/ns/a'

const thing = (fields: JsonObject = { spec: { size: 1 } }, metadata: JsonObject = {}): KubeObject =>
  ({
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name: 'a', namespace: 'ns', ...metadata },
    ...fields,
  }) as KubeObject

async function withThings<T>(admission: Partial<Admission>, use: (registry: Registry) => Promise<T>): Promise<T> {
  const store = openMemoryStore()
  const { registry, reflector } = await openTestRegistry({
    store,
    builtInDefinitions: () => [things],
    resource: 'things',
    admission: { mutate: () => undefined, validate: () => undefined, ...admission },
  })
  try {
    return await use(registry)
  } finally {
    reflector.close()
    await store.close()
  }
}

const stored = async ({ storage }: Registry): Promise<KubeObject | undefined> =>
  (await storage.newest('ns/a'))?.object()

const grown = (registry: Registry, given: Partial<WriteRequest> = {}) => {
  const apply = (current: KubeObject): KubeObject => ({ ...current, spec: { size: 2 } })
  return update(registry, { strategy: registry.definition.strategy, apply }, testRequest(registry, given))
}

describe('a write of a custom object', () => {
  it('shows plugins no time of creation before there is one', async () => {
    const seen: boolean[] = []
    const mutate: Admission['mutate'] = ({ object }) => void seen.push('creationTimestamp' in (object?.metadata ?? {}))
    await withThings({ mutate }, (registry) => create(registry, thing(), testRequest(registry)))
    expect(seen).toEqual([false])
  })

  it.each<[string, Partial<WriteRequest>, JsonObject | undefined]>([
    ['is stored', {}, { size: 2 }],
    ['that only tries is not', { dryRun: true }, { size: 1 }],
  ])('answers with what it made of the object, and %s', async (_, given, left) => {
    const found = await withThings({}, async (registry) => {
      const tried = await create(registry, thing(), testRequest(registry, { dryRun: true }))
      await create(registry, thing(), testRequest(registry))
      const { written } = await grown(registry, given)
      return [
        tried.object()['spec'],
        tried.object().metadata.uid,
        written.object()['spec'],
        (await stored(registry))?.['spec'],
      ]
    })
    expect(found).toEqual([{ size: 1 }, expect.any(String), { size: 2 }, left])
  })

  it('keeps nothing of what plugins add that its schema does not have', async () => {
    const mutate: Admission['mutate'] = ({ object }) =>
      ({ ...object, spec: { ...(object?.['spec'] as JsonObject), other: 1 } }) as unknown as KubeObject
    const found = await withThings({ mutate }, async (registry) => {
      await create(registry, thing(), testRequest(registry))
      const made = (await stored(registry))?.['spec']
      await grown(registry)
      return [made, (await stored(registry))?.['spec']]
    })
    expect(found).toEqual([{ size: 1 }, { size: 2 }])
  })
})

describe('a custom object in the store', () => {
  const metadata = { uid: 'u', generation: 1, creationTimestamp: '2024-01-01T00:00:00Z', labels: { b: '1', a: '2' } }
  const object = thing({ spec: { size: 1, names: ['é'] } }, metadata)
  const layouts: [string, CodecOptions, boolean][] = [
    ['the text itself', { layout: 'json' }, false],
    ['JSON of the reference', { layout: 'reference' }, false],
    ['CBOR of the reference', { layout: 'reference', cbor: true }, true],
  ]

  it.each(layouts)('is %s, and is read in any layout', async (_, options, isCbor) => {
    const codec = objectCodec(things, options)
    const value = Buffer.from(await codec.toStored(object, codec.encode(object), key))
    expect(hasCborPrefix(value)).toBe(isCbor)
    for (const [, each] of layouts) {
      const reader = objectCodec(things, each)
      expect(await reader.fromStored(value, key)).toEqual(object)
      expect(await reader.fromStoredInTurns(value, key)).toEqual(object)
    }
    expect(await codec.isCurrent(value, object, key)).toBe(true)
    expect(await codec.isCurrent(value, thing({ spec: { size: 2 } }), key)).toBe(false)
    expect(Buffer.from(await codec.toStoredInTurns(object, codec.encode(object), key)).equals(value)).toBe(true)
  })

  it('has its keys in alphabetical order, those of its managed fields, too', () => {
    const fieldsV1 = { 'f:spec': { 'f:size': {} }, 'f:metadata': { 'f:labels': { 'f:b': {}, 'f:a': {} } } }
    const owned = thing({ status: {}, spec: { size: 1, names: [] } }, { managedFields: [{ manager: 'm', fieldsV1 }] })
    const text = objectCodec(things, { layout: 'json' }).encode(owned).bytes.toString()
    const keys = [...text.matchAll(/"([^"]+)":/g)].map(([, name]) => name)
    expect(keys).toEqual([
      ...['apiVersion', 'kind', 'metadata', 'managedFields', 'fieldsV1'],
      ...['f:metadata', 'f:labels', 'f:a', 'f:b', 'f:spec', 'f:size'],
      ...['manager', 'name', 'namespace', 'spec', 'names', 'size', 'status'],
    ])
  })

  it('of another version is read in the one that is stored', () => {
    const codec = objectCodec(things, { layout: 'json' })
    const value = Buffer.from(JSON.stringify({ ...object, apiVersion: 'example.com/v2' }))
    expect(codec.fromStored(value, key)).toEqual(object)
  })

  it.each([
    ['a list in CBOR', Buffer.from([0xd9, 0xd9, 0xf7, 0x80])],
    ['a list', Buffer.from('[]')],
    ['a number', Buffer.from('3')],
  ])('cannot be read when it is %s', (_, value) => {
    expect(() => objectCodec(things, { layout: 'reference' }).fromStored(value, key)).toThrow(ReadError)
  })
})
