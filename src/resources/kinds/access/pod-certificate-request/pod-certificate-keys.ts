/**
 * The keys that certificates of pods are asked for, and the proof that who asks has them.
 * Mirrors pkg/apis/certificates/validation: validateDeprecatedPKIXPublicKey, validateStubPKCS10Request.
 */
import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { goBytes } from '../../../../api/ca-bundle.ts'
import { type FieldError, invalid, invalidAs, invalidUnshown, tooLong } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { parseRequest, signatureProblem } from '../certificate-signing-request/certificate-request.ts'
import type { PodCertificateRequestSpec } from './pod-certificate-request.ts'

const keyPath = FieldPath.of('spec', 'pkixPublicKey')
const proofPath = FieldPath.of('spec', 'proofOfPossession')
const stubPath = FieldPath.of('spec', 'stubPKCS10Request')
const maxBytes = 10 * 1024
const unknownType = 'unknown public key type; supported types are Ed25519, ECDSA, and RSA'

/** Curves by the names of OpenSSL, and what Go calls those that it knows. */
const curves: Readonly<Record<string, string>> = {
  secp224r1: 'P-224',
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
}
const smallCurve = 'P-224'
const moduli = [3072, 4096]

const bytesOf = (base64: string | undefined): Buffer => Buffer.from(base64 ?? '', 'base64')

/** Undefined: not a key that Go reads. */
function readPublicKey(der: Buffer): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ec' && curveOf(key) === undefined ? undefined : key
  } catch {
    return undefined
  }
}

const curveOf = (key: KeyObject): string | undefined => curves[key.asymmetricKeyDetails?.namedCurve ?? '']

/** The key that a stored request is for; undefined where it cannot be read. */
export const requestedKey = ({ stubPKCS10Request, pkixPublicKey }: PodCertificateRequestSpec): KeyObject | undefined =>
  (stubPKCS10Request ?? '') === ''
    ? readPublicKey(bytesOf(pkixPublicKey))
    : parseRequest(bytesOf(stubPKCS10Request))?.publicKey

/** What is wrong with the parameters of a key. */
function keyProblem(key: KeyObject, at: FieldPath, allowedCurves: string): FieldError | undefined {
  if (key.asymmetricKeyType === 'ec') {
    const why = `elliptic public keys must use curve ${allowedCurves}`
    return curveOf(key) === smallCurve ? invalid(at, `curve ${smallCurve}`, why) : undefined
  }
  const bits = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8) * 8
  if (key.asymmetricKeyType !== 'rsa' || moduli.includes(bits)) return undefined
  return invalid(at, `${bits}-bit modulus`, 'RSA keys must have modulus size 3072 or 4096')
}

const isSupported = ({ asymmetricKeyType: type }: KeyObject): boolean =>
  type === 'ed25519' || type === 'ec' || type === 'rsa'

/** A key as such, with a signature of the pod's uid by it. */
export function validateKeyAndProof(spec: PodCertificateRequestSpec): FieldError[] {
  const [der, proof] = [bytesOf(spec.pkixPublicKey), bytesOf(spec.proofOfPossession)]
  if (der.length > maxBytes) return [tooLong(keyPath, maxBytes)]
  if (proof.length > maxBytes) return [tooLong(proofPath, maxBytes)]
  const shown = (why: string): FieldError[] => [invalidAs(keyPath, () => goBytes(spec.pkixPublicKey ?? ''), why)]
  const key = readPublicKey(der)
  if (key === undefined) return shown('must be a valid PKIX-serialized public key')
  if (!isSupported(key)) return shown(unknownType)
  const problem = keyProblem(key, keyPath, 'P256 or P384')
  if (problem !== undefined) return [problem]
  return isProof(key, Buffer.from(spec.podUID), proof)
    ? []
    : [invalidUnshown(proofPath, 'could not verify proof-of-possession signature')]
}

function isProof(key: KeyObject, message: Buffer, proof: Buffer): boolean {
  if (key.asymmetricKeyType === 'ed25519') return verify(null, message, key, proof)
  if (key.asymmetricKeyType === 'ec') return verify('sha256', message, key, proof)
  const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
  return verify('sha256', message, pss, proof)
}

/** A certificate request that says nothing but whose key it is. */
export function validateStubRequest({ stubPKCS10Request }: PodCertificateRequestSpec): FieldError[] {
  const der = bytesOf(stubPKCS10Request)
  if (der.length > maxBytes) return [tooLong(stubPath, maxBytes)]
  const request = parseRequest(der)
  if (request === undefined) return [invalidUnshown(stubPath, 'must be a valid PKCS#10 CSR')]
  if (!isSupported(request.publicKey)) return [invalidUnshown(stubPath, unknownType)]
  const problem = keyProblem(request.publicKey, stubPath, 'P256, P384, or P521')
  if (problem !== undefined) return [problem]
  return signatureProblem(request) === undefined ? [] : [invalidUnshown(stubPath, 'invalid signature')]
}
