/**
 * Verifies service account tokens: the signature by our own keys, the times, the audiences, and on every use that the
 * account and the objects that the token is bound to still exist. Signatures are remembered, decisions are not: a token
 * dies with its account at once.
 */
import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ObjectSource } from '../../api/object-source.ts'
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
import { readClaims, type ServiceAccountClaims, splitServiceAccountUser, userOfClaims } from './claims.ts'
import type { VerificationKey } from './keys.ts'

export interface ServiceAccountSources {
  readonly serviceAccounts: ObjectSource
  readonly secrets: ObjectSource
  readonly pods: ObjectSource
  readonly nodes: ObjectSource
}

export interface ServiceAccountTokensOptions {
  /** Tokens of any of these issuers are good; new ones come from the first. */
  readonly issuers: readonly string[]
  readonly keys: readonly VerificationKey[]
  /** The audiences of the API server, for tokens and askers that name none. */
  readonly apiAudiences: readonly string[]
  readonly sources: ServiceAccountSources
  /** Whether legacy tokens are compared with the secret that holds them. */
  readonly lookup?: boolean
  readonly clock?: Clock
  /** Told of every token that was used, for counting. */
  readonly onUse?: (use: TokenUse) => void
}

/** Stale: its holder should have asked for a new one. Legacy: kept in a secret that the server or a person made. */
export type TokenUse = 'valid' | 'stale' | 'legacy' | 'legacy auto' | 'legacy manual' | 'invalid legacy auto'

const legacyIssuer = 'kubernetes/serviceaccount'
const leewaySeconds = 60
const maxRemembered = 4096
const accepted: readonly SignatureAlgorithm[] = ['RS256', 'ES256', 'ES384', 'ES512']

