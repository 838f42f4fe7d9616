/** Wall-clock times of a time zone. Zones are those of the runtime (IANA); none is UTC. */
const quarterMs = 15 * 60_000
/** Offsets change at quarters of hours at most; so many of them are remembered. */
const maxRemembered = 4096

export interface WallClock {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  /** 0 is Sunday. */
  readonly weekday: number
}

export class TimeZone {
  readonly #format: Intl.DateTimeFormat | undefined
  readonly #offsets = new Map<number, number>()

  /** Throws a RangeError for a name that is not known. */
  constructor(name: string) {
    if (name === '' || name === 'UTC') return
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  /** Milliseconds that its clocks are ahead of UTC at a moment. */
  offset(at: number): number {
    if (this.#format === undefined) return 0
    const quarter = Math.floor(at / quarterMs)
    const known = this.#offsets.get(quarter)
    if (known !== undefined) return known
    if (this.#offsets.size >= maxRemembered) this.#offsets.clear()
    const moment = quarter * quarterMs
    const parts = Object.fromEntries(this.#format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - moment
    this.#offsets.set(quarter, offset)
    return offset
  }

  wallClock(at: number): WallClock {
    const shifted = new Date(at + this.offset(at))
    return {
      year: shifted.getUTCFullYear(),
      month: shifted.getUTCMonth() + 1,
      day: shifted.getUTCDate(),
      hour: shifted.getUTCHours(),
      minute: shifted.getUTCMinutes(),
      weekday: shifted.getUTCDay(),
    }
  }

  /** The moment at which its clocks show this; days and months may be beyond their end. */
  moment(year: number, month: number, day: number): number {
    const wall = Date.UTC(year, month - 1, day)
    const guess = wall - this.offset(wall)
    return wall - this.offset(guess)
  }
}
