/** Makes service account tokens: claims for an account and what they are bound to, signed with the server's key. */
import type { Clock } from '../../lib/clock.ts'
import { signToken } from '../jwt/jws.ts'
import { type TokenSubject, tokenClaims } from './claims.ts'
import type { SigningKey } from './keys.ts'

export interface TokenIssuerOptions {
  readonly issuer: string
  readonly key: SigningKey
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

  issue({ subject, audiences, lifetimeSeconds, warnAfterSeconds }: TokenOrder): IssuedToken {
    const { issuer, key, clock } = this.#options
    const id = clock.uuid()
    const times = {
      now: Math.floor(clock.now() / 1000),
      lifetime: lifetimeSeconds,
      ...(warnAfterSeconds === undefined ? {} : { warnAfter: warnAfterSeconds }),
    }
    const { aud, exp, iat, ...rest } = tokenClaims(subject, audiences, times, id)
    return { token: signToken({ aud, exp, iat, iss: issuer, ...rest }, key.privateKey, key.keyId), id }
  }
}
