import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  exactFieldValue,
  fieldSelectorRequirements,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from './field-selector.ts'

describe('field selectors', () => {
  test.each([
    ['', ''],
    ['a=b', 'a=b'],
    ['a==b', 'a=b'],
    ['b=1,a!=2', 'a!=2,b=1'],
    ['a=,,', 'a='],
    ['=', ''],
    ['a=\\,\\=\\\\', 'a=\\,\\=\\\\'],
    ['a!==b', 'invalid field selector: unescaped character in value: 61'],
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=1,b in (c)', "invalid selector: 'a=1,b in (c)'; can't understand 'b in (c)'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%j', (text, expected) => {
    let result: string
    try {
      result = formatFieldSelector(parseFieldSelector(text))
    } catch (error) {
      result = (error as Error).message
    }
    expect(result).toBe(expected)
  })

  test('matching', () => {
    const fields: Record<string, string> = { 'metadata.name': 'a', 'status.phase': '' }
    const matches = (text: string): boolean => matchesFields(parseFieldSelector(text), (field) => fields[field] ?? '')
    expect(matches('')).toBe(true)
    expect(matches('metadata.name=a,status.phase=')).toBe(true)
    expect(matches('metadata.name!=a')).toBe(false)
    expect(matches('metadata.name=b')).toBe(false)
  })

  test('exact values and requirements', () => {
    const selector = parseFieldSelector('a=1,b!=2')
    expect(exactFieldValue(selector, 'a')).toBe('1')
    expect(exactFieldValue(selector, 'b')).toBeUndefined()
    expect(fieldSelectorRequirements(selector)).toEqual([
      { key: 'a', operator: 'In', values: ['1'] },
      { key: 'b', operator: 'NotIn', values: ['2'] },
    ])
  })

  test('any value survives being written and read', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const selector = [{ field: 'a', operator: '=', value }] as const
        expect(parseFieldSelector(formatFieldSelector(selector))).toEqual(selector)
      }),
    )
  })
})
