import { expect, test } from 'vitest'
import type { FieldError } from '../../../../api/field-error.ts'
import type { NodeStatus } from '../../../../catalog/types/core-v1.ts'
import { validateDeclaredFeatures } from './declared-features.ts'

const refused = (...declaredFeatures: string[]): string[] => {
  const errors: FieldError[] = []
  validateDeclaredFeatures(errors, { declaredFeatures } as unknown as NodeStatus)
  return errors.map(({ reason, field }) => `${reason} ${field}`)
}

test.each([
  [['A', 'A/b', 'Bc1'], []],
  [['A', 'A'], ['FieldValueDuplicate status.declaredFeatures[1]']],
  [['B', 'A'], ['FieldValueInvalid status.declaredFeatures[1]']],
  [['a'], ['FieldValueInvalid status.declaredFeatures[0]']],
  [['A/'], ['FieldValueInvalid status.declaredFeatures[0]']],
  [[`A${'b'.repeat(252)}`], []],
  [[`A${'b'.repeat(253)}`], ['FieldValueInvalid status.declaredFeatures[0]']],
])('%j', (features, expected) => {
  expect(refused(...features)).toEqual(expected)
})
