/**
 * Authenticates requests of the console by the cookie of a session: sign-in with one-time codes (links), sessions, and the checks against
 * cross-site request forgery. Loaded with a server that has a console; all else of it is loaded when it is first opened.
 */

import type { Exchange } from '../api/exchange.ts'
import { type Cidr, cidrContains, isLoopbackIp, parseIp } from '../api/ip.ts'
import type { RequestAttributes } from '../api/request-attributes.ts'
import type { RequestContext } from '../api/request-context.ts'
import { sessionCookiePrefix } from '../api/session-cookie.ts'
import { ApiError, unauthorized } from '../api/status-error.ts'
import type { UserInfo } from '../api/user.ts'
import { type AuthenticationResult, authenticated, type Credentials, failed, noOpinion } from '../auth/authenticator.ts'
import { abstain, allow, type Decision } from '../auth/authorizer.ts'
import type { Clock } from '../lib/clock.ts'
import { SideTable } from '../lib/memo.ts'
import { OneTimeCodes } from './one-time-codes.ts'
import { type Session, Sessions } from './sessions.ts'

export interface SessionAuthenticatorOptions {
  readonly clock: Clock
  /** Clients that may come in besides those on this machine. */
  readonly addresses: readonly Cidr[]
  /** The base URL of links. */
  readonly url: () => string
}

export interface ConsoleLink {
  readonly url: string
  readonly expiresAt: number
}

/** A page of another origin cannot send it without being asked first. */
const markHeader = 'x-pilothouse-console'
const anonymous: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'], extra: new Map() }

export class SessionAuthenticator {
  readonly #options: SessionAuthenticatorOptions
  readonly #codes: OneTimeCodes
  readonly #sessions: Sessions
  /** Found by the guard, which every request passes before it is authenticated. */
  readonly #found = new SideTable<RequestContext, { readonly session: Session; readonly exchange: Exchange }>()

  constructor(options: SessionAuthenticatorOptions) {
    this.#options = options
    this.#codes = new OneTimeCodes(options.clock)
    this.#sessions = new Sessions(options.clock)
  }

  link(user: UserInfo, base = this.#options.url()): ConsoleLink {
    const { code, expiresAt } = this.#codes.issue(user)
    return { url: `${base}/console/#code=${code}`, expiresAt }
  }

  /** Throws a 403 for a request with the cookie that a page of another origin, or another machine, may have sent. */
  guard(context: RequestContext): void {
    const { exchange } = context
    const token = tokenOf(exchange.headers)
    if (token === undefined || hasOtherCredential(exchange)) return
    this.#checkAddress(exchange)
    checkOrigin(exchange)
    const session = this.#sessions.find(token)
    if (session === undefined) return
    session.follow(exchange)
    this.#found.set(context, { session, exchange })
  }

  sessionOf(context: RequestContext): Session | undefined {
    return this.#found.get(context)?.session
  }

  authenticate({ headers, peerCertificates, path }: Credentials): AuthenticationResult {
    if (headers['authorization'] !== undefined || peerCertificates.length > 0) return noOpinion
    const token = tokenOf(headers)
    const session = token === undefined ? undefined : this.#sessions.find(token)
    if (session !== undefined) return authenticated(session.user)
    // The page and the way in are for everybody.
    if (isPublic(path)) return authenticated(anonymous)
    return token === undefined ? noOpinion : failed('the session of the console is over')
  }

  readonly authorize = ({ isResourceRequest, path, verb, user }: RequestAttributes): Decision => {
    if (isResourceRequest || !isConsolePath(path)) return noDecision
    if (isPublic(path) && (publicVerbs.has(verb) || (path === sessionPath && verb === 'post'))) return open
    const isKnown = user.groups.includes('system:authenticated')
    return isKnown && openToUsers.get(path)?.has(verb) === true ? open : noDecision
  }

