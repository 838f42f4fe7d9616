/**
 * Which requests have to give their seats to another flow. The reference has no such thing: there a request keeps its
 * seats until its handler returns, which a client that does not read can put off until the request's time is up, and one
 * tenant's slow readers lock all others of their priority level out.
 *
 * Kept true, so that no flow starves another and no two take seats from each other in turns: a flow gives seats to one
 * that has fewer, also afterwards (max-min fairness).
 */
import type { FlowRequest, QueuedFlow } from './flow-request.ts'

interface Situation {
  readonly executing: readonly FlowRequest[]
  /** Queues; the first request of each is next. */
  readonly waiting: readonly { readonly first: FlowRequest | undefined; readonly nextR: number }[]
  /** Free seats. */
  readonly free: number
}

interface Preemption {
  /** What gets the seats. */
  readonly request: FlowRequest
  readonly preempted: readonly FlowRequest[]
}

export const isSameFlow = (a: QueuedFlow, b: QueuedFlow): boolean =>
  a === b || (a.distinguisher === b.distinguisher && a.schema.name === b.schema.name)

const flowKey = ({ schema, distinguisher }: QueuedFlow): string => `${schema.name}\0${distinguisher}`

/** What a flow has. */
interface Holding {
  seats: number
  /** Of these, what other flows may take; the one that began last is the first to go. */
  readonly lent: FlowRequest[]
}

/** The one that has waited longest, in virtual time, of those for which enough seats can be taken. */
export function findPreemption({ executing, waiting, free }: Situation): Preemption | undefined {
  const holdings = holdingsOf(executing)
  if (holdings === undefined) return undefined
  let best: Preemption | undefined
  let bestEnd = Infinity
  for (const { first, nextR } of waiting) {
    if (first === undefined || nextR + first.cost >= bestEnd) continue
    const preempted = takeFor(first, holdings, free)
    if (preempted === undefined) continue
    best = { request: first, preempted }
    bestEnd = nextR + first.cost
  }
  return best
}

/** By flow; undefined when nothing is lent. */
function holdingsOf(executing: readonly FlowRequest[]): ReadonlyMap<string, Holding> | undefined {
  if (!executing.some(({ isLent }) => isLent)) return undefined
  const holdings = new Map<string, Holding>()
  for (const request of executing) {
    const key = flowKey(request.flow)
    const holding = holdings.get(key) ?? { seats: 0, lent: [] }
    holding.seats += request.maxSeats
    if (request.isLent && request.queue !== undefined) holding.lent.push(request)
    holdings.set(key, holding)
  }
  for (const { lent } of holdings.values()) lent.sort((a, b) => a.startedAt - b.startedAt)
  return holdings
}

/** Requests to pause, so that the given one finds enough seats; always from the flow that has most. */
function takeFor(
  request: FlowRequest,
  holdings: ReadonlyMap<string, Holding>,
  free: number,
): readonly FlowRequest[] | undefined {
  const own = flowKey(request.flow)
  const wanted = (holdings.get(own)?.seats ?? 0) + request.maxSeats
  const left = new Map([...holdings].filter(([key]) => key !== own).map(([key, { seats }]) => [key, seats]))
  const taken: FlowRequest[] = []
  for (let seats = free; seats < request.maxSeats; ) {
    let most: { readonly key: string; readonly victim: FlowRequest; readonly rest: number } | undefined
    for (const [key, seats] of left) {
      const victim = holdings.get(key)?.lent.findLast((each) => !taken.includes(each))
      if (victim === undefined) continue
      const rest = seats - victim.maxSeats
      if (rest >= wanted && (most === undefined || rest > most.rest)) most = { key, victim, rest }
    }
    if (most === undefined) return undefined
    taken.push(most.victim)
    left.set(most.key, most.rest)
    seats += most.victim.maxSeats
  }
  return taken
}
