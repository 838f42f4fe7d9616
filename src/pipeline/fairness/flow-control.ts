/**
 * API priority and fairness: reads FlowSchemas and PriorityLevelConfigurations as they change, divides the server's
 * seats among the levels, and moves seats from levels that do not need them to those that do every ten seconds.
 */
import type { KubeObject } from '../../api/object.ts'
import type { ObjectSource } from '../../api/object-source.ts'
import type { RequestInfo } from '../../api/request-info.ts'
import type { UserInfo } from '../../api/user.ts'
import type { SeatShares } from '../seat-shares.ts'
import { Classifier, type Flow } from './classifier.ts'
import type { FlowMetrics } from './flow-metrics.ts'
import type { FlowRequest } from './flow-request.ts'
import { type FlowSchema, readFlowSchema, sortFlowSchemas } from './flow-schema.ts'
import { type LevelSettings, readLevel } from './level-settings.ts'
import { catchAllSchema, exemptSchema, mandatoryPriorityLevels } from './mandatory.ts'
import { PriorityLevel } from './priority-level.ts'
import type { FlowClock } from './queue-set-options.ts'
import { allocateSeats } from './seat-allocation.ts'

const adjustMs = 10_000

export interface FlowControlOptions {
  readonly clock: FlowClock
  /** The seats of the whole server: both in-flight limits together. */
  readonly serverSeats: number
  readonly metrics: FlowMetrics
  /** Absent: they are this process's alone. */
  readonly shares?: SeatShares | undefined
}

export interface FlowControlSources {
  readonly schemas: ObjectSource
  readonly levels: ObjectSource
}

export class FlowControl {
  readonly #options: FlowControlOptions
  readonly #schemas = new Map<string, FlowSchema>()
  readonly #settings = new Map<string, LevelSettings>()
  readonly #endings: (() => void)[] = []
  #levels = new Map<string, PriorityLevel>()
  #classifier: Classifier
  #isStale = false
  #stopped = false
  #cancelAdjustment: () => void = () => {}

  constructor(options: FlowControlOptions) {
    this.#options = options
    this.#classifier = this.#digest()
    this.#endings.push(options.metrics.collect(() => this.levels(), options.clock))
    this.#scheduleAdjustment()
  }

