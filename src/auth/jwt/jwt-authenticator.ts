/**
 * Tokens of one OIDC issuer: signature by the issuer's keys, times, audience, and the user that the claims make.
 * Mirrors k8s.io/apiserver/plugin/pkg/authenticator/token/oidc: jwtAuthenticator.
 */

import type { JwtAuthenticatorConfig } from '../../api/authentication-configuration.ts'
import type { JsonObject } from '../../api/json.ts'
import type { UserInfo } from '../../api/user.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Dial } from '../../outbound/dial.ts'
import {
  type AuthenticationResult,
  authenticated,
  failed,
  noOpinion,
  type TokenAuthenticator,
  type TokenOptions,
} from '../authenticator.ts'
import { ClaimError, compileMapping, type ExpressionCompiler } from './claim-mapping.ts'
import { mistypedClaim, secondsOf } from './claim-types.ts'
import { DistributedClaim } from './distributed-claims.ts'
import { audiencesOf, type ParsedToken, parseToken, type SignatureAlgorithm, signatureAlgorithms } from './jws.ts'
import { RemoteKeySet } from './remote-key-set.ts'

export interface JwtAuthenticatorOptions {
  readonly config: JwtAuthenticatorConfig
  readonly compiler: ExpressionCompiler
  readonly apiAudiences: readonly string[]
  readonly algorithms?: readonly SignatureAlgorithm[]
  readonly clock?: Clock
  /** The way of all that goes to the issuer, where it is not straight. */
  readonly dial?: Dial | undefined
  /** Called for every token of this issuer that was verified. */
  readonly onJudged?: (result: 'success' | 'failure', seconds: number) => void
  /** Told of every fetch of the issuer's keys: their text, or nothing where there was none. */
  readonly onKeys?: ((text: string | undefined) => void) | undefined
}

/** Mirrors github.com/coreos/go-oidc: IDTokenVerifier.Verify. */
const notBeforeLeewaySeconds = 60

const noTime = '0001-01-01 00:00:00 +0000 UTC'

/** Whole seconds as messages of the reference show a time. */
function goTime(seconds: number): string {
  const time = new Date(Math.floor(seconds) * 1000)
  if (Number.isNaN(time.getTime())) return noTime
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`
}

const quoted = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`

/** Claims that make no user make the token a bad one. */
function refused(error: unknown): AuthenticationResult {
  if (error instanceof ClaimError) return failed(error.message)
  throw error
}

export class JwtAuthenticator implements TokenAuthenticator {
  readonly #options: JwtAuthenticatorOptions
  readonly #clock: Clock
  readonly #keys: RemoteKeySet
  readonly #userOf: (claims: JsonObject) => UserInfo
  readonly #algorithms: readonly SignatureAlgorithm[]
  /** Groups may be a distributed claim, resolved by another server. */
  readonly #distributed: DistributedClaim | undefined

  constructor(options: JwtAuthenticatorOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#userOf = compileMapping(options.config, options.compiler)
    this.#algorithms = options.algorithms ?? signatureAlgorithms
    const { url, discoveryURL, certificateAuthority } = options.config.issuer
    const { claim } = options.config.claimMappings.groups
    if (claim !== '') {
      this.#distributed = new DistributedClaim({
        claim,
        issuer: discoveryURL === '' ? url : discoveryURL,
        certificateAuthority,
        dial: options.dial,
        algorithms: this.#algorithms,
        clock: this.#clock,
        check: (claims) => this.#wrongIn(claims),
      })
    }
    this.#keys = new RemoteKeySet({
      issuer: url,
      clock: this.#clock,
      dial: options.dial,
      onFetched: options.onKeys,
      ...(discoveryURL === '' ? {} : { discoveryUrl: discoveryURL }),
      ...(certificateAuthority === '' ? {} : { certificateAuthority }),
    })
  }

  /** Begins to fetch the issuer's keys, so that the first token need not wait. */
  start(): Promise<void> | undefined {
    return this.#keys.refresh()
  }

  /** For health and logs: undefined once the keys are there. */
  get problem(): string | undefined {
    return this.#keys.ready ? undefined : (this.#keys.lastError ?? 'the keys of the issuer have not been fetched yet')
  }

  authenticateToken(token: string, options: TokenOptions): Awaitable<AuthenticationResult> {
    if (options.audiences !== undefined && !this.#isFor(options.audiences)) return noOpinion
    const parsed = parseToken(token)
    if (parsed === undefined || parsed.claims['iss'] !== this.#options.config.issuer.url) return noOpinion
    const begin = performance.now()
    const good = this.#keys.verify(parsed, this.#algorithms)
    const result =
      good instanceof Promise
        ? good.then((resolved) => this.#judge(resolved, parsed, options))
        : this.#judge(good, parsed, options)
    return whenReady(result, (resolved) => this.#observed(resolved, begin))
  }

  #isFor(audiences: readonly string[]): boolean {
    return this.#options.apiAudiences.some((audience) => audiences.includes(audience))
  }

  #observed(result: AuthenticationResult, begin: number): AuthenticationResult {
    if (result.outcome !== 'no opinion') {
      const said = result.outcome === 'authenticated' ? 'success' : 'failure'
      this.#options.onJudged?.(said, (performance.now() - begin) / 1000)
    }
    return result
  }

  #judge(verified: boolean, { claims }: ParsedToken, { audiences }: TokenOptions): Awaitable<AuthenticationResult> {
    if (!verified) {
      const why = this.problem ?? 'failed to verify id token signature'
      return failed(`oidc: verify token: failed to verify signature: ${why}`)
    }
    const wrong = this.#wrongIn(claims)
    if (wrong !== undefined) return failed(wrong)
    try {
      const all = this.#distributed?.expand(claims) ?? claims
      if (!(all instanceof Promise)) return this.#answer(this.#userOf(all), audiences)
      return all.then((resolved) => this.#answer(this.#userOf(resolved), audiences)).catch(refused)
    } catch (error) {
      return refused(error)
    }
  }

  #wrongIn(claims: JsonObject): string | undefined {
    return mistypedClaim(claims) ?? this.#checkTimes(claims) ?? this.#checkAudience(claims)
  }

  #checkTimes({ exp, nbf }: JsonObject): string | undefined {
    const now = this.#clock.now() / 1000
    const expiry = secondsOf(exp)
    if (expiry === undefined || expiry < now) {
      return `oidc: verify token: oidc: token is expired (Token Expiry: ${expiry === undefined ? noTime : goTime(expiry)})`
    }
    const notBefore = secondsOf(nbf)
    if (notBefore !== undefined && now + notBeforeLeewaySeconds < notBefore) {
      return `oidc: verify token: oidc: current time ${goTime(now)} before the nbf (not before) time: ${goTime(notBefore)}`
    }
    return undefined
  }

  #checkAudience(claims: JsonObject): string | undefined {
    const { audiences } = this.#options.config.issuer
    const own = audiencesOf(claims)
    if (own.some((audience) => audiences.includes(audience))) return undefined
    return `oidc: verify token: oidc: expected audience in ${quoted(audiences)} got ${quoted(own)}`
  }

  /** The issuer's audiences stand for the API server: towards askers, the token is good for the server's own. */
  #answer(user: UserInfo, asked: readonly string[] | undefined): AuthenticationResult {
    if (asked === undefined) return authenticated(user)
    const common = this.#options.apiAudiences.filter((audience) => asked.includes(audience))
    return common.length === 0 ? noOpinion : authenticated(user, common)
  }
}
