/** The plugin of quotas: who is asked at all. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import { systemClock } from '../../lib/clock.ts'
import { MemoryQuotas, testQuota } from '../testing/memory-quotas.ts'
import { testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { QuotaEnforcer } from './quota-enforcer.ts'
import { resourceQuota } from './resource-quota.ts'

/** A plugin over these quotas, and how often they were read. */
function pluginOf(store: MemoryQuotas, configuration?: object) {
  let reads = 0
  const list = (namespace: string) => {
    reads++
    return store.list(namespace)
  }
  const enforcer = new QuotaEnforcer({
    store: { list, write: (quota, status) => store.write(quota, status) },
    clock: systemClock,
    configuration: configuration as never,
    onOvercharge: () => {},
  })
  const plugin = resourceQuota(testCluster({}, { source: store.source }), enforcer)
  const ask = (request: Partial<AdmissionRequest> = {}) =>
    plugin.validate?.(testRequest({ object: testObject('Pod', 'x', { spec: { containers: [] } }), ...request }))
  return { plugin, ask, reads: () => reads }
}

const none = (): MemoryQuotas => new MemoryQuotas([testQuota({ pods: '0' }, { pods: '0' })])

describe('a write is held against quotas', () => {
  it('where its namespace has some', async () => {
    const { ask } = pluginOf(none())
    await expect(ask()).rejects.toThrow('exceeded quota: q')
    await expect(ask()).rejects.toThrow('exceeded quota: q')
  })

  it.each<[string, Partial<AdmissionRequest>]>([
    ['another namespace', { namespace: 'other' }],
    ['no namespace', { namespace: '' }],
    ['no object', { object: undefined }],
  ])('but not with %s', async (_, request) => {
    const { ask, reads } = pluginOf(none())
    await ask(request)
    await ask(request)
    expect(reads()).toBe(0)
  })

  it('as long as its namespace has some', async () => {
    const store = new MemoryQuotas()
    const { ask, reads } = pluginOf(store)
    await ask()
    expect(reads()).toBe(0)
    const first = store.put(testQuota({ secrets: '1' }, { secrets: '0' }))
    store.put(testQuota({ secrets: '1' }, { secrets: '0' }, { metadata: { name: 'r' } as never }))
    store.put(first)
    await ask()
    expect(reads()).toBe(1)
    store.source.drop('ns', 'q')
    await ask()
    expect(reads()).toBe(2)
    store.source.drop('ns', 'r')
    await ask()
    expect(reads()).toBe(2)
  })

  it('everywhere, where some resources need a quota', async () => {
    const limitedResources = [{ resource: 'pods', matchContains: ['pods'] }]
    const { ask } = pluginOf(new MemoryQuotas(), { limitedResources })
    await expect(ask()).rejects.toThrow('insufficient quota to consume')
  })

  it('at once where the namespace is known to have none', async () => {
    const { ask } = pluginOf(new MemoryQuotas())
    await ask()
    expect(ask()).toBeUndefined()
  })
})

it.each<[string, object, boolean]>([
  ['creates', {}, true],
  ['updates of what is only counted', { operation: 'UPDATE', resource: 'secrets' }, false],
  ['updates of services', { operation: 'UPDATE', resource: 'services' }, true],
  ['sizes of pods', { operation: 'UPDATE', subresource: 'resize' }, true],
  ['statuses of pods', { operation: 'UPDATE', subresource: 'status' }, false],
  ['statuses of claims', { operation: 'UPDATE', resource: 'persistentvolumeclaims', subresource: 'status' }, true],
  ['deletions', { operation: 'DELETE' }, false],
  ['events', { resource: 'events' }, false],
])('quotas are about %s', (_, shape, expected) => {
  const { plugin } = pluginOf(new MemoryQuotas())
  expect(plugin.handles({ operation: 'CREATE', group: '', resource: 'pods', subresource: '', ...shape } as never)).toBe(
    expected,
  )
})
