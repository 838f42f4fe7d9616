/** Reading certificates: PEM bundles, and the names in a subject, taken from the encoded form and not from printed text. */
import { X509Certificate } from 'node:crypto'
import { X509Certificate as ParsedCertificate } from '@peculiar/x509'

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

export function subjectName(certificate: X509Certificate): SubjectName {
  const name = new ParsedCertificate(certificate.raw).subjectName
  return {
    commonName: name.getField(commonName).at(-1) ?? '',
    organizations: name.getField(organization),
    uids: name.getField(userUid),
  }
}
