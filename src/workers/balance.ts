/** Load balancing of connections: which process gets the next one, and when a client is asked to reconnect elsewhere. */

export interface ConnectionTarget {
  readonly isPrimary: boolean
  /** Its open connections. */
  readonly connections: number
  /** The part of the time in which its loop was busy of late. */
  readonly utilization: number
}

/** The fewest connections; among equals a worker before the primary, which has the store to look after, and the less busy. */
export function chooseProcess<T extends ConnectionTarget>(candidates: readonly T[]): T | undefined {
  let best: T | undefined
  for (const each of candidates) if (best === undefined || goesBefore(each, best)) best = each
  return best
}

function goesBefore(a: ConnectionTarget, b: ConnectionTarget): boolean {
  if (a.connections !== b.connections) return a.connections < b.connections
  if (a.isPrimary !== b.isPrimary) return b.isPrimary
  return a.utilization < b.utilization
}

/** A process is busy from here on, and has room up to there. */
const busyFrom = 0.85
const roomUpTo = 0.5
/** How many looks in a row must find the same before a client is sent elsewhere. */
const looksBefore = 3
/** How many looks go by before the next one is: what moved shows by then. */
const looksAfter = 5

/** Decides, at every look, which process should send GOAWAY to a client. */
export class Rebalancer<T extends ConnectionTarget> {
  #suspect: T | undefined
  #looks = 0
  #rest = 0

  /** The candidates are the same objects in every look. */
  look(candidates: readonly T[]): T | undefined {
    const busiest = candidates.reduce<T | undefined>(
      (most, each) => (most === undefined || each.utilization > most.utilization ? each : most),
      undefined,
    )
    const hasRoom = candidates.some(({ utilization }) => utilization <= roomUpTo)
    const isUneven = busiest !== undefined && busiest.utilization >= busyFrom && busiest.connections > 1 && hasRoom
    this.#looks = isUneven && busiest === this.#suspect ? this.#looks + 1 : 1
    this.#suspect = isUneven ? busiest : undefined
    if (this.#rest > 0) this.#rest--
    if (this.#suspect === undefined || this.#looks < looksBefore || this.#rest > 0) return undefined
    this.#looks = 0
    this.#rest = looksAfter
    return this.#suspect
  }
}
