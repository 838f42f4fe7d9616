import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkedSelector,
  type LabelRequirement,
  LabelSelector,
  type LabelSelectorObject,
  selectorOfLabels,
  selectorOfObject,
} from './label-selector.ts'
import { parseLabelSelector } from './label-selector-text.ts'
import type { StringMap } from './object.ts'

const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

describe('the text form', () => {
  test.each([
    ['', ''],
    ['a=b', 'a=b'],
    [' a = b , c != d ', 'a=b,c!=d'],
    ['z,a', 'a,z'],
    ['a==b', 'a==b'],
    ['a=', 'a='],
    ['a=,b', 'a=,b'],
    ['e in (y,x)', 'e in (x,y)'],
    ['e in (x,x)', 'e in (x)'],
    ['e in (x,)', 'e in (,x)'],
    ['e in (,x)', 'e in (,x)'],
    ['e in (x,,y)', 'e in (,x,y)'],
    ['e in (,)', 'e in ()'],
    ['g notin ()', 'g notin ()'],
    ['!f', '!f'],
    ['h>1,h<5', 'h>1,h<5'],
    ['in in (in, notin)', 'in in (in,notin)'],
    ['in', 'in'],
    ['in=notin', 'in=notin'],
    ['example.com/a!=b', 'example.com/a!=b'],
    ['a\u0000b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a b c', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a===', "unable to parse requirement: found '=', expected: identifier"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['=b', "found '=', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    [
      'a>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['a=-x', `unable to parse requirement: values[0][a]: Invalid value: "-x": ${value}`],
    [
      'a>-x',
      `unable to parse requirement: [values[0]: Invalid value: "-x": for 'Gt', 'Lt' operators, the value must be an integer, values[0][a]: Invalid value: "-x": ${value}]`,
    ],
    ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
  ])('%j', (text, expected) => {
    let result: string
    try {
      result = parseLabelSelector(text).toString()
    } catch (error) {
      result = (error as Error).message
      expect(error).toMatchObject({ status: { code: 400, reason: 'BadRequest' } })
    }
    expect(result).toBe(expected)
  })

  test('what is written reads as the same selector', () => {
    const word = fc.stringMatching(/^[a-z0-9]([-a-z0-9_.]{0,5}[a-z0-9])?$/)
    const term = fc.oneof(
      word,
      word.map((key) => `!${key}`),
      fc.tuple(word, fc.constantFrom('=', '==', '!='), word).map((parts) => parts.join('')),
      fc
        .tuple(word, fc.constantFrom(' in ', ' notin '), fc.array(word, { minLength: 1 }))
        .map(([key, operator, list]) => `${key}${operator}(${list.join(' , ')})`),
    )
    fc.assert(
      fc.property(fc.array(term), (terms) => {
        const selector = parseLabelSelector(terms.join(','))
        expect(parseLabelSelector(selector.toString()).requirements).toEqual(selector.requirements)
      }),
    )
  })
})

describe('matching', () => {
  const labels: StringMap = { app: 'web', n: '5', empty: '' }
  test.each<[string, boolean]>([
    ['', true],
    ['app=web', true],
    ['app!=web', false],
    ['absent!=web', true],
    ['absent=', false],
    ['empty=', true],
    ['app in (db,web)', true],
    ['app in (db)', false],
    ['app notin (db)', true],
    ['absent notin (db)', true],
    ['absent in (,x)', false],
    ['app', true],
    ['!app', false],
    ['!absent', true],
    ['n>4', true],
    ['n>5', false],
    ['n<6', true],
    ['app>1', false],
    ['absent<1', false],
    ['app=web,n=5,empty', true],
    ['app=web,n=6', false],
    ['app=web,n=5,absent', false],
    ['constructor', false],
    ['toString!=x', true],
  ])('%s', (text, expected) => expect(parseLabelSelector(text).matches(labels)).toBe(expected))

  test('nothing has no labels', () => {
    expect(parseLabelSelector('a').matches(undefined)).toBe(false)
    expect(parseLabelSelector('a=b').matches(undefined)).toBe(false)
    expect(parseLabelSelector('!a').matches(undefined)).toBe(true)
    expect(parseLabelSelector('a!=b,!c').matches(undefined)).toBe(true)
  })

  test('a label may have any name', () => {
    const labels = JSON.parse('{"__proto__":"x"}') as StringMap
    expect(selectorOfLabels(labels).matches(labels)).toBe(true)
    expect(selectorOfLabels(labels).matches({})).toBe(false)
  })

  test('exact values', () => {
    expect(parseLabelSelector('a=b').exactValue('a')).toBe('b')
    expect(parseLabelSelector('a in (b,c)').exactValue('a')).toBeUndefined()
    expect(parseLabelSelector('a=b').exactValue('c')).toBeUndefined()
  })
})

describe('the object form', () => {
  test('no object selects nothing, an empty one everything', () => {
    expect(selectorOfObject(undefined).matches({})).toBe(false)
    expect(selectorOfObject(null)).toBe(LabelSelector.nothing)
    expect(selectorOfObject({}).matches(undefined)).toBe(true)
    expect(selectorOfObject({}).isEmpty()).toBe(true)
  })

  test('labels and expressions', () => {
    const selector = selectorOfObject({
      matchLabels: { b: '1' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['y', 'x'] },
        { key: 'c', operator: 'Exists' },
        { key: 'd', operator: 'DoesNotExist' },
        { key: 'e', operator: 'NotIn', values: ['z'] },
      ],
    })
    expect(selector.toString()).toBe('a in (x,y),b=1,c,!d,e notin (z)')
    expect(selector.toSelectorRequirements().map(({ operator }) => operator)).toEqual([
      'In',
      'In',
      'Exists',
      'DoesNotExist',
      'NotIn',
    ])
  })

  test('bad ones', () => {
    const of = (operator: string, values?: string[]) => () =>
      selectorOfObject({ matchExpressions: [{ key: 'a', operator, ...(values ? { values } : {}) }] })
    expect(of('Like')).toThrow('"Like" is not a valid label selector operator')
    expect(of('In')).toThrow(
      "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be empty",
    )
    expect(of('Exists', ['x'])).toThrow(
      'values: Invalid value: []string{"x"}: values set must be empty for exists and does not exist',
    )
  })
})

