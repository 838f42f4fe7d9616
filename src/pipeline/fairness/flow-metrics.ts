/** Counts what fairness does. The series of a flow are found once, so that a request costs additions only. */
import type { HistogramSeries, MetricSet, NumberSeries } from '../../lib/metrics.ts'
import { TimedRatio } from '../../lib/timed-ratio.ts'
import { LevelUsage } from './level-usage.ts'
import type { PriorityLevel } from './priority-level.ts'
import type { QueueSet } from './queue-set.ts'
import type { FlowClock } from './queue-set-options.ts'

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
  readonly #usages = new Map<string, LevelUsage>()
  readonly #ratios: TimedRatio[] = []

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

  /** How full a level is. It is one level to those who look, even when it is taken away and made anew. */
  usage(level: string, clock: FlowClock): LevelUsage {
    const known = this.#usages.get(level)
    if (known !== undefined) return known
    const ratio = (name: string, ...labels: string[]) => this.#ratio(clock, name, labels)
    const made = new LevelUsage({
      waiting: ratio('priority_level_request_utilization', 'waiting', level),
      executing: ratio('priority_level_request_utilization', 'executing', level),
      seats: ratio('priority_level_seat_utilization', 'executing', level),
      demand: ratio('demand_seats', level),
    })
    this.#usages.set(level, made)
    return made
  }

  #ratio(clock: FlowClock, name: string, labels: readonly string[]): TimedRatio {
    const made = new TimedRatio(this.#set.histogram(prefix + name).series(...labels), clock.now())
    this.#ratios.push(made)
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

  /** What is only measured on collection. The result unsubscribes. */
  collect(levels: () => Iterable<PriorityLevel>, clock: FlowClock): () => void {
    return this.#set.onCollect(() => {
      const now = clock.now()
      for (const ratio of this.#ratios) ratio.settle(now)
      const r = this.#set.gauge(`${prefix}current_r`)
      // The older names of what is shown elsewhere.
      const limit = this.#set.gauge(`${prefix}request_concurrency_limit`)
      limit.clear()
      for (const { name, queues, limits } of levels()) {
        r.set(queues.currentR, name)
        limit.set(limits.nominal, name)
        if (queues.lastChoice !== undefined) this.#showChoice(name, queues.lastChoice)
      }
      const inUse = this.#set.gauge(`${prefix}request_concurrency_in_use`)
      for (const [key, { executingSeats }] of this.#flows) inUse.set(executingSeats.value, ...key.split(' '))
    })
  }

  #showChoice(level: string, { r, start, starts }: NonNullable<QueueSet['lastChoice']>): void {
    this.#set.gauge(`${prefix}dispatch_r`).set(r, level)
    this.#set.gauge(`${prefix}latest_s`).set(start, level)
    const bounds = this.#set.gauge(`${prefix}next_s_bounds`)
    bounds.set(starts.least, 'min', level)
    bounds.set(starts.most, 'max', level)
    const discounted = this.#set.gauge(`${prefix}next_discounted_s_bounds`)
    discounted.set(starts.leastDiscounted, 'min', level)
    discounted.set(starts.mostDiscounted, 'max', level)
  }
}
