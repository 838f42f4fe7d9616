/** The subject of a certificate signing request (PKCS #10): its common name and organizations. */
import { type DerValue, readDer, readObjectId, readText } from '../lib/der-reader.ts'

export interface CertificateSubject {
  readonly commonName: string
  readonly organizations: readonly string[]
}

const pemRequest = /-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE REQUEST-----/
const commonNameId = '2.5.4.3'
const organizationId = '2.5.4.10'

/** Of the PEM text in base64. Throws an Error that says why it cannot be read. */
export function certificateSubject(base64: string): CertificateSubject {
  const pem = pemRequest.exec(Buffer.from(base64, 'base64').toString('latin1'))?.[1]
  if (pem === undefined) throw new Error('PEM block type must be CERTIFICATE REQUEST')
  const parts = subjectParts(Buffer.from(pem, 'base64'))
  const ofType = (wanted: string): string[] => parts.flatMap(({ id, text }) => (id === wanted ? [text] : []))
  // Of several names the last one counts.
  return { commonName: ofType(commonNameId).at(-1) ?? '', organizations: ofType(organizationId) }
}

/** Request → information → version, subject → sets of (id, value). */
function subjectParts(der: Buffer): { readonly id: string; readonly text: string }[] {
  const inside = (value: DerValue | undefined): DerValue[] => (value === undefined ? [] : readDer(value.contents))
  const [information] = inside(readDer(der)[0])
  return inside(inside(information)[1]).flatMap((set) =>
    inside(set).flatMap((pair) => {
      const [id, value] = inside(pair)
      return id === undefined || value === undefined ? [] : [{ id: readObjectId(id), text: readText(value) }]
    }),
  )
}
