/** The user of a client certificate, and what is remembered of certificates. */
import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../lib/der.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { type ForgedCertificate, forgeCertificate, namePart } from '../testing/forged-certificates.ts'
import { CertificateVerifier, ClientCertificateAuthenticator, parseAuthorities } from './client-certificate.ts'

const authority = forgeCertificate({ commonName: 'ca', authority: 1 })
const stranger = forgeCertificate({ commonName: 'other', authority: 1 })
const certificateOf = (
  forged: Partial<ForgedCertificate> & { readonly commonName: string },
  by = authority,
): X509Certificate => new X509Certificate(forgeCertificate({ purpose: 'client', ...forged }, by).pem)
const organization = (name: string): Buffer => namePart('2.5.4.10', utf8(name))
const uid = (text: string): Buffer => namePart('1.3.6.1.4.1.57683.2', utf8(text))

function ask(certificates: readonly X509Certificate[], onCertificate?: (ms: number) => void) {
  const authenticator = new ClientCertificateAuthenticator(new CertificateVerifier(authority.pem), onCertificate)
  return authenticator.authenticate({ headers: {}, peerCertificates: certificates, remoteAddress: '', path: '/' })
}

describe('a certificate', () => {
  it('names its user and groups, and says which it is', () => {
    const leaf = certificateOf({ commonName: 'jane', subject: [organization('a'), organization('b')] })
    expect(ask([leaf])).toMatchObject({ outcome: 'authenticated', user: { name: 'jane', groups: ['a', 'b'] } })
    const found = ask([leaf])
    if (found.outcome !== 'authenticated') throw new Error(found.outcome)
    expect(found.user).not.toHaveProperty('uid')
    const digest = leaf.fingerprint256.replaceAll(':', '').toLowerCase()
    expect([...found.user.extra]).toEqual([['authentication.kubernetes.io/credential-id', [`X509SHA256=${digest}`]]])
  })

  it('may name one uid', () => {
    expect(ask([certificateOf({ commonName: 'jane', subject: [uid('u')] })])).toMatchObject({ user: { uid: 'u' } })
    expect(ask([certificateOf({ commonName: 'jane', subject: [uid('u'), uid('v')] })])).toEqual({
      outcome: 'failed',
      error: 'unable to use multiple UIDs',
    })
  })

  it('without a name has no opinion, nor has none', () => {
    expect(ask([certificateOf({ commonName: '' })])).toEqual({ outcome: 'no opinion' })
    expect(ask([])).toEqual({ outcome: 'no opinion' })
    expect(new CertificateVerifier(authority.pem).verify([])).toEqual({ ok: false, error: 'no certificate' })
  })

  it('of strangers is refused', () => {
    expect(ask([certificateOf({ commonName: 'jane' }, stranger)])).toEqual({
      outcome: 'failed',
      error: expect.stringMatching(
        /^verifying certificate SN=\d+ failed: x509: certificate signed by unknown authority$/,
      ),
    })
  })

  it('is told of with the time that it has left', () => {
    const left: number[] = []
    ask([certificateOf({ commonName: 'jane', ends: 3_600_000 })], (ms) => void left.push(ms))
    expect(left[0]).toBeGreaterThan(0)
    expect(left[0]).toBeLessThanOrEqual(3_600_000)
  })
})

describe('what was verified', () => {
  it('is known until it is over, or the authorities change', () => {
    const clock = new FakeClock(Date.now())
    const verifier = new CertificateVerifier(authority.pem, clock)
    const leaf = certificateOf({ commonName: 'jane', begins: -1000, ends: 3_600_000 })
    const first = verifier.verify([leaf])
    expect(first.ok).toBe(true)
    expect(verifier.verify([leaf])).toBe(first)
    verifier.replace(stranger.pem)
    expect(verifier.verify([leaf]).ok).toBe(false)
    verifier.replace(authority.pem)
    expect(verifier.verify([leaf])).not.toBe(first)
    clock.advance(3_700_000)
    expect(verifier.verify([leaf])).toMatchObject({ ok: false })
  })

  it('keeps its authorities when there are no others', () => {
    const verifier = new CertificateVerifier(authority.pem)
    expect(() => verifier.replace('')).toThrow('data does not contain any valid RSA or ECDSA certificates')
    expect(verifier.verify([certificateOf({ commonName: 'jane' })]).ok).toBe(true)
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    expect(() => parseAuthorities(broken)).toThrow('x509: malformed certificate')
  })
})
