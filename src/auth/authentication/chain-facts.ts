/**
 * What decides whether a certificate may stand where it stands in a chain, read from its encoded form. Mirrors crypto/x509:
 * parseCertificate, processExtensions.
 */
import type { X509Certificate } from 'node:crypto'
import { type DerValue, readDer, readObjectId } from '../../lib/der-reader.ts'
import { memoize } from '../../lib/memo.ts'
import { type CertificatePolicies, policyExtensions, readPolicies } from './certificate-policies.ts'
import {
  type CertificateNames,
  type NameConstraints,
  readAlternativeNames,
  readConstraints,
} from './name-constraints.ts'

export interface ChainFacts {
  /** As encoded. */
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly publicKey: Buffer
  /** Milliseconds. */
  readonly notBefore: number
  readonly notAfter: number
  /** Whether its signature is by an algorithm that counts. */
  readonly isSoundlySigned: boolean
  /** Its key may sign nothing: of a kind that is not known, or too small. */
  readonly hasWeakKey: boolean
  /** It has an extension marked critical, and that is not understood here. */
  readonly hasUnknownCritical: boolean
  /** How many authorities may stand below it. */
  readonly pathLength: number | undefined
  /** Whether its explicit usages, if there are any, let it sign others. */
  readonly maySign: boolean
  readonly alternativeNames: CertificateNames | undefined
  readonly constraints: NameConstraints | undefined
  readonly policies: CertificatePolicies
}

const ids = {
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
} as const

/** Keys, usages, names, constraints, policies and revocation lists. */
const knownExtensions: ReadonlySet<string> = new Set([
  ...[14, 15, 17, 19, 30, 31, 35, 37].map((number) => `2.5.29.${number}`),
  ...Object.values(policyExtensions),
])

/** RSA with SHA-2, ECDSA with SHA-2, Ed25519. Mirrors crypto/x509: signatureAlgorithmDetails, checkSignature. */
const soundAlgorithms: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112',
])
const rsaPss = '1.2.840.113549.1.1.10'
/** SHA-256, SHA-384 and SHA-512. */
const soundHashes: ReadonlySet<string> = new Set([1, 2, 3].map((last) => `2.16.840.1.101.3.4.2.${last}`))

const tags = { boolean: 0x01, integer: 0x02, bits: 0x03, version: 0xa0, extensions: 0xa3 } as const

/** Undefined for one that cannot be read, which may stand nowhere. */
export const chainFactsOf = memoize('chain-facts', (certificate: X509Certificate): ChainFacts | undefined => {
  try {
    return readChainFacts(certificate)
  } catch {
    return undefined
  }
})

const inside = (value: DerValue | undefined): DerValue[] => (value === undefined ? [] : readDer(value.contents))

function readChainFacts(certificate: X509Certificate): ChainFacts | undefined {
  const [signed, algorithm] = inside(readDer(certificate.raw)[0])
  const all = inside(signed)
  const [, , issuer, , subject, publicKey] = all[0]?.tag === tags.version ? all.slice(1) : all
  const [list] = inside(all.find(({ tag }) => tag === tags.extensions))
  const extensions = inside(list).map(readExtension)
  const extensionOf = (id: string): DerValue | undefined => extensions.find(({ name }) => name === id)?.value
  const [notBefore, notAfter] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  const isTwice = new Set(extensions.map(({ name }) => name)).size < extensions.length
  if (!issuer || !subject || !publicKey || isTwice || Number.isNaN(notBefore + notAfter)) return undefined
  const names = extensionOf(ids.alternativeNames)
  const limits = extensionOf(ids.nameConstraints)
  const alternativeNames = names && readAlternativeNames(inside(names)[0])
  const constraints = limits && readConstraints(inside(limits)[0])
  const [basic] = inside(extensionOf(ids.basicConstraints))
  const length = inside(basic).find(({ tag }) => tag === tags.integer)
  const isUnknown = (name: string): boolean =>
    !knownExtensions.has(name) ||
    (name === ids.alternativeNames && alternativeNames?.isEmpty === true) ||
    (name === ids.nameConstraints && constraints?.hasUnknown === true)
  return {
    issuer: issuer.contents,
    subject: subject.contents,
    publicKey: publicKey.contents,
    notBefore,
    notAfter,
    isSoundlySigned: isSound(algorithm),
    hasWeakKey: isWeak(certificate),
    hasUnknownCritical: extensions.some(({ name, isCritical }) => isCritical && isUnknown(name)),
    pathLength: length === undefined ? undefined : Number.parseInt(length.contents.toString('hex') || '0', 16),
    maySign: signs(inside(extensionOf(ids.keyUsage))[0]),
    alternativeNames,
    constraints,
    policies: readPolicies(extensionOf),
  }
}

function readExtension(extension: DerValue) {
  const [name, ...rest] = inside(extension)
  const isCritical = rest.length > 1 && rest[0]?.tag === tags.boolean && rest[0].contents[0] !== 0
  return { name: name === undefined ? '' : readObjectId(name), isCritical, value: rest.at(-1) }
}

function isSound(algorithm: DerValue | undefined): boolean {
  const [id, parameters] = inside(algorithm)
  if (id === undefined) return false
  if (readObjectId(id) !== rsaPss) return soundAlgorithms.has(readObjectId(id))
  // Without a hash of its own it is SHA-1.
  const [hash] = inside(inside(inside(parameters).find(({ tag }) => tag === 0xa0))[0])
  return hash !== undefined && soundHashes.has(readObjectId(hash))
}

const minRsaBits = 1024
const curves: ReadonlySet<string> = new Set(['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1'])

function isWeak({ publicKey }: X509Certificate): boolean {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = publicKey
  if (type === 'rsa') return (details?.modulusLength ?? 0) < minRsaBits
  return type === 'ec' ? !curves.has(details?.namedCurve ?? '') : type !== 'ed25519'
}

/** The sixth bit, in the first byte behind the number of unused ones. No bits at all are no usage. */
function signs(usage: DerValue | undefined): boolean {
  if (usage?.tag !== tags.bits) return true
  const bytes = usage.contents.subarray(1)
  return bytes.every((byte) => byte === 0) || ((bytes[0] ?? 0) & 0x04) !== 0
}
