/** Decides whether a recorded history is one of a durable, linearizable store whose watches deliver exactly once, in order. */
import type { Attempt, RecordedHistory, WatchLog } from './history.ts'

export type FindingKind = 'lost' | 'stale' | 'revision' | 'missed' | 'doubled' | 'disordered' | 'invented'

export interface Finding {
  readonly kind: FindingKind
  readonly detail: string
}

export interface Verdict {
  readonly checks: number
  readonly findings: readonly Finding[]
}

export function checkHistory(history: RecordedHistory): Verdict {
  const checker = new Checker(history)
  checker.checkRevisions()
  checker.checkReads()
  for (const [index, watch] of history.watches.entries()) checker.checkWatch(index, watch)
  return checker
}

class Checker implements Verdict {
  checks = 0
  readonly findings: Finding[] = []
  readonly #history: RecordedHistory
  /** By change; deletes get theirs from the first watch that has it. */
  readonly #revisions = new Map<string, number>()

  constructor(history: RecordedHistory) {
    this.#history = history
    for (const attempt of this.#acknowledged()) {
      if (attempt.revision > 0) this.#revisions.set(changeOf(attempt), attempt.revision)
    }
  }

  /** A write or a list that begins after a revision was seen has a higher one, or for a list the same. */
  checkRevisions(): void {
    const owners = new Map<number, Attempt>()
    for (const attempt of this.#acknowledged()) {
      if (attempt.revision === 0) continue
      const other = owners.get(attempt.revision)
      owners.set(attempt.revision, attempt)
      this.#check(attempt.revision > attempt.floor, 'revision', () => `${shown(attempt)} came after ${attempt.floor}`)
      this.#check(other === undefined, 'revision', () => `${shown(attempt)} shares its revision with ${other?.value}`)
    }
    for (const { revision, floor } of this.#history.lists) {
      this.#check(revision >= floor, 'revision', () => `a list at ${revision} came after ${floor}`)
    }
  }

  /** A read returns the state after the last acknowledged attempt, or after a later one that may have been applied. */
  checkReads(): void {
    for (const { key, value, when, from, to } of this.#history.reads) {
      const attempts = this.#history.attempts.get(key) ?? []
      const isAdmissible =
        (from < 0 && value === undefined) ||
        attempts.slice(Math.max(0, from), to).some((each) => each.outcome !== 'refused' && stateAfter(each) === value)
      const detail = (): string => `${when} read of ${key} is ${value}; acknowledged: ${shown(attempts[from])}`
      this.#check(isAdmissible, when === 'live' ? 'stale' : 'lost', detail)
    }
  }

  checkWatch(index: number, watch: WatchLog): void {
    const seen = this.#checkEvents(index, watch)
    for (const attempt of this.#acknowledged()) {
      const change = changeOf(attempt)
      const [least, most] = this.#possibleRevisions(attempt)
      const isExcused = watch.gaps.some(({ from, to }) => most > from && least <= to)
      const gaps = (): string => watch.gaps.map(({ from, to }) => `${from}-${to}`).join()
      const detail = (): string => `watch ${index} has no ${shown(attempt)}, began at ${attempt.floor}, gaps ${gaps()}`
      this.#check(seen.has(change) || isExcused, 'missed', detail)
    }
  }

  /** Of a delete that no watch has seen: above what was known when it began, below the next write of its key. */
  #possibleRevisions(attempt: Attempt): [least: number, most: number] {
    const known = this.#revisions.get(changeOf(attempt))
    if (known !== undefined) return [known, known]
    const attempts = this.#history.attempts.get(attempt.key) ?? []
    const next = attempts.find((each, at) => at > attempts.indexOf(attempt) && this.#revisions.has(changeOf(each)))
    const end = next === undefined ? undefined : this.#revisions.get(changeOf(next))
    return [attempt.floor + 1, end === undefined ? Number.POSITIVE_INFINITY : end - 1]
  }

  /** Returns the changes that the watch delivered. */
  #checkEvents(index: number, { events }: WatchLog): Set<string> {
    const seen = new Set<string>()
    const positions = new Map<string, number>()
    let last = 0
    for (const { type, key, value, revision } of events) {
      const change = `${type === 'DELETED' ? 'delete' : 'put'} ${value}`
      const detail = (): string => `watch ${index}: ${type} ${key} ${value} at ${revision}, after ${last}`
      const attempts = this.#history.attempts.get(key) ?? []
      const after = positions.get(key) ?? -1
      const isOf = (each: Attempt): boolean => each.outcome !== 'refused' && changeOf(each) === change
      const position = attempts.findIndex((each, at) => at > after && isOf(each))
      if (seen.has(change)) this.#check(false, 'doubled', detail)
      else if (!attempts.some(isOf)) this.#check(false, 'invented', detail)
      else this.#check(position >= 0 && revision > last, 'disordered', detail)
      const known = this.#revisions.get(change)
      if (known === undefined) this.#revisions.set(change, revision)
      else this.#check(known === revision, 'revision', () => `${detail()}; it is ${known} elsewhere`)
      seen.add(change)
      if (position >= 0) positions.set(key, position)
      last = revision
    }
    return seen
  }

  *#acknowledged(): Generator<Attempt> {
    for (const attempts of this.#history.attempts.values()) {
      for (const attempt of attempts) if (attempt.outcome === 'acknowledged') yield attempt
    }
  }

  #check(holds: boolean, kind: FindingKind, detail: () => string): void {
    if (holds) this.checks++
    else this.findings.push({ kind, detail: detail() })
  }
}

function changeOf({ operation, value }: Attempt): string {
  return `${operation} ${value}`
}

function stateAfter({ operation, value }: Attempt): string | undefined {
  return operation === 'put' ? value : undefined
}

function shown(attempt: Attempt | undefined): string {
  if (attempt === undefined) return 'nothing'
  return `${attempt.operation} ${attempt.key} ${attempt.value} at ${attempt.revision || 'an unknown revision'}`
}
