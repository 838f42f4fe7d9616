import { describe, expect, test } from 'vitest'
import { FieldPath } from './field-path.ts'
import {
  hasInvalidLabelValue,
  validateFieldExpression,
  validateLabelMap,
  validateLabelSelector,
} from './label-selector-validation.ts'

const at = FieldPath.of('spec', 'selector')
const show = (errors: { field: string; message: string }[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`)

describe('selectors of objects', () => {
  test('what each expression must have', () => {
    const selector = {
      matchExpressions: [
        { key: 'app', operator: 'In' },
        { key: 'b', operator: 'Exists', values: ['x'] },
        { key: 'c', operator: 'Like' },
        { key: '', operator: 'NotIn', values: ['-'] },
      ],
    }
    const found = show(validateLabelSelector(selector, at))
    const expected = [
      "[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      '[2].operator: Invalid value: "Like": not a valid selector operator',
      '[3].key: Invalid value: "": name part must be non-empty',
      '[3].key: Invalid value: "": name part must consist of',
      '[3].values[0]: Invalid value: "-": a valid label must be',
    ]
    expect(found).toHaveLength(expected.length)
    for (const [i, text] of expected.entries()) expect(found[i]).toContain(`spec.selector.matchExpressions${text}`)
    expect(
      validateLabelSelector(selector, at, { allowUnknownOperator: true, allowInvalidLabelValue: true }),
    ).toHaveLength(4)
    expect(hasInvalidLabelValue(selector)).toBe(true)
    expect(validateLabelSelector(undefined, at)).toEqual([])
  })

  test('labels name the map, not the key', () => {
    expect(validateLabelMap({ 'a b': '-' }, at).map(({ field }) => field)).toEqual(['spec.selector', 'spec.selector'])
    expect(validateLabelMap({ a: 'b' }, at)).toEqual([])
  })

  test('requirements on fields need a key', () => {
    expect(show(validateFieldExpression({ key: '', operator: 'Exists' }, at))).toEqual([
      'spec.selector.key: Required value: must be specified',
    ])
  })
})
