/**
 * Tokens that a request carries: in the `Authorization` header, or as a WebSocket subprotocol for browsers, which cannot
 * set headers there. A token that no authenticator knows is a failed credential, never an anonymous request.
 * Mirrors k8s.io/apiserver/pkg/authentication/request/bearertoken: Authenticator.
 * Mirrors k8s.io/apiserver/pkg/authentication/request/websocket: ProtocolAuthenticator.
 */
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import {
  type AuthenticationResult,
  type Authenticator,
  type Credentials,
  failed,
  noOpinion,
  type TokenAuthenticator,
} from '../authenticator.ts'

export const invalidToken = 'invalid bearer token'

export class BearerTokenAuthenticator implements Authenticator {
  readonly #tokens: TokenAuthenticator

  constructor(tokens: TokenAuthenticator) {
    this.#tokens = tokens
  }

  authenticate(credentials: Credentials): Awaitable<AuthenticationResult> {
    const header = bearerToken(credentials)
    if (header !== undefined) return this.#check(header, credentials)
    const protocol = webSocketToken(credentials)
    if (protocol !== undefined) return this.#check(protocol, credentials)
    return noOpinion
  }

  #check(token: string, credentials: Credentials): Awaitable<AuthenticationResult> {
    const result = this.#tokens.authenticateToken(token, { audiences: credentials.audiences })
    return whenReady(result, settle)
  }
}

const settle = (result: AuthenticationResult): AuthenticationResult =>
  result.outcome === 'no opinion' ? failed(invalidToken) : result

const first = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : (value?.[0] ?? '')

/** The token of `Authorization: Bearer TOKEN`; the word may have any case. Undefined when there is none. */
function bearerToken({ headers }: Credentials): string | undefined {
  const header = first(headers['authorization']).trim()
  if (header === '') return undefined
  const space = header.indexOf(' ')
  if (space < 0 || header.slice(0, space).toLowerCase() !== 'bearer') return undefined
  const rest = header.slice(space + 1)
  const end = rest.indexOf(' ')
  const token = end < 0 ? rest : rest.slice(0, end)
  return token === '' ? undefined : token
}

/** The error of a token with a stray space, which is not verified. */
export const extraSpaceWarning =
  'the provided Authorization header contains extra space before the bearer token, and is ignored'

export function hasExtraSpace({ headers }: Pick<Credentials, 'headers'>): boolean {
  const header = first(headers['authorization'])
  return header.includes('  ') && /^\s*bearer {2}.*\S/i.test(header)
}

const protocolPrefix = 'base64url.bearer.authorization.k8s.io.'

function webSocketToken({ headers }: Credentials): string | undefined {
  const upgrade = first(headers['upgrade']).toLowerCase()
  if (upgrade !== 'websocket') return undefined
  const value = headers['sec-websocket-protocol']
  const protocols = (typeof value === 'string' ? value : (value ?? []).join(',')).split(',').map((text) => text.trim())
  const encoded = protocols.find((text) => text.startsWith(protocolPrefix))?.slice(protocolPrefix.length)
  if (!encoded || !/^[A-Za-z0-9_-]+$/.test(encoded)) return undefined
  // The token must come with a protocol that the server can choose, or the upgrade could not be answered.
  if (protocols.every((text) => text.startsWith(protocolPrefix))) return undefined
  return Buffer.from(encoded, 'base64url').toString('utf8')
}
