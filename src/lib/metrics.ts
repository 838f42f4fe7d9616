/**
 * Counters, gauges and histograms with labels. Counting costs an addition: hot paths keep the series they
 * counts in. The number of series of a metric is bounded; past the bound all new ones share a series whose labels say
 * so.
 */
import type { Awaitable } from './awaitable.ts'

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary'
export type Stability = 'INTERNAL' | 'ALPHA' | 'BETA' | 'STABLE'

export interface MetricDefinition {
  readonly name: string
  readonly type: MetricType
  /** Absent: outside of the promises about metrics. */
  readonly stability?: Stability
  readonly help: string
  readonly labels: readonly string[]
  /** Where the labels `group` and `resource` stand whose values are given as one, such as `deployments.apps`. */
  readonly joined?: number
  /** Upper bounds, ascending, without infinity. Histograms only. */
  readonly buckets?: readonly number[]
  /** The release that deprecated it: `1.31`. */
  readonly deprecated?: string
}

export interface Sample {
  /** `_bucket`, `_sum`, `_count`, or empty. */
  readonly suffix: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The values that labels may take, by label. */
export type AllowedValues = ReadonlyMap<string, ReadonlySet<string>>

export interface LabelRules {
  readonly allowed: AllowedValues
  /** Called when a value was not allowed. */
  readonly onUnexpected: () => void
}

const maxSeries = 10_000
const overflow = 'unexpected'

/** The series of one metric by their label values. */
class SeriesTable<T> {
  readonly #labels: readonly string[]
  readonly #joined: number | undefined
  readonly #rules: LabelRules | undefined
  readonly #make: () => T
  readonly #series = new Map<string, { readonly labels: Readonly<Record<string, string>>; readonly series: T }>()

  constructor({ labels, joined }: MetricDefinition, rules: LabelRules | undefined, make: () => T) {
    this.#labels = labels
    this.#joined = joined
    this.#rules = rules
    this.#make = make
    if (labels.length === 0) this.of([])
  }

  /** Adds a series that another component counts in. */
  adopt(series: T, given: readonly string[]): void {
    const values = this.#apart(given)
    const labels = Object.fromEntries(this.#labels.map((label, i) => [label, values[i] ?? '']))
    this.#series.set(values.join('\0'), { labels, series })
  }

  of(given: readonly string[]): T {
    const apart = this.#apart(given)
    const values = this.#rules === undefined ? apart : this.#permitted(apart, this.#rules)
    const key = values.join('\0')
    const known = this.#series.get(key)
    if (known !== undefined) return known.series
    const isFull = this.#series.size >= maxSeries && !values.every((value) => value === overflow)
    if (isFull) return this.of(this.#overflowing())
    const labels = Object.fromEntries(this.#labels.map((label, i) => [label, values[i] ?? '']))
    const series = this.#make()
    this.#series.set(key, { labels, series })
    return series
  }

  /** As values are given: those of the group and the resource are one. */
  #overflowing(): readonly string[] {
    const all = this.#labels.map(() => overflow)
    if (this.#joined !== undefined) all.splice(this.#joined, 2, `${overflow}.${overflow}`)
    return all
  }

  #apart(given: readonly string[]): readonly string[] {
    const at = this.#joined
    if (at === undefined) return given
    const joined = given[at] ?? ''
    const dot = joined.indexOf('.')
    const [resource, group] = dot < 0 ? [joined, ''] : [joined.slice(0, dot), joined.slice(dot + 1)]
    return [...given.slice(0, at), group, resource, ...given.slice(at + 1)]
  }

  /** A value that is not allowed is shown as one that was not expected. */
  #permitted(given: readonly string[], { allowed, onUnexpected }: LabelRules): readonly string[] {
    return this.#labels.map((label, i) => {
      const value = given[i] ?? ''
      if (value === overflow || allowed.get(label)?.has(value) !== false) return value
      onUnexpected()
      return overflow
    })
  }

  clear(): void {
    this.#series.clear()
  }

  /** Those that are there now: pages are written over several turns, and gauges are cleared meanwhile. */
  [Symbol.iterator]() {
    return [...this.#series.values()].values()
  }
}

export interface Metric {
  readonly definition: MetricDefinition
  samples(): Iterable<Sample>
}

/** One number of a counter or gauge. */
export interface NumberSeries {
  value: number
}

export class Counter implements Metric {
  readonly definition: MetricDefinition
  readonly #table: SeriesTable<NumberSeries>

  constructor(definition: MetricDefinition, rules?: LabelRules) {
    this.definition = definition
    this.#table = new SeriesTable(definition, rules, () => ({ value: 0 }))
  }

  /** The series of these label values, in the order of the definition. */
  series(...values: string[]): NumberSeries {
    return this.#table.of(values)
  }

