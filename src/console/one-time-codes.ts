/** Codes that sign a user in once: random, short-lived, bounded in number. Only their hashes are kept. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { UserInfo } from '../api/user.ts'
import type { Clock } from '../lib/clock.ts'

export const codeMs = 2 * 60_000
/** The oldest goes when there are more. */
const maxCodes = 100
const codeBytes = 32

interface KnownCode {
  readonly hash: Buffer
  readonly user: UserInfo
  readonly expiresAt: number
}

export interface IssuedCode {
  readonly code: string
  readonly expiresAt: number
}

export class OneTimeCodes {
  readonly #clock: Clock
  #codes: readonly KnownCode[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  issue(user: UserInfo): IssuedCode {
    const code = randomBytes(codeBytes).toString('base64url')
    const expiresAt = this.#clock.now() + codeMs
    this.#codes = [...this.#valid(), { hash: hashOf(code), user, expiresAt }].slice(-maxCodes)
    return { code, expiresAt }
  }

  /** The user of a code, which is used up. Every known code is compared, in constant time. */
  redeem(code: string): UserInfo | undefined {
    const given = hashOf(code)
    let found: KnownCode | undefined
    const valid = this.#valid()
    for (const known of valid) if (timingSafeEqual(known.hash, given)) found = known
    this.#codes = valid.filter((known) => known !== found)
    return found?.user
  }

  #valid(): readonly KnownCode[] {
    const now = this.#clock.now()
    return this.#codes.filter(({ expiresAt }) => expiresAt > now)
  }
}

const hashOf = (code: string): Buffer => createHash('sha256').update(code).digest()
