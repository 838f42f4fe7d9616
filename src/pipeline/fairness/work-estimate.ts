/**
 * What a request will cost, guessed before it runs: a list by the objects that it goes through, a change by the watches
 * that get its event, anything else one seat.
 */
import type { RequestInfo } from '../../api/request-info.ts'
import type { HistogramSeries } from '../../lib/metrics.ts'
import type { FlowWork } from './flow-request.ts'
import type { WatchCounts } from './watch-counts.ts'

/** The widest request, whatever the level. */
const maximumSeats = 10
const objectsPerSeat = 100
const watchesPerSeat = 10
/** How long telling a seat's worth of watches takes. */
const eventMs = 5

export interface WorkSources {
  /** How many objects of a resource there are; undefined for what is not served here or was never looked at. */
  readonly objectCount: (group: string, resource: string) => number | undefined
  readonly watches: WatchCounts
  /** Whether watches may ask for the current state first. */
  readonly watchList: boolean
}

/** What a flow says about the work of its requests. */
export interface WorkLimits {
  /** The most seats that a request of the priority level may take. */
  readonly level: { readonly widest: number }
  /** Counts the watches that receive an event of a write. */
  readonly series: { readonly watchers: HistogramSeries }
}

const oneSeat: FlowWork = { seats: 1, finalSeats: 0, lingerMs: 0 }
/** Narrow work is the same for everybody. */
const seatWork: readonly FlowWork[] = Array.from({ length: maximumSeats + 1 }, (_, seats) => ({ ...oneSeat, seats }))

export function estimateWork(info: RequestInfo, limits: WorkLimits, sources: WorkSources): FlowWork {
  if (!info.isResourceRequest) return oneSeat
  switch (info.verb) {
    case 'list':
      return listWork(info, limits, sources)
    case 'watch':
      return sources.watchList && info.query.get('sendInitialEvents') === 'true'
        ? listWork(info, limits, sources)
        : oneSeat
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
      return changeWork(info, limits, sources)
    default:
      return oneSeat
  }
}

function listWork(info: RequestInfo, { level }: WorkLimits, { objectCount }: WorkSources): FlowWork {
  // One name is found as by a get.
  if (info.name !== '') return oneSeat
  const stored = objectCount(info.group, info.resource)
  if (stored === undefined || stored <= objectsPerSeat / 2) return oneSeat
  const seats = Math.ceil(objectsOfList(info, stored) / objectsPerSeat)
  return seatWork[Math.max(1, Math.min(seats, level.widest, maximumSeats))] ?? oneSeat
}

/** A page is found and read: twice its length. With selectors, everything is looked at to find it. */
function objectsOfList({ verb, query }: RequestInfo, stored: number): number {
  if (verb === 'watch' || query.isEmpty || query.get('resourceVersion') === '0') return stored
  const limit = Number(query.get('limit') ?? '0')
  if (!(limit > 0) && !query.get('continue')) return stored
  const page = limit > 0 ? Math.min(limit, stored) : stored
  return query.get('fieldSelector') || query.get('labelSelector') ? stored + page : 2 * page
}

function changeWork(info: RequestInfo, limits: WorkLimits, { watches }: WorkSources): FlowWork {
  // Making a token changes nothing that could be watched.
  if (info.resource === 'serviceaccounts' && info.subresource === 'token') return oneSeat
  const watchers = watches.interestedIn(info)
  limits.series.watchers.observe(watchers)
  if (watchers < watchesPerSeat) return oneSeat
  // The same work on fewer seats takes longer.
  const wanted = Math.ceil(watchers / watchesPerSeat)
  const finalSeats = Math.min(wanted, limits.level.widest, maximumSeats)
  return { seats: 1, finalSeats, lingerMs: (wanted * eventMs) / finalSeats }
}
