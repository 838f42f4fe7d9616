/** Reading certificates: PEM bundles, and the names in a subject, taken from the encoded form and not from printed text. */
import { X509Certificate } from 'node:crypto'
import { type DerValue, readDer, readObjectId, readText } from '../../lib/der-reader.ts'

export interface SubjectName {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly uids: readonly string[]
}

const pemBlock = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/** All certificates of a PEM text, in order; other blocks are passed over. Throws when one cannot be read. */
export function parseCertificates(pem: string): X509Certificate[] {
  return [...pem.matchAll(pemBlock)].map(([block]) => new X509Certificate(block))
}

const commonName = '2.5.4.3'
const organization = '2.5.4.10'
const userUid = '1.3.6.1.4.1.57683.2'

export function certificateSubjectName(certificate: X509Certificate): SubjectName {
  const fields = subjectFields(certificate.raw)
  const valuesOf = (id: string): string[] => fields.filter(([key]) => key === id).map(([, value]) => value)
  return {
    commonName: valuesOf(commonName).at(-1) ?? '',
    organizations: valuesOf(organization),
    uids: valuesOf(userUid),
  }
}

/** The explicit tag of a certificate's version. */
const versionTag = 0xa0

/** Certificates of X.509 version 1 have no extensions: nothing in them says whether they may sign others. */
export function isVersionOne({ raw }: X509Certificate): boolean {
  const [certificate] = readDer(raw)
  const [signed] = certificate === undefined ? [] : readDer(certificate.contents)
  const [first] = signed === undefined ? [] : readDer(signed.contents)
  return first?.tag !== versionTag
}

/** What decides whether a certificate may stand where it stands in a chain. */
export interface ChainFacts {
  /** Its signature is by an algorithm that is broken. Mirrors crypto/x509: checkSignature. */
  readonly isWeaklySigned: boolean
  /** It has an extension that whoever verifies it has to understand, and that is not understood here. */
  readonly hasUnknownCritical: boolean
  /** How many authorities may stand below it. */
  readonly pathLength: number | undefined
}

/** MD2, MD5 and SHA-1, with RSA, DSA and ECDSA. */
const weakAlgorithms: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10040.4.3',
  '1.2.840.10045.4.1',
])
const basicConstraints = '2.5.29.19'
/** Keys, usages, names, constraints, policies and revocation lists. Mirrors crypto/x509: processExtensions. */
const knownExtensions: ReadonlySet<string> = new Set(
  [14, 15, 17, 19, 30, 31, 32, 33, 35, 36, 37, 54].map((number) => `2.5.29.${number}`),
)
const extensionsTag = 0xa3
const booleanTag = 0x01
const integerTag = 0x02

/** One that cannot be read may stand nowhere. */
export function chainFactsOf(certificate: X509Certificate): ChainFacts {
  try {
    return readChainFacts(certificate)
  } catch {
    return { isWeaklySigned: true, hasUnknownCritical: true, pathLength: 0 }
  }
}

function readChainFacts({ raw }: X509Certificate): ChainFacts {
  const [signed, algorithm] = inside(readDer(raw)[0])
  const [id] = inside(algorithm)
  const [list] = inside(inside(signed).find(({ tag }) => tag === extensionsTag))
  const extensions = inside(list).map((extension) => {
    const [name, ...rest] = inside(extension)
    const isCritical = rest.length > 1 && rest[0]?.tag === booleanTag && rest[0].contents[0] !== 0
    return { name: name === undefined ? '' : readObjectId(name), isCritical, value: rest.at(-1) }
  })
  const [constraints] = inside(extensions.find(({ name }) => name === basicConstraints)?.value)
  const length = inside(constraints).find(({ tag }) => tag === integerTag)
  return {
    isWeaklySigned: id !== undefined && weakAlgorithms.has(readObjectId(id)),
    hasUnknownCritical: extensions.some(({ name, isCritical }) => isCritical && !knownExtensions.has(name)),
    pathLength: length === undefined ? undefined : Number.parseInt(length.contents.toString('hex') || '0', 16),
  }
}

const inside = (value: DerValue | undefined): DerValue[] => (value === undefined ? [] : readDer(value.contents))

/** Certificate → to be signed → [version], serial, algorithm, issuer, validity, subject → sets of (id, value). */
function subjectFields(raw: Buffer): (readonly [string, string])[] {
  const [signed] = inside(readDer(raw)[0])
  const parts = inside(signed)
  const subject = parts[parts[0]?.tag === versionTag ? 5 : 4]
  return inside(subject).flatMap((set) =>
    inside(set).map((pair) => {
      const [id, value] = inside(pair)
      return [id === undefined ? '' : readObjectId(id), value === undefined ? '' : readText(value)] as const
    }),
  )
}
