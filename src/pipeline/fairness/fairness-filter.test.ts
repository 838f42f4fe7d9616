import { describe, expect, it } from 'vitest'
import type { RequestContext } from '../../api/request-context.ts'
import { MetricSet } from '../../lib/metrics.ts'
import { answerTimeout } from '../deadline.ts'
import type { Handler } from '../filter.ts'
import { inFlightLimits } from '../in-flight-limits.ts'
import { handlerGraceMs } from '../run-and-release.ts'
import { dumpFlows } from './dump.ts'
import { fairness } from './fairness-filter.ts'
import { FlowControl } from './flow-control.ts'
import { FlowMetrics } from './flow-metrics.ts'
import { type FakeCall, fakeCall, userOf } from './testing/fake-exchange.ts'
import { everyResource, FakeObjects, flowSchema, queuedLevel, user } from './testing/fake-objects.ts'
import { ManualClock } from './testing/manual-clock.ts'
import { flowMetricDefinitions } from './testing/metric-definitions.ts'
import { WatchCounts } from './watch-counts.ts'

const ann = userOf('ann')

/** A level with two seats, one queue and room for two that wait; handlers that answer when the test says so. */
function makeFilter(objects = 0) {
  const clock = new ManualClock()
  const set = new MetricSet(flowMetricDefinitions, { release: 33, showHidden: false })
  const control = new FlowControl({ clock, serverSeats: 7, metrics: new FlowMetrics(set) })
  const [schemas, levels] = [new FakeObjects(), new FakeObjects()]
  levels.set(queuedLevel('small', { nominalConcurrencyShares: 2 }, { queues: 1, handSize: 1, queueLengthLimit: 2 }))
  schemas.set(
    flowSchema('ann', {
      level: 'small',
      precedence: 5,
      by: 'ByUser',
      subjects: [user('ann')],
      resources: [everyResource],
    }),
  )
  control.follow({ schemas, levels })
  const watches = new WatchCounts()
  const filter = fairness({
    control,
    clock,
    sources: { objectCount: () => objects, watches, watchList: true },
    requestTimeout: () => 40_000,
  })
  const begun: RequestContext[] = []
  const hold: Handler = (context) => {
    begun.push(context)
  }
  const call = (path = '/api/v1/pods/x', handler = hold, method = 'GET'): FakeCall => {
    const made = fakeCall({ method, path, user: ann })
    void filter(made.context, handler)
    return made
  }
  const queues = () => control.levels().find(({ name }) => name === 'small')?.queues
  return { clock, control, set, call, begun, queues, watches }
}

