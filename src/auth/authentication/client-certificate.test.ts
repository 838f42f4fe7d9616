/** Chains to an authority, each broken in one place: what crypto/x509 of Go refuses is refused here. */
import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type ForgedCertificate,
  type ForgedLink,
  type ForgedName,
  forgeCertificate,
  namePart,
} from '../testing/forged-certificates.ts'
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

const group = (tag: number, latin: string): Buffer =>
  namePart('2.5.4.10', Buffer.concat([Buffer.of(tag, latin.length), Buffer.from(latin, 'latin1')]))

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
  ['an authority at the top for servers', [user, { ...root, purpose: 'server' }], usage],
  ['an authority that may not sign', [user, { ...root, usages: 0x80 }], unknown],
  ['an authority of version 1', [user, { ...root, version: 1 }], 'jane'],
  ['an authority of version 1, below', [user, { ...below, version: 1 }, root], unknown],
  ['an authority with a small key', [user, { ...root, keys: 'small' }], unknown],
  ['an extension that is there twice', [{ ...user, twice: true }, root], 'x509: malformed certificate'],
  ['a group that is no text', [{ ...user, subject: [group(0x1c, '\0\0\0a')] }, root], 'x509: malformed certificate'],
  ['a group that cannot be printed', [{ ...user, subject: [group(0x13, 'a@b')] }, root], 'x509: malformed certificate'],
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

test('authorities that sign each other lead nowhere', () => {
  const [one, other] = [forgeCertificate(below), forgeCertificate(deeper)]
  const crossed = [forgeCertificate({ ...below, like: one }, other), forgeCertificate({ ...deeper, like: other }, one)]
  const leaf = forgeCertificate(user, one)
  const verifier = new CertificateVerifier(forgeCertificate(root).pem)
  const outcome = verifier.verify([leaf, ...crossed].map(({ pem }) => new X509Certificate(pem)))
  expect(outcome).toEqual({ ok: false, error: unknown })
})

test('another certificate of the authority is tried, and another key of the same name is not taken', () => {
  const top = forgeCertificate(root)
  const leaf = new X509Certificate(forgeCertificate(user, top).pem)
  const ended = forgeCertificate({ ...root, like: top, begins: -9 * day, ends: -day })
  expect(new CertificateVerifier(ended.pem + top.pem).verify([leaf]).ok).toBe(true)
  expect(new CertificateVerifier(forgeCertificate(root).pem).verify([leaf])).toEqual({ ok: false, error: unknown })
})

test('many certificates of one name are not tried without end', () => {
  const many = Array.from({ length: 200 }, () => new X509Certificate(forgeCertificate(below).pem))
  const leaf = new X509Certificate(forgeCertificate(user, forgeCertificate(below)).pem)
  const outcome = new CertificateVerifier(forgeCertificate(root).pem).verify([leaf, ...many])
  expect(outcome).toMatchObject({ ok: false, error: expect.stringContaining('limit reached') })
})

/** Names below constraints, by what crypto/x509 of Go makes of them. */
test.each<[string, readonly ForgedName[], Partial<ForgedCertificate>, boolean]>([
  ['a name that is permitted', [['dns', 'a.example.com']], { permits: [['dns', 'example.com']] }, true],
  ['the base itself', [['dns', 'EXAMPLE.com']], { permits: [['dns', 'example.com']] }, true],
  ['a name beside the base', [['dns', 'notexample.com']], { permits: [['dns', 'example.com']] }, false],
  ['a name that ends otherwise', [['dns', 'example.com.evil.org']], { permits: [['dns', 'example.com']] }, false],
  [
    'one of two names',
    [
      ['dns', 'a.example.com'],
      ['dns', 'evil.org'],
    ],
    { permits: [['dns', 'example.com']] },
    false,
  ],
  ['the base of what is below', [['dns', 'example.com']], { permits: [['dns', '.example.com']] }, false],
  ['below the base of what is below', [['dns', 'a.example.com']], { permits: [['dns', '.example.com']] }, true],
  ['a name that is excluded', [['dns', 'a.example.com']], { excludes: [['dns', 'example.com']] }, false],
  ['a name that is not excluded', [['dns', 'a.example.org']], { excludes: [['dns', 'example.com']] }, true],
  ['all names excluded', [['dns', 'a']], { excludes: [['dns', '']] }, false],
  ['a wildcard over what is excluded', [['dns', '*.example.com']], { excludes: [['dns', 'a.example.com']] }, false],
  [
    'permitted and excluded',
    [['dns', 'b.a.org']],
    { permits: [['dns', 'a.org']], excludes: [['dns', 'b.a.org']] },
    false,
  ],
  ['a name with a dot at its end', [['dns', 'a.example.com.']], { permits: [['dns', 'example.com']] }, false],
  ['a name of another kind', [['email', 'a@evil.org']], { permits: [['dns', 'example.com']] }, true],
  ['an address within', [['ip', [10, 1, 2, 3]]], { permits: [['ip', [10, 0, 0, 0, 255, 0, 0, 0]]] }, true],
  ['an address without', [['ip', [11, 1, 2, 3]]], { permits: [['ip', [10, 0, 0, 0, 255, 0, 0, 0]]] }, false],
  ['an address excluded', [['ip', [10, 1, 2, 3]]], { excludes: [['ip', [10, 0, 0, 0, 255, 0, 0, 0]]] }, false],
  ['an address of another family', [['ip', Array(16).fill(1)]], { permits: [['ip', [1, 1, 1, 1, 0, 0, 0, 0]]] }, false],
  ['a mail address of the host', [['email', 'a@Example.com']], { permits: [['email', 'example.com']] }, true],
  ['a mail address of another host', [['email', 'a@evil.org']], { permits: [['email', 'example.com']] }, false],
  ['the one mail address', [['email', 'a@example.com']], { permits: [['email', 'a@EXAMPLE.com']] }, true],
  ['another mail address', [['email', 'A@example.com']], { permits: [['email', 'a@example.com']] }, false],
  ['a mail address that is none', [['email', 'example.com']], { permits: [['email', 'example.com']] }, false],
  ['a mail address in quotes', [['email', '"a@evil.org"@example.com']], { permits: [['email', 'example.com']] }, true],
  ['a URI of the host', [['uri', 'https://u:p@example.com:8/x']], { permits: [['uri', 'example.com']] }, true],
  ['a URI of another host', [['uri', 'https://example.com@evil.org/']], { permits: [['uri', 'example.com']] }, false],
  ['a URI of an address', [['uri', 'https://[::1]/']], { excludes: [['uri', 'example.com']] }, false],
  ['a URI without a host', [['uri', 'urn:x']], { excludes: [['uri', 'example.com']] }, false],
  ['constraints of directory names', [], { permits: [['name', 'jane']] }, false],
  ['constraints that cannot be read', [], { permits: [['ip', [1, 2, 3]]] }, false],
  ['a mask with holes', [], { permits: [['ip', [10, 0, 0, 0, 255, 0, 255, 0]]] }, false],
])('name constraints: %s', (_, names, constraints, isTaken) => {
  const leaf = names.length === 0 ? user : { ...user, names }
  const shown = [verified(leaf, { ...root, ...constraints }), verified(leaf, { ...below, ...constraints }, root)]
  expect(shown.map((outcome) => outcome === 'jane')).toEqual([isTaken, isTaken])
})
