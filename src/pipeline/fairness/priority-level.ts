/** A priority level at work: its settings, its queues, its seats, and what it needed lately. */

import type { SeatShares } from '../seat-shares.ts'
import type { FlowRequest } from './flow-request.ts'
import type { LevelSettings } from './level-settings.ts'
import type { LevelUsage } from './level-usage.ts'
import { QueueSet } from './queue-set.ts'
import type { FlowClock } from './queue-set-options.ts'
import { RetryAfter } from './retry-after.ts'
import { DemandIntegrator, type DemandStatistics, noDemand, smoothDemand } from './seat-demand.ts'

/** No request may take more of a level's seats than this part of them. */
const widestPart = 0.15

export interface SeatLimits {
  /** The level's share of the server. */
  readonly nominal: number
  /** What is left when it has lent all that it may. */
  readonly lowest: number
  /** What it has when it has borrowed all that it may. */
  readonly highest: number
}

export interface LevelParts {
  readonly clock: FlowClock
  readonly usage: LevelUsage
  /** Called when the next request needs more seats than are free. */
  readonly onNoRoom: (request: FlowRequest) => void
  /** Absent: the seats of the level are this process's alone. */
  readonly shares?: SeatShares | undefined
}

export class PriorityLevel {
  readonly name: string
  readonly demand: DemandIntegrator
  readonly queues: QueueSet
  readonly retryAfter = new RetryAfter()
  settings: LevelSettings
  limits: SeatLimits = { nominal: 0, lowest: 0, highest: 0 }
  statistics: DemandStatistics = noDemand
  /** Seats for now, after lending and borrowing. */
  current = 0
  /** No schema leads to it any more; it goes when its last request has ended. */
  isLeaving = false

  readonly #usage: LevelUsage
  readonly #shares: SeatShares | undefined

  constructor(settings: LevelSettings, { clock, usage, onNoRoom, shares }: LevelParts) {
    this.name = settings.name
    this.settings = settings
    this.#usage = usage
    this.demand = new DemandIntegrator(() => clock.now())
    const { name } = this
    this.#shares = shares
    const onWant = shares && ((seats: number): void => void shares.want(name, seats))
    const onFreed = shares && ((): void => shares.freed(name))
    this.queues = new QueueSet({ clock, demand: this.demand, onNoRoom, usage, onWant, onFreed })
    shares?.add(name, {
      inUse: () => this.queues.seatsInUse,
      waiting: () => this.queues.seatsWaiting,
      changed: () => this.setCurrent(this.current),
      elsewhere: (seats) => this.demand.setElsewhere(seats),
    })
  }

  /**
   * Asks the other processes of the server for seats of the level that they do not use. A request that would find none free awaits the
   * answer before it queues; undefined where it need not.
   */
  requestSeats(seats: number): Promise<void> | undefined {
    const { exempt, queuing } = this.settings
    if (this.#shares === undefined || exempt) return undefined
    const isTight = queuing === undefined ? this.queues.missing(seats) > 0 : this.queues.limit === 0
    return isTight ? this.#shares.want(this.name, this.queues.missing(seats)) : undefined
  }

  /** Divides the server's seats by shares. */
  setLimits(serverSeats: number, shareSum: number): void {
    const { shares, lendablePercent, borrowingPercent } = this.settings
    const nominal = shareSum > 0 ? Math.ceil((serverSeats * shares) / shareSum) : 0
    const borrowed = borrowingPercent === undefined ? serverSeats : Math.round((nominal * borrowingPercent) / 100)
    this.limits = {
      nominal,
      lowest: nominal - Math.round((nominal * lendablePercent) / 100),
      highest: nominal + borrowed,
    }
    this.#usage.setLimits(nominal, this.settings.queuing)
  }

  /** The seats of its widest request, before the limit that holds for all levels. */
  get widest(): number {
    const { queuing } = this.settings
    if (queuing === undefined) return Infinity
    const { nominal } = this.limits
    return Math.max(1, Math.min(Math.ceil(nominal * widestPart), Math.floor(nominal / queuing.handSize)))
  }

  observeDemand(): void {
    this.statistics = smoothDemand(this.statistics, this.demand.reset())
  }

  /** What it must keep: what it used lately, up to its share, and never less than what it may not lend. */
  get leastCurrent(): number {
    const { nominal, lowest } = this.limits
    const used = this.statistics.highest
    return Math.max(lowest, this.settings.exempt ? used : Math.min(nominal, used))
  }

  setCurrent(seats: number): void {
    this.current = seats
    const { exempt, queuing } = this.settings
    this.queues.configure(exempt ? Infinity : (this.#shares?.held(this.name, seats) ?? seats), queuing)
  }
}