  /** Goes by these objects from now on, and by what is mandatory where they have none. */
  follow({ schemas, levels }: FlowControlSources): void {
    this.#endings.push(
      schemas.subscribe(({ type, object }) => this.#note(this.#schemas, type, object, readFlowSchema)),
      levels.subscribe(({ type, object }) => this.#note(this.#settings, type, object, readLevel)),
    )
  }

  stop(): void {
    this.#stopped = true
    this.#cancelAdjustment()
    for (const end of this.#endings) end()
  }

  flowOf(user: UserInfo, info: RequestInfo): Flow {
    this.#refresh()
    return this.#classifier.flowOf(user, info)
  }

  #refresh(): void {
    if (!this.#isStale) return
    this.#isStale = false
    this.#classifier = this.#digest()
  }

  /** By name. */
  levels(): readonly PriorityLevel[] {
    return [...this.#levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  #note<T>(known: Map<string, T>, type: string, object: KubeObject, read: (object: KubeObject) => T | undefined): void {
    const name = object.metadata.name ?? ''
    const value = type === 'DELETED' ? undefined : read(object)
    if (value === undefined) known.delete(name)
    else known.set(name, value)
    // Many objects change together, at the start: they are looked at when the next request comes.
    const isFirst = !this.#isStale
    this.#isStale = true
    // Other processes may have requests, and ask for the seats of levels that this one has not looked at.
    if (isFirst && this.#options.shares !== undefined) setImmediate(() => this.#refresh())
  }

  #digest(): Classifier {
    this.#levels = this.#nextLevels()
    const shareSum = sum(this.#levels.values(), ({ settings }) => settings.shares)
    for (const level of this.#levels.values()) level.setLimits(this.#options.serverSeats, shareSum)
    this.#adjust()
    return new Classifier({ schemas: this.#usableSchemas(), levels: this.#levels, metrics: this.#options.metrics })
  }

  /** Those that are wanted, and those that are no longer but still have requests. */
  #nextLevels(): Map<string, PriorityLevel> {
    const { clock, metrics, shares } = this.#options
    const next = new Map<string, PriorityLevel>()
    const wanted = new Map(this.#settings)
    for (const settings of mandatoryPriorityLevels) if (!wanted.has(settings.name)) wanted.set(settings.name, settings)
    for (const [name, settings] of wanted) {
      const onNoRoom = ({ flow }: FlowRequest): void => {
        metrics.flow(flow.schema.name, name).noRoom().value++
      }
      const usage = metrics.usage(name, clock)
      const level = this.#levels.get(name) ?? new PriorityLevel(settings, { clock, usage, onNoRoom, shares })
      level.settings = settings
      level.isLeaving = false
      next.set(name, level)
    }
    for (const [name, level] of this.#levels) {
      if (next.has(name) || level.queues.idle) continue
      level.isLeaving = true
      next.set(name, level)
    }
    return next
  }

  /** A schema whose level is missing or leaving takes no requests. */
  #usableSchemas(): FlowSchema[] {
    const usable = [...this.#schemas.values()].filter(({ level }) => this.#levels.get(level)?.isLeaving === false)
    const sorted = sortFlowSchemas(usable)
    if (!sorted.some(({ name }) => name === exemptSchema.name)) sorted.unshift(exemptSchema)
    if (!sorted.some(({ name }) => name === catchAllSchema.name)) sorted.push(catchAllSchema)
    return sorted
  }

  #scheduleAdjustment(): void {
    const adjust = (): void => {
      if (this.#stopped) return
      if ([...this.#levels.values()].some(({ isLeaving, queues }) => isLeaving && queues.idle)) this.#isStale = true
      this.#adjust()
      this.#scheduleAdjustment()
    }
    this.#cancelAdjustment = this.#options.clock.setTimeout(adjust, adjustMs, { background: true })
  }

  /** Divides the seats by what the levels needed since the last time. */
  #adjust(): void {
    const levels = [...this.#levels.values()]
    for (const level of levels) level.observeDemand()
    const limited = levels.filter(({ settings }) => !settings.exempt)
    const exemptSeats = sum(levels, (level) => (level.settings.exempt ? level.leastCurrent : 0))
    const all = sum(levels, ({ limits }) => limits.nominal)
    const divided = divideSeats(limited, all, all - exemptSeats)
    for (const level of levels) if (level.settings.exempt) level.setCurrent(level.leastCurrent)
    for (const [i, level] of limited.entries()) level.setCurrent(Math.round(divided.seats[i] ?? level.limits.lowest))
    this.#options.metrics.seats(levels, divided.targets, divided.fairFraction)
  }
}

interface DividedSeats {
  /** In the order of the levels. */
  readonly seats: readonly number[]
  readonly targets: ReadonlyMap<string, number>
  readonly fairFraction: number
}

/** `left` is what exempt requests leave of all seats. When that is too little, everybody gets less. */
function divideSeats(levels: readonly PriorityLevel[], all: number, left: number): DividedSeats {
  const target = (level: PriorityLevel): number => Math.max(level.leastCurrent, level.statistics.smoothed)
  const targets = new Map(levels.map((level) => [level.name, target(level)]))
  const lowest = sum(levels, ({ limits }) => limits.lowest)
  const leastCurrent = sum(levels, (level) => level.leastCurrent)
  if (left <= lowest) return { seats: levels.map(({ limits }) => limits.lowest), targets, fairFraction: 0 }
  if (left <= leastCurrent) {
    const part = (left - lowest) / (leastCurrent - lowest)
    const seats = levels.map(({ limits, leastCurrent: least }) => limits.lowest + (least - limits.lowest) * part)
    return { seats, targets, fairFraction: 0 }
  }
  const claims = levels.map((level) => ({
    lowest: level.leastCurrent,
    highest: level.limits.highest,
    target: target(level),
  }))
  const found = allocateSeats(all, claims)
  return found === undefined
    ? { seats: levels.map(({ current }) => current), targets, fairFraction: 0 }
    : { seats: found.seats, targets, fairFraction: found.fairFraction }
}

function sum<T>(items: Iterable<T>, of: (item: T) => number): number {
  let total = 0
  for (const item of items) total += of(item)
  return total
}
