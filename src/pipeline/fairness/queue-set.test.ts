import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestContext } from '../../api/request-context.ts'
import { FlowRequest, type FlowWork } from './flow-request.ts'
import { QueueSet } from './queue-set.ts'
import type { Queuing } from './queue-set-options.ts'
import { DemandIntegrator } from './seat-demand.ts'
import { ManualClock } from './testing/manual-clock.ts'

const context = {} as RequestContext

function makeSet(limit: number, queuing: Queuing | undefined) {
  const clock = new ManualClock()
  const demand = new DemandIntegrator(() => clock.now())
  const set = new QueueSet({ clock, demand })
  set.configure(limit, queuing)
  return { clock, demand, set }
}

function request(flow: string, hand: readonly number[], work: Partial<FlowWork> = {}): FlowRequest {
  const whole = { seats: 1, finalSeats: 0, lingerMs: 0, ...work }
  const level = { name: 'level' }
  return new FlowRequest({ level, schema: { name: 'schema' }, distinguisher: flow, hand }, whole, context)
}

const queuing = { queues: 4, handSize: 1, queueLengthLimit: 3 }

describe('a level without queues', () => {
  it('refuses what does not fit', () => {
    const { set } = makeSet(2, undefined)
    const [a, b, c] = [request('a', []), request('b', []), request('c', [])]
    expect([a, b, c].map((each) => set.admit(each))).toEqual(['execute', 'execute', 'refuse'])
    set.finish(a)
    expect(set.admit(request('d', []))).toBe('execute')
    expect([set.dispatched, set.refused, set.seatsInUse]).toEqual([3, 1, 2])
  })

  it('lets everything through when it is exempt', () => {
    const { set, demand } = makeSet(Infinity, undefined)
    for (let i = 0; i < 1000; i++) expect(set.admit(request('a', []))).toBe('execute')
    expect(demand.value).toBe(1000)
  })
})

