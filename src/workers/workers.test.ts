/** The parts of several processes that are decisions: who gets a connection, who holds which seats, what metrics add up to. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MetricSet } from '../lib/metrics.ts'
import type { PoolUse, SeatShares } from '../pipeline/seat-shares.ts'
import { type ConnectionTarget, chooseProcess, Rebalancer } from './balance.ts'
import { mergeMetrics, metricCountsOf } from './merge-metrics.ts'
import { kinds } from './messages.ts'
import { Respawn } from './respawn.ts'
import { SeatLedger } from './seat-ledger.ts'
import { type SeatHolder, WorkerSeats } from './worker-seats.ts'

const primary = (connections: number, utilization = 0): ConnectionTarget => ({
  isPrimary: true,
  connections,
  utilization,
})
const worker = (connections: number, utilization = 0): ConnectionTarget => ({
  isPrimary: false,
  connections,
  utilization,
})

describe('connections', () => {
  it.each([
    ['the fewest connections', [primary(1), worker(2), worker(0)], 2],
    ['a worker before the primary', [primary(1), worker(1)], 1],
    ['the primary when workers have more', [primary(0), worker(1)], 0],
    ['the less busy of equals', [worker(1, 0.9), worker(1, 0.1)], 1],
  ])('go to %s', (_, candidates, chosen) => {
    expect(chooseProcess(candidates)).toBe(candidates[chosen])
  })

  it('are shed by a process that stays much busier than another, and not again at once', () => {
    const [busy, idle] = [worker(2, 0.95), primary(0, 0.1)]
    const rebalancer = new Rebalancer<ConnectionTarget>()
    const looks = Array.from({ length: 9 }, () => rebalancer.look([idle, busy]))
    expect(looks.map((found) => found === busy)).toEqual([
      ...[false, false, true],
      ...Array(4).fill(false),
      true,
      false,
    ])
    expect(new Rebalancer().look([worker(2, 0.95), worker(2, 0.8)])).toBeUndefined()
  })

  it('stay where there is only one: its requests would come back', () => {
    const rebalancer = new Rebalancer<ConnectionTarget>()
    const candidates = [worker(1, 1), primary(0, 0)]
    for (let i = 0; i < 10; i++) expect(rebalancer.look(candidates)).toBeUndefined()
  })
})

describe('a process that dies', () => {
  it('is started again after longer and longer pauses, and soon if it had lived for long', () => {
    let now = 0
    const pauses: number[] = []
    const clock = {
      now: () => now,
      setTimeout: (_: () => void, ms: number) => {
        pauses.push(ms)
        return () => undefined
      },
    }
    const respawn = new Respawn(clock)
    for (const lived of [10, 10, 10, 60_000, ...Array(12).fill(10)]) {
      respawn.started()
      now += lived
      respawn.again(() => undefined)
    }
    expect(pauses.slice(0, 5)).toEqual([200, 400, 800, 100, 200])
    expect(Math.max(...pauses)).toBe(10_000)
  })
})

/** A ledger and workers whose messages arrive in order, each in a turn of its own. */
class Seats {
  readonly ledger: SeatLedger
  readonly parties: Party[] = []
  readonly workers: SeatHolder[] = []

  constructor(all: number, workers: number) {
    this.ledger = new SeatLedger({ processes: workers + 1 })
    this.parties.push(new Party(this.ledger.shares, all))
    for (let i = 0; i < workers; i++) {
      const [near, far] = controlPair()
      const holder = { control: near }
      this.ledger.joined(holder)
      this.workers.push(holder)
      this.parties.push(new Party(new WorkerSeats(far), all))
    }
  }

  get running(): number {
    return this.parties.reduce((sum, { running }) => sum + running, 0)
  }
}

/** One process: requests of one seat each. */
class Party {
  running = 0
  waiting = 0
  limit: number
  readonly #shares: SeatShares
  readonly #all: number

  constructor(shares: SeatShares, all: number) {
    this.#shares = shares
    this.#all = all
    const use: PoolUse = { inUse: () => this.running, waiting: () => this.waiting, changed: () => this.#changed() }
    shares.add('pool', use)
    this.limit = shares.held('pool', all)
  }

  #changed(): void {
    this.limit = this.#shares.held('pool', this.#all)
    while (this.waiting > 0 && this.running < this.limit) {
      this.waiting--
      this.running++
    }
  }

  request(): void {
    if (this.running < this.limit) this.running++
    else {
      this.waiting++
      void this.#shares.want('pool', this.running + this.waiting - this.limit)
    }
  }

  end(): void {
    if (this.running === 0) return
    this.running--
    this.#shares.freed('pool')
    this.#changed()
  }
}

type Control = SeatHolder['control']

