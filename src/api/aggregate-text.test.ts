import { expect, test } from 'vitest'
import { aggregateText } from './aggregate-text.ts'

test.each([
  [['a'], 'a'],
  [['a', 'a'], 'a'],
  [['a', 'b', 'a'], '[a, b]'],
  [[''], ''],
])('%j reads %s', (texts, expected) => {
  expect(aggregateText(texts)).toBe(expected)
})
