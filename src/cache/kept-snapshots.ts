/** Snapshots behind continue tokens, by revision. Bounded in time and number: the oldest goes first, and the store serves its tokens then. */
import type { Clock } from '../lib/clock.ts'
import type { Snapshot } from './snapshot.ts'

const maxSnapshots = 64

export class KeptSnapshots {
  readonly #clock: Clock
  /** How long each is kept. */
  readonly #milliseconds: number
  readonly #kept = new Map<number, { readonly snapshot: Snapshot; readonly until: number }>()

  constructor(clock: Clock, milliseconds: number) {
    this.#clock = clock
    this.#milliseconds = milliseconds
  }

  /** That of a revision, unless its time is over. */
  get(revision: number): Snapshot | undefined {
    const kept = this.#kept.get(revision)
    return kept !== undefined && kept.until > this.#clock.now() ? kept.snapshot : undefined
  }

  /** That of a revision, also when its time is over and it was not dropped yet. */
  peek(revision: number): Snapshot | undefined {
    return this.#kept.get(revision)?.snapshot
  }

  add(snapshot: Snapshot): void {
    const now = this.#clock.now()
    for (const [revision, { until }] of this.#kept) {
      if (until > now && this.#kept.size < maxSnapshots) break
      this.#kept.delete(revision)
    }
    this.#kept.set(snapshot.revision, { snapshot, until: now + this.#milliseconds })
  }

  clear(): void {
    this.#kept.clear()
  }
}
