/** A real OIDC issuer for tests: HTTPS, a discovery document, keys that can be rotated, tokens with any claims. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '../../../src/api/json.ts'
import { signToken } from '../../../src/auth/jwt/jws.ts'
import type { KeyAndCertificate } from './certificates.ts'

export class OidcIssuer {
  readonly #server: Server
  #signing: { readonly keyId: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject }
  #generation = 0
  /** What is said of the issuer in the discovery document, when it is not the truth. */
  claimsToBe: string | undefined
  /** Serves no discovery document while true. */
  hidden = false
  /** Who has the keys that the discovery document names, when it is another. */
  keysOf: OidcIssuer | undefined
  /** Answers 500 while true. */
  broken = false
  /** How often each path was asked for. */
  readonly requests = new Map<string, number>()
  /** What else is served, by path: tokens with distributed claims. */
  readonly texts = new Map<string, () => string>()
  readonly authorizations: (string | undefined)[] = []

  constructor(serving: KeyAndCertificate) {
    this.#signing = this.#newKey()
    this.#server = createServer({ key: serving.key, cert: serving.certificate }, (request, response) => {
      const path = request.url ?? ''
      this.requests.set(path, (this.requests.get(path) ?? 0) + 1)
      if (this.broken) response.writeHead(500).end()
      else if (this.texts.has(path)) {
        this.authorizations.push(request.headers.authorization)
        response.end(this.texts.get(path)?.())
      } else if (path === '/keys') response.end(JSON.stringify(this.#keys()))
      else if (this.hidden) response.writeHead(404).end()
      else if (path.endsWith('/config') || path === '/.well-known/openid-configuration') {
        response.end(
          JSON.stringify({ issuer: this.claimsToBe ?? this.url, jwks_uri: `${(this.keysOf ?? this).url}/keys` }),
        )
      } else response.writeHead(404).end()
    })
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  rotate(): void {
    this.#signing = this.#newKey()
  }

  #newKey() {
    this.#generation++
    return { keyId: `key-${this.#generation}`, ...generateKeyPairSync('ec', { namedCurve: 'prime256v1' }) }
  }

  get publicKey(): KeyObject {
    return this.#signing.publicKey
  }

  get keyId(): string {
    return this.#signing.keyId
  }

  #keys(): JsonObject {
    const { crv = '', x = '', y = '' } = this.#signing.publicKey.export({ format: 'jwk' })
    return { keys: [{ kty: 'EC', use: 'sig', alg: 'ES256', kid: this.#signing.keyId, crv, x, y }] }
  }

  /** Signed with a key that the issuer does not have, under the name of one that it has. */
  forged(claims: JsonObject): string {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    return signToken({ iss: this.url, ...claims }, privateKey, this.#signing.keyId)
  }

  token(claims: JsonObject): string {
    const now = Math.floor(Date.now() / 1000)
    const all = { iss: this.url, iat: now, exp: now + 3600, ...claims }
    const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    return signToken(present, this.#signing.privateKey, this.#signing.keyId)
  }
}
