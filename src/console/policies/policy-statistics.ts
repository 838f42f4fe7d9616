/** What policies and webhooks said to the requests that were recorded. */
import type { RequestRecord } from '../requests/request-record.ts'

const maxDenials = 20
/** Policies and webhooks that are counted; more are not. */
const maxKnown = 2000

export interface PolicyDenial {
  readonly record: RequestRecord
  readonly operation: string
  readonly name: string
  readonly message: string
}

export interface PolicyCounts {
  asked: number
  denied: number
  errors: number
  totalMs: number
  /** Newest first. */
  denials: PolicyDenial[]
}

const denying: ReadonlySet<string> = new Set(['deny', 'error'])

export class PolicyStatistics {
  readonly #record: () => void

  /** `record` lets requests be recorded for a while. */
  constructor(record: () => void) {
    this.#record = record
  }

  /** A client reads them: they count from now on. */
  look(): void {
    this.#record()
  }

  readonly #counts = new Map<string, PolicyCounts>()

  of(kind: 'webhook' | 'policy', name: string): PolicyCounts {
    return this.#counts.get(`${kind}/${name}`) ?? { asked: 0, denied: 0, errors: 0, totalMs: 0, denials: [] }
  }

  /** Called for every request that ended. */
  note(record: RequestRecord): void {
    for (const { calls, denied, operation, name: object } of record.steps) {
      for (const { kind, name, outcome, ms } of calls) {
        const key = `${kind}/${name}`
        if (this.#counts.size >= maxKnown && !this.#counts.has(key)) continue
        const counts = this.of(kind, name)
        this.#counts.set(key, counts)
        counts.asked++
        counts.totalMs += ms
        if (outcome === 'deny') counts.denied++
        if (outcome === 'error' || outcome === 'failed-open') counts.errors++
        if (!denying.has(outcome) || denied === undefined) continue
        counts.denials = [{ record, operation, name: object, message: denied }, ...counts.denials].slice(0, maxDenials)
      }
    }
  }
}
