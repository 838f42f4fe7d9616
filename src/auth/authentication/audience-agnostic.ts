/** Tokens that know no audiences count as tokens for the API server itself. */
import { whenReady } from '../../lib/awaitable.ts'
import { type AuthenticationResult, noOpinion, type TokenAuthenticator, type TokenOptions } from '../authenticator.ts'

export const audienceAgnostic = (inner: TokenAuthenticator, apiAudiences: readonly string[]): TokenAuthenticator => ({
  authenticateToken(token: string, options: TokenOptions) {
    const { audiences: asked } = options
    if (asked === undefined) return inner.authenticateToken(token, options)
    const common = asked.filter((audience) => apiAudiences.includes(audience))
    if (common.length === 0) return noOpinion
    const settle = (result: AuthenticationResult): AuthenticationResult =>
      result.outcome === 'authenticated' ? { ...result, audiences: common } : result
    const result = inner.authenticateToken(token, options)
    return whenReady(result, settle)
  },
})
