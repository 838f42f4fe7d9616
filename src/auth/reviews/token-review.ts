/** TokenReview: who a token is, asked by an authorized client. SelfSubjectReview: who am I. */

import { aggregateText } from '../../api/aggregate-text.ts'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { badRequest, internalError } from '../../api/status-error.ts'
import type { UserInfo } from '../../api/user.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { invalidToken } from '../authentication/bearer-token.ts'
import type { Authenticator } from '../authenticator.ts'
import { userToJson } from './user-info.ts'

export interface TokenQuestion {
  readonly review: JsonObject
  /** Asked once the question was found good. */
  readonly admit: () => Awaitable<void>
  /** What the credential is annotated and warned with goes to the asker. */
  readonly warn: (text: string) => void
  readonly annotate: (key: string, value: string) => void
}

/**
 * The status of the review. The token is judged like that of a request; one that begins with a space is none. What the asker sent as status
 * stays where nothing is found out. Mirrors pkg/registry/authentication/tokenreview: REST.Create.
 */
export async function evaluateTokenReview(
  { review, admit, warn, annotate }: TokenQuestion,
  authenticator: Authenticator,
  apiAudiences: readonly string[],
): Promise<JsonObject> {
  const spec = isJsonObject(review['spec']) ? review['spec'] : {}
  const token = spec['token']
  if (typeof token !== 'string' || token === '') throw badRequest('token is required for TokenReview in authentication')
  await admit()
  const sent = isJsonObject(review['status']) ? review['status'] : {}
  const asked = Array.isArray(spec['audiences']) ? spec['audiences'].map(String) : []
  const audiences = asked.length > 0 ? asked : apiAudiences
  const result = await authenticator.authenticate({
    headers: { authorization: `Bearer ${token}` },
    peerCertificates: [],
    remoteAddress: '',
    path: '',
    ...(audiences.length > 0 ? { audiences } : {}),
  })
  if (result.outcome !== 'authenticated') {
    const error = result.outcome === 'failed' ? aggregateText([invalidToken, ...separate(result.error)]) : invalidToken
    return { user: {}, ...sent, authenticated: false, error }
  }
  for (const [key, value] of Object.entries(result.annotations ?? {})) annotate(key, value)
  for (const text of result.warnings ?? []) warn(text)
  if (audiences.length > 0 && !result.audiences?.some((audience) => audiences.includes(audience))) {
    throw internalError('error occurred in TokenReview')
  }
  const { error } = sent
  return {
    authenticated: true,
    user: userToJson(result.user),
    ...(result.audiences?.length ? { audiences: [...result.audiences] } : {}),
    ...(error === undefined ? {} : { error }),
  }
}

/** Errors that were already joined are joined again as one flat list. */
const separate = (error: string): string[] =>
  error.startsWith('[') && error.endsWith(']') ? error.slice(1, -1).split(', ') : [error]

export const selfSubjectReviewStatus = (requestor: UserInfo): JsonObject => ({ userInfo: userToJson(requestor) })
