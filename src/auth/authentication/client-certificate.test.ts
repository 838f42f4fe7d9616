/** Chains to an authority, each broken in one place: what crypto/x509 of Go refuses is refused here. */
import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { type ForgedCertificate, type ForgedLink, forgeCertificate } from '../testing/forged-certificates.ts'
import { CertificateVerifier } from './client-certificate.ts'

const day = 86_400_000
const any = Number.POSITIVE_INFINITY
const user: ForgedCertificate = { commonName: 'jane', purpose: 'client' }
const below: ForgedCertificate = { commonName: 'below', authority: any }
const deeper: ForgedCertificate = { commonName: 'deeper', authority: any }

/** From the leaf to the authority, whose certificate the client does not send. */
function verified(...given: readonly ForgedCertificate[]): string {
  const links: ForgedLink[] = []
  for (const each of given.toReversed()) links.unshift(forgeCertificate(each, links[0]))
  const root = links.at(-1)!
  const chain = links.length === 1 ? links : links.slice(0, -1)
  const outcome = new CertificateVerifier(root.pem).verify(chain.map(({ pem }) => new X509Certificate(pem)))
  return outcome.ok ? outcome.subject.commonName : outcome.error
}

const root: ForgedCertificate = { commonName: 'root', authority: any }
const unknown = 'x509: certificate signed by unknown authority'
const tooLong = 'x509: too many intermediates for path length constraint'
const strange = 'x509: unhandled critical extension'
const usage = 'x509: certificate specifies an incompatible key usage'

test.each<[string, readonly ForgedCertificate[], string]>([
  ['an authority', [user, root], 'jane'],
  ['an authority below', [user, below, root], 'jane'],
  ['the certificate is the authority', [user], 'jane'],
  ['as long as is allowed', [user, { ...below, authority: 0 }, { ...root, authority: 1 }], 'jane'],
  ['an authority weakly signed by itself', [user, { ...root, hash: 'sha1' }], 'jane'],
  ['longer than one below allows', [user, deeper, { ...below, authority: 0 }, root], tooLong],
  ['longer than the authority allows', [user, below, { ...root, authority: 0 }], tooLong],
  ['no authority', [user, { commonName: 'below', purpose: 'client' }, root], unknown],
  ['SHA-1', [{ ...user, hash: 'sha1' }, root], unknown],
  ['SHA-1 above', [user, { ...below, hash: 'sha1' }, root], unknown],
  ['an extension that nobody knows', [{ ...user, strange: true }, root], strange],
  ['an extension that nobody knows, above', [user, { ...below, strange: true }, root], strange],
  ['an extension that nobody knows, of the authority', [user, { ...root, strange: true }], strange],
  ['for servers', [{ ...user, purpose: 'server' }, root], usage],
  ['to sign code', [{ ...user, purpose: 'code' }, root], usage],
  ['an authority for servers', [user, { ...below, purpose: 'server' }, root], usage],
])('%s', (_, chain, outcome) => {
  expect(verified(...chain)).toBe(outcome)
})

test.each<[string, readonly ForgedCertificate[]]>([
  ['that has ended', [{ ...user, begins: -9 * day, ends: -day }, root]],
  ['below an authority that has not begun', [user, { ...below, begins: day, ends: 9 * day }, root]],
  ['below an authority that has ended', [user, { ...root, begins: -9 * day, ends: -day }]],
])('a certificate %s', (_, chain) => {
  expect(verified(...chain)).toContain('x509: certificate has expired or is not yet valid')
})
