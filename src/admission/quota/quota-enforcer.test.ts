import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import type { ScopedResourceSelectorRequirement } from '../../catalog/types/core-v1.ts'
import { systemClock } from '../../lib/clock.ts'
import { MemoryQuotas, testQuota } from '../testing/memory-quotas.ts'
import { testObject, testRequest } from '../testing/test-cluster.ts'
import { QuotaEnforcer, type QuotaEnforcerOptions } from './quota-enforcer.ts'
import type { Quota } from './quota-object.ts'

const core = (resource: string) => ({ group: '', version: 'v1', resource })

/** What a quota with these limits, of which nothing is used, holds after the write; or why the write was refused. */
async function charged(
  { hard, scopes = [] }: { readonly hard: StringMap; readonly scopes?: ScopedResourceSelectorRequirement[] },
  request: Partial<AdmissionRequest>,
): Promise<StringMap | string> {
  const used: StringMap = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
  const store = new MemoryQuotas([
    testQuota(hard, used, { spec: { hard, scopeSelector: { matchExpressions: scopes } } }),
  ])
  return (await checked(store, [request])).refusals[0] ?? store.used() ?? {}
}

/** Asks for all of them at once: why each was refused, if it was, and where somebody should count again. */
async function checked(
  store: MemoryQuotas,
  requests: readonly Partial<AdmissionRequest>[],
  options: Partial<QuotaEnforcerOptions> = {},
) {
  const overcharged: string[] = []
  const enforcer = new QuotaEnforcer({
    store,
    clock: systemClock,
    configuration: undefined,
    onOvercharge: (namespace) => void overcharged.push(namespace),
    ...options,
  })
  const refusals = await Promise.all(
    requests.map(async (request) => {
      try {
        await enforcer.check(testRequest({ namespace: 'ns', ...request }))
        return undefined
      } catch (error) {
        return (error as Error).message
      }
    }),
  )
  return { refusals, overcharged, enforcer }
}

const pod = (spec: object = {}): KubeObject => testObject('Pod', 'x', { spec: { containers: [], ...spec } })
const service = (type: string, ...ports: number[]): KubeObject =>
  testObject('Service', 'x', { spec: { type, ports: ports.map((port) => ({ port })) } })
const claim = (storage: string, allocated?: string): KubeObject =>
  testObject('PersistentVolumeClaim', 'x', {
    spec: { resources: { requests: { storage } } },
    status: allocated === undefined ? {} : { allocatedResources: { storage: allocated } },
  })
const scope = (scopeName: string, operator = 'Exists', values: string[] = []): ScopedResourceSelectorRequirement => ({
  scopeName,
  operator,
  values,
})

it('charges pods of thousands of containers beside others, none beyond the limit', async () => {
  const resources = { requests: { cpu: '1m' } }
  const large = pod({ containers: Array.from({ length: 20_000 }, (_, i) => ({ name: `c${i}`, resources })) })
  const small = pod({ containers: [{ name: 'c', resources }] })
  const store = new MemoryQuotas([testQuota({ 'requests.cpu': '40001m' }, { 'requests.cpu': '0' })])
  const { refusals } = await checked(
    store,
    [large, small, large, small].map((object) => ({ object })),
  )
  expect(refusals.map((text) => text === undefined)).toEqual([true, true, true, false])
  expect(store.used()).toEqual({ 'requests.cpu': '40001m' })
})