  /** Signs in by a code. Throws a 401 when it is not good. */
  signIn({ exchange }: RequestContext, code: string): { readonly session: Session; readonly cookie: string } {
    this.#checkAddress(exchange)
    checkOrigin(exchange)
    const user = this.#codes.redeem(code)
    if (user === undefined) throw unauthorized('the link has expired or was used: ask for a new one')
    const { token, session } = this.#sessions.begin(user)
    return { session, cookie: cookieOf(exchange, token) }
  }

  /** The cookie that takes the session's back. */
  signOut(context: RequestContext): string {
    const found = this.#found.get(context)
    if (found !== undefined) this.#sessions.signOut(found.session, found.exchange)
    return `${cookieOf(context.exchange, '')}; Max-Age=0`
  }

  close(): void {
    this.#sessions.close()
  }

  #checkAddress({ peer }: Exchange): void {
    const address = parseIp(peer.remoteAddress)
    const isAllowed =
      address !== undefined &&
      (isLoopbackIp(address) || this.#options.addresses.some((range) => cidrContains(range, address)))
    if (!isAllowed) throw refused('the console is open to this machine alone: --console-addresses opens it to others')
  }
}

type Headers = Credentials['headers']

function cookieOf({ peer, headers }: Exchange, token: string): string {
  const isSecure = peer.isSecure === true
  return `${cookieName(headers, isSecure)}=${token}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

/** Cookies of a host are shared by its ports: servers on one machine must not take each other's. */
function cookieName(headers: Headers, isSecure: boolean): string {
  const port = /:([0-9]{1,5})$/.exec(hostOf(headers))?.[1] ?? (isSecure ? '443' : '80')
  return `${isSecure ? '__Host-' : ''}${sessionCookiePrefix}${port}`
}

const hostOf = (headers: Headers): string => String(headers[':authority'] ?? headers['host'] ?? '')

function tokenOf(headers: Headers): string | undefined {
  const cookies = headers['cookie']
  if (typeof cookies !== 'string' || !cookies.includes(sessionCookiePrefix)) return undefined
  const names = [cookieName(headers, true), cookieName(headers, false)]
  for (const pair of cookies.split(';')) {
    const equals = pair.indexOf('=')
    if (equals > 0 && names.includes(pair.slice(0, equals).trim())) return pair.slice(equals + 1).trim()
  }
  return undefined
}

const refused = (message: string): ApiError => new ApiError({ code: 403, reason: 'Forbidden', message })

const noDecision = abstain()
const open = allow("open to everyone who may see the console's page")
const sessionPath = '/console/v1/session'
const publicVerbs: ReadonlySet<string> = new Set(['get', 'head'])

export const isConsolePath = (path: string): boolean => path === '/console' || path.startsWith('/console/')

/** The page and its parts, and where a code is handed in: the code is the credential. */
const isPublic = (path: string): boolean =>
  path === sessionPath || (isConsolePath(path) && path !== '/console/v1' && !path.startsWith('/console/v1/'))

/** They show each user what that user may see anyway. */
const openToUsers: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['/console/v1/capabilities', publicVerbs],
  [sessionPath, new Set(['get', 'head', 'delete'])],
  ['/console/v1/counts', publicVerbs],
  ['/console/v1/search', publicVerbs],
])

const hasOtherCredential = ({ headers, peer }: Exchange): boolean =>
  headers['authorization'] !== undefined || peer.certificates().length > 0

/** Browsers say where a request comes from; pages cannot keep them from it. */
function checkOrigin(exchange: Exchange): void {
  const { headers, method } = exchange
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw refused('a page of another origin asks')
  const origin = headers['origin']
  if (origin !== undefined && origin !== ownOrigin(exchange)) throw refused('a page of another origin asks')
  if (headers['upgrade'] !== undefined && origin === undefined) throw refused('an upgrade needs the header Origin')
  if (method !== 'GET' && method !== 'HEAD' && headers[markHeader] !== '1') {
    throw refused('a request that changes something needs the header X-Pilothouse-Console: 1')
  }
}

function ownOrigin({ headers, peer }: Exchange): string {
  return `${peer.isSecure === true ? 'https' : 'http'}://${hostOf(headers)}`
}
