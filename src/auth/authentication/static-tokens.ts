/**
 * Tokens from a file of comma separated lines: token, user name, uid, and optionally groups in one quoted column. Read
 * once; tokens are kept and compared as digests, so that how long a comparison takes discloses nothing about them.
 * Mirrors k8s.io/apiserver/pkg/authentication/token/tokenfile: NewCSV, TokenAuthenticator.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { UserInfo } from '../../api/user.ts'
import { type AuthenticationResult, authenticated, noOpinion, type TokenAuthenticator } from '../authenticator.ts'
import { parseCsv } from './csv.ts'

const digest = (token: string): Buffer => createHash('sha256').update(token).digest()

interface Entry {
  readonly digest: Buffer
  readonly user: UserInfo
}

export class StaticTokens implements TokenAuthenticator {
  readonly #entries: ReadonlyMap<string, Entry>
  /**
   * Tokens that were right before: as many as the file has at most. A text is looked up by a hash of all of it with a
   * secret seed, so that one that is nearly right takes as long as any other.
   */
  readonly #seen = new Map<string, AuthenticationResult>()

  /** Throws an Error that names the file when a line is not well formed. */
  constructor(text: string, file: string) {
    const entries = new Map<string, Entry>()
    for (const [index, columns] of parseCsv(text, file).entries()) {
      const [token = '', name = '', uid = '', groups = ''] = columns
      if (columns.length < 3) {
        throw new Error(
          `token file '${file}' must have at least 3 columns (token, user name, user uid), found ${columns.length}`,
        )
      }
      // An empty token would let in everybody who sends an empty one: the line is left out.
      if (token.trim() === '') continue
      const hash = digest(token)
      const key = hash.toString('latin1')
      if (entries.has(key)) throw new Error(`token file '${file}': the token of line ${index + 1} is there twice`)
      entries.set(key, { digest: hash, user: userOf(name, uid, columns.length >= 4 ? groups : '') })
    }
    this.#entries = entries
  }

  authenticateToken(token: string): AuthenticationResult {
    const known = this.#seen.get(token)
    if (known !== undefined) return known
    const hash = digest(token)
    const entry = this.#entries.get(hash.toString('latin1'))
    if (entry === undefined || !timingSafeEqual(entry.digest, hash)) return noOpinion
    const result = authenticated(entry.user)
    this.#seen.set(token, result)
    return result
  }
}

const userOf = (name: string, uid: string, groups: string): UserInfo => ({
  name,
  ...(uid === '' ? {} : { uid }),
  groups: groups === '' ? [] : groups.split(','),
  extra: new Map(),
})
