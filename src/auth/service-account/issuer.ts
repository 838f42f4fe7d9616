/** Makes service account tokens: claims for an account and what they are bound to, signed by a key or by a plugin. */

import type { JsonObject } from '../../api/json.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { Clock } from '../../lib/clock.ts'
import { signToken } from '../jwt/jws.ts'
import { type TokenSubject, tokenClaims } from './claims.ts'
import type { SigningKey } from './keys.ts'

export interface TokenSigner {
  /** The whole token. */
  sign(claims: JsonObject): Awaitable<string>
}

export const keySigner = ({ privateKey, keyId }: SigningKey): TokenSigner => ({
  sign: (claims) => signToken(claims, privateKey, keyId),
})

export interface TokenIssuerOptions {
  readonly issuer: string
  readonly signer: TokenSigner
  readonly clock: Clock
}

export interface TokenOrder {
  readonly subject: TokenSubject
  readonly audiences: readonly string[]
  readonly lifetimeSeconds: number
  readonly warnAfterSeconds?: number
}

export interface IssuedToken {
  readonly token: string
  /** The `jti`, for the audit annotation. */
  readonly id: string
}

export class TokenIssuer {
  readonly #options: TokenIssuerOptions

  constructor(options: TokenIssuerOptions) {
    this.#options = options
  }

  async issue({ subject, audiences, lifetimeSeconds, warnAfterSeconds }: TokenOrder): Promise<IssuedToken> {
    const { issuer, signer, clock } = this.#options
    const id = clock.uuid()
    const times = {
      now: Math.floor(clock.now() / 1000),
      lifetime: lifetimeSeconds,
      ...(warnAfterSeconds === undefined ? {} : { warnAfter: warnAfterSeconds }),
    }
    const { aud, exp, iat, ...rest } = tokenClaims(subject, audiences, times, id)
    return { token: await signer.sign({ aud, exp, iat, iss: issuer, ...rest }), id }
  }
}
