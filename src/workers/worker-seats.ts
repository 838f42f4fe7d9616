/** The seats that a worker holds of the server's (see seat-ledger.ts). */
import type { PoolUse, SeatShares } from '../pipeline/seat-shares.ts'
import type { ControlPort } from './control-port.ts'
import { kinds, type ReleaseRequest, type SeatRequest } from './messages.ts'

/** A worker, to the ledger. */
export interface SeatHolder {
  readonly control: Pick<ControlPort, 'on' | 'notify' | 'ask'>
}

/** More than is needed is asked for, so that not every request asks: what is idle is given back when others need it. */
const spare = 8
/** While requests wait, seats are asked for again: others may have stopped to use theirs. */
export const askAgainMs = 20

interface Pool {
  held: number
  /** To be given back as requests end. */
  owed: number
  use: PoolUse | undefined
  asking: Promise<void> | undefined
}

export class WorkerSeats implements SeatShares {
  readonly #control: SeatHolder['control']
  readonly #pools = new Map<string, Pool>()

  constructor(control: SeatHolder['control']) {
    this.#control = control
    control.on<SeatRequest>(kinds.seats, ({ pool, seats }) => this.#granted(this.#pool(pool), seats))
    control.on<ReleaseRequest>(kinds.release, (request) => this.#release(request))
  }

  held(pool: string): number {
    return this.#pool(pool).held
  }

  add(pool: string, use: PoolUse): void {
    this.#pool(pool).use = use
  }

  want(name: string, seats: number): Promise<void> {
    const pool = this.#pool(name)
    pool.asking ??= this.#control.ask<number>(kinds.want, { pool: name, seats: seats + spare }).then(
      (granted) => {
        pool.asking = undefined
        this.#granted(pool, granted)
        this.#askAgain(name, pool, granted > 0)
      },
      () => {
        pool.asking = undefined
      },
    )
    return pool.asking
  }

  #askAgain(name: string, pool: Pool, isAtOnce: boolean): void {
    const again = (): void => {
      const { use } = pool
      if (use !== undefined && use.waiting() > 0) void this.want(name, use.inUse() + use.waiting() - pool.held)
    }
    if (isAtOnce) again()
    else if ((pool.use?.waiting() ?? 0) > 0) setTimeout(again, askAgainMs).unref()
  }

  freed(name: string): void {
    const pool = this.#pools.get(name)
    if (pool === undefined || pool.owed === 0) return
    const seats = Math.min(pool.owed, pool.held - (pool.use?.inUse() ?? 0))
    if (seats <= 0) return
    pool.owed -= seats
    pool.held -= seats
    this.#control.notify(kinds.freed, { pool: name, seats })
    pool.use?.changed()
  }

  /** What is used and waited for, of the pools of which something is. */
  demand(): [pool: string, seats: number][] {
    return [...this.#pools].flatMap(([name, { use }]): [string, number][] => {
      const seats = (use?.inUse() ?? 0) + (use?.waiting() ?? 0)
      return seats > 0 ? [[name, seats]] : []
    })
  }

  #pool(name: string): Pool {
    let pool = this.#pools.get(name)
    if (pool === undefined) {
      pool = { held: 0, owed: 0, use: undefined, asking: undefined }
      this.#pools.set(name, pool)
    }
    return pool
  }

  #granted(pool: Pool, seats: number): void {
    if (seats === 0) return
    pool.held += seats
    pool.use?.changed()
  }

  /** At once what is idle; the rest, down to what may be kept, as requests end. */
  #release({ pool: name, seats, keep }: ReleaseRequest): number {
    const pool = this.#pool(name)
    const inUse = pool.use?.inUse() ?? 0
    const waiting = pool.use?.waiting() ?? 0
    const idle = Math.max(0, pool.held - inUse - waiting)
    const released = Math.min(seats, idle)
    pool.held -= released
    pool.owed = Math.max(0, Math.min(Math.max(pool.owed, seats - released), pool.held - keep))
    if (released > 0) pool.use?.changed()
    this.freed(name)
    return released
  }
}
