/** Counts what fairness does. The series of a flow are found once, so that a request costs additions only. */
import type { HistogramSeries, MetricSet, NumberSeries } from '../../lib/metrics.ts'
import type { PriorityLevel } from './priority-level.ts'

const prefix = 'apiserver_flowcontrol_'

export type RefusalReason = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled'

export interface FlowSeries {
  readonly executing: NumberSeries
  readonly executingSeats: NumberSeries
  readonly waiting: NumberSeries
  readonly waitingSeats: NumberSeries
  readonly dispatched: NumberSeries
  readonly noRoom: () => NumberSeries
  readonly execution: HistogramSeries
  readonly watchStart: () => HistogramSeries
  readonly estimated: HistogramSeries
  readonly watchers: HistogramSeries
  readonly waited: HistogramSeries
  readonly waitedInVain: () => HistogramSeries
  readonly queueLength: () => HistogramSeries
  readonly refused: (reason: RefusalReason) => NumberSeries
}

export class FlowMetrics {
  readonly #set: MetricSet
  readonly #flows = new Map<string, FlowSeries>()

  constructor(set: MetricSet) {
    this.#set = set
  }

  flow(schema: string, level: string): FlowSeries {
    const key = `${schema} ${level}`
    const known = this.#flows.get(key)
    if (known !== undefined) return known
    const labels = [schema, level]
    const gauge = (name: string) => this.#set.gauge(prefix + name).series(...labels)
    const counter = (name: string) => this.#set.counter(prefix + name).series(...labels)
    const histogram = (name: string, ...first: string[]) =>
      this.#set.histogram(prefix + name).series(...first, ...labels)
    const execution = (type: string) =>
      this.#set.histogram(`${prefix}request_execution_seconds`).series(...labels, type)
    const made: FlowSeries = {
      executing: gauge('current_executing_requests'),
      executingSeats: gauge('current_executing_seats'),
      waiting: gauge('current_inqueue_requests'),
      waitingSeats: gauge('current_inqueue_seats'),
      dispatched: counter('dispatched_requests_total'),
      noRoom: () => counter('request_dispatch_no_accommodation_total'),
      execution: execution('regular'),
      watchStart: () => execution('watch'),
      estimated: histogram('work_estimated_seats'),
      watchers: histogram('watch_count_samples'),
      waited: histogram('request_wait_duration_seconds', 'true'),
      waitedInVain: () => histogram('request_wait_duration_seconds', 'false'),
      queueLength: () => histogram('request_queue_length_after_enqueue'),
      refused: (reason) => this.#set.counter(`${prefix}rejected_requests_total`).series(...labels, reason),
    }
    this.#flows.set(key, made)
    return made
  }

  /** The seats of all levels, after they were divided anew. Levels that are gone are forgotten. */
  seats(levels: Iterable<PriorityLevel>, targets: ReadonlyMap<string, number>, fairFraction: number): void {
    const all = [...levels]
    this.#set.gauge(`${prefix}seat_fair_frac`).set(fairFraction)
    const show = (name: string, of: (level: PriorityLevel) => number): void => {
      const gauge = this.#set.gauge(prefix + name)
      gauge.clear()
      for (const level of all) gauge.set(of(level), level.name)
    }
    show('nominal_limit_seats', ({ limits }) => limits.nominal)
    show('lower_limit_seats', ({ limits }) => limits.lowest)
    show('upper_limit_seats', ({ limits }) => limits.highest)
    show('current_limit_seats', ({ current }) => current)
    show('demand_seats_high_watermark', ({ statistics }) => statistics.highest)
    show('demand_seats_average', ({ statistics }) => statistics.average)
    show('demand_seats_stdev', ({ statistics }) => statistics.deviation)
    show('demand_seats_smoothed', ({ statistics }) => statistics.smoothed)
    show('target_seats', ({ name }) => targets.get(name) ?? 0)
  }

  /** What is only measured when somebody looks. The result ends it. */
  collect(levels: () => Iterable<PriorityLevel>): () => void {
    return this.#set.onCollect(() => {
      const r = this.#set.gauge(`${prefix}current_r`)
      // The older names of what is shown elsewhere.
      const limit = this.#set.gauge(`${prefix}request_concurrency_limit`)
      limit.clear()
      for (const { name, queues, limits } of levels()) {
        r.set(queues.currentR, name)
        limit.set(limits.nominal, name)
      }
      const inUse = this.#set.gauge(`${prefix}request_concurrency_in_use`)
      for (const [key, { executingSeats }] of this.#flows) inUse.set(executingSeats.value, ...key.split(' '))
    })
  }
}
