/**
 * A certificate request (PKCS #10) in parts: whom it is for, under which names, with which key. The server has checked its
 * signature when the object was created.
 */
import { sequence } from '../../../lib/der.ts'
import { type DerValue, readDer, readObjectId, readText } from '../../../lib/der-reader.ts'
import { pemBlocks } from '../../../lib/pem.ts'

export interface ParsedRequest {
  /** As DER. */
  readonly subject: Buffer
  readonly publicKey: Buffer
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly names: AlternativeNames
}

export interface AlternativeNames {
  readonly dns: readonly Buffer[]
  readonly ip: readonly Buffer[]
  readonly email: readonly Buffer[]
  readonly uri: readonly Buffer[]
}

const commonNameId = '2.5.4.3'
const organizationId = '2.5.4.10'
const extensionRequestId = '1.2.840.113549.1.9.14'
const alternativeNameId = '2.5.29.17'
const nameTags: Readonly<Record<number, keyof AlternativeNames>> = { 129: 'email', 130: 'dns', 134: 'uri', 135: 'ip' }

/** Throws when it cannot be read. */
export function parseCertificateRequest(pem: string): ParsedRequest {
  const [block] = pemBlocks(pem)
  if (block?.type !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST')
  const [info] = readDer(part(readDer(block.bytes), 0).contents)
  const [, subject, key, ...attributes] = readDer(part([info], 0).contents)
  const attributeSet = attributes.find(({ tag }) => tag === 0xa0)
  return {
    subject: sequence(part([subject], 0).contents),
    publicKey: sequence(part([key], 0).contents),
    commonName: subjectTexts(part([subject], 0), commonNameId).at(-1) ?? '',
    organizations: subjectTexts(part([subject], 0), organizationId),
    names: alternativeNames(attributeSet === undefined ? [] : readDer(attributeSet.contents)),
  }
}

function part(values: readonly (DerValue | undefined)[], at: number): DerValue {
  const value = values[at]
  if (value === undefined) throw new Error('asn1: structure error: malformed certificate request')
  return value
}

function subjectTexts(subject: DerValue, id: string): string[] {
  return readDer(subject.contents).flatMap((names) =>
    readDer(names.contents).flatMap((pair) => {
      const [type, value] = readDer(pair.contents)
      return type !== undefined && value !== undefined && readObjectId(type) === id ? [readText(value)] : []
    }),
  )
}

function alternativeNames(attributes: readonly DerValue[]): AlternativeNames {
  const found: Record<keyof AlternativeNames, Buffer[]> = { dns: [], ip: [], email: [], uri: [] }
  for (const attribute of attributes) {
    const [type, values] = readDer(attribute.contents)
    if (type === undefined || values === undefined || readObjectId(type) !== extensionRequestId) continue
    for (const extension of readDer(part(readDer(values.contents), 0).contents)) {
      const [id, ...rest] = readDer(extension.contents)
      const value = rest.at(-1)
      if (id === undefined || value === undefined || readObjectId(id) !== alternativeNameId) continue
      for (const { tag, contents } of readDer(part(readDer(value.contents), 0).contents)) {
        const kind = nameTags[tag]
        if (kind !== undefined) found[kind].push(contents)
      }
    }
  }
  return found
}