describe('a level with queues', () => {
  it('queues up to the limit of a queue and refuses what comes then', () => {
    const { set } = makeSet(1, queuing)
    const outcomes = Array.from({ length: 6 }, () => set.admit(request('a', [0])))
    expect(outcomes).toEqual(['execute', 'wait', 'wait', 'wait', 'refuse', 'refuse'])
    expect(set.admit(request('b', [1]))).toBe('wait')
  })

  it('dispatches in order of arrival within a queue', () => {
    const { set } = makeSet(1, queuing)
    const first = request('a', [0])
    set.admit(first)
    const order: string[] = []
    const waiting = ['one', 'two', 'three'].map((name) => {
      const each = request('a', [0])
      each.onDispatch = () => order.push(name)
      set.admit(each)
      return each
    })
    set.finish(first)
    for (const each of waiting) set.finish(each)
    expect(order).toEqual(['one', 'two', 'three'])
    expect(set.idle).toBe(true)
  })

  it('gives two busy queues the same service, however many requests each has', () => {
    const { set, clock } = makeSet(2, { queues: 2, handSize: 1, queueLengthLimit: 100 })
    const served = { flood: 0, calm: 0 }
    const running: { readonly request: FlowRequest; readonly end: number }[] = []
    const submit = (flow: 'flood' | 'calm', hand: number[]) => {
      const each = request(flow, hand)
      const started = () => {
        served[flow]++
        running.push({ request: each, end: clock.now() + 10 })
      }
      each.onDispatch = started
      if (set.admit(each) === 'execute' && !running.some((other) => other.request === each)) started()
    }
    for (let i = 0; i < 90; i++) submit('flood', [0])
    for (let i = 0; i < 20; i++) submit('calm', [1])
    while (served.calm < 20) {
      clock.advance(10)
      for (const { request: ended } of running.splice(0)) set.finish(ended)
    }
    expect(served.flood).toBeGreaterThanOrEqual(19)
    expect(served.flood).toBeLessThanOrEqual(23)
  })

  it('charges wide requests for their seats', () => {
    const { set, clock } = makeSet(4, { queues: 2, handSize: 1, queueLengthLimit: 500 })
    const seatTime = { wide: 0, narrow: 0 }
    const running: { request: FlowRequest; flow: 'wide' | 'narrow' }[] = []
    const submit = (flow: 'wide' | 'narrow', hand: number[], seats: number) => {
      const each = request(flow, hand, { seats })
      each.onDispatch = () => running.push({ request: each, flow })
      if (set.admit(each) === 'execute' && !running.some((other) => other.request === each)) {
        running.push({ request: each, flow })
      }
    }
    for (let i = 0; i < 200; i++) submit('wide', [0], 4)
    for (let i = 0; i < 400; i++) submit('narrow', [1], 1)
    for (let step = 0; step < 80; step++) {
      clock.advance(10)
      for (const { request: ended, flow } of running.splice(0)) {
        seatTime[flow] += ended.maxSeats * 10
        set.finish(ended)
      }
    }
    expect(seatTime.wide / seatTime.narrow).toBeGreaterThan(0.8)
    expect(seatTime.wide / seatTime.narrow).toBeLessThan(1.25)
  })

  it('lets a request that is wider than the level run alone', () => {
    const { set } = makeSet(3, queuing)
    const wide = request('a', [0], { seats: 5 })
    expect(set.admit(wide)).toBe('execute')
    expect(set.admit(request('b', [1]))).toBe('wait')
    set.finish(wide)
    expect(set.executing).toBe(1)
  })

  it('keeps the seats of a change while its events are reported', () => {
    const { set, clock } = makeSet(2, queuing)
    const change = request('a', [0], { finalSeats: 2, lingerMs: 5 })
    set.admit(change)
    set.finish(change)
    expect([set.executing, set.seatsInUse]).toEqual([0, 2])
    const next = request('b', [1])
    expect(set.admit(next)).toBe('wait')
    clock.advance(5)
    expect(next.state).toBe('executing')
  })

  it('forgets a request that is cancelled, and does not cancel one that runs', () => {
    const { set } = makeSet(1, queuing)
    const [runs, waits] = [request('a', [0]), request('b', [1])]
    set.admit(runs)
    set.admit(waits)
    expect(set.cancel(runs, 'gone')).toBe(false)
    expect(set.cancel(waits, 'time-out')).toBe(true)
    set.finish(runs)
    expect(set.idle).toBe(true)
    expect([set.timedOut, set.refused, set.seatsWaiting]).toEqual([1, 1, 0])
  })

  it('dispatches what waits when it gets more seats, and lets queues go when they are empty', () => {
    const { set } = makeSet(1, queuing)
    const all = [0, 1, 2, 3].map((queue) => request(String(queue), [queue]))
    for (const each of all) set.admit(each)
    set.configure(3, { ...queuing, queues: 2 })
    expect([set.executing, set.waiting, set.queues().length]).toEqual([3, 1, 4])
    for (const each of all) set.finish(each)
    expect(set.queues().length).toBe(2)
    set.configure(1, undefined)
    expect(set.queues().length).toBe(0)
  })
})

