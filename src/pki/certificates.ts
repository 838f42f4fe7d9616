/**
 * Makes X.509 certificates: a CA that signs itself, and certificates for servers and clients under it. Keys are EC
 * P-256, which are made in under a millisecond. The certificates are put together by hand because the start of the
 * server waits for them, and loading a library for it takes longer than everything else here.
 */

import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { isIPv4 } from 'node:net'
import {
  bits,
  derBoolean,
  derInteger,
  derSet,
  derTime,
  explicit,
  implicit,
  objectId,
  octets,
  sequence,
  utf8,
} from '../lib/der.ts'
import { SideTable } from '../lib/memo.ts'

/** A certificate, with its chain where it has one, and its private key. */
export interface CertificatePair {
  readonly certPem: string
  readonly keyPem: string
}

export interface CertificateRequest {
  readonly commonName: string
  /** Groups, for a client. */
  readonly organizations?: readonly string[]
  readonly usage: 'server' | 'client'
  /** Host names and IP addresses, for a server. */
  readonly names?: readonly string[]
  /** The current time in milliseconds. */
  readonly now: number
}

const day = 86_400_000
const caLifetime = 3650 * day
const leafLifetime = 365 * day
/** A certificate that ends sooner than this is made anew at the next start. */
const renewalMargin = 30 * day
/** Machines whose clocks go a little slow must take the certificate too. */
const backdating = 3_600_000

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'))

export function createCertificateAuthority(commonName: string, now: number): CertificatePair {
  const { publicKey, privateKey } = newKeyPair()
  const subject = distinguishedName(commonName, [])
  const extensions = [
    extension('2.5.29.19', true, sequence(derBoolean(true))),
    // digitalSignature, keyEncipherment, keyCertSign
    extension('2.5.29.15', true, bits(Buffer.of(0b1010_0100), 2)),
    extension('2.5.29.14', false, octets(keyIdentifier(publicKey))),
  ]
  const body = { issuer: subject, subject, publicKey, now, lifetime: caLifetime, extensions }
  const pair = pairOf(signCertificate(body, privateKey), privateKey)
  issuers.set(pair, { subject, key: privateKey, publicKey })
  return pair
}

/** What signing with a CA takes. */
interface Issuer {
  readonly subject: Buffer
  readonly key: KeyObject
  /** As DER. */
  readonly publicKey: Buffer
}

/** CAs that were made here need not be read again. */
const issuers = new SideTable<CertificatePair, Issuer>()

function readIssuer(ca: CertificatePair): Issuer {
  const certificate = new X509Certificate(ca.certPem)
  return {
    subject: subjectOf(certificate),
    key: createPrivateKey(ca.keyPem),
    publicKey: exportPublic(certificate.publicKey),
  }
}

export function issueCertificate(ca: CertificatePair, request: CertificateRequest): CertificatePair {
  const { publicKey, privateKey } = newKeyPair()
  const issuer = issuers.get(ca) ?? readIssuer(ca)
  const purpose = request.usage === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2'
  const extensions = [
    // digitalSignature, keyEncipherment
    extension('2.5.29.15', true, bits(Buffer.of(0b1010_0000), 5)),
    extension('2.5.29.37', false, sequence(objectId(purpose))),
    extension('2.5.29.19', true, sequence()),
    extension('2.5.29.35', false, sequence(implicit(0, keyIdentifier(issuer.publicKey)))),
  ]
  if (request.names?.length)
    extensions.push(extension('2.5.29.17', false, sequence(...request.names.map(alternativeName))))
  const body = {
    issuer: issuer.subject,
    subject: distinguishedName(request.commonName, request.organizations ?? []),
    publicKey,
    now: request.now,
    lifetime: leafLifetime,
    extensions,
  }
  return pairOf(signCertificate(body, issuer.key), privateKey)
}

/** The text of a key is made only for those who want it. */
function pairOf(certPem: string, key: KeyObject): CertificatePair {
  let keyPem: string | undefined
  return {
    certPem,
    get keyPem() {
      keyPem ??= key.export({ type: 'pkcs8', format: 'pem' }).toString()
      return keyPem
    },
  }
}

/** Whether a certificate was signed by this CA, is good for a while yet, and holds all the names. */
export function isStillGood(certPem: string, caPem: string, names: readonly string[], now: number): boolean {
  const certificate = new X509Certificate(certPem)
  if (!isIssuedBy(certPem, caPem)) return false
  if (Date.parse(certificate.validTo) - now < renewalMargin) return false
  return names.every(
    (name) => (isAddress(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined,
  )
}

export function isIssuedBy(certPem: string, caPem: string): boolean {
  return new X509Certificate(certPem).verify(new X509Certificate(caPem).publicKey)
}

interface CertificateBody {
  readonly issuer: Buffer
  readonly subject: Buffer
  /** As DER. */
  readonly publicKey: Buffer
  readonly now: number
  readonly lifetime: number
  readonly extensions: readonly Buffer[]
}

function signCertificate(body: CertificateBody, key: KeyObject): string {
  const { issuer, subject, publicKey, now, lifetime, extensions } = body
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  const content = sequence(
    explicit(0, derInteger(2)),
    derInteger(serial),
    ecdsaWithSha256,
    issuer,
    sequence(derTime(now - backdating), derTime(now + lifetime)),
    subject,
    publicKey,
    explicit(3, sequence(...extensions)),
  )
  return toPem(sequence(content, ecdsaWithSha256, bits(sign('sha256', content, key))))
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function newKeyPair(): { publicKey: Buffer; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { publicKey: exportPublic(publicKey), privateKey }
}

const exportPublic = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' })

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const part = (id: string, text: string) => derSet(sequence(objectId(id), utf8(text)))
  return sequence(...organizations.map((name) => part('2.5.4.10', name)), part('2.5.4.3', commonName))
}

/** The subject of a CA that was made above: a common name and nothing else. */
function subjectOf(certificate: X509Certificate): Buffer {
  return distinguishedName(/^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? '', [])
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return critical ? sequence(objectId(id), derBoolean(true), octets(value)) : sequence(objectId(id), octets(value))
}

const keyIdentifier = (publicKey: Buffer): Buffer => createHash('sha1').update(publicKey).digest()

function alternativeName(name: string): Buffer {
  return isAddress(name) ? implicit(7, addressBytes(name)) : implicit(2, Buffer.from(name))
}

/** No other name has a colon in it. Node's own test of IPv6 addresses is slow to begin with. */
const isAddress = (name: string): boolean => name.includes(':') || isIPv4(name)

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  // The URL parser writes every form of an IPv6 address in one way: groups of hex digits, the longest gap as ::
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [before, after] = [groups(head), groups(tail ?? '')]
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}
