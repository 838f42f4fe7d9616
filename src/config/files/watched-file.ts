/**
 * A file that may change while the server runs. The folder that it is in is watched, so that a change is seen at once,
 * however it is made: written in place, renamed into place, or by a symbolic link to another folder (mounted ConfigMaps);
 * where the system has no such watches, its text is compared from time to time. A change is handed on, and when the
 * receiver refuses it, what was there before stays in force and the refusal is logged once for that text.
 */

import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { Clock } from '../../lib/clock.ts'
import { readGivenFileAsync } from '../../lib/given-file.ts'

export interface WatchedFileOptions {
  readonly file: string
  /** Watched in place of the folder that the file is in. */
  readonly folder?: string
  /** What is compared, in place of the text of the file. */
  readonly read?: () => Promise<string>
  /** The text that is in force already. */
  readonly text: string
  /** How often it is looked at in any case. */
  readonly intervalMs: number
  readonly clock: Clock
  /** Takes the new text; throws when it is not good. */
  readonly take: (text: string) => Awaitable<void>
  /** Called for every attempt: the metrics of automatic reloads hang on it. */
  readonly onReload: (outcome: ReloadOutcome) => void
}

export type ReloadOutcome =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: string }

/** Several events of one change are one look: editors truncate, write and rename. */
const settleMs = 50

export class WatchedFile {
  readonly #options: WatchedFileOptions
  readonly #watcher: FSWatcher | undefined
  #seen: string
  #cancel: (() => void) | undefined
  #cancelSoon: (() => void) | undefined
  #looking: Promise<void> = Promise.resolve()
  #closed = false

  constructor(options: WatchedFileOptions) {
    this.#options = options
    this.#seen = options.text
    this.#watcher = this.#watch()
    this.#schedule()
  }

  close(): void {
    this.#closed = true
    this.#watcher?.close()
    this.#cancel?.()
    this.#cancelSoon?.()
  }

  /** Looks now, or after the look that is under way. */
  check(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look())
    return this.#looking
  }

  async #look(): Promise<void> {
    const { file, take, onReload, read = readGivenFileAsync } = this.#options
    try {
      if (this.#closed) return
      const text = await read(file)
      if (text === this.#seen || this.#closed) return
      this.#seen = text
      await take(text)
      onReload({ ok: true, text })
    } catch (error) {
      onReload({ ok: false, error: error instanceof Error ? error.message : String(error) })
    }
  }

  #watch(): FSWatcher | undefined {
    try {
      const { file, folder = dirname(file) } = this.#options
      const watcher = watch(folder, { persistent: false }, () => this.#soon())
      // The folder may go: the file is still looked at from time to time.
      watcher.on('error', () => watcher.close())
      return watcher
    } catch {
      return undefined
    }
  }

  #soon(): void {
    if (this.#closed || this.#cancelSoon !== undefined) return
    this.#cancelSoon = this.#options.clock.setTimeout(() => {
      this.#cancelSoon = undefined
      void this.check()
    }, settleMs)
  }

  #schedule(): void {
    this.#cancel = this.#options.clock.setTimeout(() => {
      void this.check().finally(() => {
        if (!this.#closed) this.#schedule()
      })
    }, this.#options.intervalMs)
  }
}