describe('seats that are lent', () => {
  const wide = { queues: 4, handSize: 1, queueLengthLimit: 50 }
  /** Admits requests of a flow that lend their seats. */
  const lists = (set: QueueSet, flow: number, count: number): FlowRequest[] =>
    Array.from({ length: count }, () => {
      const each = request(String(flow), [flow], { seats: 2 })
      each.onDispatch = () => each.lend()
      if (set.admit(each) === 'execute') each.lend()
      return each
    })

  it('are taken for another flow at once, and given back', async () => {
    const { set } = makeSet(6, wide)
    const flood = lists(set, 0, 10)
    expect(set.executing).toBe(3)
    const pauses: boolean[] = []
    flood[2]!.onPause = (_, paused) => pauses.push(paused)
    const get = request('1', [1])
    expect(set.admit(get)).toBe('execute')
    expect(flood.slice(0, 4).map(({ state }) => state)).toEqual(['executing', 'executing', 'paused', 'waiting'])
    const regained = flood[2]!.regain()
    expect(flood[0]!.regain()).toBeUndefined()
    set.finish(get)
    await regained
    expect([flood[2]!.state, pauses, set.dispatched]).toEqual(['executing', [true, false], 4])
  })

  it('are taken from the moment on in which they are lent', () => {
    const { set } = makeSet(2, wide)
    const slow = [request('0', [0]), request('0', [0])]
    for (const each of slow) set.admit(each)
    const get = request('1', [1])
    expect(set.admit(get)).toBe('wait')
    slow[0]!.lend()
    expect([get.state, slow[0]!.state, set.seatsInUse]).toEqual(['executing', 'paused', 2])
  })

  it('are divided evenly between flows, and then left to those who have them', () => {
    const { set } = makeSet(8, wide)
    const [some, others] = [lists(set, 0, 10), lists(set, 1, 10)]
    const running = (of: FlowRequest[]): number => of.filter(({ state }) => state === 'executing').length
    expect([running(some), running(others)]).toEqual([2, 2])
    set.finish(some[0]!)
    expect([running(some), running(others)]).toEqual([2, 2])
    expect(some[1]!.state).toBe('executing')
  })

  it('are not taken by the flow that lends them, nor once it keeps them', () => {
    const { set } = makeSet(2, wide)
    const [slow, other] = [request('0', [0]), request('0', [0])]
    for (const each of [slow, other]) set.admit(each)
    slow.lend()
    expect(set.admit(request('0', [0]))).toBe('wait')
    expect(slow.keep()).toBeUndefined()
    expect(set.admit(request('1', [1]))).toBe('wait')
  })

  it('are missed by nobody who ends while they are taken', async () => {
    const { set } = makeSet(4, wide)
    const flood = lists(set, 0, 2)
    set.admit(request('1', [1]))
    const paused = flood.find(({ state }) => state === 'paused')!
    const regained = paused.regain()
    set.finish(paused)
    await regained
    expect([paused.state, set.waiting, set.seatsWaiting]).toEqual(['ended', 0, 0])
  })
})

it('never uses more seats than it has, forgets nothing and starves nobody', () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant('arrive' as const), flow: fc.nat(3), seats: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ type: fc.constant('finish' as const), at: fc.nat(20) }),
    fc.record({ type: fc.constant('lend' as const), at: fc.nat(20) }),
    fc.record({ type: fc.constant('keep' as const), at: fc.nat(20) }),
    fc.record({ type: fc.constant('cancel' as const), at: fc.nat(20) }),
    fc.record({ type: fc.constant('pass' as const), ms: fc.nat(30) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { set, clock } = makeSet(4, queuing)
      const live: FlowRequest[] = []
      let arrived = 0
      for (const each of steps) {
        if (each.type === 'arrive') {
          const made = request(String(each.flow), [each.flow], { seats: each.seats })
          arrived++
          if (set.admit(made) !== 'refuse') live.push(made)
        } else if (each.type === 'pass') clock.advance(each.ms)
        else {
          const chosen = live[each.at % Math.max(live.length, 1)]
          if (chosen === undefined) continue
          if (each.type === 'finish') set.finish(chosen)
          else if (each.type === 'lend') chosen.lend()
          else if (each.type === 'keep') void chosen.keep()
          else set.cancel(chosen, 'gone')
        }
        const running = live.filter(({ state }) => state === 'executing')
        const waiting = live.filter(({ state }) => state === 'waiting' || state === 'paused')
        expect(set.seatsInUse).toBe(running.reduce((sum, { maxSeats }) => sum + maxSeats, 0))
        expect(set.seatsInUse).toBeLessThanOrEqual(4)
        expect([set.executing, set.waiting]).toEqual([running.length, waiting.length])
        if (waiting.length > 0) expect(set.seatsInUse).toBeGreaterThan(1)
        // However many seats a flow lends, it has begun no more than the level has seats.
        for (const flow of ['0', '1', '2', '3']) {
          const begun = live.filter((one) => one.flow.distinguisher === flow && /executing|paused/.test(one.state))
          expect(begun.reduce((sum, { maxSeats }) => sum + maxSeats, 0)).toBeLessThanOrEqual(4)
        }
      }
      while (!set.idle) for (const each of live) set.finish(each)
      expect(set.dispatched + set.refused).toBe(arrived)
      expect([set.seatsInUse, set.seatsWaiting]).toEqual([0, 0])
    }),
    { numRuns: 200 },
  )
})
