import { describe, expect, test } from 'vitest'
import { goDate, goDateField, goTime, goTimeField, goZeroTime } from './time.ts'

describe('a time in a message', () => {
  test.each([
    ['2024-05-06T17:18:19Z', '2024-05-06 17:18:19 +0000 UTC'],
    ['2024-05-06T07:08:09.120300Z', '2024-05-06 07:08:09.1203 +0000 UTC'],
    ['2024-05-06T07:08:09.000000Z', '2024-05-06 07:08:09 +0000 UTC'],
  ])('%s', (text, expected) => {
    expect(goTime(text)).toBe(expected)
  })

  test.each([
    ['2024-05-06T07:08:11.25Z', '2024-05-06 07:08:11.25 +0000 UTC'],
    ['2024-05-06T09:08:11.250+02:00', '2024-05-06 07:08:11.25 +0000 UTC'],
    ['2024-05-06T09:08:11+02:00', '2024-05-06 07:08:11 +0000 UTC'],
  ])('written as %s', (written, expected) => {
    expect(goTime('2024-05-06T07:08:11Z', written)).toBe(expected)
  })
})

describe('a time in a struct', () => {
  test.each([
    [null, 'time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)'],
    ['2024-05-06T07:08:09Z', 'time.Date(2024, time.May, 6, 7, 8, 9, 0, time.Local)'],
    ['2024-12-06T07:08:09.120300Z', 'time.Date(2024, time.December, 6, 7, 8, 9, 120300000, time.Local)'],
  ])('%s', (text, expected) => {
    expect(goDate(text)).toBe(expected)
  })
})

test.each([
  [goTimeField('2024-05-06T07:08:09Z'), '2024-05-06 07:08:09 +0000 UTC', '"2024-05-06T07:08:09Z"'],
  [goZeroTime, '0001-01-01 00:00:00 +0000 UTC', 'null'],
  [
    goDateField('2024-05-06T07:08:09Z'),
    'time.Date(2024, time.May, 6, 7, 8, 9, 0, time.Local)',
    '"2024-05-06T07:08:09Z"',
  ],
  [goDateField(undefined), 'time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)', 'null'],
])('%s is JSON in later releases', (shown, go, json) => {
  expect([shown.go, shown.jsonAt(34)]).toEqual([go, json])
})
