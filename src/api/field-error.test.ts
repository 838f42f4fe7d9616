import { expect, it } from 'vitest'
import { fieldErrorWith, invalid } from './field-error.ts'
import { FieldPath } from './field-path.ts'
import { invalid as refusal } from './status-error.ts'

const at = FieldPath.of('spec', 'scopes')

it('makes the text of an error when it is read', () => {
  let reads = 0
  const value = {
    toJSON: () => {
      reads++
      return 'x'
    },
  }
  const error = invalid(at, value as never, 'bad')
  expect(reads).toBe(0)
  expect(fieldErrorWith(error, {})).toMatchObject({
    reason: 'FieldValueInvalid',
    field: 'spec.scopes',
    message: 'Invalid value: "x": bad',
  })
  expect(reads).toBe(1)
})

it('shows every error of a usual refusal', () => {
  const errors = ['a', 'b', 'a'].map((text) => invalid(at, text, 'bad'))
  const { message, details } = refusal({ group: '', kind: 'Pod' }, 'p', errors).status
  expect(message).toBe(
    'Pod "p" is invalid: [spec.scopes: Invalid value: "a": bad, spec.scopes: Invalid value: "b": bad]',
  )
  expect(details?.causes?.length).toBe(3)
})

it('bounds the text of a refusal: errors that quote the whole body are quadratic in it', () => {
  const items = Array.from({ length: 5000 }, (_, i) => `scope-${i}`)
  const { message, details } = refusal(
    { group: '', kind: 'ResourceQuota' },
    'q',
    items.map(() => invalid(at, items, 'unsupported scope')),
  ).status
  expect(message.length).toBeLessThan(2 ** 21)
  expect(message.endsWith(', and more errors]')).toBe(true)
  expect(details?.causes?.length).toBeLessThan(100)
})

it('shows one error, however long it is', () => {
  const { details } = refusal({ group: '', kind: 'Pod' }, 'p', [
    invalid(at, 'x', 'bad'.repeat(2 ** 20)),
    invalid(at, 'y', 'bad'),
  ]).status
  expect(details?.causes?.length).toBe(1)
})
