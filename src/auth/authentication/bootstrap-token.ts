/**
 * Bootstrap tokens, with which new nodes join: `ID.SECRET`, kept in the secret `bootstrap-token-ID` of kube-system. Reads
 * the live secret each time, so that a deleted or expired token is worth nothing at once.
 * Mirrors plugin/pkg/auth/authenticator/token/bootstrap: TokenAuthenticator.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isJsonObject } from '../../api/json.ts'
import type { ObjectSource } from '../../api/object-source.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { type AuthenticationResult, authenticated, noOpinion, type TokenAuthenticator } from '../authenticator.ts'

const shape = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const groupShape = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
const defaultGroup = 'system:bootstrappers'

export class BootstrapTokens implements TokenAuthenticator {
  readonly #secrets: ObjectSource
  readonly #clock: Clock

  constructor(secrets: ObjectSource, clock: Clock = systemClock) {
    this.#secrets = secrets
    this.#clock = clock
  }

  authenticateToken(token: string): AuthenticationResult {
    const [, id = '', secret = ''] = shape.exec(token) ?? []
    if (id === '') return noOpinion
    const object = this.#secrets.get('kube-system', `bootstrap-token-${id}`)
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return noOpinion
    if (object['type'] !== 'bootstrap.kubernetes.io/token') return noOpinion
    const data = isJsonObject(object['data']) ? object['data'] : {}
    const field = (name: string): string => Buffer.from(String(data[name] ?? ''), 'base64').toString('utf8')
    if (!sameText(field('token-secret'), secret) || field('token-id') !== id) return noOpinion
    if (field('usage-bootstrap-authentication') !== 'true') return noOpinion
    const expiration = field('expiration')
    if (expiration !== '') {
      const expires = Date.parse(expiration)
      if (Number.isNaN(expires) || expires <= this.#clock.now()) return noOpinion
    }
    const groups = extraGroups(field('auth-extra-groups'))
    if (groups === undefined) return noOpinion
    return authenticated({ name: `system:bootstrap:${id}`, groups: [defaultGroup, ...groups], extra: new Map() })
  }
}

function sameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** Undefined when one of the groups is not allowed: then the whole token is not. */
function extraGroups(text: string): string[] | undefined {
  if (text === '') return []
  const groups = [...new Set(text.split(','))]
  return groups.every((group) => groupShape.test(group)) ? groups.sort() : undefined
}
