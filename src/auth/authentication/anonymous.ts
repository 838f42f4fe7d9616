/**
 * Requests without any credential: the anonymous user, where that is allowed.
 * Mirrors k8s.io/apiserver/pkg/authentication/request/anonymous: Authenticator.
 */
import { type Authenticator, authenticated, noOpinion } from '../authenticator.ts'
import { allUnauthenticated, anonymousUser } from './union.ts'

export interface AnonymousOptions {
  readonly enabled: boolean
  /** When there are any, only requests for exactly one of these paths may be anonymous. */
  readonly paths: readonly string[]
}

export function anonymousAuthenticator({ enabled, paths }: AnonymousOptions): Authenticator {
  const anonymous = authenticated({ name: anonymousUser, groups: [allUnauthenticated], extra: new Map() })
  const allowed = new Set(paths)
  return {
    authenticate({ path, audiences }) {
      if (!enabled || (allowed.size > 0 && !allowed.has(path))) return noOpinion
      // Whatever audiences are asked for: those of a review of a token that is none.
      return audiences === undefined ? anonymous : { ...anonymous, audiences }
    },
  }
}