describe('terms that are read on demand', () => {
  const terms: LabelRequirement[] = [
    { key: 'b', operator: '=', values: ['1'] },
    { key: 'a', operator: 'in', values: ['1', '2'] },
    { key: 'c', operator: 'exists', values: [] },
  ]
  const watched = (): { readonly selector: LabelSelector; readonly read: string[] } => {
    const read: string[] = []
    const selector = LabelSelector.of({
      *[Symbol.iterator]() {
        for (const term of terms) {
          read.push(term.key)
          yield term
        }
      },
    })
    return { selector, read }
  }

  test('none is read before the first match, those after the one that decides are not, and none twice', () => {
    const { selector, read } = watched()
    expect(read).toEqual([])
    expect(selector.isEmpty()).toBe(false)
    expect(selector.matches({ a: '1' })).toBe(false)
    expect(read).toEqual(['b'])
    expect(selector.matches({ b: '1', a: '3' })).toBe(false)
    expect(read).toEqual(['b', 'a'])
    for (let time = 0; time < 2; time++) expect(selector.matches({ a: '2', b: '1', c: '' })).toBe(true)
    expect(read).toEqual(['b', 'a', 'c'])
  })

  test('what the selector says of itself is sorted, whatever was matched', () => {
    const { selector } = watched()
    selector.matches({ b: '1' })
    expect(selector.toString()).toBe('a in (1,2),b=1,c')
  })

  test('a checked object decides as one that is checked', () => {
    const text = fc.constantFrom('a', 'b', 'c')
    const labels = fc.dictionary(text, text, { maxKeys: 3 })
    const expression = fc
      .record({ key: text, operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist') })
      .chain(({ key, operator }) =>
        operator.endsWith('In')
          ? fc.array(text, { minLength: 1, maxLength: 3 }).map((values) => ({ key, operator, values }))
          : fc.constant({ key, operator }),
      )
    const object = fc.record(
      { matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 3 }) },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(object, fc.array(fc.option(labels, { nil: undefined })), (given, all) => {
        const checked = checkedSelector(given as LabelSelectorObject)
        const read = selectorOfObject(given as LabelSelectorObject)
        expect(checked.isEmpty()).toBe(read.isEmpty())
        for (const each of all) expect(checked.matches(each)).toBe(read.matches(each))
        expect(checked.toString()).toBe(read.toString())
      }),
    )
  })
})
