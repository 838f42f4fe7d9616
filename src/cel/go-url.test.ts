import { describe, expect, it } from 'vitest'
import { formatUrl, fromBytes, parseUrl, UrlError } from './go-url.ts'

describe('a URL', () => {
  it.each([
    ['http://a/%41?b=%41#%41', 'http://a/%41?b=%41#%41'],
    ['#é', '#%C3%A9'],
    ['#a?b/c"d', '#a?b/c%22d'],
    ['http://[fe80::1%25e%6e0]:80/', 'http://[fe80::1%25en0]:80/'],
    ['HTTP://é%C3%A9/', 'http://%C3%A9%C3%A9/'],
  ])('%s is written as it was where that is valid', (text, written) => {
    expect(fromBytes(formatUrl(parseUrl(text)))).toBe(written)
  })

  it.each([
    ['%2é', String.raw`invalid URL escape "%2\xc3"`],
    ['//a[::1]', 'invalid IP-literal'],
    ['//[1.2.3.4]', 'invalid IP-literal'],
    ['//[::1', "missing ']' in host"],
    ['//[::1]x', 'invalid port "x" after host'],
    ['//a^', 'invalid character "^" in host name'],
    ['//%41', 'invalid URL escape "%41"'],
  ])('%s is refused in the words of the reference', (text, message) => {
    expect(() => parseUrl(text)).toThrow(new UrlError(message))
  })
})
