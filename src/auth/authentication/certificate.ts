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

/** Undefined where a part of it cannot be read. */
export function certificateSubjectName(certificate: X509Certificate): SubjectName | undefined {
  let fields: ReturnType<typeof subjectFields>
  try {
    fields = subjectFields(certificate.raw)
  } catch {
    return undefined
  }
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
