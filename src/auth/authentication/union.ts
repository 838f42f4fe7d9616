/**
 * Authenticators in order. The first that names a user decides; when one fails, later ones may still name a user, but if
 * none does the request is refused with every error. Only a request without any known credential is anonymous.
 * Mirrors k8s.io/apiserver/pkg/authentication/request/union: unionAuthRequestHandler.
 */

import { aggregateText } from '../../api/aggregate-text.ts'
import type { UserInfo } from '../../api/user.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import { memoize } from '../../lib/memo.ts'
import {
  type Authenticated,
  type AuthenticationResult,
  type Authenticator,
  type Credentials,
  failed,
  noOpinion,
  type TokenAuthenticator,
  type TokenOptions,
} from '../authenticator.ts'

type Attempt = () => Awaitable<AuthenticationResult>

/** Goes through the attempts; waits only when one really waits, and then goes on behind it. */
function inOrder<A>(
  authenticators: readonly A[],
  ask: (authenticator: A) => Awaitable<AuthenticationResult>,
): Awaitable<AuthenticationResult> {
  let errors: string[] | undefined
  for (let i = 0; i < authenticators.length; i++) {
    const result = ask(authenticators[i] as A)
    if (result instanceof Promise) {
      const rest = authenticators.slice(i + 1).map(
        (next): Attempt =>
          () =>
            ask(next),
      )
      return continueLater(result, rest, errors ?? [])
    }
    if (result.outcome === 'authenticated') return result
    if (result.outcome === 'failed') {
      errors ??= []
      errors.push(result.error)
    }
  }
  return errors === undefined ? noOpinion : conclude(errors)
}

async function continueLater(
  pending: Promise<AuthenticationResult>,
  rest: readonly Attempt[],
  errors: string[],
): Promise<AuthenticationResult> {
  for (const attempt of [() => pending, ...rest]) {
    const result = await attempt()
    if (result.outcome === 'authenticated') return result
    if (result.outcome === 'failed') errors.push(result.error)
  }
  return conclude(errors)
}

const conclude = (errors: readonly string[]): AuthenticationResult =>
  errors.length === 0 ? noOpinion : failed(aggregateText(errors))

export const unionOfTokens = (authenticators: readonly TokenAuthenticator[]): TokenAuthenticator => ({
  authenticateToken: (token: string, options: TokenOptions) =>
    inOrder(authenticators, (authenticator) => authenticator.authenticateToken(token, options)),
})

export interface RequestAuthenticators {
  /** Proxy headers, client certificates, bearer tokens: in this order. */
  readonly credentials: readonly Authenticator[]
  /** Asked only when the request brought no credential at all. */
  readonly anonymous?: Authenticator
}

/** The authenticator of the server. */
export const unionOfRequests = ({ credentials, anonymous }: RequestAuthenticators): Authenticator => ({
  authenticate(request: Credentials) {
    const result = inOrder(credentials, (authenticator) => authenticator.authenticate(request))
    const finish = (known: AuthenticationResult): Awaitable<AuthenticationResult> => {
      if (known.outcome === 'authenticated') return withGroupOfAuthenticated(known)
      return known.outcome === 'no opinion' && anonymous ? anonymous.authenticate(request) : known
    }
    return whenReady(result, finish)
  },
})

export const allAuthenticated = 'system:authenticated'
export const allUnauthenticated = 'system:unauthenticated'
export const anonymousUser = 'system:anonymous'

function withGroupOfAuthenticated(known: Authenticated): Authenticated {
  const user = asAuthenticated(known.user)
  return user === known.user ? known : { ...known, user }
}

/** Everyone with a credential belongs to `system:authenticated`; one that authenticates as anonymous does not. */
function asAuthenticated(user: UserInfo): UserInfo {
  if (user.name === anonymousUser) return user
  if (user.groups.includes(allAuthenticated) || user.groups.includes(allUnauthenticated)) return user
  return withGroup(user)
}

/** Authenticators return the same object for the same credential. */
const withGroup = memoize(
  'authenticated-user',
  (user: UserInfo): UserInfo => ({ ...user, groups: [...user.groups, allAuthenticated] }),
)
