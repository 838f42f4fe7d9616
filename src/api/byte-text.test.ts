import fc from 'fast-check'
import { expect, test } from 'vitest'
import { brokenEscape, bytesOfText, textOfBytes, unescapePercent, wellFormed } from './byte-text.ts'
import { quote } from './golang/quote.ts'
import { QueryParameters } from './query-parameters.ts'

test('bytes survive as text, whatever they are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(bytesOfText(textOfBytes(Buffer.from(bytes)))).toEqual(Buffer.from(bytes))
    }),
  )
})

test('bytes between characters survive, and so do the characters', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const bytes = Buffer.concat(parts)
      const text = textOfBytes(bytes)
      expect(bytesOfText(text)).toEqual(bytes)
      expect(wellFormed(text).replaceAll('\ufffd', '')).toBe(bytes.toString('utf8').replaceAll('\ufffd', ''))
      const escaped = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
      expect(unescapePercent(escaped)).toBe(text)
      expect(unescapePercent(escaped.toUpperCase())).toBe(text)
    }),
  )
})

test('text that is UTF-8 stays itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(textOfBytes(Buffer.from(text))).toBe(text)
      expect(unescapePercent(encodeURIComponent(text))).toBe(text)
    }),
  )
})

test.each([
  ['%ff', '"\\xff"'],
  ['a%C3%BCb%ff%fe', '"aüb\\xff\\xfe"'],
  ['%ED%A0%80', '"\\xed\\xa0\\x80"'],
  ['%F0%9F%98', '"\\xf0\\x9f\\x98"'],
  ['%C0%80', '"\\xc0\\x80"'],
])('%s is printed as Go prints it', (written, printed) => {
  expect(quote(unescapePercent(written) ?? '')).toBe(printed)
})

test('what is no character is replaced where JSON must hold it', () => {
  expect(wellFormed(unescapePercent('a%ffb') ?? '')).toBe('a\ufffdb')
  expect(wellFormed('\u{1f600}')).toBe('\u{1f600}')
})

test.each([
  ['%zz', '%zz'],
  ['a%', '%'],
  ['a%2', '%2'],
  ['%20%4g', '%4g'],
  ['%éa', '%é'],
  ['%a\u{1f600}', '%a\udcf0'],
])('%s has a broken escape', (text, broken) => {
  expect(brokenEscape(text)).toBe(broken)
  expect(unescapePercent(text)).toBeUndefined()
})

test.each([
  ['labelSelector=%zz', 'invalid URL escape "%zz"'],
  ['%zz=1', 'invalid URL escape "%zz"'],
  ['a=1&labelSelector=a;b', 'invalid semicolon separator in query'],
])('a pair of %s that cannot be read is reported', (query, why) => {
  expect(QueryParameters.parse(query).unreadable).toBe(why)
})

test('a query of more parameters than Go reads has none', () => {
  const [most, more] = [10_000, 10_001].map((count) =>
    QueryParameters.parse(Array.from({ length: count }, () => 'a=1').join('&')),
  )
  expect([most?.all('a').length, most?.unreadable]).toEqual([10_000, undefined])
  expect([more?.isEmpty, more?.unreadable]).toEqual([true, 'number of URL query parameters exceeded limit'])
})

test('a query that can be read says nothing else', () => {
  const query = QueryParameters.parse('a=%ff&a=b+c&d&=e&')
  expect(query.unreadable).toBeUndefined()
  expect(query.all('a').map(quote)).toEqual(['"\\xff"', '"b c"'])
  expect(query.get('d')).toBe('')
})
