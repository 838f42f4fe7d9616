import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quote } from './quote.ts'

/** Printable and unprintable characters, of the basic plane and beyond it. */
const printed = new Map([
  ['a', 'a'],
  ['é', 'é'],
  ['\u00a0', '\\u00a0'],
  ['\u200b', '\\u200b'],
  ['漢', '漢'],
  ['😀', '😀'],
  ['𝒳', '𝒳'],
  ['\u{e0001}', '\\U000e0001'],
  ['\u{f0000}', '\\U000f0000'],
])

test('a text is quoted the same whatever was quoted before: what is memoized follows from the character alone', () => {
  const char = fc.constantFrom(...printed.keys())
  fc.assert(
    fc.property(fc.array(fc.array(char)), (texts) => {
      for (const chars of texts) {
        expect(quote(chars.join(''))).toBe(`"${chars.map((each) => printed.get(each)).join('')}"`)
      }
    }),
  )
})
