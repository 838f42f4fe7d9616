// Decides which old states an embedded store may forget: those that were replaced longer ago than the retention time, and those beyond the
// greatest number of changes to keep. Notes the revision at regular times, so it is exact to a tenth of the retention time.
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
  #cancel: () => void

  constructor(options: RetentionOptions) {
    this.#options = options
    this.#marks = [{ time: options.clock.now(), revision: options.revision() }]
    this.#cancel = this.#schedule()
  }

  #schedule(): () => void {
    const { clock, historyMs } = this.#options
    return clock.setTimeout(() => {
      this.#tick()
      this.#cancel = this.#schedule()
    }, historyMs / marksPerPeriod)
  }

  #tick(): void {
    const { clock, historyMs, maxHistory, revision, compact } = this.#options
    const now = clock.now()
    let target = revision() - maxHistory
    while (this.#marks[0] !== undefined && this.#marks[0].time <= now - historyMs) {
      target = Math.max(target, this.#marks.shift()!.revision)
    }
    this.#marks.push({ time: now, revision: revision() })
    if (target > 1) compact(target)
  }

  stop(): void {
    this.#cancel()
  }
}
