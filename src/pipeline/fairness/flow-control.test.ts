import { describe, expect, it } from 'vitest'
import { MetricSet } from '../../lib/metrics.ts'
import { FlowControl } from './flow-control.ts'
import { FlowMetrics } from './flow-metrics.ts'
import { FlowRequest } from './flow-request.ts'
import { fakeCall, userOf } from './testing/fake-exchange.ts'
import {
  account,
  everyResource,
  FakeObjects,
  flowSchema,
  group,
  limitedLevel,
  queuedLevel,
  user,
} from './testing/fake-objects.ts'
import { ManualClock } from './testing/manual-clock.ts'
import { flowMetricDefinitions } from './testing/metric-definitions.ts'

function makeControl(serverSeats = 100) {
  const clock = new ManualClock()
  const set = new MetricSet(flowMetricDefinitions, { release: 33, showHidden: false })
  const control = new FlowControl({ clock, serverSeats, metrics: new FlowMetrics(set) })
  const [schemas, levels] = [new FakeObjects(), new FakeObjects()]
  control.follow({ schemas, levels })
  const flow = (name: string, groups: string[], path: string, method = 'GET') => {
    const who = userOf(name, ...groups)
    return control.flowOf(who, fakeCall({ method, path, user: who }).context.info)
  }
  /** Requests of a user for pods, as many as the level lets run or wait. */
  const flood = (name: string, count: number): FlowRequest[] =>
    Array.from({ length: count }, () => {
      const who = userOf(name)
      const { context } = fakeCall({ path: '/api/v1/pods', user: who })
      const found = control.flowOf(who, context.info)
      const request = new FlowRequest(found, { seats: 1, finalSeats: 0, lingerMs: 0 }, context)
      found.level.queues.admit(request)
      return request
    })
  const level = (name: string) => control.levels().find((each) => each.name === name)
  return { clock, control, schemas, levels, flow, flood, level }
}

describe('classification', () => {
  it('goes by what is mandatory while there are no objects', () => {
    const { flow } = makeControl()
    expect(flow('root', ['system:masters'], '/api/v1/pods').level.name).toBe('exempt')
    expect(flow('ann', [], '/api/v1/pods').schema.name).toBe('catch-all')
    expect(flow('ann', [], '/version').level.settings.exempt).toBe(false)
  })

  it.each([
    { who: 'ann', path: '/api/v1/namespaces/a/pods', schema: 'named' },
    { who: 'bob', path: '/api/v1/namespaces/a/pods', schema: 'catch-all' },
    { who: 'ann', path: '/api/v1/namespaces/b/pods', schema: 'catch-all' },
    { who: 'ann', path: '/api/v1/pods', schema: 'catch-all' },
    { who: 'ann', path: '/api/v1/namespaces/a/pods/x/status', schema: 'catch-all' },
    { who: 'ann', path: '/api/v1/namespaces/a/pods', method: 'POST', schema: 'catch-all' },
    { who: 'ann', path: '/apis/apps/v1/namespaces/a/pods', schema: 'catch-all' },
    { who: 'system:serviceaccount:kube-system:x', path: '/api/v1/nodes', schema: 'accounts' },
    { who: 'system:serviceaccount:kube-system2:x', path: '/api/v1/nodes', schema: 'catch-all' },
    { who: 'system:serviceaccount:ns:exact', path: '/api/v1/nodes', schema: 'accounts' },
    { who: 'bob', path: '/logs', schema: 'paths' },
    { who: 'bob', path: '/logs/kernel', schema: 'paths' },
    { who: 'bob', path: '/logsomething', schema: 'catch-all' },
    { who: 'bob', path: '/tree/deep/down', schema: 'paths' },
  ])('sends $method $path of $who to $schema', ({ who, path, method, schema }) => {
    const { flow, schemas, levels } = makeControl()
    levels.set(limitedLevel('one', {}))
    const pods = { verbs: ['list', 'get'], apiGroups: [''], resources: ['pods'], namespaces: ['a'] }
    schemas.set(flowSchema('named', { level: 'one', precedence: 10, subjects: [user('ann')], resources: [pods] }))
    const accounts = [account('kube-system', '*'), account('ns', 'exact')]
    schemas.set(
      flowSchema('accounts', { level: 'one', precedence: 20, subjects: accounts, resources: [everyResource] }),
    )
    const paths = [{ verbs: ['get'], nonResourceURLs: ['/logs', '/tree/*'] }]
    schemas.set(flowSchema('paths', { level: 'one', precedence: 30, subjects: [group('*')], paths }))
    expect(flow(who, [], path, method).schema.name).toBe(schema)
  })

  it('tries schemas by precedence, then by name, and passes over those without a level', () => {
    const { flow, schemas, levels } = makeControl()
    levels.set(limitedLevel('one', {}))
    const takes = { subjects: [user('*')], resources: [everyResource] }
    schemas.set(flowSchema('b', { level: 'one', precedence: 10, ...takes }))
    schemas.set(flowSchema('a', { level: 'one', precedence: 10, ...takes }))
    schemas.set(flowSchema('first', { level: 'missing', precedence: 1, ...takes }))
    expect(flow('ann', [], '/api/v1/pods').schema.name).toBe('a')
    schemas.delete('a')
    expect(flow('ann', [], '/api/v1/pods').schema.name).toBe('b')
    levels.set(limitedLevel('missing', {}))
    expect(flow('ann', [], '/api/v1/pods').schema).toMatchObject({ name: 'first', uid: 'uid-of-first' })
  })

  it('tells flows apart by user or by namespace', () => {
    const { flow, schemas, levels } = makeControl()
    levels.set(queuedLevel('queued', {}, { queues: 64, handSize: 6, queueLengthLimit: 10 }))
    const takes = { level: 'queued', resources: [everyResource] }
    schemas.set(flowSchema('users', { ...takes, precedence: 10, by: 'ByUser', subjects: [group('users')] }))
    schemas.set(flowSchema('spaces', { ...takes, precedence: 20, by: 'ByNamespace', subjects: [group('*')] }))
    const [ann, bob] = [flow('ann', ['users'], '/api/v1/pods'), flow('bob', ['users'], '/api/v1/pods')]
    expect([ann.distinguisher, bob.distinguisher]).toEqual(['ann', 'bob'])
    expect(ann.hand).toHaveLength(6)
    expect(new Set(ann.hand).size).toBe(6)
    expect(ann.hand).not.toEqual(bob.hand)
    expect(flow('ann', ['users'], '/api/v1/nodes').hand).toEqual(ann.hand)
    expect(flow('eve', [], '/api/v1/namespaces/red/pods').distinguisher).toBe('red')
    expect(flow('eve', [], '/api/v1/nodes').distinguisher).toBe('')
  })
})

