import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, connect as tlsConnect } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { createCertificateAuthority, isIssuedBy, isStillGood, issueCertificate } from './certificates.ts'

const now = Date.parse('2026-02-03T04:05:06Z')
const ca = createCertificateAuthority('test CA', now)
const names = ['localhost', '127.0.0.1', '10.0.0.1', '::1', 'fd00::12:0:0:1']

describe('certificates', () => {
  it('are understood and verified by OpenSSL', () => {
    const authority = new X509Certificate(ca.certPem)
    expect(authority.ca).toBe(true)
    expect(authority.subject).toBe('CN=test CA')
    expect(authority.verify(authority.publicKey)).toBe(true)
    expect(new Date(authority.validFrom).toISOString()).toBe('2026-02-03T03:05:06.000Z')
    const admin = new X509Certificate(
      issueCertificate(ca, { commonName: 'admin', organizations: ['system:masters', 'b'], usage: 'client', now })
        .certPem,
    )
    expect(admin.subject.split('\n')).toEqual(['O=system:masters', 'O=b', 'CN=admin'])
    expect(admin.checkIssued(authority)).toBe(true)
    expect(admin.ca).toBe(false)
  })

  it.each(names)('hold the name %s', (name) => {
    const { certPem } = issueCertificate(ca, { commonName: 'server', usage: 'server', names, now })
    expect(isStillGood(certPem, ca.certPem, [name], now)).toBe(true)
  })

  it.each([
    ['a name that it lacks', ['other.example'], 0],
    ['an address that it lacks', ['127.0.0.2'], 0],
    ['its end being near', [], 340],
  ])('are no longer good for %s', (_, wanted, days) => {
    const { certPem } = issueCertificate(ca, { commonName: 'server', usage: 'server', names, now })
    expect(isStillGood(certPem, ca.certPem, wanted, now + days * 86_400_000)).toBe(false)
  })

  it('tell one CA from another of the same name', () => {
    const { certPem } = issueCertificate(ca, { commonName: 'server', usage: 'server', now })
    expect(isIssuedBy(certPem, ca.certPem)).toBe(true)
    expect(isIssuedBy(certPem, createCertificateAuthority('test CA', now).certPem)).toBe(false)
  })

  it('end after 2049 where the clock says so', () => {
    const late = createCertificateAuthority('late', Date.parse('2045-01-01T00:00:00Z'))
    expect(new Date(new X509Certificate(late.certPem).validTo).getUTCFullYear()).toBe(2054)
  })

  it('carry a mutual TLS connection', async () => {
    const current = createCertificateAuthority('live', Date.now())
    const serving = issueCertificate(current, { commonName: 's', usage: 'server', names, now: Date.now() })
    const client = issueCertificate(current, { commonName: 'c', usage: 'client', now: Date.now() })
    const server = createServer(
      { cert: serving.certPem, key: serving.keyPem, ca: current.certPem, requestCert: true, rejectUnauthorized: true },
      (socket) => socket.end(String(socket.getPeerCertificate().subject.CN)),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = tlsConnect({
      port,
      host: '127.0.0.1',
      ca: current.certPem,
      cert: client.certPem,
      key: client.keyPem,
    })
    const [said] = await once(socket, 'data')
    expect(String(said)).toBe('c')
    socket.destroy()
    server.close()
  })
})
