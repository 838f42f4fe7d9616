/**
 * Certificate requests (PKCS #10) and certificates in PEM: whether they can be read, and were signed by their own key.
 * Mirrors pkg/apis/certificates: ParseCSR.
 */
import { createPublicKey, type KeyObject, verify, X509Certificate } from 'node:crypto'
import { quote } from '../../../../api/field-error.ts'
import { sequence } from '../../../../lib/der.ts'
import { type DerValue, readDer, readObjectId } from '../../../../lib/der-reader.ts'
import { pemBlocks } from '../../../../lib/pem.ts'

/** What is wrong with a request, if anything is. */
export function certificateRequestProblem(pem: string): string | undefined {
  const [block] = pemBlocks(pem)
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST'
  const request = parseRequest(block.bytes)
  if (request === undefined) return 'asn1: structure error: malformed certificate request'
  return signatureProblem(request)
}

export interface SignedRequest {
  readonly signed: Buffer
  readonly publicKey: KeyObject
  readonly algorithm: string
  readonly signature: Buffer
}

/** Undefined: it cannot be read. */
export function parseRequest(der: Buffer): SignedRequest | undefined {
  try {
    const [outer, ...rest] = readDer(der)
    if (rest.length > 0) return undefined
    const [info, algorithm, signature] = fieldsOf(outer, [tags.sequence, tags.sequence, tags.bits])
    const [, , keyInfo] = fieldsOf(info, [tags.integer, undefined, tags.sequence, tags.attributes])
    const [algorithmId] = fieldsOf(algorithm, [tags.objectId])
    if (info === undefined || signature === undefined || keyInfo === undefined || algorithmId === undefined) {
      return undefined
    }
    return {
      signed: sequence(info.contents),
      publicKey: createPublicKey({ key: sequence(keyInfo.contents), format: 'der', type: 'spki' }),
      algorithm: readObjectId(algorithmId),
      // The first byte is how many bits of the last one are unused: none.
      signature: signature.contents.subarray(1),
    }
  } catch {
    return undefined
  }
}

const tags = { integer: 0x02, bits: 0x03, objectId: 0x06, sequence: 0x30, attributes: 0xa0 } as const

/** The fields of a sequence, none where one is missing or of another type; undefined: of any. More may follow. */
function fieldsOf(value: DerValue | undefined, wanted: readonly (number | undefined)[]): readonly DerValue[] {
  if (value?.tag !== tags.sequence) return []
  const fields = readDer(value.contents)
  return wanted.every((tag, i) => fields[i] !== undefined && (tag ?? fields[i].tag) === fields[i].tag) ? fields : []
}

const digests: Readonly<Record<string, readonly [type: string, digest: string | null]>> = {
  '1.2.840.113549.1.1.5': ['rsa', 'sha1'],
  '1.2.840.113549.1.1.11': ['rsa', 'sha256'],
  '1.2.840.113549.1.1.12': ['rsa', 'sha384'],
  '1.2.840.113549.1.1.13': ['rsa', 'sha512'],
  '1.2.840.10045.4.1': ['ec', 'sha1'],
  '1.2.840.10045.4.3.2': ['ec', 'sha256'],
  '1.2.840.10045.4.3.3': ['ec', 'sha384'],
  '1.2.840.10045.4.3.4': ['ec', 'sha512'],
  '1.3.101.112': ['ed25519', null],
}

const failures: Readonly<Record<string, string>> = {
  rsa: 'crypto/rsa: verification error',
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
}

export function signatureProblem({ signed, publicKey, algorithm, signature }: SignedRequest): string | undefined {
  const [type, digest] = digests[algorithm] ?? []
  if (type === undefined || digest === undefined || publicKey.asymmetricKeyType !== type) {
    return 'x509: cannot verify signature: algorithm unimplemented'
  }
  return verify(digest, signed, publicKey, signature) ? undefined : failures[type]
}

/** What is wrong with a chain of certificates in PEM, if anything is. None at all is fine. */
export function certificateProblem(pem: string): string | undefined {
  if (pem === '') return undefined
  const blocks = pemBlocks(pem)
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${quote(type)}`
    if (hasHeaders) return 'no PEM block headers are permitted'
    if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates'
    if (!isCertificate(bytes)) return 'x509: malformed certificate'
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length > 0
  } catch {
    return false
  }
}

/** Whether a certificate is one of an authority; undefined when it cannot be read. */
export function certificateAuthority(der: Buffer): boolean | undefined {
  try {
    return new X509Certificate(der).ca
  } catch {
    return undefined
  }
}
