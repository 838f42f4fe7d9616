// Decides which old states an embedded store may forget: those that were replaced longer ago than the retention time, and those beyond the
// greatest number of changes to keep. Notes the revision at regular times, so it is exact to a tenth of the retention time; once there is
// nothing left to forget it rests until something is written.
import type { Clock } from '../../lib/clock.ts'

const marksPerPeriod = 10

export interface RetentionOptions {
  readonly clock: Clock
  readonly historyMs: number
  readonly maxHistory: number
  readonly revision: () => number
  readonly compact: (revision: number) => void
}

export class Retention {
  readonly #options: RetentionOptions
  readonly #marks: { time: number; revision: number }[]
  #cancel: (() => void) | undefined
  #isStopped = false

  constructor(options: RetentionOptions) {
    this.#options = options
    this.#marks = [{ time: options.clock.now(), revision: options.revision() }]
    this.#cancel = this.#schedule()
  }

  #schedule(): () => void {
    const { clock, historyMs } = this.#options
    return clock.setTimeout(() => {
      this.#cancel = this.#tick() ? undefined : this.#schedule()
    }, historyMs / marksPerPeriod)
  }

  /** Something was written: there will be something to forget. */
  written(): void {
    if (!this.#isStopped) this.#cancel ??= this.#schedule()
  }

  /** True when everything but the newest state is forgotten. */
  #tick(): boolean {
    const { clock, historyMs, maxHistory, revision, compact } = this.#options
    const now = clock.now()
    let target = revision() - maxHistory
    while (this.#marks[0] !== undefined && this.#marks[0].time <= now - historyMs) {
      target = Math.max(target, this.#marks.shift()!.revision)
    }
    this.#marks.push({ time: now, revision: revision() })
    if (target > 1) compact(target)
    return target >= revision()
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
  }
}
