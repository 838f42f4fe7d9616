import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canonicalMicroTime,
  canonicalTime,
  compareInstants,
  formatMicroTime,
  formatTime,
  instantOfMillis,
  millisOfInstant,
  parseMicroTime,
  parseTime,
  TimeError,
} from './time.ts'

const layout = '"2006-01-02T15:04:05Z07:00"'
const microLayout = '"2006-01-02T15:04:05.000000Z07:00"'

describe('times', () => {
  test.each<[string, string | null]>([
    ['2024-05-06T07:08:09Z', '2024-05-06T07:08:09Z'],
    ['2024-05-06T07:08:09.999999999Z', '2024-05-06T07:08:09Z'],
    ['2024-05-06T07:08:09,5Z', '2024-05-06T07:08:09Z'],
    ['2024-05-06T7:08:09Z', '2024-05-06T07:08:09Z'],
    ['2024-05-06T07:08:09+02:00', '2024-05-06T05:08:09Z'],
    ['2024-01-01T00:00:00-24:60', '2024-01-02T01:00:00Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['9999-12-31T23:59:59-01:00', '10000-01-01T00:59:59Z'],
    ['0000-01-01T00:00:00+01:00', '-0001-12-31T23:00:00Z'],
    ['0001-01-01T00:00:00Z', null],
    ['0001-01-01T01:00:00+01:00', null],
    ['0050-01-01T00:00:00Z', '0050-01-01T00:00:00Z'],
  ])('%s is stored as %s', (text, stored) => expect(canonicalTime(text)).toBe(stored))

  test.each([
    ['yesterday', ` as ${layout}: cannot parse "yesterday" as "2006"`],
    ['', ` as ${layout}: cannot parse "" as "2006"`],
    ['2024', ` as ${layout}: cannot parse "" as "-"`],
    ['2024-5-06T07:08:09Z', ` as ${layout}: cannot parse "5-06T07:08:09Z" as "01"`],
    ['2024-05-06 07:08:09Z', ` as ${layout}: cannot parse " 07:08:09Z" as "T"`],
    ['2024-05-06T07:08:09', ` as ${layout}: cannot parse "" as "Z07:00"`],
    ['2024-05-06T07:08:09z', ` as ${layout}: cannot parse "z" as "Z07:00"`],
    ['2024-05-06T07:08:09*02:00', ` as ${layout}: cannot parse "*02:00" as "Z07:00"`],
    ['2024-05-06T07:08:09.Z', ` as ${layout}: cannot parse ".Z" as "Z07:00"`],
    ['2024-05-06T07:08:09+25:00', ': time zone offset hour out of range'],
    ['2024-05-06T07:08:09+02:61', ': time zone offset minute out of range'],
    ['2024-05-06T07:08:09ZZ', ': extra text: "Z"'],
    ['2024-13-06T07:08:09Z', ': month out of range'],
    ['2024-02-30T07:08:09Z', ': day out of range'],
    ['2023-02-29T07:08:09Z', ': day out of range'],
    ['2024-05-06T24:08:09Z', ': hour out of range'],
    ['2024-05-06T07:60:09Z', ': minute out of range'],
    ['2024-05-06T07:08:60Z', ': second out of range'],
  ])('%j is refused', (text, what) => {
    expect(() => canonicalTime(text)).toThrow(new TimeError(`parsing time ${JSON.stringify(text)}${what}`))
  })

  test('what is not printable is quoted byte by byte', () => {
    expect(() => parseTime('é\n')).toThrow(
      `parsing time "\\xc3\\xa9\\x0a" as ${layout}: cannot parse "\\xc3\\xa9\\x0a" as "2006"`,
    )
  })

  test('an instant keeps its nanoseconds', () => {
    expect(parseTime('1970-01-01T00:00:01.123456789123Z')).toEqual({ seconds: 1, nanos: 123456789 })
    expect(parseTime('1969-12-31T23:59:59.5Z')).toEqual({ seconds: -1, nanos: 500_000_000 })
  })

  test('writing and reading agree with the platform', () => {
    fc.assert(
      fc.property(fc.integer({ min: -6e13, max: 2e14 }), (millis) => {
        const instant = instantOfMillis(millis)
        expect(millisOfInstant(instant)).toBe(millis)
        expect(parseTime(new Date(millis).toISOString())).toEqual(instant)
        expect(parseMicroTime(formatMicroTime(instant))).toEqual(instant)
        expect(compareInstants(parseTime(formatTime(instant)), instant)).toBe(millis % 1000 === 0 ? 0 : -1)
      }),
    )
  })
})

describe('times with six digits of a second', () => {
  test.each<[string, string | null]>([
    ['2024-05-06T07:08:09.123456Z', '2024-05-06T07:08:09.123456Z'],
    ['2024-05-06T07:08:09.123456+01:00', '2024-05-06T06:08:09.123456Z'],
    ['0001-01-01T00:00:00.000000Z', null],
    ['2024-05-06T07:08:09.+12345Z', '2024-05-06T07:08:09.012345Z'],
  ])('%s is stored as %s', (text, stored) => expect(canonicalMicroTime(text)).toBe(stored))

  test.each([
    ['2024-05-06T07:08:09Z', ` as ${microLayout}: cannot parse "Z" as ".000000"`],
    ['2024-05-06T07:08:09.123Z', ` as ${microLayout}: cannot parse ".123Z" as ".000000"`],
    ['2024-05-06T07:08:09.1234567Z', ` as ${microLayout}: cannot parse "7Z" as "Z07:00"`],
    ['2024-05-06T07:08:09.-12345Z', ': fractional second out of range'],
  ])('%j is refused', (text, what) => {
    expect(() => canonicalMicroTime(text)).toThrow(new TimeError(`parsing time ${JSON.stringify(text)}${what}`))
  })
})
