/** Quotas in a registry: what this process wrote last, lost races, and caches that learn of writes later. */
import { afterEach, describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { KubeObject } from '../../api/object.ts'
import { forbidden } from '../../api/status-error.ts'
import { createAs, deleteAs, serverActor, updateAs } from '../../registry/own-writes.ts'
import { openTestRegistry } from '../../registry/testing/test-registry.ts'
import { builtInDefinitions } from '../../resources/definitions.ts'
import { openMemoryStore } from '../../store/memory.ts'
import type { EventBatch, Store } from '../../store/store.ts'
import { testQuota } from '../testing/memory-quotas.ts'
import type { Quota } from './quota-object.ts'
import { RegistryQuotaStore } from './registry-quota-store.ts'

/** A store whose changes are told of only when the test says so, as those of a remote one are. */
function lagging(store: Store): { readonly store: Store; readonly lag: () => () => void } {
  const held: (() => void)[] = []
  let isHeld = false
  const watch: Store['watch'] = (prefix, options) => {
    const onEvents = (batch: EventBatch): void => {
      if (isHeld) held.push(() => options.onEvents(batch))
      else options.onEvents(batch)
    }
    return store.watch(prefix, { ...options, onEvents })
  }
  const own: Partial<Store> = { watch, readsOwnWrites: false }
  const get = (target: Store, name: keyof Store): unknown => {
    const value = own[name] ?? target[name]
    return typeof value === 'function' && own[name] === undefined ? value.bind(target) : value
  }
  const lag = (): (() => void) => {
    isHeld = true
    return () => {
      isHeld = false
      for (const tell of held.splice(0)) tell()
    }
  }
  return { store: new Proxy(store, { get } as ProxyHandler<Store>), lag }
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function opened() {
  const memory = openMemoryStore()
  const { store, lag } = lagging(memory)
  const admitted: AdmissionRequest[] = []
  let isRefused = false
  const admission = {
    mutate: () => undefined,
    validate: (request: AdmissionRequest) => {
      admitted.push(request)
      if (isRefused) throw forbidden(request.resource, request.name, 'no')
    },
  }
  const { registry, reflector } = await openTestRegistry({
    store,
    builtInDefinitions,
    resource: 'resourcequotas',
    admission,
  })
  closing.push(
    () => memory.close(),
    () => reflector.close(),
  )
  const quotas = new RegistryQuotaStore(() => registry)
  const create = async (quota = testQuota({ pods: '5' })): Promise<Quota> =>
    (await createAs(serverActor, registry, quota)).object() as Quota
  /** What somebody else makes of the first quota. */
  const change = (labels: Record<string, string>): Promise<KubeObject> =>
    updateAs(serverActor, registry, { namespace: 'ns', name: 'q' }, (current) => ({
      ...current,
      metadata: { ...current.metadata, labels },
    }))
  const remove = () => deleteAs(serverActor, registry, { namespace: 'ns', name: 'q' }, {})
  const refuse = (): void => {
    isRefused = true
  }
  return { quotas, create, change, remove, refuse, admitted, lag }
}

const status = (pods: string): NonNullable<Quota['status']> => ({ hard: { pods: '5' }, used: { pods } })

describe('quotas of a namespace', () => {
  it('are those of it alone', async () => {
    const { quotas, create } = await opened()
    await create()
    await create(testQuota({ pods: '1' }, undefined, { metadata: { name: 'r' } as never }))
    await create(testQuota({ pods: '1' }, undefined, { metadata: { namespace: 'other' } as never }))
    expect((await quotas.list('ns')).map(({ metadata }) => metadata.name)).toEqual(['q', 'r'])
    expect(await quotas.list('none')).toEqual([])
  })

  it('are as this process wrote them last, though the cache does not know yet', async () => {
    const { quotas, create, lag } = await opened()
    const quota = await create()
    await quotas.list('ns')
    const tell = lag()
    await quotas.write(quota, status('1'))
    expect((await quotas.list('ns'))[0]?.status).toEqual(status('1'))
    tell()
    expect((await quotas.list('ns'))[0]?.status).toEqual(status('1'))
  })

  it('are as others wrote them after this process', async () => {
    const { quotas, create, change, lag } = await opened()
    const quota = await create()
    await quotas.list('ns')
    const tell = lag()
    await quotas.write(quota, status('1'))
    await change({ a: 'b' })
    tell()
    const [listed] = await quotas.list('ns')
    expect([listed?.metadata.labels, listed?.status]).toEqual([{ a: 'b' }, status('1')])
  })

  it('are as others wrote them, where this process has lost to them', async () => {
    const { quotas, create, change, lag } = await opened()
    const quota = await create()
    await quotas.list('ns')
    const tell = lag()
    const written = await quotas.write(quota, status('1'))
    await change({ a: 'b' })
    expect(await quotas.write('written' in written ? written.written : quota, status('2'))).toMatchObject({
      current: { metadata: { labels: { a: 'b' } }, status: status('1') },
    })
    tell()
    expect((await quotas.list('ns'))[0]?.metadata.labels).toEqual({ a: 'b' })
  })

  it('are new ones of the name after those that are gone', async () => {
    const { quotas, create, remove, lag } = await opened()
    const quota = await create()
    await quotas.list('ns')
    const tell = lag()
    await quotas.write(quota, status('1'))
    await remove()
    expect(await quotas.write(quota, status('2'))).toEqual({ current: undefined })
    tell()
    const again = await create()
    const [listed, ...more] = await quotas.list('ns')
    expect([listed?.metadata.uid, more]).toEqual([again.metadata.uid, []])
  })
})

describe('a write', () => {
  it('gets through from the newest version, as the server itself', async () => {
    const { quotas, create, admitted } = await opened()
    const quota = await create()
    const result = await quotas.write(quota, status('1'))
    const [listed] = await quotas.list('ns')
    expect(result).toEqual({ written: listed })
    expect(listed?.status).toEqual(status('1'))
    expect(listed?.metadata.resourceVersion).not.toBe(quota.metadata.resourceVersion)
    expect(listed?.metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource])).toContainEqual([
      'kube-apiserver',
      'status',
    ])
    expect(admitted.at(-1)).toMatchObject({ subresource: 'status', user: { name: 'system:apiserver' } })
  })

  it('of an older version does nothing, and tells what is there', async () => {
    const { quotas, create, change } = await opened()
    const quota = await create()
    const changed = await change({ a: 'b' })
    expect(await quotas.write(quota, status('1'))).toEqual({ current: changed })
    expect(await quotas.list('ns')).toEqual([changed])
  })

  it('of a quota that is gone does nothing', async () => {
    const { quotas, create, remove } = await opened()
    const quota = await create()
    await remove()
    expect(await quotas.write(quota, status('1'))).toEqual({ current: undefined })
  })

  it('that is refused is told of', async () => {
    const { quotas, create, refuse } = await opened()
    const quota = await create()
    refuse()
    await expect(quotas.write(quota, status('1'))).rejects.toThrow('forbidden')
    expect((await quotas.list('ns'))[0]?.status).toEqual(quota.status)
  })
})
