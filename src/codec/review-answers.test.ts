/** Answers of webhooks that cannot be read, in the reference's words. */
import { expect, it } from 'vitest'
import { readReview } from './review-answers.ts'

const sent = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }
const answer = (more: object, type: object = sent): string => JSON.stringify({ ...type, ...more })
const beta = { ...sent, apiVersion: 'admission.k8s.io/v1beta1' }

it('reads an answer that does not name its type', () => {
  expect(readReview(Buffer.from('{"response":{"uid":"u","allowed":true}}'), sent)).toMatchObject({
    response: { uid: 'u', allowed: true },
  })
})

it.each<[string, string, RegExp]>([
  [
    'another version',
    answer({ response: {} }, beta),
    /^converting \(v1beta1\.AdmissionReview\) to \(v1\.AdmissionReview\): /,
  ],
  [
    'another version that cannot be decoded',
    answer({ response: { patch: 'x' } }, beta),
    /^illegal base64 data at input byte 0$/,
  ],
  ['a wrong type in another version', answer({ response: 5 }, beta), /of type v1beta1\.AdmissionResponse$/],
  ['a wrong type', answer({ response: 5 }), /of type v1\.AdmissionResponse$/],
  [
    'a kind that is none',
    answer({ response: 5 }, { ...sent, kind: 'Pod' }),
    /^no kind "Pod" is registered for version /,
  ],
  ['a version that is none', answer({}, { ...sent, apiVersion: 'a/b/c' }), /^unexpected GroupVersion string: a\/b\/c$/],
  ['no JSON', '{', /^couldn't get version\/kind; json parse error: /],
])('refuses %s', (_, body, message) => {
  expect(() => readReview(Buffer.from(body), sent)).toThrow(message)
})
