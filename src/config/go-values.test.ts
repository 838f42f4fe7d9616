import { describe, expect, it } from 'vitest'
import { parseGoDuration, parseGoFloat, parseGoInt } from './go-values.ts'

describe('durations', () => {
  it.each([
    ['0', 0],
    ['5s', 5000],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['-1m', -60_000],
    ['100ms', 100],
    ['.5s', 500],
    ['1us', 0.001],
  ])('%s', (text, expected) => {
    expect(parseGoDuration(text)).toBe(expected)
  })

  it.each([
    ['', 'time: invalid duration ""'],
    ['5', 'time: missing unit in duration "5"'],
    ['5 s', 'time: unknown unit " s" in duration "5 s"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['abc', 'time: invalid duration "abc"'],
    ['1__proto__', 'time: unknown unit "__proto__" in duration "1__proto__"'],
  ])('refuses %j', (text, message) => {
    expect(() => parseGoDuration(text)).toThrow(message)
  })
})

describe('numbers', () => {
  it.each([
    ['12', 12],
    ['-3', -3],
    ['+3', 3],
    ['0x1f', 31],
    ['017', 15],
    ['0b11', 3],
    ['1_000', 1000],
  ])('int %s', (text, expected) => {
    expect(parseGoInt(text)).toBe(expected)
  })

  it.each(['', 'x', '1.5', '1e3', ' 1', '--1'])('no int: %j', (text) => {
    expect(() => parseGoInt(text)).toThrow(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  })

  it('floats', () => {
    expect(parseGoFloat('0.02')).toBe(0.02)
    expect(() => parseGoFloat('a')).toThrow('strconv.ParseFloat: parsing "a": invalid syntax')
  })
})
