import { describe, expect, it } from 'vitest'
import { compareKeys } from './yaml-key-order.ts'

const sign = (order: number): number => Math.sign(order)

describe('keys of YAML', () => {
  it.each([
    ['a', 'b', -1],
    ['a', 'a', 0],
    ['a', 'ab', -1],
    ['a2', 'a10', -1],
    ['a02', 'a2', 1],
    ['a10', 'a100', -1],
    ['a101', 'a11', 1],
    ['a1b', 'a12', -1],
    ['ab', 'a1', 1],
    ['a-', 'ab', -1],
    ['A', 'a', -1],
    ['1é', '12', -1],
    ['é', 'z', 1],
    ['a90071992547409921', 'a90071992547409920', 1],
    ['a9', 'a90071992547409920', -1],
    ['\u{1d7ce}a', '\u{1d7ce}1', -1],
    ['\u{1f600}', '\u{1f601}', -1],
    ['\u{1f600}', '\u{10400}', -1],
    ['', 'a', -1],
  ])('%j and %j', (a, b, expected) => {
    expect(sign(compareKeys(a, b))).toBe(expected)
    expect(sign(compareKeys(b, a))).toBe(expected === 0 ? 0 : -expected)
  })

  it('are compared as they are character by character', () => {
    const parts = ['', '0', '1', '9', '10', 'a', 'B', 'é', '-', '.', '\u{1d7ce}', '\u{10400}', '\u{1f600}', '00']
    const keys = parts.flatMap((a) => parts.flatMap((b) => parts.map((c) => a + b + c)))
    for (let i = 0; i < keys.length; i++) {
      const [a, b] = [keys[i] as string, keys[(i * 7919 + 13) % keys.length] as string]
      expect([a, b, sign(compareKeys(a, b))]).toEqual([a, b, sign(plainly(a, b))])
    }
  })
})

/** The same, by lists of characters. */
function plainly(a: string, b: string): number {
  const [x, y] = [[...a], [...b]]
  let afterDigit = false
  for (let i = 0; i < x.length && i < y.length; i++) {
    const [p, q] = [x[i] as string, y[i] as string]
    if (p === q) {
      afterDigit = /\p{Nd}/u.test(p)
      continue
    }
    const letters = [/\p{L}/u.test(p), /\p{L}/u.test(q)]
    const byCode = (p.codePointAt(0) ?? 0) - (q.codePointAt(0) ?? 0)
    if (letters[0] && letters[1]) return byCode
    if (letters[0] || letters[1]) return letters[0] === afterDigit ? -1 : 1
    return plainRuns(x, y, i) || byCode
  }
  return x.length - y.length
}

function plainRuns(x: readonly string[], y: readonly string[], at: number): number {
  const digits = (chars: readonly string[]): string => /^[0-9]*/.exec(chars.slice(at).join(''))?.[0] ?? ''
  let lead = ''
  if (x[at] === '0' || y[at] === '0') {
    for (let i = at - 1; i >= 0 && /\p{Nd}/u.test(x[i] as string); i--) if (x[i] !== '0') lead = '1'
  }
  const [m, n] = [BigInt(`${lead}${digits(x)}` || '0'), BigInt(`${lead}${digits(y)}` || '0')]
  return m === n ? digits(x).length - digits(y).length : m < n ? -1 : 1
}
