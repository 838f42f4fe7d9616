/** One request as it was seen on its way through the server. */
import type { AuditTrail } from '../../api/audit-trail.ts'
import type { RequestContext } from '../../api/request-context.ts'
import type { UserInfo } from '../../api/user.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { TimedFilter } from '../../pipeline/metrics.ts'
import type { PatchOperation } from './json-diff.ts'
import type { RecordedExchange } from './recorded-exchange.ts'

export interface AdmissionCall {
  readonly kind: 'webhook' | 'policy'
  readonly name: string
  readonly binding?: string
  readonly outcome: 'allow' | 'deny' | 'audit' | 'warn' | 'error' | 'failed-open' | 'excluded'
  readonly ms: number
}

export interface AdmissionStep {
  readonly phase: 'mutate' | 'validate'
  readonly round: number
  readonly plugin: string
  readonly operation: string
  /** Of the object; empty while it is yet to be generated. */
  readonly name: string
  readonly calls: AdmissionCall[]
  ms: number
  patch: readonly PatchOperation[]
  denied: string | undefined
}

/** Of one request; a collection that is deleted has a step for each object and plugin. */
const maxSteps = 200
const maxCalls = 200
const maxAnnotations = 100
const maxRevisions = 1000

type Moment = 'authenticated' | 'authorized' | TimedFilter

export class RequestRecord {
  readonly id: number
  readonly time: number
  readonly exchange: RecordedExchange
  readonly #begin = performance.now()
  /** Known once the request was read. */
  context: RequestContext | undefined
  /** Who proved who they are, before any impersonation. */
  authenticated: UserInfo | undefined
  status = 0
  durationMs: number | undefined
  readonly steps: AdmissionStep[] = []
  readonly annotations = new Map<string, string>()
  readonly moments = new Map<Moment, number>()
  /** Revisions that were written in its course. */
  readonly revisions = new Set<number>()
  storageMs = 0
  /** What the answer says of a failure, once it was read; null: nothing. */
  failure: { readonly reason?: string; readonly message?: string } | null | undefined
  /** The step that is under way. */
  step: AdmissionStep | undefined

  constructor(id: number, time: number, exchange: RecordedExchange) {
    this.id = id
    this.time = time
    this.exchange = exchange
  }

  get isOver(): boolean {
    return this.durationMs !== undefined
  }

  get ageMs(): number {
    return performance.now() - this.#begin
  }

  reached(moment: Moment): void {
    if (!this.moments.has(moment)) this.moments.set(moment, this.ageMs)
  }

  wrote(revision: number): void {
    if (this.revisions.size < maxRevisions) this.revisions.add(revision)
  }

  end(status: number): void {
    this.status = status
    this.durationMs = this.ageMs
  }

  addStep(step: AdmissionStep): void {
    this.step = step
    if (this.steps.length < maxSteps) this.steps.push(step)
  }

  addCall(call: AdmissionCall): void {
    if (this.step !== undefined && this.step.calls.length < maxCalls) this.step.calls.push(call)
  }

  /** An audit observer beside others. */
  trail(other: AuditTrail | undefined): AuditTrail {
    return {
      wantsResponse: other?.wantsResponse ?? false,
      impersonatedAs: (user, constraint) => other?.impersonatedAs(user, constraint),
      annotate: (key, value, from) => {
        if (!this.annotations.has(key) && this.annotations.size < maxAnnotations) this.annotations.set(key, value)
        other?.annotate(key, value, from)
      },
      requestObject: (object) => other?.requestObject(object),
      requestObjectInSteps: (object) => other?.requestObjectInSteps(object) ?? noSteps(),
      requestPatch: (patch) => other?.requestPatch(patch) ?? noSteps(),
      responseObject: (object) => other?.responseObject(object),
      responseObjectInSteps: (object) => other?.responseObjectInSteps(object) ?? noSteps(),
      panicked: (why) => other?.panicked(why),
    }
  }
}

function* noSteps(): Steps<void> {}
