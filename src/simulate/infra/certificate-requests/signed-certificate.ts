/**
 * A certificate for a request, signed by a CA: the usages that were asked for, and nothing else of what the request wants
 * to be. Mirrors pkg/controller/certificates/authority: CertificateAuthority.Sign, PermissiveSigningPolicy.
 */
import { createHash, createPrivateKey, sign, X509Certificate } from 'node:crypto'
import {
  bits,
  derBoolean,
  derInteger,
  derTime,
  explicit,
  implicit,
  objectId,
  octets,
  sequence,
} from '../../../lib/der.ts'
import { readDer } from '../../../lib/der-reader.ts'
import type { SigningPair } from '../../framework/server-services.ts'
import type { AlternativeNames, ParsedRequest } from './certificate-request.ts'

const backdateMs = 300_000
const shortMs = 8 * 3_600_000

/** Bits of the key usage extension. */
const keyUsages: Readonly<Record<string, number>> = {
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
}

const extendedUsages: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
}

const signatures: Readonly<Record<string, string>> = {
  ec: '1.2.840.10045.4.3.2',
  rsa: '1.2.840.113549.1.1.11',
}

export interface SigningOrder {
  readonly usages: readonly string[]
  readonly lifetimeMs: number
  readonly now: number
  /** Sixteen bytes. */
  readonly serial: Buffer
}

export function signedCertificate(ca: SigningPair, request: ParsedRequest, order: SigningOrder): string {
  const issuer = new X509Certificate(ca.certPem)
  const key = createPrivateKey(ca.keyPem)
  const algorithmId = signatures[key.asymmetricKeyType ?? '']
  if (algorithmId === undefined) throw new Error(`no signature with a key of type ${key.asymmetricKeyType ?? ''}`)
  const algorithm = sequence(objectId(algorithmId), ...(key.asymmetricKeyType === 'rsa' ? [Buffer.of(5, 0)] : []))
  const { now, lifetimeMs } = order
  const signerEnd = Date.parse(issuer.validTo)
  if (now >= signerEnd) throw new Error('refusing to sign a certificate that expired in the past')
  const end = Math.min(now + (lifetimeMs < shortMs ? lifetimeMs : lifetimeMs - backdateMs), signerEnd)
  const content = sequence(
    explicit(0, derInteger(2)),
    derInteger(positive(order.serial)),
    algorithm,
    subjectOf(issuer),
    sequence(derTime(now - backdateMs), derTime(end)),
    request.subject,
    request.publicKey,
    explicit(3, sequence(...extensions(request.names, order.usages, issuer))),
  )
  return toPem(sequence(content, algorithm, bits(sign('sha256', content, key))))
}

function extensions(names: AlternativeNames, usages: readonly string[], issuer: X509Certificate): Buffer[] {
  const unknown = usages.find((usage) => keyUsages[usage] === undefined && extendedUsages[usage] === undefined)
  if (unknown !== undefined) throw new Error(`unrecognized usage values: [${JSON.stringify(unknown)}]`)
  const keyBits = usages.flatMap((usage) => keyUsages[usage] ?? [])
  const purposes = [...new Set(usages.flatMap((usage) => extendedUsages[usage] ?? []))]
  const publicKey = issuer.publicKey.export({ type: 'spki', format: 'der' })
  const all = [
    ...names.dns.map((name) => implicit(2, name)),
    ...names.email.map((name) => implicit(1, name)),
    ...names.ip.map((name) => implicit(7, name)),
    ...names.uri.map((name) => implicit(6, name)),
  ]
  return [
    ...(keyBits.length > 0 ? [extension('2.5.29.15', true, usageBits(keyBits))] : []),
    ...(purposes.length > 0 ? [extension('2.5.29.37', false, sequence(...purposes.map(objectId)))] : []),
    extension('2.5.29.19', true, sequence()),
    extension('2.5.29.35', false, sequence(implicit(0, createHash('sha1').update(publicKey).digest()))),
    ...(all.length > 0 ? [extension('2.5.29.17', false, sequence(...all))] : []),
  ]
}

function usageBits(set: readonly number[]): Buffer {
  const highest = Math.max(...set)
  const bytes = Buffer.alloc(Math.floor(highest / 8) + 1)
  for (const bit of set) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7))
  return bits(bytes, 7 - (highest & 7))
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return critical ? sequence(objectId(id), derBoolean(true), octets(value)) : sequence(objectId(id), octets(value))
}

/** The subject as it stands in the certificate: the sixth part of its body. */
function subjectOf(certificate: X509Certificate): Buffer {
  const [outer] = readDer(certificate.raw)
  const [body] = readDer(outer?.contents ?? Buffer.alloc(0))
  const parts = readDer(body?.contents ?? Buffer.alloc(0)).filter(({ tag }) => tag !== 0xa0)
  const subject = parts[4]
  if (subject === undefined) throw new Error('a certificate has a subject')
  return sequence(subject.contents)
}

function positive(serial: Buffer): Buffer {
  const copy = Buffer.from(serial)
  copy[0] = ((copy[0] ?? 0) & 0x3f) | 0x40
  return copy
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
