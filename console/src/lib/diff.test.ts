import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLines, hunksOf } from './diff.ts'

const side = (lines: ReturnType<typeof diffLines>, sign: '+' | '-') =>
  lines.filter((line) => line.sign === ' ' || line.sign === sign).map(({ text }) => text)

describe('diffLines', () => {
  it.each([
    ['', '', ''],
    ['a b c', 'a b c', ' a| b| c'],
    ['a b c', 'a x c', ' a|-b|+x| c'],
    ['a c', 'a b c', ' a|+b| c'],
    ['a b c', 'a c', ' a|-b| c'],
    ['', 'a b', '+a|+b'],
    ['a b', '', '-a|-b'],
    ['a b c a b b a', 'c b a b a c', undefined],
  ])('of “%s” and “%s”', (left, right, wanted) => {
    const split = (text: string) => (text === '' ? [] : text.split(' '))
    const lines = diffLines(split(left), split(right))
    expect(side(lines, '-')).toEqual(split(left))
    expect(side(lines, '+')).toEqual(split(right))
    if (wanted !== undefined) expect(lines.map(({ sign, text }) => sign + text).join('|')).toBe(wanted)
  })

  it('has both sides whole, whatever they are', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
    fc.assert(
      fc.property(lines, lines, (left, right) => {
        const found = diffLines(left, right)
        expect(side(found, '-')).toEqual(left)
        expect(side(found, '+')).toEqual(right)
      }),
    )
  })

  it('gives up the smallest difference where the sides have little in common, and stays right', () => {
    const left = Array.from({ length: 3000 }, (_, index) => `l${index}`)
    const right = Array.from({ length: 3000 }, (_, index) => `r${index}`)
    const found = diffLines(left, right)
    expect(side(found, '-')).toEqual(left)
    expect(side(found, '+')).toEqual(right)
  })
})

describe('hunksOf', () => {
  it('keeps some lines around differences and counts what it leaves out', () => {
    const left = Array.from({ length: 30 }, (_, index) => String(index))
    const right = left.map((line) => (line === '15' ? 'x' : line))
    const [hunk, ...others] = hunksOf(diffLines(left, right), 2)
    expect(others).toEqual([])
    expect(hunk?.skipped).toBe(13)
    expect(hunk?.lines.map(({ text }) => text)).toEqual(['13', '14', '15', 'x', '16', '17'])
  })
})
