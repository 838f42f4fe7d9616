/**
 * The public keys of a token issuer, found by OIDC discovery and fetched again when a token shows a key that is not
 * known. Strangers can send tokens with made-up keys: fetches that bring nothing new get rarer and rarer.
 */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import { fetchJson } from './fetch-json.ts'
import { type ParsedToken, type SignatureAlgorithm, verifyToken } from './jws.ts'

export interface RemoteKeySetOptions {
  readonly issuer: string
  /** The exact address of the discovery document; undefined for the well-known path below the issuer. */
  readonly discoveryUrl?: string
  readonly certificateAuthority?: string
  readonly clock?: Clock
  readonly timeoutMs?: number
}

interface RemoteKey {
  readonly keyId: string | undefined
  readonly algorithm: string | undefined
  readonly key: KeyObject
}

const firstPauseMs = 1000
const longestPauseMs = 60_000
const maxKeys = 256

export class RemoteKeySet {
  readonly #options: RemoteKeySetOptions
  readonly #clock: Clock
  #keys: readonly RemoteKey[] = []
  #jwksUrl: string | undefined
  #pending: Promise<void> | undefined
  #pauseMs = firstPauseMs
  #notBefore = 0
  #lastError: string | undefined

  constructor(options: RemoteKeySetOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** Whether the keys have ever been fetched. */
  get ready(): boolean {
    return this.#jwksUrl !== undefined && this.#keys.length > 0
  }

  /** Why the last fetch failed, if it did. */
  get lastError(): string | undefined {
    return this.#lastError
  }

  /** Whether one of the issuer's keys signed the token: true or false at once for known keys, later for others. */
  verify(token: ParsedToken, allowed: readonly SignatureAlgorithm[]): boolean | Promise<boolean> {
    if (this.#verifyWithKnown(token, allowed)) return true
    const refreshed = this.refresh()
    return refreshed === undefined ? false : refreshed.then(() => this.#verifyWithKnown(token, allowed))
  }

  #verifyWithKnown(token: ParsedToken, allowed: readonly SignatureAlgorithm[]): boolean {
    return this.#keys.some(
      ({ keyId, algorithm, key }) =>
        (token.keyId === undefined || keyId === undefined || keyId === token.keyId) &&
        (algorithm === undefined || algorithm === token.algorithm) &&
        verifyToken(token, key, allowed),
    )
  }

  /** Fetches the keys, unless the last fetch was a moment ago: then undefined. All askers share one fetch. */
  refresh(): Promise<void> | undefined {
    if (this.#pending) return this.#pending
    if (this.#clock.now() < this.#notBefore) return undefined
    this.#pending = this.#fetch()
      .then(
        (news) => this.#rest(news),
        (error: unknown) => {
          this.#lastError = reasonOf(error)
          this.#rest(false)
        },
      )
      .finally(() => {
        this.#pending = undefined
      })
    return this.#pending
  }

  #rest(useful: boolean): void {
    this.#pauseMs = useful ? firstPauseMs : Math.min(this.#pauseMs * 2, longestPauseMs)
    this.#notBefore = this.#clock.now() + this.#pauseMs
  }

  /** Whether the fetch brought keys that were not known. */
  async #fetch(): Promise<boolean> {
    const url = this.#jwksUrl ?? (await this.#discover())
    const document = await fetchJson(url, this.#fetchOptions())
    this.#jwksUrl = url
    const keys = parseKeys(document)
    const known = new Set(this.#keys.map(({ key }) => fingerprint(key)))
    const news = keys.some(({ key }) => !known.has(fingerprint(key)))
    this.#keys = keys
    this.#lastError = undefined
    return news
  }

  async #discover(): Promise<string> {
    const { issuer, discoveryUrl } = this.#options
    const address = discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const document = await fetchJson(address, this.#fetchOptions())
    if (document['issuer'] !== issuer) {
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer)} got ${JSON.stringify(document['issuer'] ?? '')}`,
      )
    }
    const url = document['jwks_uri']
    if (typeof url !== 'string' || url === '') throw new Error('oidc: the discovery document has no jwks_uri')
    return url
  }

  #fetchOptions() {
    const { certificateAuthority, timeoutMs = 30_000 } = this.#options
    return { timeoutMs, ...(certificateAuthority === undefined ? {} : { certificateAuthority }) }
  }
}

const fingerprint = (key: KeyObject): string => key.export({ type: 'spki', format: 'der' }).toString('base64')

/** Keys for signatures; what cannot be read, or is for something else, is passed over. */
function parseKeys(document: JsonObject): RemoteKey[] {
  const keys = Array.isArray(document['keys']) ? document['keys'].filter(isJsonObject) : []
  return keys.slice(0, maxKeys).flatMap((jwk) => {
    if (jwk['use'] !== undefined && jwk['use'] !== 'sig') return []
    if (jwk['kty'] !== 'RSA' && jwk['kty'] !== 'EC') return []
    try {
      const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
      const { kid, alg } = jwk
      return [
        { key, keyId: typeof kid === 'string' ? kid : undefined, algorithm: typeof alg === 'string' ? alg : undefined },
      ]
    } catch {
      return []
    }
  })
}
