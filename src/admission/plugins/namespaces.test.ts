/** What may be done in a namespace that is missing or ending, and to namespaces that must stay. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { KubeObject } from '../../api/object.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { Cluster } from '../cluster.ts'
import { pluginOutcome, testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { namespaceAutoProvision, namespaceExists, namespaceLifecycle } from './namespaces.ts'

const active = testObject('Namespace', 'ns')
const ending = testObject('Namespace', 'ending', { status: { phase: 'Terminating' } })
const cluster = () => testCluster({ namespaces: [active, ending] })
const object = testObject('Pod', 'x')
const ofNamespaces = { group: '', version: 'v1', resource: 'namespaces' }
const review = { group: 'authorization.k8s.io', version: 'v1', resource: 'localsubjectaccessreviews' }

/** `admitted`, or the refusal. */
const outcome = async (found: Promise<KubeObject | string | undefined>): Promise<unknown> => {
  const result = await found
  return typeof result === 'string' ? result : 'admitted'
}

describe('NamespaceLifecycle', () => {
  const forbidden =
    'pods "x" is forbidden: unable to create new content in namespace ending because it is being terminated'
  it.each<[string, Partial<AdmissionRequest>, string]>([
    ['a create', { namespace: 'ns' }, 'admitted'],
    ['a create in none', { namespace: 'none' }, 'namespaces "none" not found'],
    ['a create in one that ends', { namespace: 'ending' }, forbidden],
    ['an update in one that ends', { namespace: 'ending', operation: 'UPDATE' }, 'admitted'],
    ['a create outside', { namespace: '' }, 'admitted'],
    ['a question in none', { namespace: 'none', resource: review }, 'admitted'],
    [
      'a question of another kind in none',
      { namespace: 'none', resource: { ...review, resource: 'x' } },
      'namespaces "none" not found',
    ],
    ['a new namespace', { namespace: 'none', resource: ofNamespaces }, 'admitted'],
    [
      'something else of that name',
      { namespace: 'none', resource: { ...ofNamespaces, group: 'x' } },
      'namespaces "none" not found',
    ],
    ['the end of a namespace', { operation: 'DELETE', resource: ofNamespaces, name: 'ns' }, 'admitted'],
    [
      'the end of default',
      { operation: 'DELETE', resource: ofNamespaces, name: 'default' },
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ],
    [
      'the end of kube-system',
      { operation: 'DELETE', resource: ofNamespaces, name: 'kube-system' },
      'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    ],
    ['an update of default', { operation: 'UPDATE', resource: ofNamespaces, name: 'default' }, 'admitted'],
  ])('%s', async (_, given, expected) => {
    expect(
      await outcome(pluginOutcome(namespaceLifecycle(cluster(), systemClock), testRequest({ object, ...given }))),
    ).toBe(expected)
  })

  it('says that the namespace is the cause', async () => {
    const plugin = namespaceLifecycle(cluster(), systemClock)
    const run = async () => plugin.mutate?.(testRequest({ object, namespace: 'ending' }), undefined as never)
    await expect(run()).rejects.toMatchObject({
      status: {
        details: {
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: 'namespace ending is being terminated',
              field: 'metadata.namespace',
            },
          ],
        },
      },
    })
  })

  it('looks at what is newest for a while after a deletion', async () => {
    let now = 0
    let looks = 0
    const clock: Clock = { ...systemClock, now: () => now }
    const live = new Cluster({
      source: async () => ({ get: () => active, list: () => [active], subscribe: () => () => undefined }),
      fresh: async () => void looks++,
      resourcesRevision: () => 0,
      authorize: () => ({ allowed: true, reason: '' }),
      gate: () => false,
    })
    const plugin = namespaceLifecycle(live, clock)
    const make = async (namespace = 'ns'): Promise<number> => {
      looks = 0
      await pluginOutcome(plugin, testRequest({ object, namespace }))
      return looks
    }
    const end = (name: string) =>
      pluginOutcome(plugin, testRequest({ operation: 'DELETE', resource: ofNamespaces, name }))
    expect(await make()).toBe(0)
    await end('ns')
    expect([await make(), await make('other')]).toEqual([1, 0])
    now = 29_999
    expect(await make()).toBe(1)
    now = 30_000
    expect(await make()).toBe(0)
    for (let i = 0; i < 101; i++) await end(`n${i}`)
    expect([await make('n0'), await make('n1'), await make('n100')]).toEqual([0, 1, 1])
  })

  it.each<['CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT', string, boolean]>([
    ['CREATE', 'pods', true],
    ['UPDATE', 'pods', true],
    ['DELETE', 'pods', false],
    ['DELETE', 'namespaces', true],
    ['CONNECT', 'pods', false],
  ])('is for %s of %s: %s', (operation, resource, expected) => {
    const { handles } = namespaceLifecycle(cluster(), systemClock)
    expect(handles({ operation, group: '', resource, subresource: '' })).toBe(expected)
    if (operation === 'DELETE') expect(handles({ operation, group: 'x', resource, subresource: '' })).toBe(false)
  })
})

it.each<[string, Partial<AdmissionRequest>, string]>([
  ['one that is there', { namespace: 'ns' }, 'admitted'],
  ['none', { namespace: 'none' }, 'namespaces "none" not found'],
  ['no namespace', { namespace: '' }, 'admitted'],
  ['a new one', { namespace: 'none', resource: ofNamespaces }, 'admitted'],
])('NamespaceExists wants the namespace to be there: %s', async (_, given, expected) => {
  const plugin = namespaceExists(cluster())
  expect(await outcome(pluginOutcome(plugin, testRequest({ object, ...given })))).toBe(expected)
  expect(plugin.handles({ operation: 'DELETE', group: '', resource: 'pods', subresource: '' })).toBe(true)
  expect(plugin.handles({ operation: 'CONNECT', group: '', resource: 'pods', subresource: '' })).toBe(false)
})

describe('NamespaceAutoProvision', () => {
  it.each<[string, Partial<AdmissionRequest>, string[]]>([
    ['one that is there', { namespace: 'ns' }, []],
    ['none', { namespace: 'none' }, ['none']],
    ['none, in a dry run', { namespace: 'none', dryRun: true }, []],
    ['no namespace', { namespace: '' }, []],
    ['a new one', { namespace: 'none', resource: ofNamespaces }, []],
  ])('makes the namespace of %s', async (_, given, expected) => {
    const made: string[] = []
    const plugin = namespaceAutoProvision(cluster(), async (name) => void made.push(name))
    expect(await outcome(pluginOutcome(plugin, testRequest({ object, ...given })))).toBe('admitted')
    expect(made).toEqual(expected)
    expect(plugin.handles({ operation: 'CREATE', group: '', resource: 'pods', subresource: '' })).toBe(true)
    expect(plugin.handles({ operation: 'UPDATE', group: '', resource: 'pods', subresource: '' })).toBe(false)
  })

  it('refuses when that fails', async () => {
    const plugin = namespaceAutoProvision(cluster(), () => Promise.reject(new Error('full')))
    expect(await outcome(pluginOutcome(plugin, testRequest({ object, namespace: 'none' })))).toBe(
      'pods "x" is forbidden: full',
    )
  })
})
