import { describe, expect, it } from 'vitest'
import type { Exchange, HeaderValues } from '../api/exchange.ts'
import { parseCidr } from '../api/ip.ts'
import { RequestContext } from '../api/request-context.ts'
import { requestInfo } from '../api/request-info.ts'
import { ApiError } from '../api/status-error.ts'
import type { UserInfo } from '../api/user.ts'
import { FakeClock } from '../auth/testing/fake-clock.ts'
import { callLocally } from '../http/local-exchange.ts'
import { SessionAuthenticator } from './session-authenticator.ts'

const admin: UserInfo = { name: 'admin', groups: ['system:masters'], extra: new Map() }
const anybody: UserInfo = { name: 'a', groups: ['system:authenticated'], extra: new Map() }
const ranges = [parseCidr('10.0.0.0/8')].filter((range) => range !== undefined)
const sessions = new SessionAuthenticator({
  clock: new FakeClock(),
  addresses: ranges,
  url: () => 'https://127.0.0.1:6443',
})
const code = (): string => new URL(sessions.link(admin).url).hash.slice('#code='.length)

/** A request that came over TLS from an address. */
function contextOf(remoteAddress: string, headers: HeaderValues = {}, method = 'POST'): RequestContext {
  let context: RequestContext | undefined
  const target = { method, path: '/console/v1/session', query: '' }
  void callLocally({ ...target, headers: headers as Record<string, string>, body: undefined }, (local) => {
    const peer = { remoteAddress, isSecure: true, certificates: () => [] }
    const exchange = new Proxy<Exchange>(local, {
      get(of, key) {
        const value: unknown = key === 'peer' ? peer : Reflect.get(of, key, of)
        return typeof value === 'function' ? (value.bind(of) as unknown) : value
      },
    })
    context = new RequestContext(exchange, requestInfo(target), anybody)
  })
  return context as RequestContext
}

const marked = { host: '127.0.0.1:6443', 'x-pilothouse-console': '1' }
const refusal = (act: () => unknown): number | undefined => {
  try {
    act()
    return undefined
  } catch (error) {
    return error instanceof ApiError ? error.code : 0
  }
}

describe('the sessions', () => {
  it.each([
    ['127.0.0.1', undefined],
    ['::1', undefined],
    ['::ffff:127.0.0.1', undefined],
    ['10.1.2.3', undefined],
    ['::ffff:10.1.2.3', undefined],
    ['11.0.0.1', 403],
    ['fe80::1', 403],
    ['', 403],
  ])('lets %j in: %j', (address, expected) => {
    const given = code()
    expect(refusal(() => sessions.signIn(contextOf(address, marked), given))).toBe(expected)
  })

  it('keeps a session from leaving its addresses', () => {
    const { cookie } = sessions.signIn(contextOf('127.0.0.1', marked), code())
    const headers = { ...marked, cookie: cookie.slice(0, cookie.indexOf(';')) }
    expect(refusal(() => sessions.guard(contextOf('127.0.0.1', headers)))).toBeUndefined()
    expect(refusal(() => sessions.guard(contextOf('192.0.2.1', headers)))).toBe(403)
    const elsewhere = contextOf('127.0.0.1', { ...headers, host: '127.0.0.1:7443' })
    sessions.guard(elsewhere)
    expect(sessions.sessionOf(elsewhere)).toBeUndefined()
  })

  it('names its cookie by the port, and for the host alone', () => {
    const { cookie } = sessions.signIn(contextOf('127.0.0.1', marked), code())
    expect(cookie).toMatch(/^__Host-pilothouse-console-6443=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
  })

  it.each<[string, string, UserInfo, string]>([
    ['get', '/console/', anybody, 'allow'],
    ['get', '/console/assets/a.js', anybody, 'allow'],
    ['post', '/console/v1/session', anybody, 'allow'],
    ['get', '/console/v1/capabilities', anybody, 'allow'],
    ['get', '/console/v1/capabilities', { ...anybody, groups: [] }, 'no opinion'],
    ['post', '/console/v1/capabilities', anybody, 'no opinion'],
    ['get', '/console/v1/requests', anybody, 'no opinion'],
    ['get', '/console/v1', anybody, 'no opinion'],
    ['delete', '/console/', anybody, 'no opinion'],
    ['get', '/consoles', anybody, 'no opinion'],
    ['get', '/api', anybody, 'no opinion'],
  ])('%s %s is open to %j: %s', (verb, path, user, verdict) => {
    const nothing = { apiGroup: '', apiVersion: '', resource: '', subresource: '', namespace: '', name: '' }
    expect(sessions.authorize({ user, verb, path, isResourceRequest: false, ...nothing }).verdict).toBe(verdict)
  })
})
