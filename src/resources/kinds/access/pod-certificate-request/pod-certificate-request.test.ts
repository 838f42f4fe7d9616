import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { changeNamed, hasChange } from '../../../../api/release-changes.ts'
import { errorsAtRelease } from '../../../../api/release-wordings.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import type { KindServices } from '../../../kind-rules.ts'
import {
  type PodCertificateRequest,
  type PodCertificateRequestSpec,
  podCertificateRequestRules,
} from './pod-certificate-request.ts'

const context = { user: { name: 'jane', groups: [], extra: new Map() } } as unknown as WriteContext
const ed25519 = generateKeyPairSync('ed25519')
const spki = (key: KeyObject): string => key.export({ format: 'der', type: 'spki' }).toString('base64')

const good: PodCertificateRequestSpec = {
  signerName: 'example.com/signer',
  podName: 'p',
  podUID: 'uid',
  serviceAccountName: 'default',
  serviceAccountUID: 'sa',
  nodeName: 'n',
  nodeUID: 'nu',
  maxExpirationSeconds: 3600,
  pkixPublicKey: spki(ed25519.publicKey),
  proofOfPossession: sign(null, Buffer.from('uid'), ed25519.privateKey).toString('base64'),
}

function rules(release: number, signers: readonly string[] = []) {
  return podCertificateRequestRules({
    gate: (name: string) => {
      const change = changeNamed(name)
      return change !== undefined && hasChange(release, change)
    },
    clock: { now: () => 0 },
    access: { allows: async ({ name }: { name: string }) => signers.includes(name) },
  } as unknown as KindServices)
}

const request = (spec: object, status: object = {}): PodCertificateRequest =>
  ({ metadata: { name: 'r' }, spec: { ...good, ...spec }, status }) as unknown as PodCertificateRequest

const told = (errors: Parameters<typeof errorsAtRelease>[0], release: number): string[] =>
  errorsAtRelease(errors, release).map(({ field, message }) => `${field}: ${message}`)

describe('a new request', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  test.each<[string, object, string[], number?]>([
    ['an Ed25519 key', {}, []],
    [
      'an elliptic key',
      {
        pkixPublicKey: spki(curve.publicKey),
        proofOfPossession: sign('sha256', Buffer.from('uid'), curve.privateKey).toString('base64'),
      },
      [],
    ],
    [
      'a proof of another pod',
      { podUID: 'other' },
      ['spec.proofOfPossession: Invalid value: could not verify proof-of-possession signature'],
    ],
    [
      'a small RSA key',
      { pkixPublicKey: spki(small.publicKey) },
      ['spec.pkixPublicKey: Invalid value: "2048-bit modulus": RSA keys must have modulus size 3072 or 4096'],
    ],
    [
      'no key at all',
      { pkixPublicKey: 'AAAA' },
      ['spec.pkixPublicKey: Invalid value: "AAAA": must be a valid PKIX-serialized public key'],
    ],
    [
      'a lifetime that is too long for the signer',
      { signerName: 'kubernetes.io/a', maxExpirationSeconds: 86401 },
      ['spec.maxExpirationSeconds: Invalid value: 86401: must be in the range [3600, 86400]'],
    ],
    ['no uid', { nodeUID: '' }, ['spec.nodeUID: Invalid value: "": must not be empty']],
    [
      'an annotation without a domain',
      { unverifiedUserAnnotations: { a: 'b' } },
      ['spec.unverifiedUserAnnotations: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")'],
    ],
    ['the same before the release that has annotations', { unverifiedUserAnnotations: { a: 'b' } }, [], 34],
    [
      'a key in two ways',
      { stubPKCS10Request: 'AAAA' },
      ['spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set'],
      36,
    ],
    [
      'a certificate request that is none',
      { stubPKCS10Request: 'AAAA', pkixPublicKey: undefined, proofOfPossession: undefined },
      ['spec.stubPKCS10Request: Invalid value: must be a valid PKCS#10 CSR'],
      36,
    ],
  ])('%s', (_, spec, errors, release = 35) => {
    expect(told(rules(release).strategy.validate?.(request(spec), context) ?? [], release)).toEqual(errors)
  })
})

test('the spec is immutable, and shown as the internal type has it', () => {
  const errors = rules(35).strategy.validateUpdate?.(request({ podName: 'q' }), request({}), context) ?? []
  expect(told(errors, 35)).toEqual([
    expect.stringMatching(
      /^spec: Invalid value: \{"SignerName":"example.com\/signer","PodName":"q",.*\}: field is immutable$/,
    ),
  ])
})

describe('the status', () => {
  const time = '2026-01-01T00:00:00Z'
  const ended = (type: string, status = 'True'): object => ({
    conditions: [{ type, status, reason: 'R', message: 'm', lastTransitionTime: time }],
  })
  const found = async (now: object, old: object = {}, signers = ['example.com/*']): Promise<string[]> => {
    const part = rules(35, signers).parts?.['status']
    return told((await part?.validateInTurns?.(request({}, now), request({}, old), context)) ?? [], 35)
  }

  test.each<[string, object, object, string[]]>([
    ['denied', ended('Denied'), {}, []],
    [
      'an unknown end',
      ended('Approved'),
      {},
      ['status.conditions.[0].type: Unsupported value: "Approved": supported values: "Issued", "Denied", "Failed"'],
    ],
    [
      'an end that is none',
      ended('Denied', 'False'),
      {},
      ['status.conditions.[0].status: Unsupported value: "False": supported values: "True"'],
    ],
    [
      'denied, with a certificate',
      { ...ended('Failed'), certificateChain: 'x' },
      {},
      [
        'status: Invalid value: non-condition status fields must be empty when denying or failing the PodCertificateRequest',
      ],
    ],
    [
      'issued without a certificate',
      ended('Issued'),
      {},
      ['status.certificateChain: Invalid value: "": issued certificate chain must contain at least one certificate'],
    ],
    [
      'after its end',
      ended('Failed'),
      ended('Denied'),
      ['status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed'],
    ],
    [
      'no end',
      { notBefore: time },
      {},
      ['status: Invalid value: status is immutable unless transitioning to "Issued", "Denied", or "Failed"'],
    ],
  ])('%s', async (_, now, old, errors) => expect(await found(now, old)).toEqual(errors))

  test('is for those who may sign for the signer', async () => {
    expect(await found(ended('Denied'), {}, [])).toEqual([
      'spec.signerName: Forbidden: User "jane" is not permitted to "sign" for signer "example.com/signer"',
    ])
    expect(await found(ended('Denied'), {}, ['example.com/signer'])).toEqual([])
  })
})
