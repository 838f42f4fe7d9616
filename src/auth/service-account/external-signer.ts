/**
 * Service account tokens signed by a plugin on a unix socket: `--service-account-signing-endpoint`. The server makes the
 * claims, the plugin adds header and signature; the keys to verify with are fetched from it, again when it says so, and
 * at once when a token names a key that is not known yet.
 *
 * Mirrors pkg/serviceaccount/externaljwt/plugin: Plugin and keyCache.
 */

import { createPublicKey } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { Clock } from '../../lib/clock.ts'
import { GrpcClient, type GrpcMethod } from '../../lib/grpc-client.ts'
import { grpcCodeOf } from '../../lib/grpc-code.ts'
import {
  type FetchedKey,
  type FetchedKeys,
  fetchKeysMethod,
  metadataMethod,
  type SignedParts,
  signMethod,
} from './external-signer-messages.ts'
import type { TokenSigner } from './issuer.ts'
import type { VerificationKey, VerificationKeys } from './keys.ts'

/** Called for each question to the plugin, for metrics. */
export interface SignerMeter {
  called(method: string, code: string, seconds: number): void
  signed(code: string): void
  fetched(code: string): void
  /** Seconds since 1970. */
  dataFrom(timestamp: number): void
}

export interface ExternalSignerOptions {
  /** A path, or `@NAME` in the abstract name space. */
  readonly endpoint: string
  readonly clock: Clock
  readonly meter: SignerMeter
  readonly onError: (error: unknown) => void
}

const syncTimeoutMs = 60_000
const metadataTimeoutMs = 10_000
const signTimeoutMs = 30_000
/** After a fetch that failed. */
const fallbackMs = 10_000
/** Timers are not longer than this: a hint of years must not overflow them. */
const longestMs = 24 * 60 * 60 * 1000
const maxKeyId = 1024
const algorithms = new Set(['RS256', 'ES256', 'ES384', 'ES512'])

export class ExternalSigner implements TokenSigner {
  readonly #options: ExternalSignerOptions
  readonly #client: GrpcClient
  readonly keys: ExternalKeys

  constructor(options: ExternalSignerOptions) {
    this.#options = options
    const { endpoint } = options
    this.#client = new GrpcClient(
      endpoint.startsWith('@') ? `unix:///${endpoint}` : `unix://${endpoint}`,
      syncTimeoutMs,
    )
    this.keys = new ExternalKeys(options, () => this.#call(fetchKeysMethod, undefined, syncTimeoutMs))
  }

  /** Fetches the first keys; the longest life of its tokens in seconds. Rejects when the plugin does not answer. */
  async start(): Promise<number> {
    await this.keys.start()
    const { maxTokenExpirationSeconds } = await this.#call(metadataMethod, undefined, metadataTimeoutMs)
    return maxTokenExpirationSeconds
  }

  async sign(claims: JsonObject): Promise<string> {
    const { meter } = this.#options
    try {
      const token = await this.#assemble(Buffer.from(JSON.stringify(claims)).toString('base64url'))
      meter.signed('OK')
      return token
    } catch (error) {
      meter.signed(grpcCodeOf(error))
      throw error
    }
  }

  close(): void {
    this.keys.close()
    this.#client.close()
  }

  async #assemble(payload: string): Promise<string> {
    const parts = await this.#call(signMethod, payload, signTimeoutMs).catch(wrapped('while signing jwt'))
    await this.#checkHeader(parts).catch(wrapped('while validating header'))
    if (parts.signature === '') throw new Error('empty signature returned')
    return `${parts.header}.${payload}.${parts.signature}`
  }

  async #checkHeader({ header }: SignedParts): Promise<void> {
    const { kid, alg, typ } = parseHeader(header)
    if (typ !== 'JWT') throw new Error('bad type')
    if (kid === '') throw new Error('key id missing')
    if (Buffer.byteLength(kid) > maxKeyId) throw new Error('key id longer than 1 kb')
    if (!algorithms.has(alg)) throw new Error(`bad signing algorithm ${JSON.stringify(alg)}`)
    if ((await this.keys.find(kid)).some(({ hidden }) => hidden)) {
      throw new Error(`key used for signing JWT (kid: ${kid}) is excluded from OIDC discovery docs`)
    }
  }

  async #call<Request, Response>(
    method: GrpcMethod<Request, Response>,
    request: Request,
    timeoutMs: number,
  ): Promise<Response> {
    const begin = performance.now()
    let code = 'OK'
    try {
      return await this.#client.call(method, request, timeoutMs)
    } catch (error) {
      code = grpcCodeOf(error)
      throw error
    } finally {
      this.#options.meter.called(method.path, code, (performance.now() - begin) / 1000)
    }
  }
}

