import { describe, expect, it } from 'vitest'
import { problemOfSyntax, problemOfWarning, problemsOf } from './findings.ts'

const badRequest = (message: string) => ({ message, reason: 'BadRequest' })

describe('problemsOf', () => {
  it.each([
    [
      badRequest('x: strict decoding error: unknown field "spec.a", duplicate field "spec.b[0].c"'),
      [
        { severity: 'error', rule: 'UnknownField', field: 'spec.a', message: 'unknown field' },
        { severity: 'error', rule: 'DuplicateField', field: 'spec.b[0].c', message: 'duplicate field' },
      ],
    ],
    [
      badRequest('strict decoding error: yaml: unmarshal errors:\n  line 7: key "a" already set in map'),
      [{ severity: 'error', rule: 'DuplicateField', message: 'key "a" already set in map', documentLine: 7 }],
    ],
    [
      badRequest('strict decoding error: new words'),
      [{ severity: 'error', rule: 'StrictDecoding', message: 'new words' }],
    ],
    [
      badRequest('json: cannot unmarshal number into Go struct field ConfigMap.data of type string'),
      [{ rule: 'BadRequest', field: 'data' }],
    ],
    [
      { reason: 'Invalid', details: { causes: [{ reason: 'FieldValueInvalid', field: 'a.b', message: 'no' }] } },
      [{ rule: 'FieldValueInvalid', field: 'a.b', message: 'no' }],
    ],
    [
      {
        reason: 'Invalid',
        details: { causes: [{ message: "ValidatingAdmissionPolicy 'p' with binding 'b' denied" }] },
      },
      [{ rule: 'ValidatingAdmissionPolicy' }],
    ],
    [{ reason: 'Forbidden', message: 'exceeded quota' }, [{ rule: 'Forbidden', message: 'exceeded quota' }]],
  ])('%j', (status, expected) => expect(problemsOf(status)).toMatchObject(expected))
})

describe('problemOfWarning', () => {
  it.each([
    ['v1 Endpoints is deprecated in v1.33+', 'Deprecated'],
    ['would violate PodSecurity "baseline:latest": hostNetwork', 'PodSecurity'],
    ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no", 'ValidatingAdmissionPolicy'],
    ['spec.x: anything', 'Warning'],
  ])('%s: %s', (message, rule) => expect(problemOfWarning(message)).toEqual({ severity: 'warning', rule, message }))
})

it('finds the line in the words of the parser', () => {
  expect(problemOfSyntax('yaml: line 3: did not find')).toMatchObject({ message: 'did not find', documentLine: 3 })
  expect(problemOfSyntax('a document is no object')).toEqual({
    severity: 'error',
    rule: 'Syntax',
    message: 'a document is no object',
  })
})
