/** Writes of the server's own parts: through the same verbs, as their actor. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../api/admission.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { Reflector } from '../cache/reflector.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import { findObject, objectsEverywhere, objectsIn, watchObjects } from './object-watch.ts'
import { type Actor, actAs, applyAs, createAs, deleteAs, updateAs } from './own-writes.ts'
import type { Registry } from './registry.ts'
import type { ActionSubresource } from './subresource.ts'
import { openTestRegistry } from './testing/test-registry.ts'

const actor: Actor = { user: { name: 'controller', groups: [], extra: new Map() }, fieldManager: 'controller' }
const target = { namespace: 'ns', name: 'a' }
const body = (data: JsonObject = { a: 'b' }, metadata: JsonObject = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns', ...metadata }, data }) as KubeObject

let registry: Registry
let reflector: Reflector
let admitted: AdmissionRequest[]

beforeEach(async () => {
  admitted = []
  const mutate = (request: AdmissionRequest): undefined => void admitted.push(request)
  const store = openMemoryStore()
  const opened = await openTestRegistry({ store, builtInDefinitions, admission: { mutate, validate: () => undefined } })
  registry = opened.registry
  reflector = opened.reflector
})

afterEach(() => reflector.close())

const codeOf = (write: Promise<unknown>): Promise<unknown> =>
  write.then(
    () => undefined,
    (error: { code?: number }) => error.code,
  )

describe('the server itself', () => {
  it('creates as its actor, and is admitted', async () => {
    const written = (await createAs(actor, registry, body())).object()
    expect(written.metadata.managedFields).toMatchObject([{ manager: 'controller', operation: 'Update' }])
    expect(admitted[0]).toMatchObject({
      operation: 'CREATE',
      namespace: 'ns',
      name: 'a',
      user: { name: 'controller' },
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    })
    expect(admitted[0]?.options).not.toHaveProperty('fieldManager')
  })

  it('updates what it has something to say of', async () => {
    await createAs(actor, registry, body())
    const changed = await updateAs(actor, registry, target, (current) => ({ ...current, data: { a: 'c' } }))
    expect(changed['data']).toEqual({ a: 'c' })
    const { resourceVersion } = changed.metadata
    const same = await updateAs(actor, registry, target, () => undefined)
    expect(same.metadata.resourceVersion).toBe(resourceVersion)
    expect(admitted[1]?.options).toMatchObject({ kind: 'UpdateOptions' })
    expect(await codeOf(updateAs(actor, registry, { ...target, name: 'x' }, (current) => current))).toBe(404)
    expect(await codeOf(updateAs(actor, registry, { ...target, subresource: 'x' }, (current) => current))).toBe(404)
  })

  it('applies with force, as its own', async () => {
    const other: Actor = { ...actor, fieldManager: 'other' }
    await createAs(other, registry, body())
    const applied = await applyAs(actor, registry, target, () => ({ data: { a: 'd' } }))
    expect(applied['data']).toEqual({ a: 'd' })
    expect(applied.metadata.managedFields?.find(({ operation }) => operation === 'Apply')?.manager).toBe('controller')
    expect(admitted[1]?.options).toMatchObject({ kind: 'PatchOptions', force: true, fieldManager: 'controller' })
    const { resourceVersion } = applied.metadata
    expect((await applyAs(actor, registry, target, () => undefined)).metadata.resourceVersion).toBe(resourceVersion)
    expect(await codeOf(applyAs(actor, registry, target, () => ({ x: 1 })))).toBe(400)
  })

  it('deletes', async () => {
    await createAs(actor, registry, body())
    expect((await deleteAs(actor, registry, target, { gracePeriodSeconds: 0 })).removed).toBe(true)
    expect(admitted[1]).toMatchObject({
      operation: 'DELETE',
      options: { kind: 'DeleteOptions', gracePeriodSeconds: 0 },
    })
    expect(await codeOf(deleteAs(actor, registry, target, {}))).toBe(404)
  })

  it('acts through a subresource, admitted as a create of its kind', async () => {
    const asked: JsonObject[] = []
    const { hub } = registry.definition
    const action = {
      type: 'action',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      schema: hub.schema,
      create: ({ body: given, namespace, name, dryRun }: Parameters<ActionSubresource['create']>[0]) => {
        asked.push({ given, namespace, name, dryRun })
        return Promise.resolve({ body: { done: true } })
      },
    } as unknown as ActionSubresource
    const subresources = new Map([...registry.definition.subresources, ['act', action]])
    const acting = { ...registry, definition: { ...registry.definition, subresources } } as Registry
    const target = { namespace: 'ns', name: 'a', subresource: 'act' }
    const answer = await actAs(actor, acting, target, { metadata: { name: 'a', uid: 'u' }, data: { x: 'y' } })
    expect(answer).toEqual({ done: true })
    expect(asked).toMatchObject([
      {
        namespace: 'ns',
        name: 'a',
        dryRun: false,
        given: { data: { x: 'y' }, metadata: { name: 'a', namespace: 'ns' } },
      },
    ])
    const given = asked[0]?.['given'] as KubeObject
    expect(given.metadata.uid).toBeUndefined()
    expect(given.metadata.managedFields).toMatchObject([{ manager: 'controller', subresource: 'act' }])
    expect(admitted[0]).toMatchObject({ operation: 'CREATE', subresource: 'act', kind: action.kind })
    expect(await codeOf(actAs(actor, acting, { ...target, subresource: 'x' }, {}))).toBe(404)
  })
})

describe('the objects of a resource', () => {
  it('are found with and without a cache, by namespace or all of them', async () => {
    await createAs(actor, registry, body())
    await createAs(actor, registry, body({}, { namespace: 'other', name: 'b' }))
    const names = (entries: readonly { object(): KubeObject }[]) =>
      entries.map((entry) => entry.object().metadata.name).toSorted()
    expect((await findObject(registry, 'ns', 'a'))?.object().metadata.name).toBe('a')
    expect(registry.storage.loaded).toBeUndefined()
    expect(names(await objectsIn(registry, 'ns'))).toEqual(['a'])
    expect(names(await objectsEverywhere(registry))).toEqual(['a', 'b'])
    expect((await findObject(registry, 'ns', 'a'))?.object().metadata.name).toBe('a')
    expect(await findObject(registry, 'ns', 'b')).toBeUndefined()
  })

  it('are watched from the present state on, with what they were', async () => {
    await createAs(actor, registry, body())
    await createAs(actor, registry, body({}, { namespace: 'other', name: 'b' }))
    const seen: unknown[] = []
    let onThird = (): void => {}
    const third = new Promise<void>((resolve) => (onThird = resolve))
    const listener = {
      changed(type: string, object: { object(): KubeObject }, previous: { object(): KubeObject } | undefined) {
        seen.push([type, object.object().metadata.name, previous?.object()['data']])
        if (seen.length === 3) onThird()
      },
    }
    const stop = await watchObjects(registry, listener, 'ns')
    expect(seen).toEqual([['ADDED', 'a', undefined]])
    await updateAs(actor, registry, target, (current) => ({ ...current, data: { a: 'c' } }))
    await updateAs(actor, registry, { namespace: 'other', name: 'b' }, (current) => ({ ...current, data: { a: 'c' } }))
    await deleteAs(actor, registry, target, {})
    await third
    expect(seen.slice(1)).toEqual([
      ['MODIFIED', 'a', { a: 'b' }],
      ['DELETED', 'a', undefined],
    ])
    stop()
  })
})
