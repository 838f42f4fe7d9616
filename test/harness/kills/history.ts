/** What clients did and saw, in the order in which they did. Each key has one writer, which has one attempt at a time. */

export type Outcome = 'pending' | 'acknowledged' | 'refused' | 'unknown'

export interface Attempt {
  readonly key: string
  readonly operation: 'put' | 'delete'
  /** Unique among the puts of a run; of a delete, the value that it removes. */
  readonly value: string
  /** The highest revision that any client had seen when it began. */
  readonly floor: number
  outcome: Outcome
  /** 0 where the answer has none (a delete). */
  revision: number
}

export interface Read {
  readonly key: string
  /** Of a key that is not there: undefined. */
  readonly value: string | undefined
  readonly when: 'live' | 'restarted' | 'final'
  /** Index of the last attempt that was acknowledged, or shown by another read, before the read began; -1 without one. */
  readonly from: number
  /** How many attempts had begun when it ended. */
  readonly to: number
}

export interface WatchEvent {
  readonly type: string
  readonly key: string
  readonly value: string
  readonly revision: number
}

export interface WatchLog {
  readonly events: WatchEvent[]
  /** Revisions that an expired watch skipped by a new list: after `from`, up to `to`. */
  readonly gaps: { readonly from: number; readonly to: number }[]
}

/** The revision of a whole list, and the highest one known before it was asked for. */
export interface ListRevision {
  readonly floor: number
  readonly revision: number
}

export interface RecordedHistory {
  readonly attempts: ReadonlyMap<string, readonly Attempt[]>
  readonly reads: readonly Read[]
  readonly lists: readonly ListRevision[]
  readonly watches: readonly WatchLog[]
}

export class History implements RecordedHistory {
  readonly attempts = new Map<string, Attempt[]>()
  readonly reads: Read[] = []
  readonly lists: ListRevision[] = []
  readonly watches: WatchLog[] = []
  highest = 0
  /** By key, the last attempt that a read has shown: later reads show no older one. */
  readonly #shown = new Map<string, number>()

  addKey(key: string): void {
    this.attempts.set(key, [])
  }

  begin(key: string, operation: Attempt['operation'], value: string): Attempt {
    const attempt: Attempt = { key, operation, value, floor: this.highest, outcome: 'pending', revision: 0 }
    this.#of(key).push(attempt)
    return attempt
  }

  acknowledge(attempt: Attempt, revision: number): void {
    attempt.outcome = 'acknowledged'
    attempt.revision = revision
    this.saw(revision)
  }

  saw(revision: number): void {
    this.highest = Math.max(this.highest, revision)
  }

  /** Begins a read of the key; what is returned records what it found. */
  beginRead(key: string, when: Read['when']): (value: string | undefined) => void {
    const attempts = this.#of(key)
    const acknowledged = attempts.findLastIndex(({ outcome }) => outcome === 'acknowledged')
    const from = Math.max(acknowledged, this.#shown.get(key) ?? -1)
    return (value) => {
      this.reads.push({ key, value, when, from, to: attempts.length })
      // Values are unique, so that a put is known by its own; an absent key may be so by several deletes.
      const at = attempts.findIndex((each) => each.operation === 'put' && each.value === value)
      this.#shown.set(key, Math.max(at, this.#shown.get(key) ?? -1))
    }
  }

  #of(key: string): Attempt[] {
    const attempts = this.attempts.get(key)
    if (attempts === undefined) throw new Error(`no key ${key}`)
    return attempts
  }
}