export class ServiceAccountTokens implements TokenAuthenticator {
  readonly #options: ServiceAccountTokensOptions
  readonly #clock: Clock
  readonly #issuers: ReadonlySet<string>
  /** Tokens whose signature was found good, by digest. */
  readonly #verified = new Map<string, ParsedToken>()

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#issuers = new Set(options.issuers)
  }

  authenticateToken(token: string, options: TokenOptions): AuthenticationResult {
    const digest = createHash('sha256').update(token).digest('base64')
    const parsed = this.#verified.get(digest) ?? parseToken(token)
    if (parsed === undefined) return noOpinion
    const issuer = parsed.claims['iss']
    if (typeof issuer !== 'string' || (issuer !== legacyIssuer && !this.#issuers.has(issuer))) return noOpinion
    if (!this.#verified.has(digest)) {
      const wrong = this.#verifySignature(parsed)
      if (wrong !== undefined) return failed(wrong)
      this.#remember(digest, parsed)
    }
    const audiences = this.#audiences(parsed.claims, options.audiences)
    if (typeof audiences === 'string') return failed(audiences)
    const claims = issuer === legacyIssuer ? this.#validateLegacy(parsed.claims, token) : this.#validate(parsed.claims)
    if (typeof claims === 'string') return failed(claims)
    const id = parsed.claims['jti']
    return authenticated(userOfClaims(claims, typeof id === 'string' ? id : ''), audiences)
  }

  #remember(digest: string, parsed: ParsedToken): void {
    if (this.#verified.size >= maxRemembered) {
      const oldest = this.#verified.keys().next()
      if (!oldest.done) this.#verified.delete(oldest.value)
    }
    this.#verified.set(digest, parsed)
  }

  #verifySignature(token: ParsedToken): string | undefined {
    const { keys } = this.#options
    const candidates = token.keyId === undefined ? keys : keys.filter(({ keyId }) => keyId === token.keyId)
    if (candidates.length === 0) return 'invalid signature, no keys found'
    const good = candidates.some(({ key }) => verifyToken(token, key, accepted))
    return good ? undefined : 'go-jose/go-jose: error in cryptographic primitive'
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

  #validate(claims: JsonObject): ServiceAccountClaims | string {
    const own = readClaims(claims)
    if (own === undefined) return 'service account token claims could not be validated due to unexpected private claim'
    const now = this.#clock.now()
    const untimely = checkTimes(claims, now / 1000)
    if (untimely !== undefined) return untimely
    const wrong = this.#checkAccount(own, now) ?? this.#checkBound(own, now)
    if (wrong !== undefined) return wrong
    const { warnAfter } = own
    this.#options.onUse?.(warnAfter !== undefined && warnAfter * 1000 < now ? 'stale' : 'valid')
    return own
  }

  #checkAccount({ namespace, serviceAccount }: ServiceAccountClaims, now: number): string | undefined {
    const { name, uid } = serviceAccount
    const account = this.#options.sources.serviceAccounts.get(namespace, name)
    if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`
    if (longDeleted(account, now)) return `service account ${namespace}/${name} has been deleted`
    if (account.metadata.uid !== uid) {
      return `service account UID (${account.metadata.uid ?? ''}) does not match claim (${uid})`
    }
    return undefined
  }

  /** Why the object that the token is bound to does not support it any more. */
  #checkBound({ namespace, secret, pod, node }: ServiceAccountClaims, now: number): string | undefined {
    const { secrets, pods, nodes } = this.#options.sources
    const gone = 'service account token has been invalidated'
    const check = (kind: string, ref: { uid: string } | undefined, object: KubeObject | undefined) => {
      if (ref === undefined) return undefined
      if (object === undefined || longDeleted(object, now)) return gone
      if (object.metadata.uid === ref.uid) return undefined
      return `${kind} UID (${object.metadata.uid ?? ''}) does not match service account ${kind.toLowerCase()} ref claim (${ref.uid})`
    }
    // The node of a pod-bound token is only told, the pod is what counts.
    const boundNode = pod === undefined ? node : undefined
    return (
      check('secret', secret, secret && secrets.get(namespace, secret.name)) ??
      check('pod', pod, pod && pods.get(namespace, pod.name)) ??
      check('node', boundNode, boundNode && nodes.get('', boundNode.name))
    )
  }

  /** Tokens of old, kept in secrets: good for ever, while the secret and the account exist. */
  #validateLegacy(claims: JsonObject, token: string): ServiceAccountClaims | string {
    const claim = (name: string): string => {
      const value = claims[name]
      return typeof value === 'string' ? value : ''
    }
    const subject = claim('sub')
    const namespace = claim(`${legacyIssuer}/namespace`)
    const secretName = claim(`${legacyIssuer}/secret.name`)
    const name = claim(`${legacyIssuer}/service-account.name`)
    const uid = claim(`${legacyIssuer}/service-account.uid`)
    if (subject === '') return 'sub claim is missing'
    if (namespace === '') return 'namespace claim is missing'
    if (secretName === '') return 'secretName claim is missing'
    if (name === '') return 'serviceAccountName claim is missing'
    if (uid === '') return 'serviceAccountUID claim is missing'
    const named = splitServiceAccountUser(subject)
    if (named?.namespace !== namespace || named.name !== name) return 'sub claim is invalid'
    const own: ServiceAccountClaims = { namespace, serviceAccount: { name, uid } }
    const wrong =
      this.#options.lookup === false
        ? undefined
        : (this.#checkLegacySecret(own, secretName, token) ?? this.#checkAccount(own, this.#clock.now()))
    if (wrong !== undefined) return wrong
    this.#options.onUse?.('legacy')
    this.#options.onUse?.(this.#isAutomatic(own, secretName) ? 'legacy auto' : 'legacy manual')
    return own
  }

  /** Secrets that the server made for an account are listed in it. */
  #isAutomatic({ namespace, serviceAccount }: ServiceAccountClaims, secretName: string): boolean {
    const listed = this.#options.sources.serviceAccounts.get(namespace, serviceAccount.name)?.['secrets']
    return Array.isArray(listed) && listed.some((each) => isJsonObject(each) && each['name'] === secretName)
  }

  #checkLegacySecret({ namespace, serviceAccount }: ServiceAccountClaims, name: string, token: string) {
    const secret = this.#options.sources.secrets.get(namespace, name)
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return 'token has been invalidated'
    const data = secret['data']
    const stored = typeof data === 'object' && data !== null && !Array.isArray(data) ? data['token'] : undefined
    if (stored !== Buffer.from(token).toString('base64')) return "token does not match server's copy"
    const invalidSince = secret.metadata.labels?.['kubernetes.io/legacy-token-invalid-since']
    if (invalidSince !== undefined && invalidSince !== '') {
      this.#options.onUse?.('invalid legacy auto')
      return `the token in secret ${namespace}/${name} for service account ${namespace}/${serviceAccount.name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token`
    }
    return undefined
  }
}

const quotedList = (items: readonly string[]): string => `[${items.map((item) => JSON.stringify(item)).join(' ')}]`

function checkTimes(claims: JsonObject, now: number): string | undefined {
  const { exp, nbf, iat } = claims
  if (typeof exp !== 'number' || now - leewaySeconds > exp) return 'service account token has expired'
  if (typeof nbf === 'number' && now + leewaySeconds < nbf) return 'service account token is not valid yet'
  if (typeof iat === 'number' && now + leewaySeconds < iat) return 'service account token is issued in the future'
  return undefined
}

/** Objects that wait for finalizers count as gone soon after their deletion. */
function longDeleted({ metadata }: KubeObject, now: number): boolean {
  return metadata.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) < now - leewaySeconds * 1000
}