describe('seats', () => {
  it('are divided by shares, and lent and borrowed within bounds', () => {
    const { flow, levels, level } = makeControl(100)
    levels.set(limitedLevel('big', { nominalConcurrencyShares: 70, lendablePercent: 50, borrowingLimitPercent: 0 }))
    levels.set(limitedLevel('small', { nominalConcurrencyShares: 25 }))
    flow('ann', [], '/')
    expect(level('big')?.limits).toEqual({ nominal: 70, lowest: 35, highest: 70 })
    expect(level('small')?.limits).toEqual({ nominal: 25, lowest: 25, highest: 125 })
    expect(level('catch-all')?.limits).toMatchObject({ nominal: 5 })
  })

  it('move to the level that needs them, and back when their owner does', () => {
    const { clock, schemas, levels, flood, level } = makeControl(95)
    levels.set(queuedLevel('lender', { nominalConcurrencyShares: 60, lendablePercent: 50 }, { queues: 1, handSize: 1 }))
    levels.set(queuedLevel('borrower', { nominalConcurrencyShares: 30 }, { queues: 1, handSize: 1 }))
    const takes = (name: string) => ({
      level: name,
      precedence: 10,
      subjects: [user(name)],
      resources: [everyResource],
    })
    schemas.set(flowSchema('lender', takes('lender')))
    schemas.set(flowSchema('borrower', takes('borrower')))
    const floods = flood('borrower', 80)
    expect(level('borrower')?.queues.executing).toBe(level('borrower')?.current)
    clock.advance(10_000)
    expect(level('lender')?.current).toBe(30)
    expect(level('borrower')?.current).toBeGreaterThanOrEqual(58)
    expect(level('borrower')?.queues.executing).toBe(level('borrower')?.current)
    const others = flood('lender', 80)
    clock.advance(10_000)
    expect(level('lender')?.current).toBeGreaterThanOrEqual(57)
    expect(level('borrower')?.current).toBeLessThanOrEqual(35)
    for (const request of [...floods, ...others]) level(request.flow.schema.name)?.queues.finish(request)
  })

  it('stay with a level that is deleted until its last request has ended', () => {
    const { clock, schemas, levels, flow, flood, level } = makeControl()
    levels.set(limitedLevel('old', {}))
    schemas.set(
      flowSchema('old', { level: 'old', precedence: 10, subjects: [user('ann')], resources: [everyResource] }),
    )
    const [request] = flood('ann', 1)
    levels.delete('old')
    expect(flow('ann', [], '/api/v1/pods').schema.name).toBe('catch-all')
    expect(level('old')?.isLeaving).toBe(true)
    if (request !== undefined) level('old')?.queues.finish(request)
    clock.advance(10_000)
    flow('ann', [], '/api/v1/pods')
    expect(level('old')).toBeUndefined()
  })
})
