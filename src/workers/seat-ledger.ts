/**
 * Who holds how many of the server's seats. The primary holds what no worker does; a worker that needs seats asks for them, and
 * gets idle ones: the primary's own first, then those that other workers give back. A worker with less than an
 * equal share gets more as others finish, down to their equal share. What is counted here is never more than there is: a worker
 * gives back before anybody else is granted.
 */
import type { PoolUse, SeatShares } from '../pipeline/seat-shares.ts'
import { kinds, type ReleaseRequest, type SeatRequest } from './messages.ts'
import { askAgainMs, type SeatHolder } from './worker-seats.ts'

interface Pool {
  all: number
  use: PoolUse | undefined
  readonly held: Map<SeatHolder, number>
  /** Workers that have less than their part and wait for what others finish. */
  readonly owed: Map<SeatHolder, number>
  readonly demand: Map<SeatHolder, number>
  asking: Promise<void> | undefined
  /** The primary's own requests wait for seats. */
  isAskingAgain: boolean
}

export class SeatLedger {
  readonly shares: SeatShares
  readonly #processes: number
  readonly #workers = new Set<SeatHolder>()
  readonly #pools = new Map<string, Pool>()

  constructor({ processes }: { readonly processes: number }) {
    this.#processes = processes
    this.shares = {
      held: (name, all) => {
        const pool = this.#pool(name)
        pool.all = all
        return left(pool)
      },
      add: (name, use) => {
        this.#pool(name).use = use
      },
      want: (name, seats) => this.#wantOwn(name, this.#pool(name), seats),
      freed: (name) => this.#distribute(name, this.#pool(name)),
    }
  }

  joined(worker: SeatHolder): void {
    this.#workers.add(worker)
    worker.control.on<SeatRequest>(kinds.want, ({ pool, seats }) => this.#want(worker, pool, seats))
    worker.control.on<SeatRequest>(kinds.freed, ({ pool, seats }) => {
      this.#returned(pool, worker, seats)
      this.#pool(pool).use?.changed()
      this.#distribute(pool, this.#pool(pool))
    })
  }

  left(worker: SeatHolder): void {
    this.#workers.delete(worker)
    for (const [name, pool] of this.#pools) {
      for (const table of [pool.held, pool.owed, pool.demand]) table.delete(worker)
      this.#distribute(name, pool)
      pool.use?.changed()
    }
  }

  /** What a worker uses and waits for, of every pool. */
  demanded(worker: SeatHolder, demand: readonly (readonly [pool: string, seats: number])[]): void {
    const now = new Map(demand)
    for (const [name, pool] of this.#pools) {
      const seats = now.get(name) ?? 0
      if ((pool.demand.get(worker) ?? 0) === seats) continue
      pool.demand.set(worker, seats)
      pool.use?.elsewhere?.(total(pool.demand))
    }
  }

  #pool(name: string): Pool {
    let pool = this.#pools.get(name)
    if (pool === undefined) {
      pool = newPool()
      this.#pools.set(name, pool)
    }
    return pool
  }

  async #wantOwn(name: string, pool: Pool, seats: number): Promise<void> {
    const { use } = pool
    for (let before = -1; use !== undefined && left(pool) > before && total(pool.held) > 0; ) {
      before = left(pool)
      await this.#reclaim(name, pool, Math.max(seats, use.waiting()), undefined)
      use.changed()
      if (use.waiting() === 0) return
    }
    if (use === undefined || total(pool.held) === 0 || pool.isAskingAgain) return
    pool.isAskingAgain = true
    setTimeout(() => {
      pool.isAskingAgain = false
      if (use.waiting() > 0) void this.#wantOwn(name, pool, use.waiting())
    }, askAgainMs).unref()
  }

  /** Answered by how many more the worker holds. */
  async #want(worker: SeatHolder, name: string, seats: number): Promise<number> {
    const pool = this.#pool(name)
    let granted = this.#grant(pool, worker, seats)
    if (granted < seats) {
      await this.#reclaim(name, pool, seats - granted, worker)
      granted += this.#grant(pool, worker, seats - granted)
    }
    const missing = this.#part(pool) - (pool.held.get(worker) ?? 0)
    if (granted < seats && missing > 0) pool.owed.set(worker, Math.min(missing, seats - granted))
    if (granted > 0) pool.use?.changed()
    return granted
  }

  /** Everybody's part where all want as much as they can get; a single seat goes round in turns. */
  #part({ all }: Pool): number {
    return Math.max(Math.floor(all / this.#processes), all > 0 ? 1 : 0)
  }

  /** Of what the primary has and does not need. */
  #grant(pool: Pool, worker: SeatHolder, seats: number): number {
    if (!this.#workers.has(worker)) return 0
    const inUse = pool.use?.inUse() ?? 0
    const wanted = inUse + (pool.use?.waiting() ?? 0)
    const kept = Math.max(inUse, Math.min(wanted, this.#part(pool)))
    const granted = Math.max(0, Math.min(seats, left(pool) - kept))
    if (granted > 0) pool.held.set(worker, (pool.held.get(worker) ?? 0) + granted)
    return granted
  }

  /** Asks workers for seats that they can do without. One round at a time: who comes meanwhile takes part in it. */
  #reclaim(name: string, pool: Pool, seats: number, wanting: SeatHolder | undefined): Promise<void> {
    pool.asking ??= this.#askAll({ pool: name, seats, keep: this.#part(pool) }, pool, wanting).finally(() => {
      pool.asking = undefined
    })
    return pool.asking
  }

  async #askAll(request: ReleaseRequest, pool: Pool, wanting: SeatHolder | undefined): Promise<void> {
    const holders = [...pool.held].filter(([worker, seats]) => worker !== wanting && seats > 0)
    await Promise.all(
      holders.map(async ([worker]) => {
        const seats = await worker.control.ask<number>(kinds.release, request).catch(() => 0)
        this.#returned(request.pool, worker, seats)
      }),
    )
  }

  #returned(name: string, worker: SeatHolder, seats: number): void {
    const { held } = this.#pool(name)
    const before = held.get(worker)
    if (before !== undefined) held.set(worker, Math.max(0, before - seats))
  }

  /** Seats are free: those who are owed some get them. */
  #distribute(name: string, pool: Pool): void {
    let hasChanged = false
    for (const [worker, seats] of pool.owed) {
      const granted = this.#grant(pool, worker, seats)
      if (granted === 0) continue
      if (granted === seats) pool.owed.delete(worker)
      else pool.owed.set(worker, seats - granted)
      worker.control.notify(kinds.seats, { pool: name, seats: granted })
      hasChanged = true
    }
    if (hasChanged) pool.use?.changed()
  }
}

const newPool = (): Pool => ({
  all: 0,
  use: undefined,
  held: new Map(),
  owed: new Map(),
  demand: new Map(),
  asking: undefined,
  isAskingAgain: false,
})

const total = (seats: ReadonlyMap<unknown, number>): number => [...seats.values()].reduce((sum, each) => sum + each, 0)

/** What the primary holds itself. */
const left = ({ all, held }: Pool): number => Math.max(0, all - total(held))
