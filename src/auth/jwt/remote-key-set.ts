/**
 * The public keys of a token issuer, found by OIDC discovery and fetched at once when a token shows a key that is not
 * known: all askers share one fetch. Strangers can send tokens with made-up keys, so that fetches are rate-limited by a
 * token bucket.
 */

import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import type { Dial } from '../../outbound/dial.ts'
import { discoveredUrlPolicy, fetchJson, fetchText, jsonObjectOf } from './fetch-json.ts'
import { type ParsedToken, type SignatureAlgorithm, verifyToken } from './jws.ts'

export interface RemoteKeySetOptions {
  readonly issuer: string
  /** The exact address of the discovery document; undefined for the well-known path below the issuer. */
  readonly discoveryUrl?: string
  readonly certificateAuthority?: string
  /** Another way to the issuer. */
  readonly dial?: Dial | undefined
  /** The address of the server that named the issuer, where no configuration does. */
  readonly namedBy?: string
  readonly clock?: Clock
  readonly timeoutMs?: number
  /** Told of every fetch of keys: their text, or nothing where there was none. */
  readonly onFetched?: ((text: string | undefined) => void) | undefined
}

interface RemoteKey {
  readonly keyId: string | undefined
  readonly algorithm: string | undefined
  readonly key: KeyObject
}

/** Fetches in a burst, and how long it takes until another one is allowed. */
const burst = 10
const refillMs = 1000
const maxKeys = 256
/** How long a token waits for the first discovery: an issuer that never answers must not hold requests. */
const discoveryWaitMs = 1000

export class RemoteKeySet {
  readonly #options: RemoteKeySetOptions
  #keys: readonly RemoteKey[] = []
  #jwksUrl: string | undefined
  #pending: Promise<void> | undefined
  readonly #bucket: TokenBucket
  #lastError: string | undefined

  constructor(options: RemoteKeySetOptions) {
    this.#options = options
    this.#bucket = new TokenBucket(options.clock ?? systemClock)
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
  verify(token: ParsedToken, allowed: readonly SignatureAlgorithm[]): Awaitable<boolean> {
    if (this.#verifyWithKnown(token, allowed)) return true
    const refreshed = this.refresh()
    if (refreshed === undefined) return false
    const fetched = this.ready ? refreshed : this.#atMost(discoveryWaitMs, refreshed)
    return fetched.then(() => this.#verifyWithKnown(token, allowed))
  }

  #atMost(ms: number, fetched: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = (this.#options.clock ?? systemClock).setTimeout(resolve, ms)
      void fetched.finally(() => {
        cancel()
        resolve()
      })
    })
  }

  #verifyWithKnown(token: ParsedToken, allowed: readonly SignatureAlgorithm[]): boolean {
    return this.#keys.some(
      ({ keyId, algorithm, key }) =>
        (token.keyId === undefined || token.keyId === '' || keyId === token.keyId) &&
        (algorithm === undefined || algorithm === token.algorithm) &&
        verifyToken(token, key, allowed),
    )
  }

  /** Fetches the keys; undefined beyond the rate. All askers share one fetch. */
  refresh(): Promise<void> | undefined {
    if (this.#pending) return this.#pending
    if (!this.#bucket.take()) return undefined
    this.#pending = this.#fetch()
      .catch((error: unknown) => {
        this.#lastError = reasonOf(error)
      })
      .finally(() => {
        this.#pending = undefined
      })
    return this.#pending
  }

  async #fetch(): Promise<void> {
    const url = this.#jwksUrl ?? (await this.#discover())
    const document = await this.#fetchKeys(url)
    this.#jwksUrl = url
    this.#keys = parseKeys(document)
    this.#lastError = undefined
  }

  async #fetchKeys(url: string): Promise<JsonObject> {
    const { namedBy = this.#discoveryUrl, onFetched } = this.#options
    let told: string | undefined
    try {
      const text = await fetchText(url, this.#fetchOptions(url, namedBy))
      const document = jsonObjectOf(url, text)
      told = text
      return document
    } finally {
      onFetched?.(told)
    }
  }

  get #discoveryUrl(): string {
    const { issuer, discoveryUrl } = this.#options
    return discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  }

  async #discover(): Promise<string> {
    const { issuer, namedBy } = this.#options
    const document = await fetchJson(this.#discoveryUrl, this.#fetchOptions(this.#discoveryUrl, namedBy))
    if (document['issuer'] !== issuer) {
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer)} got ${JSON.stringify(document['issuer'] ?? '')}`,
      )
    }
    const url = document['jwks_uri']
    if (typeof url !== 'string' || url === '') throw new Error('oidc: the discovery document has no jwks_uri')
    return url
  }

  #fetchOptions(url: string, namedBy: string | undefined) {
    const { certificateAuthority, dial, timeoutMs = 30_000 } = this.#options
    const reach = namedBy === undefined ? {} : { addresses: discoveredUrlPolicy(url, namedBy) }
    return { timeoutMs, dial, ...reach, ...(certificateAuthority === undefined ? {} : { certificateAuthority }) }
  }
}

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

class TokenBucket {
  readonly #clock: Clock
  #left = burst
  #filled: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#filled = clock.now()
  }

  take(): boolean {
    const now = this.#clock.now()
    this.#left = Math.min(burst, this.#left + Math.max(0, now - this.#filled) / refillMs)
    this.#filled = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
