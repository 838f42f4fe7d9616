/**
 * Asks a webhook who a bearer token is (TokenReview). Answers are remembered by the token cache in front of it.
 * Mirrors k8s.io/apiserver/plugin/pkg/authenticator/token/webhook: WebhookTokenAuthenticator.
 */
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { UserInfo } from '../../api/user.ts'
import { reasonOf } from '../../lib/fault.ts'
import {
  type AuthenticationResult,
  authenticated,
  failed,
  noOpinion,
  type TokenAuthenticator,
  type TokenOptions,
} from '../authenticator.ts'
import type { ReviewClient } from './webhook-client.ts'

export interface WebhookTokensOptions {
  readonly client: ReviewClient
  /** The version of TokenReview that the webhook understands. */
  readonly version: 'v1' | 'v1beta1'
  readonly apiAudiences: readonly string[]
}

export class WebhookTokens implements TokenAuthenticator {
  readonly #options: WebhookTokensOptions

  constructor(options: WebhookTokensOptions) {
    this.#options = options
  }

  async authenticateToken(token: string, options: TokenOptions): Promise<AuthenticationResult> {
    const { client, version, apiAudiences } = this.#options
    const audiences = options.audiences ?? (apiAudiences.length > 0 ? apiAudiences : undefined)
    const review: JsonObject = {
      kind: 'TokenReview',
      apiVersion: `authentication.k8s.io/${version}`,
      metadata: { creationTimestamp: null },
      spec: { token, ...(audiences ? { audiences: [...audiences] } : {}) },
      status: { user: {} },
    }
    try {
      return judge(await client.post(review), audiences, apiAudiences)
    } catch (error) {
      return failed(reasonOf(error))
    }
  }
}

function judge(
  answer: JsonObject,
  asked: readonly string[] | undefined,
  apiAudiences: readonly string[],
): AuthenticationResult {
  const status = isJsonObject(answer['status']) ? answer['status'] : {}
  const error = status['error']
  const audiences = agreed(strings(status['audiences']), asked, apiAudiences)
  if (status['authenticated'] !== true) return typeof error === 'string' && error !== '' ? failed(error) : noOpinion
  if (audiences === 'none') return noOpinion
  const user = userOf(isJsonObject(status['user']) ? status['user'] : {})
  return audiences === undefined ? authenticated(user) : authenticated(user, audiences)
}

/** A webhook that says nothing about audiences is taken to speak for the API server's own. */
function agreed(
  answered: readonly string[],
  asked: readonly string[] | undefined,
  apiAudiences: readonly string[],
): readonly string[] | 'none' | undefined {
  if (asked === undefined) return undefined
  const offered = answered.length > 0 ? answered : apiAudiences
  const common = offered.filter((audience) => asked.includes(audience))
  return common.length > 0 ? common : 'none'
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []

function userOf(user: JsonObject): UserInfo {
  const { username, uid } = user
  const extra = isJsonObject(user['extra']) ? user['extra'] : {}
  return {
    name: typeof username === 'string' ? username : '',
    ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
    groups: strings(user['groups']),
    extra: new Map(Object.entries(extra).map(([key, values]) => [key, strings(values)])),
  }
}
