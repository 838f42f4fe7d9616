/**
 * Asks a webhook (SubjectAccessReview). Both answers are remembered for a while. Match conditions decide first whether
 * the webhook is asked at all; when it fails, the failure policy says what that means.
 * Mirrors k8s.io/apiserver/plugin/pkg/authorizer/webhook: WebhookAuthorizer.
 */

import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import { type Authorizer, abstain, allow, type Decision, deny, type UserRules } from '../authorizer.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { ReviewClient } from '../webhook/webhook-client.ts'
import { reviewSpec, toV1beta1 } from './subject-access-review.ts'

/** Whether the conditions hold for a review of version v1: true, false, or the error of an evaluation. */
type Matched = boolean | { readonly error: string }

/** Whether the webhook is to be asked: a promise where the conditions take long. */
export type MatchConditions = (request: JsonObject) => Awaitable<Matched>

export interface WebhookAuthorizerOptions {
  readonly client: ReviewClient
  readonly version: 'v1' | 'v1beta1'
  readonly authorizedMs: number
  readonly unauthorizedMs: number
  readonly failurePolicy: 'NoOpinion' | 'Deny'
  readonly conditions?: MatchConditions
  readonly clock?: Clock
  readonly observer?: WebhookAuthorizerObserver | undefined
}

/** Counts what is asked and what comes of it. */
export interface WebhookAuthorizerObserver {
  conditions(outcome: 'matched' | 'excluded' | 'error', seconds: number): void
  asked(result: 'success' | 'timeout' | 'error', seconds: number): void
  /** The webhook failed and the next authorizer is asked. */
  failedOpen(result: 'timeout' | 'error'): void
}

const maxRemembered = 8192
/** Requests with longer keys are asked each time rather than remembered: a stranger chooses their length. */
const maxKeyLength = 10_000

export class WebhookAuthorizer implements Authorizer {
  readonly #options: WebhookAuthorizerOptions
  readonly #cache: BoundedCache<Decision>
  readonly #pending = new Map<string, Promise<Decision>>()

  constructor(options: WebhookAuthorizerOptions) {
    this.#options = options
    this.#cache = new BoundedCache(maxRemembered, options.clock ?? systemClock)
  }

  authorize(attributes: RequestAttributes): Awaitable<Decision> {
    const spec = reviewSpec(attributes)
    const matched = this.#matches(spec)
    return whenReady(matched, (known) => this.#decide(spec, known))
  }

  #decide(spec: JsonObject, matched: Matched): Awaitable<Decision> {
    if (typeof matched === 'object') return this.#failure(matched.error)
    if (!matched) return abstain()
    const key = JSON.stringify(spec)
    const known = this.#cache.get(key)
    if (known) return known
    const pending = this.#pending.get(key)
    if (pending) return pending
    const asked = this.#ask(spec, key).finally(() => this.#pending.delete(key))
    this.#pending.set(key, asked)
    return asked
  }

  #matches(spec: JsonObject): Awaitable<Matched> {
    const { conditions, observer } = this.#options
    if (conditions === undefined) return true
    const begin = performance.now()
    const note = (matched: Matched): Matched => {
      const outcome = typeof matched === 'object' ? 'error' : matched ? 'matched' : 'excluded'
      observer?.conditions(outcome, (performance.now() - begin) / 1000)
      return matched
    }
    const matched = conditions(spec)
    return whenReady(matched, note)
  }

  rulesFor(): UserRules {
    return {
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      error: 'webhook authorizer does not support user rule resolution',
    }
  }

  async #ask(spec: JsonObject, key: string): Promise<Decision> {
    const { client, version, authorizedMs, unauthorizedMs, failurePolicy, observer } = this.#options
    const begin = performance.now()
    let answer: JsonObject
    try {
      answer = await client.post({
        kind: 'SubjectAccessReview',
        apiVersion: `authorization.k8s.io/${version}`,
        metadata: { creationTimestamp: null },
        spec: version === 'v1' ? spec : toV1beta1(spec),
        status: { allowed: false },
      })
    } catch (error) {
      const why = reasonOf(error)
      const result = why.includes('deadline exceeded') ? 'timeout' : 'error'
      observer?.asked(result, (performance.now() - begin) / 1000)
      if (failurePolicy === 'NoOpinion') observer?.failedOpen(result)
      return this.#failure(why)
    }
    observer?.asked('success', (performance.now() - begin) / 1000)
    const status = isJsonObject(answer['status']) ? answer['status'] : {}
    const decision = decide(status)
    const ttl = status['allowed'] === true ? authorizedMs : unauthorizedMs
    if (key.length < maxKeyLength) this.#cache.set(key, decision, ttl)
    return decision
  }

  #failure(error: string): Decision {
    return this.#options.failurePolicy === 'Deny' ? { ...deny(), error } : { ...abstain(), error }
  }
}

/** An answer that contradicts itself denies, whatever the failure policy is. */
function decide(status: JsonObject): Decision {
  const reason = typeof status['reason'] === 'string' ? status['reason'] : ''
  const allowed = status['allowed'] === true
  const denied = status['denied'] === true
  if (allowed && denied) {
    return { ...deny(reason), error: 'webhook subject access review returned both allow and deny response' }
  }
  if (denied) return deny(reason)
  return allowed ? allow(reason) : abstain(reason)
}