  add(by: number, ...values: string[]): void {
    this.#table.of(values).value += by
  }

  *samples(): Generator<Sample> {
    for (const { labels, series } of this.#table) yield { suffix: '', labels, value: series.value }
  }
}

export class Gauge implements Metric {
  readonly definition: MetricDefinition
  readonly #table: SeriesTable<NumberSeries>

  constructor(definition: MetricDefinition, rules?: LabelRules) {
    this.definition = definition
    this.#table = new SeriesTable(definition, rules, () => ({ value: 0 }))
  }

  series(...values: string[]): NumberSeries {
    return this.#table.of(values)
  }

  set(value: number, ...values: string[]): void {
    this.#table.of(values).value = value
  }

  /** Forgets all series: those of things that are gone must not stay. */
  clear(): void {
    this.#table.clear()
  }

  *samples(): Generator<Sample> {
    for (const { labels, series } of this.#table) yield { suffix: '', labels, value: series.value }
  }
}

/** One distribution. Its bounds are those of the metric that shows it. */
export class HistogramSeries {
  readonly #bounds: readonly number[]
  readonly #counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  /** `weight`: how often the value was seen. */
  observe(value: number, weight = 1): void {
    let at = 0
    while (at < this.#bounds.length && value > (this.#bounds[at] as number)) at++
    this.#counts[at] = (this.#counts[at] as number) + weight
    this.#sum += value * weight
  }

  *samples(labels: Readonly<Record<string, string>>): Generator<Sample> {
    let total = 0
    for (let i = 0; i < this.#counts.length; i++) {
      total += this.#counts[i] as number
      const le = i < this.#bounds.length ? boundText(this.#bounds[i] as number) : '+Inf'
      yield { suffix: '_bucket', labels: { ...labels, le }, value: total }
    }
    yield { suffix: '_sum', labels, value: this.#sum }
    yield { suffix: '_count', labels, value: total }
  }
}

/** As the reference writes it, since queries compare these as texts: `0.005`, `1e+06`, `1e-05`. */
function boundText(bound: number): string {
  const [digits = '', exponent = '0'] = bound.toExponential().split('e')
  const power = Number(exponent)
  if (bound === 0 || (power >= -4 && power < 6)) return String(bound)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

const quantiles = [0.5, 0.9, 0.99]
/** Quantiles are of this many values, the last ones. */
const summarized = 512

/** The quantiles of what was seen lately, and how much was seen at all. */
export class SummarySeries {
  readonly #last = new Float64Array(summarized)
  #count = 0
  #sum = 0

  observe(value: number): void {
    this.#last[this.#count++ % summarized] = value
    this.#sum += value
  }

  *samples(labels: Readonly<Record<string, string>>): Generator<Sample> {
    const sorted = this.#last.slice(0, Math.min(this.#count, summarized)).sort()
    for (const quantile of quantiles) {
      const value = sorted[Math.ceil(quantile * sorted.length) - 1] ?? Number.NaN
      yield { suffix: '', labels: { ...labels, quantile: String(quantile) }, value }
    }
    yield { suffix: '_sum', labels, value: this.#sum }
    yield { suffix: '_count', labels, value: this.#count }
  }
}

export class Summary implements Metric {
  readonly definition: MetricDefinition
  readonly #table: SeriesTable<SummarySeries>

  constructor(definition: MetricDefinition, rules?: LabelRules) {
    this.definition = definition
    this.#table = new SeriesTable(definition, rules, () => new SummarySeries())
  }

  series(...values: string[]): SummarySeries {
    return this.#table.of(values)
  }

  *samples(): Generator<Sample> {
    for (const { labels, series } of this.#table) yield* series.samples(labels)
  }
}

export class Histogram implements Metric {
  readonly definition: MetricDefinition
  readonly #table: SeriesTable<HistogramSeries>

  constructor(definition: MetricDefinition, rules?: LabelRules) {
    this.definition = definition
    this.#table = new SeriesTable(definition, rules, () => new HistogramSeries(definition.buckets ?? []))
  }

  series(...values: string[]): HistogramSeries {
    return this.#table.of(values)
  }

  observe(value: number, ...values: string[]): void {
    this.#table.of(values).observe(value)
  }

  /** Adds a series that another component counts in. */
  adopt(series: HistogramSeries, ...values: string[]): void {
    this.#table.adopt(series, values)
  }

  *samples(): Generator<Sample> {
    for (const { labels, series } of this.#table) yield* series.samples(labels)
  }
}

export interface MetricSetOptions {
  /** The minor release that is served. */
  readonly release: number
  /** Show metrics that this release hides. */
  readonly showHidden: boolean
  /** Metrics that are not shown. */
  readonly disabled?: ReadonlySet<string>
  /** By metric: the values that its labels may take. */
  readonly allowedLabels?: ReadonlyMap<string, AllowedValues>
  /** Called for metrics that are shown although this release hides them. */
  readonly onOverridden?: (definition: MetricDefinition) => void
}

export interface MetricCounts {
  readonly shown: readonly { readonly stability: string; readonly deprecated: string; readonly count: number }[]
  /** Deprecated so long ago that this release does not show them. */
  readonly hidden: number
  readonly disabled: number
  /** How often a label had a value that is not allowed. */
  readonly unexpected: number
}

/** Releases between the deprecation of a metric and its hiding. A stable one is gone one release later. */
const hiddenAfter = ({ stability }: MetricDefinition): number => (stability === 'STABLE' ? 3 : 1)

/** The metrics of one server, made from their definitions when they are first counted in or shown. */
export class MetricSet {
  readonly #definitions = new Map<string, MetricDefinition>()
  readonly #options: MetricSetOptions
  readonly #metrics = new Map<string, Metric>()
  readonly #collectors = new Set<() => Awaitable<void>>()
  #unexpected = 0

  constructor(definitions: Iterable<MetricDefinition>, options: MetricSetOptions) {
    this.#options = options
    for (const definition of definitions) {
      this.#definitions.set(definition.name, definition)
      if (this.#isHidden(definition) && this.#isShown(definition)) options.onOverridden?.(definition)
    }
  }

  /** Whether the release has a metric. */
  has(name: string): boolean {
    return this.#definitions.has(name)
  }

  counter(name: string): Counter {
    return this.#get(name, 'counter', (definition, rules) => new Counter(definition, rules))
  }

  gauge(name: string): Gauge {
    return this.#get(name, 'gauge', (definition, rules) => new Gauge(definition, rules))
  }

  histogram(name: string): Histogram {
    return this.#get(name, 'histogram', (definition, rules) => new Histogram(definition, rules))
  }

  summary(name: string): Summary {
    return this.#get(name, 'summary', (definition, rules) => new Summary(definition, rules))
  }

  #get<T extends Metric>(
    name: string,
    type: MetricType,
    make: (definition: MetricDefinition, rules: LabelRules | undefined) => T,
  ): T {
    const known = this.#metrics.get(name)
    if (known !== undefined) return known as T
    const definition = this.#definitions.get(name)
    if (definition?.type !== type) throw new Error(`there is no ${type} ${name}`)
    const allowed = this.#options.allowedLabels?.get(name)
    const made = make(definition, allowed && { allowed, onUnexpected: () => this.#unexpected++ })
    this.#metrics.set(name, made)
    return made
  }

  /** Runs before metrics are shown, to measure what is not counted as it happens. The result ends it. */
  onCollect(collector: () => Awaitable<void>): () => void {
    this.#collectors.add(collector)
    return () => this.#collectors.delete(collector)
  }

  /** All metrics that this release shows, by name. */
  async collect(): Promise<Metric[]> {
    await Promise.all([...this.#collectors].map(async (collector) => collector()))
    return [...this.#definitions.values()]
      .filter((definition) => this.#isShown(definition))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, type }) => this[type](name))
  }

  counts(): MetricCounts {
    const shown = new Map<string, { stability: string; deprecated: string; count: number }>()
    let hidden = 0
    let disabled = 0
    for (const definition of this.#definitions.values()) {
      const { stability = '', deprecated = '' } = definition
      if (this.#options.disabled?.has(definition.name)) disabled++
      else if (!this.#isShown(definition)) hidden++
      else {
        const key = `${stability} ${deprecated}`
        shown.set(key, { stability, deprecated, count: (shown.get(key)?.count ?? 0) + 1 })
      }
    }
    return { shown: [...shown.values()], hidden, disabled, unexpected: this.#unexpected }
  }

  #isShown(definition: MetricDefinition): boolean {
    if (this.#options.disabled?.has(definition.name)) return false
    if (definition.stability === 'STABLE' && this.#age(definition) > hiddenAfter(definition)) return false
    return this.#options.showHidden || !this.#isHidden(definition)
  }

  #isHidden(definition: MetricDefinition): boolean {
    return this.#age(definition) >= hiddenAfter(definition)
  }

  /** In releases since the deprecation; less than none without one. */
  #age({ deprecated }: MetricDefinition): number {
    return deprecated === undefined ? -1 : this.#options.release - Number(deprecated.split('.')[1])
  }
}

/** The description with what is promised about the metric in front. */
export function helpText({ stability, deprecated, help }: MetricDefinition): string {
  const notice = deprecated === undefined ? '' : `(Deprecated from ${deprecated}) `
  return stability === undefined ? notice + help : `[${stability}] ${notice}${help}`
}
