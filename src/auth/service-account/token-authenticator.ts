/**
 * Verifies service account tokens: the signature by our own keys, the times, the audiences, and on every use that the
 * account and the objects that the token is bound to still exist. Signatures are remembered, decisions are not: a token
 * dies with its account at once.
 * Mirrors pkg/serviceaccount: jwtTokenAuthenticator.
 */

import { createHash } from 'node:crypto'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ObjectSource } from '../../api/object-source.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import {
  type AuthenticationResult,
  authenticated,
  failed,
  noOpinion,
  type TokenAuthenticator,
  type TokenOptions,
} from '../authenticator.ts'
import { audiencesOf, type ParsedToken, parseToken, type SignatureAlgorithm, verifyToken } from '../jwt/jws.ts'
import { readClaims, type ServiceAccountClaims, userOfClaims } from './claims.ts'
import type { VerificationKey, VerificationKeys } from './keys.ts'
import { LegacyTokens, legacyIssuer } from './legacy-tokens.ts'

export interface ServiceAccountSources {
  readonly serviceAccounts: ObjectSource
  readonly secrets: ObjectSource
  readonly pods: ObjectSource
  readonly nodes: ObjectSource
}

export interface ServiceAccountTokensOptions {
  /** Tokens of any of these issuers are good; new ones come from the first. */
  readonly issuers: readonly string[]
  readonly keys: VerificationKeys
  /** The audiences of the API server, for tokens and askers that name none. */
  readonly apiAudiences: readonly string[]
  readonly sources: ServiceAccountSources
  /** Whether legacy tokens are compared with the secret that holds them. */
  readonly lookup?: boolean
  readonly clock?: Clock
  /** Called for every token that was used, for counting. */
  readonly onUse?: (use: TokenUse) => void
  /** Labels the Secret of a legacy token with the day of its last use. */
  readonly labelSecret?: (secret: KubeObject, day: string) => Promise<void>
}

/** Stale: its holder should have asked for a new one. Legacy: kept in a secret that the server or a person made. */
export type TokenUse = 'valid' | 'stale' | 'legacy' | 'legacy auto' | 'legacy manual' | 'invalid legacy auto'

type Annotations = Readonly<Record<string, string>>

const leewaySeconds = 60
const maxRemembered = 4096
const accepted: readonly SignatureAlgorithm[] = ['RS256', 'ES256', 'ES384', 'ES512']