describe('what a write is charged', () => {
  it.each<[string, Parameters<typeof charged>[0], Partial<AdmissionRequest>, StringMap | string]>([
    [
      'a pod that gets a deadline, by the quota of such pods',
      { hard: { pods: '1' }, scopes: [scope('Terminating')] },
      {
        operation: 'UPDATE',
        resource: core('pods'),
        object: pod({ activeDeadlineSeconds: 5 }),
        oldObject: pod(),
      },
      { pods: '1' },
    ],
    [
      'a pod that gets a deadline where no more such pods fit',
      { hard: { pods: '0' }, scopes: [scope('Terminating')] },
      { operation: 'UPDATE', resource: core('pods'), object: pod({ activeDeadlineSeconds: 5 }), oldObject: pod() },
      'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    ],
    [
      'another change of a pod',
      { hard: { pods: '0' } },
      { operation: 'UPDATE', resource: core('pods'), object: pod({ nodeName: 'n' }), oldObject: pod() },
      { pods: '0' },
    ],
    [
      'a pod without a priority class',
      { hard: { pods: '1' }, scopes: [scope('PriorityClass', 'DoesNotExist')] },
      { operation: 'CREATE', resource: core('pods'), object: pod() },
      { pods: '1' },
    ],
    [
      'a pod with one',
      { hard: { pods: '1' }, scopes: [scope('PriorityClass', 'DoesNotExist')] },
      { operation: 'CREATE', resource: core('pods'), object: pod({ priorityClassName: 'p' }) },
      { pods: '0' },
    ],
    [
      'a service that gets node ports',
      { hard: { services: '1', 'services.nodeports': '2' } },
      {
        operation: 'UPDATE',
        resource: core('services'),
        object: service('NodePort', 1, 2),
        oldObject: service('ClusterIP', 1),
      },
      { services: '0', 'services.nodeports': '2' },
    ],
    [
      'a service that gives ports back',
      { hard: { 'services.nodeports': '2' } },
      {
        operation: 'UPDATE',
        resource: core('services'),
        object: service('ClusterIP', 1),
        oldObject: service('NodePort', 1),
      },
      { 'services.nodeports': '0' },
    ],
    [
      'a token of an account',
      { hard: { 'count/serviceaccounts': '1' } },
      {
        operation: 'CREATE',
        resource: core('serviceaccounts'),
        subresource: 'token',
        object: testObject('TokenRequest', 'x'),
      },
      { 'count/serviceaccounts': '0' },
    ],
    [
      'a claim that got more than it may have',
      { hard: { 'requests.storage': '1Gi' } },
      {
        operation: 'UPDATE',
        resource: core('persistentvolumeclaims'),
        subresource: 'status',
        object: claim('1Gi', '3Gi'),
        oldObject: claim('1Gi'),
      },
      { 'requests.storage': '2Gi' },
    ],
  ])('%s', async (_, quota, request, expected) => {
    expect(await charged(quota, request)).toEqual(expected)
  })
})

const podNamed = (name: string, more: Partial<AdmissionRequest> = {}): Partial<AdmissionRequest> => ({
  operation: 'CREATE',
  resource: core('pods'),
  name,
  object: pod(),
  ...more,
})
const onePod = (name = 'q', used = '0', hard = '1'): Quota =>
  testQuota({ pods: hard }, { pods: used }, { metadata: { name } as never })
const exceeded = (name: string, quota = 'q', used = 0, limit = 1): string =>
  `pods "${name}" is forbidden: exceeded quota: ${quota}, requested: pods=1, used: pods=${used}, limited: pods=${limit}`

describe('many writes at once', () => {
  it('get what there is in their order, and are charged together', async () => {
    const store = new MemoryQuotas([onePod('q', '1', '3')])
    const { refusals, overcharged } = await checked(
      store,
      ['a', 'b', 'c'].map((name) => podNamed(name)),
    )
    expect(refusals).toEqual([undefined, undefined, exceeded('c', 'q', 3, 3)])
    expect([store.used(), store.tried, overcharged]).toEqual([{ pods: '3' }, 1, []])
  })

  it('are decided apart in each namespace', async () => {
    const store = new MemoryQuotas([
      onePod(),
      testQuota({ pods: '1' }, { pods: '1' }, { metadata: { namespace: 'other' } as never }),
    ])
    const { refusals } = await checked(store, [
      podNamed('a'),
      podNamed('b', { namespace: 'other' }),
      podNamed('c', { namespace: 'none' }),
    ])
    expect(refusals).toEqual([undefined, exceeded('b', 'q', 1), undefined])
  })

  it('that come later are decided later', async () => {
    const store = new MemoryQuotas([onePod('q', '0', '2')])
    const { enforcer } = await checked(store, [podNamed('a')])
    const ask = async (name: string) => enforcer.check(testRequest(podNamed(name)))
    await Promise.all([ask('b'), expect(ask('c')).rejects.toThrow(exceeded('c', 'q', 2, 2))])
    await expect(ask('d')).rejects.toThrow('exceeded quota')
    expect([store.used(), store.tried]).toEqual([{ pods: '2' }, 2])
  })

  it('of which some are tried only are charged for the rest', async () => {
    const store = new MemoryQuotas([onePod()])
    const requests = [podNamed('a', { dryRun: true }), podNamed('b'), podNamed('c', { dryRun: true })]
    const { refusals } = await checked(store, requests)
    expect(refusals).toEqual([undefined, undefined, exceeded('c', 'q', 1)])
    expect(store.used()).toEqual({ pods: '1' })
  })

  it('write nothing where all are tried only', async () => {
    const store = new MemoryQuotas([onePod()])
    expect((await checked(store, [podNamed('a', { dryRun: true })])).refusals).toEqual([undefined])
    expect(store.tried).toBe(0)
  })

  it('fail together where quotas cannot be read, and those after them do not', async () => {
    const store = new MemoryQuotas([onePod()])
    let isBroken = true
    const list = (namespace: string) => {
      if (isBroken) throw new Error('no store')
      return store.list(namespace)
    }
    const broken = { list, write: (quota: Quota, status: Quota['status']) => store.write(quota, status) }
    const { refusals, enforcer } = await checked(store, [podNamed('a'), podNamed('b')], { store: broken })
    expect(refusals).toEqual(['no store', 'no store'])
    isBroken = false
    await enforcer.check(testRequest(podNamed('c')))
    expect(store.used()).toEqual({ pods: '1' })
  })
})

describe('others who write a quota', () => {
  const bump = (store: MemoryQuotas, used: string, name = 'q'): Quota => {
    const quota = store.source.get('ns', name)!
    return store.put({ ...quota, status: { ...quota.status!, used: { pods: used } } })
  }

  it('leave room', async () => {
    const store = new MemoryQuotas([onePod('q', '0', '2')])
    store.beforeWrite = (tried) => void (tried === 0 && bump(store, '1'))
    expect((await checked(store, [podNamed('a')])).refusals).toEqual([undefined])
    expect([store.used(), store.tried]).toEqual([{ pods: '2' }, 2])
  })

  it('leave no room', async () => {
    const store = new MemoryQuotas([onePod()])
    store.beforeWrite = () => void bump(store, '1')
    const { refusals, overcharged } = await checked(store, [podNamed('a')])
    expect([refusals, overcharged]).toEqual([[exceeded('a', 'q', 1)], []])
  })

  it('leave no room in one of two: what the other was charged is to be counted again', async () => {
    const store = new MemoryQuotas([onePod('a'), onePod('b')])
    store.beforeWrite = (tried) => void (tried === 1 && bump(store, '1', 'b'))
    const { refusals, overcharged } = await checked(store, [podNamed('x')])
    expect([refusals, overcharged]).toEqual([[exceeded('x', 'b', 1)], ['ns']])
    expect(store.used('ns', 'a')).toEqual({ pods: '1' })
  })

  it('leave room in both of two: neither is charged twice', async () => {
    const store = new MemoryQuotas([onePod('a', '0', '5'), onePod('b', '0', '5')])
    store.beforeWrite = (tried) => void (tried === 1 && bump(store, '3', 'b'))
    expect((await checked(store, [podNamed('x')])).refusals).toEqual([undefined])
    expect([store.used('ns', 'a'), store.used('ns', 'b')]).toEqual([{ pods: '1' }, { pods: '4' }])
  })

  it('do not hold up those that only other quotas are about', async () => {
    const best = testQuota(
      { pods: '5' },
      { pods: '0' },
      {
        metadata: { name: 'best' } as never,
        spec: { hard: { pods: '5' }, scopes: ['BestEffort'] },
      },
    )
    const store = new MemoryQuotas([best, testQuota({ secrets: '5' }, { secrets: '0' })])
    store.beforeWrite = (tried) => void (tried === 0 && bump(store, '1', 'best'))
    const secret = podNamed('s', { resource: core('secrets'), object: testObject('Secret', 's') })
    expect((await checked(store, [podNamed('p'), secret])).refusals).toEqual([undefined, undefined])
    expect([store.used('ns', 'best'), store.used()]).toEqual([{ pods: '2' }, { secrets: '1' }])
  })

  it('delete it', async () => {
    const store = new MemoryQuotas([onePod()])
    store.beforeWrite = () => store.source.drop('ns', 'q')
    expect((await checked(store, [podNamed('a')])).refusals).toEqual([undefined])
    expect(store.tried).toBe(1)
  })

  it('without pause: it gives up after a hundred times', async () => {
    const store = new MemoryQuotas([onePod('q', '0', '9')])
    store.beforeWrite = () => void bump(store, '0')
    expect((await checked(store, [podNamed('a')])).refusals).toEqual([
      'Operation cannot be fulfilled on resourcequotas "ns": the quota is written without pause; please try again',
    ])
    expect(store.tried).toBe(100)
  })
})

describe('a write that cannot be charged', () => {
  it.each<[string, Quota[], Partial<AdmissionRequest>, string | undefined]>([
    [
      'the quota is not counted yet',
      [testQuota({ pods: '1', 'count/pods': '1', secrets: '1' }, { secrets: '0' })],
      podNamed('x'),
      'pods "x" is forbidden: status unknown for quota: q, resources: count/pods,pods',
    ],
    ['the quota is about something else', [testQuota({ secrets: '1' }, {})], podNamed('x'), undefined],
    ['the quota has no status', [testQuota({ pods: '0' })], podNamed('x'), undefined],
    [
      'it does not say what it needs',
      [testQuota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' })],
      podNamed('x', { object: pod({ containers: [{ name: 'c' }] }) }),
      'pods "x" is forbidden: failed quota: q: must specify requests.cpu for: c',
    ],
    [
      'it uses less than nothing',
      [testQuota({ 'requests.storage': '1' }, { 'requests.storage': '0' })],
      { operation: 'CREATE', resource: core('persistentvolumeclaims'), object: claim('-1') },
      'persistentvolumeclaims "x" is forbidden: quota usage is negative for resource(s): requests.storage',
    ],
    [
      'several limits are passed',
      [
        testQuota(
          { services: '0', 'services.nodeports': '1', 'count/services': '1' },
          { services: '0', 'services.nodeports': '1', 'count/services': '0' },
        ),
      ],
      { operation: 'CREATE', resource: core('services'), object: service('NodePort', 1, 2) },
      'services "x" is forbidden: exceeded quota: q, requested: services=1,services.nodeports=2, used: services=0,services.nodeports=1, limited: services=0,services.nodeports=1',
    ],
    [
      'nothing is counted of its resource',
      [testQuota({ 'count/events': '0' }, { 'count/events': '0' })],
      { operation: 'CREATE', resource: core('events'), object: testObject('Event', 'x') },
      undefined,
    ],
    ['it uses all that there is', [testQuota({ pods: '1' }, { pods: '0' })], podNamed('x'), undefined],
  ])('%s', async (_, quotas, request, expected) => {
    expect((await checked(new MemoryQuotas(quotas), [request])).refusals).toEqual([expected])
  })

  it('counts under the names of all groups that have the object', async () => {
    const store = new MemoryQuotas([testQuota({ 'count/things.b': '0' }, { 'count/things.b': '0' })])
    const request = {
      operation: 'CREATE',
      resource: { group: 'a', version: 'v1', resource: 'things' },
      object: testObject('Thing', 'x'),
    } as const
    expect((await checked(store, [request])).refusals).toEqual([undefined])
    const { refusals } = await checked(store, [request], {
      otherGroups: (group, resource) => (group === 'a' && resource === 'things' ? ['b'] : undefined),
    })
    expect(refusals[0]).toContain('exceeded quota: q, requested: count/things.b=1')
  })
})

describe('resources that need a quota', () => {
  const limited = (...limitedResources: object[]) => ({ limitedResources }) as never
  const ofPods = (more: object = { matchContains: ['pods'] }) => limited({ resource: 'pods', ...more })
  const important = { scopeName: 'PriorityClass', operator: 'In', values: ['high', 'higher'] }
  const high = podNamed('x', { object: pod({ priorityClassName: 'high' }) })
  const scopes = ofPods({ matchScopes: [important] })
  const noScope = 'insufficient quota to match these scopes: [{PriorityClass In [high higher]}]'
  it.each<[string, unknown, Quota[], Partial<AdmissionRequest>, string | undefined]>([
    ['have none', ofPods(), [], podNamed('x'), 'pods "x" is forbidden: insufficient quota to consume: count/pods,pods'],
    [
      'have one of a part',
      ofPods(),
      [testQuota({ pods: '1' }, { pods: '0' })],
      podNamed('x'),
      'pods "x" is forbidden: insufficient quota to consume: count/pods',
    ],
    [
      'have one of all',
      ofPods(),
      [testQuota({ pods: '1', 'count/pods': '1' }, { pods: '0', 'count/pods': '0' })],
      podNamed('x'),
      undefined,
    ],
    [
      'have one of what is named',
      ofPods({ matchContains: ['count/'] }),
      [testQuota({ 'count/pods': '1' }, { 'count/pods': '0' })],
      podNamed('x'),
      undefined,
    ],
    ['are others', limited({ resource: 'secrets', matchContains: ['secrets'] }), [], podNamed('x'), undefined],
    [
      'are of another group',
      limited({ apiGroup: 'apps', resource: 'pods', matchContains: ['pods'] }),
      [],
      podNamed('x'),
      undefined,
    ],
    [
      'use no more than before',
      limited({ resource: 'services', matchContains: ['services'] }),
      [],
      {
        operation: 'UPDATE',
        resource: core('services'),
        object: service('ClusterIP'),
        oldObject: service('ClusterIP'),
      },
      undefined,
    ],
    ['have no quota of their scope', scopes, [onePod()], high, noScope],
    [
      'have a quota of their scope',
      scopes,
      [testQuota({ pods: '1' }, { pods: '0' }, { spec: { hard: { pods: '1' }, scopes: ['PriorityClass'] } })],
      high,
      undefined,
    ],
    ['are not in the scope', scopes, [], podNamed('x'), undefined],
    [
      'name a scope without values',
      ofPods({ matchScopes: [{ scopeName: 'BestEffort', operator: 'Exists' }] }),
      [],
      podNamed('x'),
      'insufficient quota to match these scopes: [{BestEffort Exists []}]',
    ],
  ])('%s', async (_, configuration, quotas, request, expected) => {
    const { refusals, enforcer } = await checked(new MemoryQuotas(quotas), [request], {
      configuration: configuration as never,
    })
    expect(refusals).toEqual([expected])
    expect(enforcer.limitsByDefault).toBe(true)
  })

  it.each<[unknown]>([[undefined], [{}], ['x'], [{ limitedResources: 'x' }], [{ limitedResources: [1, null] }]])(
    'are none in %j',
    async (configuration) => {
      const { enforcer, refusals } = await checked(new MemoryQuotas(), [podNamed('x')], {
        configuration: configuration as never,
      })
      expect([enforcer.limitsByDefault, refusals]).toEqual([false, [undefined]])
    },
  )

  it('are refused as an unknown error where no scope fits', async () => {
    const enforcer = new QuotaEnforcer({
      store: new MemoryQuotas(),
      clock: systemClock,
      configuration: scopes,
      onOvercharge: () => {},
    })
    const error: unknown = await Promise.resolve(enforcer.check(testRequest(high))).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ApiError)
    expect((error as ApiError).code).toBe(500)
  })
})
