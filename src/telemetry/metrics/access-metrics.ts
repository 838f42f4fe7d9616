/** Metrics of authentication, authorization and the latency of filters. */
import type { RequestContext } from '../../api/request-context.ts'
import type { HistogramSeries, MetricSet, NumberSeries } from '../../lib/metrics.ts'
import type { AuthenticationOutcome, AuthorizationOutcome, TimedFilter } from '../../pipeline/metrics.ts'

interface OutcomeSeries {
  readonly count: NumberSeries
  readonly seconds: HistogramSeries
}

type FilterName = TimedFilter | 'authentication' | 'authorization'

export class AccessMetrics {
  readonly #authentication: Readonly<Record<AuthenticationOutcome, OutcomeSeries>>
  readonly #authorization: Readonly<Record<AuthorizationOutcome, OutcomeSeries>>
  readonly #users: Readonly<Record<UserSort, NumberSeries>>
  readonly #filters: (name: FilterName) => HistogramSeries

  constructor(set: MetricSet) {
    const outcome = (counter: string, histogram: string) => (result: string) => ({
      count: set.counter(counter).series(result),
      seconds: set.histogram(histogram).series(result),
    })
    const authentication = outcome('authentication_attempts', 'authentication_duration_seconds')
    const authorization = outcome('authorization_attempts_total', 'authorization_duration_seconds')
    this.#authentication = byName(['success', 'failure', 'error'], authentication)
    this.#authorization = byName(['allowed', 'denied', 'no-opinion', 'error'], authorization)
    const requests = set.counter('authenticated_user_requests')
    this.#users = byName(userSorts, (sort) => requests.series(sort))
    const durations = set.histogram('apiserver_request_filter_duration_seconds')
    const known = new Map<FilterName, HistogramSeries>()
    this.#filters = (name) => {
      const series = known.get(name) ?? durations.series(name)
      known.set(name, series)
      return series
    }
  }

  authenticated(context: RequestContext, outcome: AuthenticationOutcome): void {
    const seconds = secondsSinceMark(context)
    const { count, seconds: durations } = this.#authentication[outcome]
    count.value++
    durations.observe(seconds)
    if (outcome !== 'success') return
    this.#users[userSort(context.user.name)].value++
    this.#filters('authentication').observe(seconds)
  }

  authorized(context: RequestContext, outcome: AuthorizationOutcome): void {
    const seconds = secondsSinceMark(context)
    const { count, seconds: durations } = this.#authorization[outcome]
    count.value++
    durations.observe(seconds)
    if (outcome === 'allowed') this.#filters('authorization').observe(seconds)
  }

  filterCompleted(context: RequestContext, filter: TimedFilter): void {
    this.#filters(filter).observe(secondsSinceMark(context))
  }
}

function secondsSinceMark(context: RequestContext): number {
  const now = performance.now()
  const seconds = (now - context.mark) / 1000
  context.mark = now
  return seconds
}

function byName<K extends string, T>(names: readonly K[], make: (name: K) => T): Readonly<Record<K, T>> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<K, T>
}

const defaultAccount = 'system:serviceaccount:kube-system:default'
const userSorts = ['admin', 'client', 'kube_proxy', 'kubelet', defaultAccount, 'email_id', 'other'] as const
type UserSort = (typeof userSorts)[number]

const namedSorts: ReadonlySet<string> = new Set(userSorts.slice(0, 5))

/** Names of users are without bound; their sorts are not. */
function userSort(name: string): UserSort {
  if (namedSorts.has(name)) return name as UserSort
  return name.includes('@') ? 'email_id' : 'other'
}
