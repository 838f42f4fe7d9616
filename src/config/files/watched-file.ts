/**
 * A file that may change while the server runs. Its text is compared from time to time; a change is handed on, and when
 * the receiver refuses it, what was there before stays in force and the refusal is told once for that text.
 */
import { readFile } from 'node:fs/promises'
import type { Clock } from '../../lib/clock.ts'

export interface WatchedFileOptions {
  readonly file: string
  /** The text that is in force already. */
  readonly text: string
  readonly intervalMs: number
  readonly clock: Clock
  /** Takes the new text; throws when it is not good. */
  readonly take: (text: string) => void | Promise<void>
  /** Told of every attempt: the metrics of automatic reloads hang on it. */
  readonly onReload: (outcome: ReloadOutcome) => void
}

export type ReloadOutcome = { readonly ok: true } | { readonly ok: false; readonly error: string }

export class WatchedFile {
  readonly #options: WatchedFileOptions
  #seen: string
  #cancel: (() => void) | undefined
  #closed = false

  constructor(options: WatchedFileOptions) {
    this.#options = options
    this.#seen = options.text
    this.#schedule()
  }

  close(): void {
    this.#closed = true
    this.#cancel?.()
  }

  /** Looks now. */
  async check(): Promise<void> {
    const { file, take, onReload } = this.#options
    try {
      const text = await readFile(file, 'utf8')
      if (text === this.#seen || this.#closed) return
      this.#seen = text
      await take(text)
      onReload({ ok: true })
    } catch (error) {
      onReload({ ok: false, error: error instanceof Error ? error.message : String(error) })
    }
  }

  #schedule(): void {
    this.#cancel = this.#options.clock.setTimeout(() => {
      void this.check().finally(() => {
        if (!this.#closed) this.#schedule()
      })
    }, this.#options.intervalMs)
  }
}
