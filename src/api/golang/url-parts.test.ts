import { describe, expect, it } from 'vitest'
import { isRequestUri, readUrl } from './url-parts.ts'

describe('a URL', () => {
  it.each([
    ['http://a.b/c?d#e', 'a.b'],
    ['https://[::1]:80/%41', '[::1]:80'],
    ['https://[fe80::1%25en0]:8080/x', '[fe80::1%en0]:8080'],
    ['https://[fe80::1%25a%20b]/', '[fe80::1%a b]'],
    ['https://%c3%a9.x/', 'é.x'],
    ['https://u:%20@h:1/', 'h:1'],
    ['ldap://a:b:1', 'a:b:1'],
    ['mailto:a@b', ''],
  ])('%s has the host %s', (url, host) => {
    expect(readUrl(url, { strictColons: true })).toMatchObject({ host })
  })

  it.each([
    ['https://[1.2.3.4]/', 'invalid IP-literal'],
    ['https://a[::1]/', 'invalid IP-literal'],
    ['https://[::1', "missing ']' in host"],
    ['https://[::1]a', 'invalid port "a" after host'],
    ['https://[a]/', 'invalid host: ParseAddr("a"): unable to parse IP'],
    ['https://[::1%e9]/', 'invalid host: ParseAddr("::1\\xe9"): unexpected character, want colon (at "\\xe9")'],
    ['https://[::%25%07]/', 'invalid URL escape "%07"'],
    ['https://[::%25 ]/', 'invalid character " " in host name'],
    ['https://a%41/', 'invalid URL escape "%41"'],
    ['https://a%4%/', 'invalid URL escape "%4%"'],
    ['https://a:%zz/', 'invalid port ":%zz" after host'],
    ['https://a:b:1/', 'invalid port ":b:1" after host'],
    ['https://u%:p@h/', 'invalid URL escape "%"'],
    ['https://u:%p@h/%zz', 'invalid URL escape "%p"'],
    ['https://u @h/', 'net/url: invalid userinfo'],
    ['https://h/%é', 'invalid URL escape "%é"'],
    ['https://h/#%', 'invalid URL escape "%"'],
    ['a:b/c', undefined],
    ['1a/b:c', undefined],
    ['1a:b/c', 'first path segment in URL cannot contain colon'],
  ])('%s: %s', (url, problem) => {
    const found = readUrl(url, { strictColons: true })
    expect(typeof found === 'string' ? found : undefined).toBe(problem)
  })

  it.each([
    ['/a', true],
    ['a', false],
    ['', false],
    ['http://[::1]/%', false],
  ])('%s can be requested: %s', (url, expected) => {
    expect(isRequestUri(url)).toBe(expected)
  })
})