function controlPair(): [Control, Control] {
  const handlers = [new Map<string, (payload: never) => unknown>(), new Map<string, (payload: never) => unknown>()]
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const end = (own: number): Control => ({
    on: (kind, handler) => void handlers[own]?.set(kind, handler as never),
    notify: (kind, payload) => void turn().then(() => handlers[1 - own]?.get(kind)?.(payload as never)),
    ask: async <T>(kind: string, payload: unknown) => {
      await turn()
      const answer = await handlers[1 - own]?.get(kind)?.(payload as never)
      await turn()
      return answer as T
    },
  })
  return [end(0), end(1)]
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 40; i++) await new Promise((resolve) => setImmediate(resolve))
}

describe('seats', () => {
  it('can all be had by one process while no other needs any', async () => {
    const seats = new Seats(10, 2)
    for (let i = 0; i < 12; i++) seats.parties[1]?.request()
    await settle()
    expect(seats.parties.map(({ running }) => running)).toEqual([0, 10, 0])
  })

  it('come back from who does not use them, and at the latest when requests end, up to an equal part', async () => {
    const seats = new Seats(9, 2)
    const [own, first, second] = seats.parties as [Party, Party, Party]
    for (let i = 0; i < 9; i++) first.request()
    await settle()
    for (let i = 0; i < 9; i++) {
      second.request()
      own.request()
    }
    await settle()
    expect([own.running, first.running, second.running]).toEqual([0, 9, 0])
    for (let i = 0; i < 9; i++) {
      first.end()
      await settle()
    }
    await expect.poll(() => own.running + second.running).toBe(9)
  })

  it('are free again when the worker that held them is gone', async () => {
    const seats = new Seats(4, 2)
    for (let i = 0; i < 4; i++) seats.parties[1]?.request()
    await settle()
    seats.ledger.left(seats.workers[0] as SeatHolder)
    for (let i = 0; i < 4; i++) seats.parties[2]?.request()
    await settle()
    expect(seats.parties[2]?.running).toBe(4)
  })

  it('are never more than there are, and none is out of reach', async () => {
    const step = fc.record({ party: fc.nat({ max: 2 }), ends: fc.boolean(), settles: fc.nat({ max: 4 }) })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 7 }), fc.array(step, { maxLength: 60 }), async (all, steps) => {
        const seats = new Seats(all, 2)
        for (const { party, ends, settles } of steps) {
          if (ends) seats.parties[party]?.end()
          else seats.parties[party]?.request()
          for (let i = 0; i < settles; i++) await new Promise((resolve) => setImmediate(resolve))
          expect(seats.running).toBeLessThanOrEqual(all)
        }
        for (const party of seats.parties) {
          party.waiting = 0
          while (party.running > 0) party.end()
        }
        await settle()
        for (const party of seats.parties) {
          for (let i = 0; i < all; i++) party.request()
          await expect.poll(() => party.running, { interval: 1 }).toBe(all)
          while (party.running > 0) party.end()
          await settle()
        }
      }),
      { numRuns: 20 },
    )
  })
})

describe('metrics', () => {
  const definitions = [
    { name: 'requests_total', type: 'counter', help: '', labels: ['code'] },
    { name: 'process_open_fds', type: 'gauge', help: '', labels: [] },
    { name: 'apiserver_storage_objects', type: 'gauge', help: '', labels: ['resource'] },
    { name: 'kubernetes_healthcheck', type: 'gauge', help: '', labels: ['name'] },
    { name: 'seconds', type: 'histogram', help: '', labels: [], buckets: [1, 2] },
  ] as const
  const counted = (factor: number): MetricSet => {
    const set = new MetricSet(definitions, { release: 33, showHidden: false })
    set.counter('requests_total').add(factor, '200')
    set.counter('requests_total').add(1, `only-${factor}`)
    set.gauge('process_open_fds').set(factor)
    set.gauge('apiserver_storage_objects').set(10 + factor, 'pods')
    set.gauge('kubernetes_healthcheck').set(factor > 1 ? 0 : 1, 'etcd')
    set.histogram('seconds').observe(factor)
    return set
  }

  it('are added up, but for what the highest or the lowest of says more', async () => {
    const merged = mergeMetrics(await counted(1).collect(), [await metricCountsOf(counted(2)), []])
    const shown = Object.fromEntries(
      merged.flatMap(({ definition, samples }) =>
        [...samples()].map(({ suffix, labels, value }) => [
          `${definition.name}${suffix} ${Object.values(labels).join()}`.trim(),
          value,
        ]),
      ),
    )
    expect(shown).toMatchObject({
      'requests_total 200': 3,
      'requests_total only-1': 1,
      'requests_total only-2': 1,
      process_open_fds: 3,
      'apiserver_storage_objects pods': 12,
      'kubernetes_healthcheck etcd': 0,
      'seconds_bucket 1': 1,
      'seconds_bucket 2': 2,
      'seconds_bucket +Inf': 2,
      seconds_sum: 3,
      seconds_count: 2,
    })
  })
})

it('kinds of messages are told apart', () => {
  expect(new Set(Object.values(kinds)).size).toBe(Object.keys(kinds).length)
})