interface Header {
  readonly alg: string
  readonly kid: string
  readonly typ: string
}

function parseHeader(encoded: string): Header {
  if (!/^[A-Za-z0-9_-]*$/.test(encoded)) throw new Error('while unwrapping header: illegal base64 data')
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))
  } catch (error) {
    throw new Error(`while parsing header JSON: ${(error as Error).message}`)
  }
  if (!isJsonObject(value)) throw new Error('while parsing header JSON: not an object')
  const unknown = Object.keys(value).find((key) => key !== 'alg' && key !== 'kid' && key !== 'typ')
  if (unknown !== undefined)
    throw new Error(`while parsing header JSON: json: unknown field ${JSON.stringify(unknown)}`)
  const text = (key: string): string => (typeof value[key] === 'string' ? value[key] : '')
  return { alg: text('alg'), kid: text('kid'), typ: text('typ') }
}

/** The keys that the plugin gave last. */
export class ExternalKeys implements VerificationKeys {
  readonly #options: ExternalSignerOptions
  readonly #fetch: () => Promise<FetchedKeys>
  #keys: readonly VerificationKey[] = []
  #refreshAt = 0
  #syncing: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #closed = false
  version = 0

  constructor(options: ExternalSignerOptions, fetch: () => Promise<FetchedKeys>) {
    this.#options = options
    this.#fetch = fetch
  }

  get maxAgeSeconds(): number {
    return Math.max(0, Math.floor((this.#refreshAt - this.#options.clock.now()) / 1000))
  }

  async start(): Promise<void> {
    await this.#sync().catch(wrapped('while initially filling key cache: while performing initial cache fill'))
    this.#schedule(this.#refreshAt - this.#options.clock.now())
  }

  close(): void {
    this.#closed = true
    this.#cancel?.()
  }

  find(keyId: string | undefined): Awaitable<readonly VerificationKey[]> {
    const known = this.#known(keyId)
    if (known.length > 0) return known
    return this.#sync().then(
      () => this.#known(keyId),
      (error: unknown) => {
        this.#options.onError(error)
        return []
      },
    )
  }

  #known(keyId: string | undefined): readonly VerificationKey[] {
    return keyId === undefined || keyId === '' ? this.#keys : this.#keys.filter((each) => each.keyId === keyId)
  }

  #schedule(ms: number): void {
    if (this.#closed) return
    const { clock, onError } = this.#options
    this.#cancel = clock.setTimeout(
      () => {
        this.#sync().then(
          () => this.#schedule(this.#refreshAt - clock.now()),
          (error: unknown) => {
            onError(error)
            this.#schedule(fallbackMs)
          },
        )
      },
      Math.min(Math.max(ms, 0), longestMs),
    )
  }

  /** Single-flight. */
  #sync(): Promise<void> {
    this.#syncing ??= this.#load().finally(() => {
      this.#syncing = undefined
    })
    return this.#syncing
  }

  async #load(): Promise<void> {
    const { meter, clock } = this.#options
    try {
      const fetched = await this.#fetch().catch(wrapped('while getting externally supported jwt signing keys'))
      const { keys, timestamp } = checkKeys(fetched)
      this.#refreshAt = clock.now() + fetched.refreshHintSeconds * 1000
      this.#keys = keys
      this.version++
      meter.fetched('OK')
      meter.dataFrom(timestamp)
    } catch (error) {
      meter.fetched(grpcCodeOf(error))
      throw wrap(error, 'while fetching token verification keys')
    }
  }
}

function checkKeys({ keys, dataTimestamp, refreshHintSeconds }: FetchedKeys) {
  if (refreshHintSeconds <= 0) throw new Error(`found invalid refresh hint (${refreshHintSeconds}s)`)
  if (keys.length === 0) throw new Error('found no keys')
  if (dataTimestamp === undefined) throw new Error('invalid data timestamp: proto:\u00a0invalid nil Timestamp')
  return { keys: keys.map(checkKey), timestamp: dataTimestamp }
}

function checkKey({ keyId, key, excluded }: FetchedKey): VerificationKey {
  if (keyId === '' || Buffer.byteLength(keyId) > maxKeyId) {
    throw new Error(`found invalid public key id ${JSON.stringify(keyId)}`)
  }
  if (key.length === 0) throw new Error('found empty public key')
  try {
    const parsed = createPublicKey({ key: Buffer.from(key), format: 'der', type: 'spki' })
    return { keyId, key: parsed, hidden: excluded }
  } catch (error) {
    throw new Error(`while parsing external public keys: ${(error as Error).message}`)
  }
}

const wrap = (error: unknown, what: string): Error =>
  new Error(`${what}: ${(error as Error).message}`, { cause: error })

const wrapped =
  (what: string) =>
  (error: unknown): never => {
    throw wrap(error, what)
  }
