/**
 * How the processes of one server divide seats that are the server's. A pool is a priority level, or one of the two plain
 * limits: each process holds some of its seats and runs no more requests than that. A server of one process has none of this.
 */
export interface SeatShares {
  /** The seats that this process holds of a pool, which has so many in all. */
  held(pool: string, all: number): number
  /** Shows what this process does with the seats of a pool. */
  add(pool: string, use: PoolUse): void
  /** More seats are wanted. Resolves when there is an answer, granted or not: `held` has the result. Never rejects. */
  want(pool: string, seats: number): Promise<void>
  /** Requests have given back seats: others may wait for them. */
  freed(pool: string): void
}

export interface PoolUse {
  inUse(): number
  waiting(): number
  /** The number of seats that this process holds has changed. */
  changed(): void
  /** Called with how many seats the other processes use and wait for. */
  elsewhere?(seats: number): void
}
