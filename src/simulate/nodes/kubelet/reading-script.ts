/** A script of a simulated container that reads: what it writes leaves it at its time, by the clock. */
import { StringDecoder } from 'node:string_decoder'
import type { Clock } from '../../../lib/clock.ts'
import type { CommandInput, ScriptLife } from '../script/script-life.ts'
import type { CommandStreams } from './command-session.ts'

/** The script is run again for each chunk, so its input is bounded: there it ends. */
const maxInputLength = 256 * 1024
const notFoundExitCode = 127

export interface ReadingOptions {
  readonly clock: Pick<Clock, 'setTimeout' | 'now'>
  /** When it began. */
  readonly since: number
  readonly life: (input: CommandInput) => ScriptLife | undefined
}

export function runReadingScript(streams: CommandStreams, options: ReadingOptions): void {
  const script = new ReadingScript(streams, options)
  streams.onGone(() => script.stop())
  script.look()
  streams.onInput((chunk) => script.take(chunk))
}

class ReadingScript {
  readonly #streams: CommandStreams
  readonly #options: ReadingOptions
  readonly #decoder = new StringDecoder('utf8')
  #text = ''
  /** Where chunks begin, and when they came. */
  readonly #arrivals: { readonly place: number; readonly ms: number }[] = []
  #endedAt: number | undefined
  /** Length of what was written so far. */
  #written = 0
  #isOver = false
  #cancel: () => void = () => undefined

  constructor(streams: CommandStreams, options: ReadingOptions) {
    this.#streams = streams
    this.#options = options
  }

  take(chunk: Buffer | undefined): void {
    if (this.#isOver || this.#endedAt !== undefined) return
    const text = chunk === undefined ? this.#decoder.end() : this.#decoder.write(chunk)
    if (text !== '') this.#arrivals.push({ place: this.#text.length, ms: this.#elapsed() })
    this.#text += text.slice(0, maxInputLength - this.#text.length)
    if (chunk === undefined || this.#text.length >= maxInputLength) this.#endedAt = this.#elapsed()
    this.look()
  }

  stop(): void {
    this.#isOver = true
    this.#cancel()
  }

  look(): void {
    this.#cancel()
    if (this.#isOver) return
    const life = this.#life()
    if (life === undefined) {
      this.#streams.stderr(Buffer.from('The script goes on with what cannot be simulated: nothing of it was run.\n'))
      this.#exit(notFoundExitCode)
      return
    }
    const elapsed = this.#elapsed()
    const due = life.writes.filter(({ ms }) => ms <= elapsed)
    const written = due.map(({ text }) => text).join('')
    if (written.length > this.#written) this.#streams.stdout(Buffer.from(written.slice(this.#written)))
    this.#written = written.length
    const next = life.writes[due.length]?.ms ?? life.ms
    if (next <= elapsed) this.#exit(life.exitCode)
    else if (next < Number.POSITIVE_INFINITY) {
      this.#cancel = this.#options.clock.setTimeout(() => this.look(), next - elapsed)
    }
  }

  #life(): ScriptLife | undefined {
    const [text, endedAt] = [this.#text, this.#endedAt]
    const arrivedAt = (place: number): number => this.#arrivals.findLast((each) => each.place <= place)?.ms ?? 0
    return this.#options.life({ text, arrivedAt, endedAt })
  }

  #exit(exitCode: number): void {
    this.stop()
    this.#streams.exit(exitCode)
  }

  #elapsed(): number {
    return this.#options.clock.now() - this.#options.since
  }
}
