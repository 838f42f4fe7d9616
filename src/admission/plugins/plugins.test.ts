import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { pluginOutcome, testCluster, testRequest } from '../testing/test-cluster.ts'
import { limitRanger } from './limit-ranger.ts'
import { namespaceLifecycle } from './namespaces.ts'
import { nodeRestriction } from './node-restriction.ts'
import { serviceAccount } from './service-account.ts'
import { defaultStorageClass } from './storage.ts'

const object = (kind: string, name: string, more: object = {}, metadata: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, ...metadata }, ...more }) as KubeObject
const pod = (spec: object = {}, metadata: object = {}): KubeObject =>
  object('Pod', 'x', { spec: { containers: [{ name: 'c', image: 'i' }], ...spec } }, metadata)

describe('NamespaceLifecycle', () => {
  const active = object('Namespace', 'ns')
  const ending = object('Namespace', 'ending', { status: { phase: 'Terminating' } })
  const plugin = namespaceLifecycle(testCluster({ namespaces: [active, ending] }), systemClock)
  it.each([
    ['ns', undefined],
    ['none', 'namespaces "none" not found'],
    [
      'ending',
      'pods "x" is forbidden: unable to create new content in namespace ending because it is being terminated',
    ],
  ])('a pod in %s', async (namespace, message) => {
    const admit = async () => plugin.mutate?.(testRequest({ namespace, object: pod() }), undefined as never)
    if (message === undefined) await admit()
    else await expect(admit).rejects.toThrow(message)
  })
})

describe('ServiceAccount', () => {
  const clock: Clock = {
    ...systemClock,
    setTimeout: (fn) => {
      setImmediate(fn)
      return () => {}
    },
  }
  const options = { suffix: () => 'abcde', clock }
  const account = object('ServiceAccount', 'default', { imagePullSecrets: [{ name: 'pull' }] }, { namespace: 'ns' })
  const plugin = serviceAccount(testCluster({ serviceaccounts: [account] }), options)

  it('gives a pod its account, a token and pull secrets', async () => {
    const made = await plugin.mutate?.(testRequest({ object: pod() }), undefined as never)
    expect(made).toMatchObject({
      spec: {
        serviceAccountName: 'default',
        serviceAccount: 'default',
        imagePullSecrets: [{ name: 'pull' }],
        volumes: [{ name: 'kube-api-access-abcde' }],
        containers: [{ volumeMounts: [{ name: 'kube-api-access-abcde', readOnly: true }] }],
      },
    })
  })

  it('mounts nothing when it is not to', async () => {
    const given = pod({ automountServiceAccountToken: false })
    expect(await plugin.mutate?.(testRequest({ object: given }), undefined as never)).not.toHaveProperty('spec.volumes')
  })

  it.each([
    { name: 'default', madeAt: 10, outcome: 'admitted after 10' },
    { name: 'default', madeAt: 11, outcome: 'refused after 10' },
    { name: 'other', madeAt: 2, outcome: 'refused after 1' },
  ])('account $name, there at lookup $madeAt: $outcome', async ({ name, madeAt, outcome }) => {
    let lookups = 0
    const late = {
      get: () => (++lookups < madeAt ? undefined : account),
      list: () => [],
      subscribe: () => () => {},
    }
    const plugin = serviceAccount(testCluster({}, { source: late }), options)
    const request = testRequest({ object: pod({ serviceAccountName: name }) })
    const admitted = await pluginOutcome({ ...plugin, validate: () => {} }, request)
    expect(`${typeof admitted === 'string' ? 'refused' : 'admitted'} after ${lookups}`).toBe(outcome)
  })

  it('refuses a pod whose account is missing', async () => {
    const given = pod({ serviceAccountName: 'other' })
    await expect(async () => plugin.mutate?.(testRequest({ object: given }), undefined as never)).rejects.toThrow(
      'pods "x" is forbidden: error looking up service account ns/other: serviceaccount "other" not found',
    )
  })
})

describe('LimitRanger', () => {
  it('tells all that is out of bounds at once', async () => {
    const limits = [{ type: 'Container', max: { cpu: '1' }, min: { memory: '1Gi' } }]
    const range = object('LimitRange', 'r', { spec: { limits } }, { namespace: 'ns' })
    const plugin = limitRanger(testCluster({ limitranges: [range] }))
    await expect(async () => plugin.validate?.(testRequest({ object: pod() }))).rejects.toThrow(
      'pods "x" is forbidden: [minimum memory usage per Container is 1Gi.  No request is specified, maximum cpu usage per Container is 1.  No limit is specified]',
    )
  })

  it('leaves it to validation that a pod has no containers', async () => {
    const limits = [{ type: 'Container', default: { cpu: '1' } }]
    const range = object('LimitRange', 'r', { spec: { limits } }, { namespace: 'ns' })
    const plugin = limitRanger(testCluster({ limitranges: [range] }))
    const given = pod({ containers: null })
    expect(await plugin.mutate?.(testRequest({ object: given }), undefined as never)).toEqual(given)
  })
})

describe('DefaultStorageClass', () => {
  it('takes the newest default', async () => {
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' }
    const classes = ['2020', '2022', '2021'].map((year) =>
      object('StorageClass', `c${year}`, {}, { annotations, creationTimestamp: `${year}-01-01T00:00:00Z` }),
    )
    const plugin = defaultStorageClass(testCluster({ 'storageclasses.storage.k8s.io': classes }))
    const claim = object('PersistentVolumeClaim', 'x', { spec: {} })
    expect(await plugin.mutate?.(testRequest({ object: claim }), undefined as never)).toMatchObject({
      spec: { storageClassName: 'c2022' },
    })
  })
})

describe('NodeRestriction', () => {
  const user = { name: 'system:node:n1', groups: ['system:nodes'], extra: new Map() }
  const nodes = { group: '', version: 'v1', resource: 'nodes' }
  const plugin = nodeRestriction(testCluster())
  it.each([
    ['itself', 'n1', {}, undefined],
    ['another', 'n2', {}, 'node "n1" is not allowed to modify node "n2"'],
    [
      'a label of its own',
      'n1',
      { 'node-restriction.kubernetes.io/x': '' },
      'is not allowed to set the following labels',
    ],
    ['labels that kubelets set', 'n1', { 'kubernetes.io/hostname': 'n1', 'example.com/x': '' }, undefined],
  ])('a node writes %s', async (_, name, labels, message) => {
    const request = testRequest({
      user,
      resource: nodes,
      namespace: '',
      name,
      object: object('Node', name, {}, { labels }),
    })
    const admit = async () => plugin.mutate?.(request, undefined as never)
    if (message === undefined) await admit()
    else await expect(admit).rejects.toThrow(message)
  })
})
