import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bits, derInteger, derSet, explicit, implicit, objectId, octets, sequence, utf8 } from '../../../lib/der.ts'
import { createCertificateAuthority } from '../../../pki/certificates.ts'
import type { CertificateSigningRequest } from '../../objects.ts'
import { time } from '../common/test-objects.ts'
import { parseCertificateRequest } from './certificate-request.ts'
import { expiry, recognized } from './controllers.ts'
import { signedCertificate } from './signed-certificate.ts'
import { kubeletClientSigner, lifetimeMs, signerRule } from './signers.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const ca = createCertificateAuthority('here', now)
const publicKey = new X509Certificate(ca.certPem).publicKey.export({ type: 'spki', format: 'der' })

/** A request as openssl writes it; nobody looks at the signature here. */
function requestPem(organization: string, commonName: string, names: readonly Buffer[] = []): string {
  const part = (id: string, text: string) => derSet(sequence(objectId(id), utf8(text)))
  const subject = sequence(part('2.5.4.10', organization), part('2.5.4.3', commonName))
  const alternative = sequence(objectId('2.5.29.17'), octets(sequence(...names)))
  const attribute = sequence(objectId('1.2.840.113549.1.9.14'), derSet(sequence(alternative)))
  const info = sequence(
    derInteger(0),
    subject,
    publicKey,
    explicit(0, names.length === 0 ? Buffer.alloc(0) : attribute),
  )
  const der = sequence(info, sequence(objectId('1.2.840.10045.4.3.2')), bits(Buffer.alloc(8)))
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
}

const dns = implicit(2, Buffer.from('n1'))
const ip = implicit(7, Buffer.of(10, 0, 0, 1))
const uri = implicit(6, Buffer.from('x:y'))
const node = ['system:nodes', 'system:node:n1'] as const
const client = ['client auth', 'digital signature', 'key encipherment']
const serving = ['server auth', 'digital signature', 'key encipherment']

describe('signers', () => {
  it.each([
    ['kube-apiserver-client', ['o', 'u'], [], ['client auth'], undefined],
    [
      'kube-apiserver-client',
      ['o', 'u'],
      [],
      ['digital signature'],
      'missing required usage for client certificate: client auth',
    ],
    [
      'kube-apiserver-client',
      ['o', 'u'],
      [],
      ['client auth', 'server auth'],
      'invalid usage for client certificate: server auth',
    ],
    ['kube-apiserver-client-kubelet', node, [], client, undefined],
    ['kube-apiserver-client-kubelet', node, [], ['client auth', 'digital signature'], undefined],
    ['kube-apiserver-client-kubelet', ['o', 'system:node:n1'], [], client, 'subject organization is not system:nodes'],
    [
      'kube-apiserver-client-kubelet',
      ['system:nodes', 'n1'],
      [],
      client,
      'subject common name does not begin with system:node:',
    ],
    ['kube-apiserver-client-kubelet', node, [dns], client, 'DNS subjectAltNames are not allowed'],
    [
      'kube-apiserver-client-kubelet',
      node,
      [],
      serving,
      'usages did not match [client auth digital signature key encipherment]',
    ],
    ['kubelet-serving', node, [dns, ip], serving, undefined],
    ['kubelet-serving', node, [], serving, 'DNS or IP subjectAltName is required'],
    ['kubelet-serving', node, [dns, uri], serving, 'URI subjectAltNames are not allowed'],
    ['kubelet-serving', node, [dns], client, 'usages did not match [digital signature key encipherment server auth]'],
    ['legacy-unknown', ['o', 'u'], [uri], ['any'], undefined],
  ])('%s of %j', (signer, [organization = '', commonName = ''], names, usages, problem) => {
    const parsed = parseCertificateRequest(requestPem(organization, commonName, names))
    expect(signerRule(`kubernetes.io/${signer}`)?.(parsed, usages)).toBe(problem)
  })

  it('leave the rest to others', () => expect(signerRule('example.com/x')).toBeUndefined())

  it('sign what was asked for, and nothing more', () => {
    const parsed = parseCertificateRequest(requestPem(...node, [dns, ip]))
    const order = { usages: serving, lifetimeMs: 3_600_000, now, serial: Buffer.alloc(16, 7) }
    const signed = new X509Certificate(signedCertificate(ca, parsed, order))
    expect(signed.verify(new X509Certificate(ca.certPem).publicKey)).toBe(true)
    expect(signed.issuer).toBe('CN=here')
    expect(signed.subject).toBe('O=system:nodes\nCN=system:node:n1')
    expect(signed.subjectAltName).toBe('DNS:n1, IP Address:10.0.0.1')
    expect(signed.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(signed.ca).toBe(false)
    expect([Date.parse(signed.validFrom), Date.parse(signed.validTo)]).toEqual([now - 300_000, now + 3_600_000])
    expect(() => signedCertificate(ca, parsed, { ...order, usages: ['flying'] })).toThrow('unrecognized usage values')
  })

  it.each([
    [undefined, 365 * 86_400_000],
    [60, 600_000],
    [3600, 3_600_000],
    [10 ** 9, 365 * 86_400_000],
  ])('for %s seconds sign for %i ms', (seconds, expected) => expect(lifetimeMs(seconds)).toBe(expected))
})

const requestOf = (spec: object, status: object = {}): CertificateSigningRequest =>
  ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'r', creationTimestamp: time(0) },
    spec,
    status,
  }) as unknown as CertificateSigningRequest

it.each([
  ['system:node:n1', kubeletClientSigner, ['selfnodeclient', 'nodeclient']],
  ['system:bootstrap:x', kubeletClientSigner, ['nodeclient']],
  ['system:node:n1', 'kubernetes.io/kube-apiserver-client', []],
])('a request of %s to %s may be approved as %j', (username, signerName, expected) => {
  const spec = { username, signerName, usages: client }
  const found = recognized(requestOf(spec), parseCertificateRequest(requestPem(...node)))
  expect(found.map(({ subresource }) => subresource)).toEqual(expected)
})

const hour = 3_600_000
it.each([
  ['nobody looked at', {}, 24 * hour],
  ['denied', { conditions: [{ type: 'Denied', lastUpdateTime: time(60) }] }, 60_000 + hour],
  ['failed', { conditions: [{ type: 'Failed', lastUpdateTime: time(60) }] }, 60_000 + hour],
  ['approved, not signed', { conditions: [{ type: 'Approved', lastUpdateTime: time(60) }] }, undefined],
  ['signed', { conditions: [{ type: 'Approved', lastUpdateTime: time(60) }], certificate: 'eA==' }, 60_000 + hour],
])('a request that is %s is deleted at %s', (_, status, expected) =>
  expect(expiry(requestOf({}, status))).toBe(expected),
)
