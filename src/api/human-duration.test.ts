import { expect, test } from 'vitest'
import { age, humanDuration } from './human-duration.ts'

const s = 1000
const m = 60 * s
const h = 60 * m
const d = 24 * h

test.each([
  [-2 * s, '<invalid>'],
  [-1.5 * s, '0s'],
  [0, '0s'],
  [999, '0s'],
  [1 * s, '1s'],
  [119 * s, '119s'],
  [2 * m, '2m'],
  [2 * m + 3 * s, '2m3s'],
  [9 * m + 59 * s, '9m59s'],
  [10 * m, '10m'],
  [179 * m, '179m'],
  [3 * h, '3h'],
  [3 * h + 5 * m, '3h5m'],
  [8 * h + 5 * m, '8h'],
  [47 * h, '47h'],
  [48 * h, '2d'],
  [50 * h, '2d2h'],
  [8 * d, '8d'],
  [729 * d, '729d'],
  [730 * d, '2y'],
  [731 * d, '2y1d'],
  [8 * 365 * d, '8y'],
  [9 * 365 * d + 40 * d, '9y'],
])('%d ms reads %s', (ms, text) => {
  expect(humanDuration(ms)).toBe(text)
})

test('an age needs a timestamp', () => {
  expect(age(undefined, 0)).toBe('<unknown>')
  expect(age(null, 0)).toBe('<unknown>')
  expect(age('1970-01-01T00:00:00Z', 5 * s)).toBe('5s')
  expect(age('1970-01-01T00:01:00Z', 0)).toBe('<invalid>')
})
