/** `/console/v1/metrics`: a few figures, once a second, for the last ten minutes in which a client read them. */
import { LoopMonitor } from '../lib/loop-monitor.ts'
import type { MetricSet, Sample } from '../lib/metrics.ts'
import { answerJson } from './answers.ts'
import { streamEverySecond } from './every-second.ts'
import { Query } from './query.ts'
import type { ConsoleServices, Endpoint } from './services.ts'
import { isoTime } from './session-endpoints.ts'

const intervalMs = 1000
const maxSamples = 600
/** How long sampling goes on after the last look. */
const lingerMs = 60_000
/** The store is asked for its size once in so many samples. */
const sizeEvery = 10

const series = [
  { name: 'requests', unit: '1/s', label: 'Requests' },
  { name: 'errors', unit: '1/s', label: 'Refused and failed' },
  { name: 'latency50', unit: 'ms', label: 'Latency, median' },
  { name: 'latency99', unit: 'ms', label: 'Latency, 99th percentile' },
  { name: 'running', unit: '', label: 'Requests running' },
  { name: 'waiting', unit: '', label: 'Requests queued' },
  { name: 'watches', unit: '', label: 'Open watches' },
  { name: 'events', unit: '1/s', label: 'Watch events sent' },
  { name: 'rss', unit: 'bytes', label: 'Memory of the process' },
  { name: 'heap', unit: 'bytes', label: 'Heap in use' },
  { name: 'loop', unit: 'ms', label: 'Longest hold of the event loop' },
  { name: 'cpu', unit: '%', label: 'Processor' },
  { name: 'revision', unit: '', label: 'Revision' },
  { name: 'store', unit: 'bytes', label: 'Size of the store' },
] as const

type Values = readonly (number | null)[]

export const metricsEndpoint = (services: ConsoleServices, sampler: MetricSampler): Endpoint => ({
  path: '/console/v1/metrics',
  methods: {
    GET(context) {
      const query = new Query(context, ['follow'])
      sampler.look()
      if (!query.flag('follow')) return answerJson(context, sampler.document())
      let sent = 0
      streamEverySecond(context, services, () => {
        sampler.look()
        if (sent === 0) {
          sent = Math.max(sampler.count, 1)
          return { type: 'SERIES', ...sampler.document() }
        }
        const newest = sampler.newest
        if (newest === undefined || sampler.count === sent) return undefined
        sent = sampler.count
        return { type: 'SAMPLE', time: newest.time, values: newest.values }
      })
    },
  },
})

export class MetricSampler {
  readonly #services: ConsoleServices
  readonly #samples: { readonly time: string; readonly values: Values }[] = []
  #before: Totals | undefined
  #monitor: LoopMonitor | undefined
  #longestHoldMs = 0
  #storeBytes: number | null = null
  #until = 0
  #cancel: (() => void) | undefined
  /** How many were taken so far. */
  count = 0

  constructor(services: ConsoleServices) {
    this.#services = services
  }

