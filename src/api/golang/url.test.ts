import { describe, expect, test } from 'vitest'
import { clientGoPath, formatGoUrl, parseGoUrl, requestTarget, resolveReference } from './url.ts'

describe('a path as client-go calls it', () => {
  test.each([
    ['', '/'],
    ['/', '/'],
    ['//a', '/a'],
    ['/a//b', '/a/b'],
    ['/a/', '/a'],
    ['/a/../b/./c', '/b/c'],
    ['/../a', '/a'],
    ['/a%2Fb', '/a/b'],
    ['/a%2F%2e%2e%2Fb', '/b'],
    ['/a%20b', '/a%20b'],
    ['/a%25b', '/a%25b'],
    ['/a%3Fb', '/a%3Fb'],
    ["/a!b'c(d)", '/a%21b%27c%28d%29'],
    ['/$&+,:;=@', '/$&+,:;=@'],
    ['/ä', '/%C3%A4'],
    ['/%ff', '/%FF'],
  ])('%j is %j', (path, expected) => {
    expect(clientGoPath(path)).toBe(expected)
  })
})

describe('a URL', () => {
  test.each([
    ['https://a', { host: 'a', port: 443, path: '' }],
    ['https://a:8443/p?q=1#f', { host: 'a', port: 8443, path: '/p', query: 'q=1' }],
    ['http://u:p@a/', { host: 'a', port: 80, authority: 'a' }],
    ['https://[::1]:1/', { host: '::1', port: 1, authority: '[::1]:1' }],
    ['https://0177.0.0.1/', { host: '0177.0.0.1' }],
    ['https://0x7f.1/', { host: '0x7f.1' }],
    ['https://2130706433/', { host: '2130706433' }],
    ['HTTPS://a/%41', { scheme: 'https', path: '/%41' }],
  ])('%s', (text, expected) => {
    expect(parseGoUrl(text)).toMatchObject(expected)
  })

  test.each(['', 'a', 'ftp://a', 'https://', 'https://a:b/', 'https://a:70000/', 'https://a/%zz', 'https://a b/'])(
    '%j is none',
    (text) => {
      expect(parseGoUrl(text)).toBeUndefined()
    },
  )
})

describe('a location', () => {
  const base = parseGoUrl('https://a:1/b/c?d=e')
  test.each([
    ['https://x/y', 'https://x/y'],
    ['//x/y', 'https://x/y'],
    ['/y?z', 'https://a:1/y?z'],
    ['y', 'https://a:1/b/y'],
    ['../y', 'https://a:1/y'],
    ['../../../y', 'https://a:1/y'],
    ['./', 'https://a:1/b/'],
    ['?z', 'https://a:1/b/c?z'],
    ['', 'https://a:1/b/c?d=e'],
  ])('%j leads to %s', (location, expected) => {
    const to = base && resolveReference(base, location)
    expect(to && formatGoUrl(to)).toBe(expected)
  })

  test.each(['ftp://x/', 'mailto:a', '/%zz'])('%j leads nowhere', (location) => {
    expect(base && resolveReference(base, location)).toBeUndefined()
  })
})

test('a request line holds no other bytes than it may', () => {
  expect(requestTarget('/a b\nä', 'x=ü')).toBe('/a%20b%0A%C3%A4?x=%C3%BC')
})
