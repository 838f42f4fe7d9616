import { describe, expect, test } from 'vitest'
import { proxyFromEnvironment } from './environment-proxy.ts'

const HTTPS_PROXY = 'http://proxy.example:3128'
const chosen = (environment: Record<string, string>, authority: string, scheme: 'http' | 'https' = 'https') => {
  const proxy = proxyFromEnvironment(environment)({ scheme, authority })
  return proxy === undefined ? undefined : `${proxy.scheme}://${proxy.authority}`
}

describe('the proxy of a request', () => {
  test.each<[string, Record<string, string>, string, ('http' | 'https')?, string?]>([
    ['nothing is named', {}, 'a.example'],
    ['by scheme', { HTTPS_PROXY }, 'a.example', 'https', HTTPS_PROXY],
    ['not of the other scheme', { HTTPS_PROXY }, 'a.example', 'http'],
    ['in small letters', { https_proxy: HTTPS_PROXY }, 'a.example', 'https', HTTPS_PROXY],
    ['capitals win', { https_proxy: 'http://other', HTTPS_PROXY }, 'a.example', 'https', HTTPS_PROXY],
    ['without a scheme', { HTTPS_PROXY: 'p:1' }, 'a.example', 'https', 'http://p:1'],
    ['over TLS', { HTTPS_PROXY: 'https://p' }, 'a.example', 'https', 'https://p'],
    ['never for localhost', { HTTPS_PROXY }, 'localhost:443'],
    ['never for loopback addresses', { HTTPS_PROXY }, '127.3.4.5:443'],
    ['never for loopback addresses', { HTTPS_PROXY }, '[::1]:443'],
    ['a domain and what is below it', { HTTPS_PROXY, NO_PROXY: 'x,example' }, 'a.example:8443'],
    ['a domain itself', { HTTPS_PROXY, NO_PROXY: 'a.example' }, 'A.Example'],
    ['below a domain only', { HTTPS_PROXY, NO_PROXY: '.example' }, 'a.example'],
    ['below a domain only', { HTTPS_PROXY, NO_PROXY: '.example' }, 'example', 'https', HTTPS_PROXY],
    ['a star for what is below', { HTTPS_PROXY, no_proxy: '*.svc' }, 'hook.ns.svc:443'],
    ['no part of a label', { HTTPS_PROXY, NO_PROXY: 'ample' }, 'a.example', 'https', HTTPS_PROXY],
    ['a port', { HTTPS_PROXY, NO_PROXY: 'a.example:8443' }, 'a.example:8443'],
    ['another port', { HTTPS_PROXY, NO_PROXY: 'a.example:8443' }, 'a.example', 'https', HTTPS_PROXY],
    ['an address', { HTTPS_PROXY, NO_PROXY: '10.0.0.1' }, '10.0.0.1:443'],
    ['an address of version 6', { HTTPS_PROXY, NO_PROXY: 'fd00::1' }, '[fd00::1]:443'],
    ['a range', { HTTPS_PROXY, NO_PROXY: ' 10.96.0.0/12 ' }, '10.97.0.1:443'],
    ['beyond a range', { HTTPS_PROXY, NO_PROXY: '10.96.0.0/12' }, '10.1.0.1:443', 'https', HTTPS_PROXY],
    ['everything', { HTTPS_PROXY, NO_PROXY: 'a,*' }, 'b'],
  ])('%s: %j, %s', (_, environment, authority, scheme = 'https', expected = undefined) => {
    expect(chosen(environment, authority, scheme)).toBe(expected)
  })

  test('has its own credentials', () => {
    const proxy = proxyFromEnvironment({ HTTPS_PROXY: 'http://me:a%40b@p:1' })({ scheme: 'https', authority: 'x' })
    expect(proxy).toMatchObject({ authorization: `Basic ${btoa('me:a@b')}`, host: 'p', port: 1 })
  })

  test('that cannot be used is an error', () => {
    expect(() => chosen({ HTTPS_PROXY: 'socks5://p' }, 'x')).toThrow('invalid proxy address "socks5://p"')
    expect(() => chosen({ HTTP_PROXY: 'p', REQUEST_METHOD: 'GET' }, 'x', 'http')).toThrow('CGI')
  })
})
