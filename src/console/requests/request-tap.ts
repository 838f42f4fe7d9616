/**
 * What the server reports while requests are recorded. The server holds one of these only then: at all other times it asks whether there is one, and goes
 * on. Which request a piece of work belongs to is known by its asynchronous context.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ConditionJudgement, PolicyCheck, WebhookOutcome } from '../../admission/observer.ts'
import type { AdmissionPlugin, Mutation, MutationPass } from '../../admission/plugin.ts'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { Exchange } from '../../api/exchange.ts'
import type { JsonValue } from '../../api/json.ts'
import type { RequestContext } from '../../api/request-context.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { isLongRunning } from '../../pipeline/long-running.ts'
import type { TimedFilter } from '../../pipeline/metrics.ts'
import { jsonDiff } from './json-diff.ts'
import { RecordedExchange } from './recorded-exchange.ts'
import type { AdmissionCall, AdmissionStep, RequestRecord } from './request-record.ts'

export interface RecordKeeper {
  begin(exchange: RecordedExchange): RequestRecord
  /** The request is known by now. */
  read(record: RequestRecord): void
  ended(record: RequestRecord): void
}

export class RequestTap {
  readonly #current = new AsyncLocalStorage<RequestRecord>()
  readonly #keeper: RecordKeeper

  constructor(keeper: RecordKeeper) {
    this.#keeper = keeper
  }

  /** Requests to the console itself are not recorded. */
  handle(exchange: Exchange, next: (exchange: Exchange) => void): void {
    if (exchange.path === '/console' || exchange.path.startsWith('/console/')) {
      next(exchange)
      return
    }
    const recorded = new RecordedExchange(exchange)
    const record = this.#keeper.begin(recorded)
    exchange.onEnd((status) => {
      record.end(status)
      this.#keeper.ended(record)
    })
    this.#current.run(record, () => next(recorded))
  }

  began(context: RequestContext): void {
    const record = this.#record()
    if (record === undefined || record.context !== undefined) return
    record.context = context
    record.exchange.keepsAnswer = !isLongRunning(context.info)
    context.audit = record.trail(context.audit)
    this.#keeper.read(record)
  }

  authenticated({ user }: RequestContext): void {
    const record = this.#record()
    if (record === undefined) return
    record.authenticated = user
    record.reached('authenticated')
  }

  authorized(): void {
    this.#record()?.reached('authorized')
  }

  filterCompleted(filter: TimedFilter): void {
    this.#record()?.reached(filter)
  }

  mutate(plugin: AdmissionPlugin, request: AdmissionRequest, pass: MutationPass): Awaitable<Mutation> {
    const run = (): Awaitable<Mutation> => plugin.mutate?.(request, pass)
    return this.#during({ plugin, phase: 'mutate', round: pass.round, request }, run, (step, object) => {
      if (object !== undefined && object !== request.object) {
        step.patch = jsonDiff(request.object as JsonValue | undefined, object as JsonValue)
      }
    })
  }

  validate(plugin: AdmissionPlugin, request: AdmissionRequest): Awaitable<void> {
    return this.#during(
      { plugin, phase: 'validate', round: 0, request },
      () => plugin.validate?.(request),
      () => undefined,
    )
  }

  #during<T>(
    about: { plugin: AdmissionPlugin; phase: AdmissionStep['phase']; round: number; request: AdmissionRequest },
    run: () => Awaitable<T>,
    done: (step: AdmissionStep, result: T) => void,
  ): Awaitable<T> {
    const record = this.#record()
    // What the server writes for itself in the wake of a request is not the request's.
    if (record === undefined || record.context?.user !== about.request.user) return run()
    const { phase, round, plugin, request } = about
    const { operation, name } = request
    const step: AdmissionStep = {
      phase,
      round,
      plugin: plugin.name,
      operation,
      name,
      calls: [],
      ms: 0,
      patch: [],
      denied: undefined,
    }
    record.addStep(step)
    const begin = performance.now()
    const finish = (result: T): T => {
      step.ms = performance.now() - begin
      done(step, result)
      return result
    }
    const fail = (error: unknown): never => {
      step.ms = performance.now() - begin
      step.denied = error instanceof Error ? error.message : String(error)
      throw error
    }
    try {
      const result = run()
      return result instanceof Promise ? result.then(finish, fail) : finish(result)
    } catch (error) {
      return fail(error)
    }
  }

  webhookAsked({ webhook, seconds, rejection, failedOpen }: WebhookOutcome): void {
    const outcome: AdmissionCall['outcome'] =
      rejection === undefined ? (failedOpen ? 'failed-open' : 'allow') : rejection === 'no_error' ? 'deny' : 'error'
    this.#record()?.addCall({ kind: 'webhook', name: webhook, outcome, ms: seconds * 1000 })
  }

  policyChecked({ policy, binding, action, error, seconds }: PolicyCheck): void {
    const outcome = error !== 'no_error' && action !== 'allow' ? 'error' : action
    this.#record()?.addCall({ kind: 'policy', name: policy, binding, outcome, ms: seconds * 1000 })
  }

  conditionsJudged({ name, kind, outcome, seconds }: ConditionJudgement): void {
    if (outcome === 'exclusion') this.#record()?.addCall({ kind, name, outcome: 'excluded', ms: seconds * 1000 })
  }

  /** Time that the store takes. */
  async stored<T>(run: () => Promise<T>): Promise<T> {
    const record = this.#record()
    if (record === undefined) return run()
    const begin = performance.now()
    try {
      return await run()
    } finally {
      record.storageMs += performance.now() - begin
    }
  }

  /** A write that was made in the course of a request, not necessarily by its user: a controller may have been woken. */
  wrote(revision: number): void {
    this.#record()?.wrote(revision)
  }

  #record(): RequestRecord | undefined {
    const record = this.#current.getStore()
    return record?.isOver === false ? record : undefined
  }
}
