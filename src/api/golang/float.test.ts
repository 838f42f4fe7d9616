import { expect, test } from 'vitest'
import { goFloat } from './float.ts'

test.each([
  [0, '0'],
  [1.5, '1.5'],
  [-0.0001, '-0.0001'],
  [0.00001, '1e-05'],
  [1e-7, '1e-07'],
  [123456789012, '123456789012'],
  [1e21, '1e+21'],
  [-2.5e100, '-2.5e+100'],
])('%d', (value, text) => {
  expect(goFloat(value)).toBe(text)
})
