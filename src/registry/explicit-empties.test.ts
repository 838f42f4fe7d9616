import { describe, expect, it } from 'vitest'
import { type FieldError, invalid, required } from '../api/field-error.ts'
import type { JsonValue } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { withGivenEmpties } from './explicit-empties.ts'

const deployment = (selector: JsonValue): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', creationTimestamp: null },
  spec: { selector, list: [{ name: 'x' }] },
})

const print = (object: KubeObject): readonly FieldError[] => [
  invalid('spec', JSON.stringify(object['spec']), 'is printed'),
]

const printed = (given: JsonValue | undefined): string =>
  withGivenEmpties(print(deployment({})), deployment({}), given, print)[0]?.message ?? ''

describe('withGivenEmpties', () => {
  it('prints empty lists and maps where they were given', () => {
    expect(printed({ spec: { selector: { matchLabels: {} }, list: [{ env: [], a: { b: {} } }] } })).toBe(
      print({
        ...deployment({}),
        spec: { selector: { matchLabels: {} }, list: [{ name: 'x', env: [], a: { b: {} } }] },
      })[0]?.message,
    )
  })

  it.each<[string, JsonValue | undefined]>([
    ['nothing', undefined],
    ['no empty value', { spec: { selector: { matchLabels: { a: 'b' } } } }],
    ['a list of another length', { spec: { list: [{ env: [] }, {}] } }],
    ['no object', 'text'],
  ])('leaves findings alone when %s was given', (_, given) => {
    expect(printed(given)).toBe(print(deployment({}))[0]?.message)
  })

  it('lets the first findings stand where the rules then see another fault', () => {
    const errors = [required('spec.rules', '')]
    const given = { spec: { selector: { matchLabels: {} } } }
    expect(withGivenEmpties(errors, deployment({}), given, () => [])).toBe(errors)
    expect(withGivenEmpties(errors, deployment({}), given, print)).toBe(errors)
  })
})
