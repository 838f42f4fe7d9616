/** The authenticators of the server in the reference's order: proxy, client certificate, tokens (near ones first). */
import type { Authenticator, TokenAuthenticator } from '../authenticator.ts'
import { audienceAgnostic } from './audience-agnostic.ts'
import { BearerTokenAuthenticator } from './bearer-token.ts'
import type { TokenCacheOptions } from './token-cache.ts'
import { TokenCache } from './token-cache.ts'
import { unionOfRequests, unionOfTokens } from './union.ts'

export interface ServerAuthenticatorParts {
  readonly apiAudiences: readonly string[]
  /** Those of the program that the server is embedded in. */
  readonly first?: readonly Authenticator[]
  readonly requestHeader?: Authenticator
  readonly clientCertificate?: Authenticator
  readonly staticTokens?: TokenAuthenticator
  readonly serviceAccountTokens?: TokenAuthenticator
  readonly bootstrapTokens?: TokenAuthenticator
  /** Structured JWT authentication, or that of the `--oidc-*` flags. */
  readonly jwtTokens?: TokenAuthenticator
  readonly webhookTokens?: TokenAuthenticator
  /** For what has to be verified or asked for; near tokens need no cache and end at once when they are revoked. */
  readonly cache?: TokenCacheOptions
  readonly webhookCache?: TokenCacheOptions
  readonly anonymous?: Authenticator
}

export function serverAuthenticator(parts: ServerAuthenticatorParts): Authenticator {
  const { apiAudiences, jwtTokens, webhookTokens, cache, webhookCache } = parts
  const agnostic = (tokens: TokenAuthenticator | undefined) => tokens && audienceAgnostic(tokens, apiAudiences)
  const cached = (tokens: TokenAuthenticator | undefined, options: TokenCacheOptions | undefined) =>
    tokens && options ? new TokenCache(tokens, options) : tokens
  const tokens = [
    agnostic(parts.staticTokens),
    parts.serviceAccountTokens,
    agnostic(parts.bootstrapTokens),
    cached(jwtTokens, cache),
    cached(webhookTokens, webhookCache ?? cache),
  ].filter((authenticator) => authenticator !== undefined)
  const credentials = [
    ...(parts.first ?? []),
    parts.requestHeader,
    parts.clientCertificate,
    tokens.length > 0 ? new BearerTokenAuthenticator(unionOfTokens(tokens)) : undefined,
  ].filter((authenticator) => authenticator !== undefined)
  return unionOfRequests({ credentials, ...(parts.anonymous ? { anonymous: parts.anonymous } : {}) })
}