export class ServiceAccountTokens implements TokenAuthenticator {
  readonly #options: ServiceAccountTokensOptions
  readonly #clock: Clock
  readonly #issuers: ReadonlySet<string>
  readonly #legacy: LegacyTokens
  #keyVersion = 0
  /** Tokens whose signature was found good, by digest. */
  readonly #verified = new Map<string, ParsedToken>()

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#issuers = new Set(options.issuers)
    this.#legacy = new LegacyTokens({
      sources: options.sources,
      lookup: options.lookup !== false,
      clock: this.#clock,
      onUse: (use) => options.onUse?.(use),
      label: async (secret, day) => options.labelSecret?.(secret, day),
    })
  }

  authenticateToken(token: string, options: TokenOptions): Awaitable<AuthenticationResult> {
    const digest = createHash('sha256').update(token).digest('base64')
    this.#forgetOldKeys()
    const parsed = this.#verified.get(digest)
    if (parsed !== undefined) return this.#judge(parsed.claims, token, options)
    const fresh = parseToken(token)
    if (fresh === undefined || !this.#isOwn(fresh)) return noOpinion
    const keys = this.#options.keys.find(fresh.keyId)
    const judge = (found: readonly VerificationKey[]) => {
      const wrong = wrongSignature(fresh, found)
      if (wrong !== undefined) return failed(wrong)
      this.#remember(digest, fresh)
      return this.#judge(fresh.claims, token, options)
    }
    return whenReady(keys, judge)
  }

  #isOwn({ claims }: ParsedToken): boolean {
    const issuer = claims['iss']
    return typeof issuer === 'string' && (issuer === legacyIssuer || this.#issuers.has(issuer))
  }

  #forgetOldKeys(): void {
    const { version } = this.#options.keys
    if (version === this.#keyVersion) return
    this.#keyVersion = version
    this.#verified.clear()
  }

  #remember(digest: string, parsed: ParsedToken): void {
    if (this.#verified.size >= maxRemembered) {
      const oldest = this.#verified.keys().next()
      if (!oldest.done) this.#verified.delete(oldest.value)
    }
    this.#verified.set(digest, parsed)
  }

  #judge(claims: JsonObject, token: string, options: TokenOptions): Awaitable<AuthenticationResult> {
    if (audiencesOf(claims).length === 0) this.#options.onUse?.('legacy')
    const audiences = this.#audiences(claims, options.audiences)
    if (typeof audiences === 'string') return failed(audiences)
    return claims['iss'] === legacyIssuer
      ? this.#judgeLegacy(claims, token, audiences)
      : this.#judgeBound(claims, audiences)
  }

  #judgeBound(claims: JsonObject, audiences: readonly string[]): AuthenticationResult {
    const own = readClaims(claims)
    if (own === undefined) {
      return failed('service account token claims could not be validated due to unexpected private claim')
    }
    const now = this.#clock.now()
    const wrong = checkTimes(claims, now / 1000) ?? this.#checkAccount(own, now) ?? this.#checkBound(own, now)
    if (wrong !== undefined) return failed(wrong)
    const id = claims['jti']
    const known = authenticated(userOfClaims(own, typeof id === 'string' ? id : ''), audiences)
    const stale = this.#staleness(claims, own, now)
    const unaddressed = withoutAudience(claims)
    if (stale === undefined && unaddressed === undefined) return known
    return { ...known, annotations: { ...unaddressed, ...stale } }
  }

  #judgeLegacy(claims: JsonObject, token: string, audiences: readonly string[]): Awaitable<AuthenticationResult> {
    const verdict = this.#legacy.validate(claims, token)
    const { warnings, labelled } = verdict
    const result: AuthenticationResult =
      typeof verdict.claims === 'string'
        ? failed(verdict.claims)
        : {
            ...authenticated(userOfClaims(verdict.claims, ''), audiences),
            annotations: { ...withoutAudience(claims), ...verdict.annotations },
            warnings,
          }
    return labelled === undefined ? result : labelled.then(() => result)
  }

  /** Tokens with a threshold are counted by whether their holder should have asked for a new one. */
  #staleness(claims: JsonObject, { warnAfter }: ServiceAccountClaims, now: number): Annotations | undefined {
    if (warnAfter === undefined || warnAfter === 0) return undefined
    const isStale = warnAfter * 1000 < now
    this.#options.onUse?.(isStale ? 'stale' : 'valid')
    if (!isStale) return undefined
    const late = Math.floor(now / 1000) - Math.floor(warnAfter)
    const text = `subject: ${String(claims['sub'])}, seconds after warning threshold: ${late}`
    return { 'authentication.k8s.io/stale-token': text }
  }

  /** The audiences for which the token is good here, or why there are none. */
  #audiences(claims: JsonObject, asked: readonly string[] | undefined): readonly string[] | string {
    const { apiAudiences } = this.#options
    const own = audiencesOf(claims)
    const token = own.length === 0 ? apiAudiences : own
    const requested = asked ?? apiAudiences
    const common = requested.filter((audience) => token.includes(audience))
    if (common.length > 0 || apiAudiences.length === 0) return common
    return `token audiences ${quotedList(token)} is invalid for the target audiences ${quotedList(requested)}`
  }

  #checkAccount({ namespace, serviceAccount }: ServiceAccountClaims, now: number): string | undefined {
    const { name, uid } = serviceAccount
    const account = this.#options.sources.serviceAccounts.get(namespace, name)
    if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`
    if (account.metadata.uid !== uid) {
      return `service account UID (${account.metadata.uid ?? ''}) does not match claim (${uid})`
    }
    return longDeleted(account, now) ? `service account ${namespace}/${name} has been deleted` : undefined
  }

  /** Why the object that the token is bound to does not support it any more. */
  #checkBound({ namespace, secret, pod, node }: ServiceAccountClaims, now: number): string | undefined {
    const { secrets, pods, nodes } = this.#options.sources
    const gone = 'service account token has been invalidated'
    const check = (kind: string, ref: { uid: string } | undefined, object: KubeObject | undefined) => {
      if (ref === undefined) return undefined
      if (object === undefined) return gone
      if (object.metadata.uid === ref.uid) return longDeleted(object, now) ? gone : undefined
      return `${kind} UID (${object.metadata.uid ?? ''}) does not match service account ${kind.toLowerCase()} ref claim (${ref.uid})`
    }
    // The node of a pod-bound token is informational; the pod is verified.
    const boundNode = pod === undefined ? node : undefined
    return (
      check('secret', secret, secret && secrets.get(namespace, secret.name)) ??
      check('pod', pod, pod && pods.get(namespace, pod.name)) ??
      check('node', boundNode, boundNode && nodes.get('', boundNode.name))
    )
  }
}

function wrongSignature(token: ParsedToken, keys: readonly VerificationKey[]): string | undefined {
  if (keys.length === 0) return 'invalid signature, no keys found'
  const good = keys.some(({ key }) => verifyToken(token, key, accepted))
  return good ? undefined : 'go-jose/go-jose: error in cryptographic primitive'
}

/** Tokens for no audience in particular are those of old. */
const withoutAudience = (claims: JsonObject): Annotations | undefined =>
  audiencesOf(claims).length === 0 ? { 'authentication.k8s.io/legacy-token': String(claims['sub']) } : undefined

const quotedList = (items: readonly string[]): string => `[${items.map((item) => JSON.stringify(item)).join(' ')}]`

function checkTimes(claims: JsonObject, now: number): string | undefined {
  const { exp, nbf, iat } = claims
  // A time of another type would go unchecked.
  if ([nbf, iat].some((time) => time != null && typeof time !== 'number')) return 'service account token has no times'
  if (typeof exp !== 'number' || now - leewaySeconds > exp) return 'service account token has expired'
  if (typeof nbf === 'number' && now + leewaySeconds < nbf) return 'service account token is not valid yet'
  if (typeof iat === 'number' && now + leewaySeconds < iat) return 'service account token is issued in the future'
  return undefined
}

/** Objects that wait for finalizers count as gone soon after their deletion. */
function longDeleted({ metadata }: KubeObject, now: number): boolean {
  return metadata.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) < now - leewaySeconds * 1000
}