  get longestHoldMs(): number {
    return Math.round(this.#monitor === undefined ? this.#longestHoldMs : this.#monitor.longestMs)
  }

  get newest(): { readonly time: string; readonly values: Values } | undefined {
    return this.#samples.at(-1)
  }

  look(): void {
    const { clock } = this.#services
    this.#until = clock.now() + lingerMs
    if (this.#cancel !== undefined) return
    this.#monitor = new LoopMonitor()
    this.#before = totalsOf(this.#services)
    this.#schedule()
  }

  document(): Record<string, unknown> {
    return {
      intervalMs,
      series,
      times: this.#samples.map(({ time: at }) => at),
      samples: this.#samples.map(({ values }) => values),
    }
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#monitor?.stop()
    this.#monitor = undefined
  }

  #schedule(): void {
    this.#cancel = this.#services.clock.setTimeout(() => this.#take(), intervalMs, { background: true })
  }

  #take(): void {
    const { clock, store } = this.#services
    if (clock.now() > this.#until) {
      this.stop()
      return
    }
    if (this.count % sizeEvery === 0) {
      store.size().then(
        (bytes) => {
          this.#storeBytes = bytes
        },
        () => undefined,
      )
    }
    const now = totalsOf(this.#services)
    const holds = this.#monitor?.longestMs ?? 0
    this.#longestHoldMs = holds
    this.#monitor?.reset()
    if (this.#before !== undefined) {
      const values = this.#values(this.#before, now, holds)
      this.#samples.push({ time: isoTime(clock.now()), values })
      if (this.#samples.length > maxSamples) this.#samples.shift()
      this.count++
    }
    this.#before = now
    this.#schedule()
  }

  #values(before: Totals, now: Totals, holds: number): Values {
    const { openWatches, revision, flowControl } = this.#services
    const seconds = Math.max((now.at - before.at) / 1000, 0.001)
    const levels = flowControl?.levels()
    const latencies = now.buckets.map(([bound, count], i) => [bound, count - (before.buckets[i]?.[1] ?? 0)] as const)
    const { rss, heapUsed } = process.memoryUsage()
    const named: Readonly<Record<(typeof series)[number]['name'], number | null>> = {
      requests: rate(now.requests - before.requests, seconds),
      errors: rate(now.errors - before.errors, seconds),
      latency50: quantile(latencies, 0.5),
      latency99: quantile(latencies, 0.99),
      running: levels === undefined ? null : levels.reduce((sum, { queues }) => sum + queues.executing, 0),
      waiting: levels === undefined ? null : levels.reduce((sum, { queues }) => sum + queues.waiting, 0),
      watches: openWatches.size,
      events: rate(now.events - before.events, seconds),
      rss,
      heap: heapUsed,
      loop: Math.round(holds * 10) / 10,
      cpu: Math.round(((now.cpuMs - before.cpuMs) / seconds / 10) * 10) / 10,
      revision: revision(),
      store: this.#storeBytes,
    }
    return series.map(({ name }) => named[name])
  }
}

const rate = (count: number, seconds: number): number => Math.round((count / seconds) * 10) / 10

interface Totals {
  /** By the clock of `performance`. */
  readonly at: number
  readonly requests: number
  readonly errors: number
  readonly events: number
  readonly cpuMs: number
  /** Cumulative counts of latencies in seconds, by upper bound. */
  readonly buckets: readonly (readonly [bound: number, count: number])[]
}

function totalsOf({ metrics }: ConsoleServices): Totals {
  const { user, system } = process.cpuUsage()
  let [requests, errors] = [0, 0]
  for (const { labels, value } of metrics.counter('apiserver_request_total').samples()) {
    requests += value
    if (Number(labels['code']) >= 400) errors += value
  }
  return {
    at: performance.now(),
    requests,
    errors,
    events: total(metrics.counter('apiserver_watch_events_total').samples()),
    cpuMs: (user + system) / 1000,
    buckets: latencyBuckets(metrics),
  }
}

function total(samples: Iterable<Sample>): number {
  let sum = 0
  for (const { value } of samples) sum += value
  return sum
}

const lastingVerbs: ReadonlySet<string> = new Set(['WATCH', 'CONNECT'])

function latencyBuckets(metrics: MetricSet): [number, number][] {
  const byBound = new Map<number, number>()
  for (const { suffix, labels, value } of metrics.histogram('apiserver_request_duration_seconds').samples()) {
    if (suffix !== '_bucket' || lastingVerbs.has(labels['verb'] ?? '')) continue
    const bound = labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le'])
    byBound.set(bound, (byBound.get(bound) ?? 0) + value)
  }
  return [...byBound].sort(([a], [b]) => a - b)
}

/** In milliseconds, between the bounds of the bucket that has it; null when nothing was seen. */
export function quantile(buckets: readonly (readonly [bound: number, count: number])[], part: number): number | null {
  const all = buckets.at(-1)?.[1] ?? 0
  if (all <= 0) return null
  const wanted = part * all
  let [lower, below] = [0, 0]
  for (const [bound, count] of buckets) {
    if (count >= wanted) {
      if (bound === Number.POSITIVE_INFINITY) return Math.round(lower * 1e6) / 1000
      const within = count === below ? 1 : (wanted - below) / (count - below)
      return Math.round((lower + (bound - lower) * within) * 1e6) / 1000
    }
    lower = bound
    below = count
  }
  return null
}
