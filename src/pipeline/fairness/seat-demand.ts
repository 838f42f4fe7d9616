/**
 * How many seats the requests of a priority level would take, running and waiting, over a period of time: what lending
 * and borrowing go by.
 */

/** Half of what was is forgotten after five minutes of adjustments every ten seconds. */
const memory = 0.977

export interface Demand {
  readonly average: number
  readonly deviation: number
  readonly highest: number
}

/** Average, deviation and highest value of a number over the time since the last look at it. */
export class DemandIntegrator {
  readonly #now: () => number
  #value = 0
  #since: number
  #begin: number
  #sum = 0
  #squares = 0
  #highest = 0
  #local = 0
  #elsewhere = 0

  constructor(now: () => number) {
    this.#now = now
    this.#since = now()
    this.#begin = this.#since
  }

  set(local: number, now: number): void {
    this.#local = local
    const value = local + this.#elsewhere
    const elapsed = now - this.#since
    if (elapsed > 0) {
      this.#sum += this.#value * elapsed
      this.#squares += this.#value * this.#value * elapsed
      this.#since = now
    }
    this.#value = value
    if (value > this.#highest) this.#highest = value
  }

  /** What the other processes of the server need besides. */
  setElsewhere(value: number): void {
    this.#elsewhere = value
    this.set(this.#local, this.#now())
  }

  get value(): number {
    return this.#value
  }

  /** What was since the last time; begins anew. */
  reset(): Demand {
    const now = this.#now()
    this.set(this.#local, now)
    const time = now - this.#begin
    const average = time > 0 ? this.#sum / time : this.#value
    const variance = time > 0 ? this.#squares / time - average * average : 0
    const demand = { average, deviation: Math.sqrt(Math.max(variance, 0)), highest: this.#highest }
    this.#begin = now
    this.#sum = 0
    this.#squares = 0
    this.#highest = this.#value
    return demand
  }
}

/** The demand of the last period, and one that follows rises at once and falls slowly. */
export interface DemandStatistics extends Demand {
  readonly smoothed: number
}

export const noDemand: DemandStatistics = { average: 0, deviation: 0, highest: 0, smoothed: 0 }

export function smoothDemand(before: DemandStatistics, demand: Demand): DemandStatistics {
  const envelope = demand.average + demand.deviation
  return {
    ...demand,
    highest: Math.round(demand.highest),
    smoothed: Math.max(envelope, memory * before.smoothed + (1 - memory) * envelope),
  }
}
