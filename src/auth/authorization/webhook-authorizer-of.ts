/** A webhook authorizer as the configuration file describes it. */
import type { Nanoseconds } from '../../api/duration.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Dial } from '../../outbound/dial.ts'
import { inClusterConnection, readKubeconfig } from '../../outbound/kubeconfig.ts'
import type { MatchConditionCompiler } from '../expressions/match-conditions.ts'
import { type ReadReview, ReviewClient } from '../webhook/webhook-client.ts'
import { WebhookAuthorizer, type WebhookAuthorizerObserver } from './webhook-authorizer.ts'

export interface WebhookAuthorizerDescription {
  readonly authorizedTTL: Nanoseconds
  readonly unauthorizedTTL: Nanoseconds
  /** Not at all, whatever the times, where these are false. */
  readonly cacheAuthorizedRequests?: boolean
  readonly cacheUnauthorizedRequests?: boolean
  readonly timeout: Nanoseconds
  readonly subjectAccessReviewVersion: string
  readonly failurePolicy: string
  readonly connectionInfo: { readonly type: string; readonly kubeConfigFile: string | undefined }
  readonly matchConditions: readonly { readonly expression: string }[]
}

const millis = (duration: Nanoseconds): number => Number(duration / 1_000_000n)

export interface WebhookAuthorizerServices {
  readonly clock: Clock
  readonly read: ReadReview
  /** Another way to the webhook. */
  readonly dial?: Dial | undefined
  readonly observer?: WebhookAuthorizerObserver | undefined
  readonly omitsZeroTime?: boolean
}

export function webhookAuthorizerOf(
  description: WebhookAuthorizerDescription,
  conditions: MatchConditionCompiler,
  { clock, read, dial, observer, omitsZeroTime = false }: WebhookAuthorizerServices,
): WebhookAuthorizer {
  const { type, kubeConfigFile } = description.connectionInfo
  const connection =
    type === 'InClusterConfig'
      ? inClusterConnection(process.env, '/apis/authorization.k8s.io/v1/subjectaccessreviews')
      : readKubeconfig(kubeConfigFile ?? '')
  const expressions = description.matchConditions.map(({ expression }) => expression)
  return new WebhookAuthorizer({
    client: new ReviewClient({ connection, read, timeoutMs: millis(description.timeout), clock, dial, omitsZeroTime }),
    version: description.subjectAccessReviewVersion === 'v1beta1' ? 'v1beta1' : 'v1',
    authorizedMs: description.cacheAuthorizedRequests === false ? 0 : millis(description.authorizedTTL),
    unauthorizedMs: description.cacheUnauthorizedRequests === false ? 0 : millis(description.unauthorizedTTL),
    failurePolicy: description.failurePolicy === 'Deny' ? 'Deny' : 'NoOpinion',
    ...(expressions.length > 0 ? { conditions: conditions.compile(expressions) } : {}),
    clock,
    observer,
  })
}