const answer = ({ context }: FakeCall): void => context.exchange.respond(200, {}, 'ok')
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('fairness', () => {
  it('runs two, lets two wait, and refuses the fifth', async () => {
    const { call, begun, queues } = makeFilter()
    const calls = Array.from({ length: 5 }, () => call())
    expect(begun).toHaveLength(2)
    const refused = calls[4]?.answer
    expect(refused?.status).toBe(429)
    expect(refused?.body).toBe('Too many requests, please try again later.\n')
    expect(refused?.headers.get('retry-after')).toBe('1')
    expect(refused?.headers.get('x-kubernetes-pf-flowschema-uid')).toBe('uid-of-ann')
    expect(refused?.headers.get('x-kubernetes-pf-prioritylevel-uid')).toBe('uid-of-small')
    for (const each of calls.slice(0, 2)) answer(each)
    await settled()
    expect(begun).toHaveLength(4)
    for (const each of calls.slice(2, 4)) answer(each)
    expect(queues()?.idle).toBe(true)
    expect(queues()?.seatsInUse).toBe(0)
  })

  it('holds nothing once a handler has answered at once', () => {
    const { call, queues } = makeFilter()
    for (let i = 0; i < 20; i++) {
      expect(call('/api/v1/pods/x', ({ exchange }) => exchange.respond(200, {}, 'ok')).answer.status).toBe(200)
    }
    expect([queues()?.dispatched, queues()?.seatsInUse]).toEqual([20, 0])
  })

  it('keeps the seats of a request whose time is up while its handler works, and no longer than bearable', async () => {
    const { call, clock, queues } = makeFilter()
    let finish: () => void = () => {}
    const working = new Promise<void>((resolve) => {
      finish = resolve
    })
    const late = [call('/api/v1/pods/x', () => working), call('/api/v1/pods/x', () => new Promise(() => {}))]
    for (const { context } of late) answerTimeout(context)
    expect(late.map((each) => each.answer.status)).toEqual([504, 504])
    await settled()
    expect(queues()?.seatsInUse).toBe(2)
    finish()
    await settled()
    expect(queues()?.seatsInUse).toBe(1)
    clock.advance(handlerGraceMs)
    expect(queues()?.seatsInUse).toBe(0)
  })

  it('refuses a request whose turn has not come after a quarter of its time', async () => {
    const { call, clock, queues } = makeFilter()
    const calls = Array.from({ length: 3 }, () => call())
    clock.advance(9_999)
    await settled()
    expect(calls[2]?.answer.status).toBe(0)
    clock.advance(1)
    await settled()
    expect(calls[2]?.answer.status).toBe(429)
    expect(queues()?.timedOut).toBe(1)
  })

  it('forgets a request whose client has gone', async () => {
    const { call, begun, queues } = makeFilter()
    const calls = Array.from({ length: 3 }, () => call())
    calls[2]?.leave()
    await settled()
    expect([queues()?.waiting, queues()?.cancelled]).toEqual([0, 1])
    for (const each of calls.slice(0, 2)) answer(each)
    await settled()
    expect(begun).toHaveLength(2)
  })

  it('charges a watch until it has begun, and counts it for those who change what it watches', async () => {
    const { call, queues, watches } = makeFilter()
    let begin: () => void = () => {}
    const starting = new Promise<void>((resolve) => {
      begin = resolve
    })
    const watch = call('/api/v1/watch/pods', () => starting)
    expect(queues()?.seatsInUse).toBe(1)
    begin()
    await settled()
    expect(queues()?.seatsInUse).toBe(0)
    const change = fakeCall({ method: 'DELETE', path: '/api/v1/namespaces/a/pods/x', user: ann }).context.info
    expect(watches.interestedIn(change)).toBe(1)
    answer(watch)
    expect(watches.interestedIn(change)).toBe(0)
  })

  it('does not count what lasts', () => {
    const { call, begun } = makeFilter()
    for (let i = 0; i < 9; i++) call('/api/v1/namespaces/a/pods/x/exec')
    expect(begun).toHaveLength(9)
  })

  it('shows what runs and waits, in columns', () => {
    const { call, control } = makeFilter()
    for (let i = 0; i < 3; i++) call('/api/v1/namespaces/a/pods/x')
    const options = { timeOrigin: Date.UTC(2024, 0, 1), details: true }
    const levels = dumpFlows(control, 'dump_priority_levels', options).split('\n')
    expect(levels[0]).toBe(
      'PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests',
    )
    expect(levels[3]).toBe(
      'small,             1,            false,  false,       1,               2,                 2,                  0,                0,                0',
    )
    const queues = dumpFlows(control, 'dump_queues', options).split('\n')
    expect(queues[1]?.replace(/ +/g, ' ')).toBe('small, 0, 1, 2, 2, 0.00600000ss, 1, 1, 0.00300000ss')
    const requests = dumpFlows(control, 'dump_requests', options).split('\n')
    expect(requests[1]?.replace(/ +/g, ' ')).toBe(
      'small, ann, 0, 0, , 2024-01-01T00:00:00Z, 1, 0, 0s, 0001-01-01T00:00:00Z, ann, get, /api/v1/namespaces/a/pods/x, a, x, v1, pods, ',
    )
    expect(requests[2]).toContain('small,             ann,            0,          -1,')
  })
})

describe('the plain limits', () => {
  it('count reads and changes apart, and let masters pass', () => {
    const filter = inFlightLimits({ reads: 1, changes: 1, clock: new ManualClock() })
    const begun: RequestContext[] = []
    const run = (method: string, path: string, who = ann): FakeCall => {
      const made = fakeCall({ method, path, user: who })
      void filter(made.context, (context) => void begun.push(context))
      return made
    }
    const first = run('GET', '/api/v1/pods/x')
    expect(run('GET', '/api/v1/pods').answer.status).toBe(429)
    run('DELETE', '/api/v1/pods/x')
    expect(run('POST', '/api/v1/pods').answer.headers.get('retry-after')).toBe('1')
    run('GET', '/api/v1/pods', userOf('root', 'system:masters'))
    run('GET', '/api/v1/watch/pods')
    expect(begun).toHaveLength(4)
    answer(first)
    run('GET', '/api/v1/pods/x')
    expect(begun).toHaveLength(5)
  })
})
