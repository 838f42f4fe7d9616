/** Counts what was done and what held over the rounds of a run. */
import type { HarnessContext, HarnessFailure, HarnessResult } from '../harness.ts'
import { checkHistory, type FindingKind } from './checker.ts'
import type { History } from './history.ts'

const findingKinds: readonly FindingKind[] = [
  'lost',
  'stale',
  'missed',
  'doubled',
  'disordered',
  'invented',
  'revision',
]

export class Tally implements HarnessResult {
  passed = 0
  readonly failed: HarnessFailure[] = []
  readonly figures: Record<string, number> = {}
  readonly #log: HarnessContext['log']

  constructor(log: HarnessContext['log']) {
    this.#log = log
  }

  add(what: string, count = 1): void {
    this.figures[what] = (this.figures[what] ?? 0) + count
  }

  check(holds: boolean, what: string, detail?: string): void {
    if (holds) this.passed++
    else this.fail(what, detail)
  }

  fail(what: string, detail?: string): void {
    this.failed.push(detail === undefined ? { what } : { what, detail })
    this.#log(`FAILED ${what}: ${(detail ?? '').slice(0, 2000)}`)
  }

  /** Checks the history of a round. */
  judge(backend: string, history: History): void {
    const { checks, findings } = checkHistory(history)
    this.passed += checks
    for (const { kind, detail } of findings) this.fail(`${backend}: ${kind}`, detail)
    const attempts = [...history.attempts.values()].flat()
    for (const outcome of ['acknowledged', 'unknown', 'refused'] as const)
      this.add(`${backend}: writes ${outcome}`, attempts.filter((each) => each.outcome === outcome).length)
    this.add(`${backend}: reads checked`, history.reads.length)
    for (const { events, gaps } of history.watches) {
      this.add(`${backend}: watch events`, events.length)
      this.add(`${backend}: lists after 410`, gaps.length)
    }
    for (const kind of findingKinds)
      this.add(`${backend}: ${kind}`, findings.filter((finding) => finding.kind === kind).length)
  }

  /** One line in the course of a run. */
  summary(): string {
    const told = Object.entries(this.figures).filter(([what]) =>
      /kills \(|acknowledged|members$|damaged|filled/.test(what),
    )
    return `${told.map(([what, figure]) => `${what} ${figure}`).join(', ')}; ${this.failed.length} failures`
  }
}
