/** What is counted of authorizers: their decisions, and the calls of webhooks among them. */
import type { WebhookAuthorizerObserver } from '../../auth/authorization/webhook-authorizer.ts'
import type { Authorizer, Decision } from '../../auth/authorizer.ts'
import { whenReady } from '../../lib/awaitable.ts'
import type { MetricSet } from '../../lib/metrics.ts'

/** Counts what an authorizer allows and denies; that it has no opinion is no decision. */
export function countedAuthorizer(
  authorizer: Authorizer,
  { type, name }: { readonly type: string; readonly name: string },
  metrics: MetricSet,
): Authorizer {
  const decisions = metrics.counter('apiserver_authorization_decisions_total')
  const { rulesFor } = authorizer
  const count = (decision: Decision): Decision => {
    if (decision.verdict === 'allow') decisions.add(1, 'allowed', name, type)
    else if (decision.verdict === 'deny') decisions.add(1, 'denied', name, type)
    return decision
  }
  return {
    authorize(attributes) {
      const decision = authorizer.authorize(attributes)
      return whenReady(decision, count)
    },
    ...(rulesFor === undefined ? {} : { rulesFor: rulesFor.bind(authorizer) }),
  }
}

export function authorizationWebhookObserver(metrics: MetricSet, name: string): WebhookAuthorizerObserver {
  const prefix = 'apiserver_authorization'
  return {
    conditions(outcome, seconds) {
      metrics.histogram(`${prefix}_match_condition_evaluation_seconds`).observe(seconds, name, 'Webhook')
      const counted = { matched: undefined, excluded: 'exclusions', error: 'evaluation_errors' }[outcome]
      if (counted !== undefined) metrics.counter(`${prefix}_match_condition_${counted}_total`).add(1, name, 'Webhook')
    },
    asked(result, seconds) {
      metrics.counter(`${prefix}_webhook_evaluations_total`).add(1, name, result)
      metrics.histogram(`${prefix}_webhook_duration_seconds`).observe(seconds, name, result)
    },
    failedOpen: (result) => metrics.counter(`${prefix}_webhook_evaluations_fail_open_total`).add(1, name, result),
  }
}
