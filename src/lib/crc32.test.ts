import { describe, expect, test } from 'vitest'
import { crc32, shortCrc32 } from './crc32.ts'

const bytes = Buffer.from('The quick brown fox jumps over the lazy dog')

describe('the checksum', () => {
  test.each([
    ['', 0x00000000],
    ['a', 0xe8b7be43],
    ['123456789', 0xcbf43926],
    [bytes.toString(), 0x414fa339],
  ])('of %j is that of the standard', (text, sum) => {
    const given = Buffer.from(text)
    expect([crc32(given), shortCrc32(given, { start: 0, end: given.length })]).toEqual([sum, sum])
  })

  test('of two parts, one after the other, is that of the whole', () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const seed = shortCrc32(bytes, { start: 0, end: cut })
      expect(shortCrc32(bytes, { start: cut, end: bytes.length, seed })).toBe(crc32(bytes))
    }
  })
})
