import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { denialOf, readAnswer } from './review.ts'

describe('denials', () => {
  const denied = 'admission webhook "w" denied the request'
  it.each<[string, JsonObject | undefined, number, string]>([
    ['nothing', undefined, 400, `${denied} without explanation`],
    ['a success', { code: 200, message: 'odd' }, 400, `${denied}: odd`],
    ['a reason', { code: 403, reason: 'Forbidden' }, 403, `${denied}: Forbidden`],
  ])('that say %s', (_, status, code, message) => {
    const error = denialOf('w', status)
    expect([error.code, error.message]).toEqual([code, message])
  })

  it.each([
    ['x', 'x'],
    ['', 'Failure'],
    ['Success', 'Failure'],
  ])('that say %j are reported as %s', (status, told) => {
    expect(denialOf('w', { status }).toStatus()['status']).toBe(told)
  })

  it('may say when to come back', () => {
    const error = denialOf('w', { code: 429, details: { retryAfterSeconds: 5 }, metadata: { resourceVersion: '7' } })
    expect(error.headers).toEqual({ 'Retry-After': '5' })
    expect(error.toStatus()).toMatchObject({ details: { retryAfterSeconds: 5 }, metadata: { resourceVersion: '7' } })
  })
})

describe('answers', () => {
  const type = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }
  const expected = 'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got'
  it.each<[string, JsonObject, string]>([
    ['without a response', type, 'webhook response was absent'],
    ['to another question', { ...type, response: { uid: 'b' } }, 'expected response.uid="a", got "b"'],
    ['without a type', { response: { uid: 'a' } }, `${expected} /, Kind=`],
    ['of no kind', { apiVersion: type.apiVersion, response: { uid: 'a' } }, `${expected} admission.k8s.io/v1, Kind=`],
    [
      'with half a patch',
      { ...type, response: { uid: 'a', patch: 'W10=' } },
      'webhook returned response.patch but not response.patchType',
    ],
    [
      'with a type that is empty',
      { ...type, response: { uid: 'a', patch: 'W10=', patchType: '' } },
      'webhook returned invalid response.patchType of ""',
    ],
  ])('%s are none', (_, review, message) => {
    expect(() => readAnswer(review, { uid: 'a', version: 'v1', mutating: true })).toThrow(message)
  })

  it('of the old version need neither, and only know one sort of patch', () => {
    const review = { response: { uid: 'b', allowed: true, patch: 'W10=', patchType: 'Odd' } }
    const answer = readAnswer(review, { uid: 'a', version: 'v1beta1', mutating: true })
    expect(answer).toMatchObject({ allowed: true, patch: '[]', patchType: 'JSONPatch' })
  })
})
