/**
 * A key and its certificate as files of a projected volume. Releases after the default one have them.
 * Mirrors pkg/apis/core/validation: validateProjectionSources.
 */
import { invalid, notSupported, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { VolumeProjection } from '../../../catalog/types/core-v1.ts'
import { checkLocalPath, type Errors } from '../../checks/checks.ts'
import { checkUserAnnotations } from '../../checks/user-annotations.ts'
import { validateSignerName } from './signer-name.ts'

interface PodCertificateSource {
  readonly signerName?: string
  readonly keyType?: string
  readonly maxExpirationSeconds?: number
  readonly credentialBundlePath?: string
  readonly keyPath?: string
  readonly certificateChainPath?: string
  readonly userAnnotations?: Readonly<Record<string, string>>
}

export const podCertificateOf = (part: VolumeProjection): PodCertificateSource | undefined =>
  (part as { readonly podCertificate?: PodCertificateSource }).podCertificate

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519']
const files = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const
const hour = 60 * 60
const day = 24 * hour

/** How long certificates of a signer may be valid, in seconds. */
export function longestValidity(signer: string): number {
  const [domain = ''] = signer.split('/')
  return domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io') ? day : 91 * day
}

export function validatePodCertificate(
  errors: Errors,
  source: PodCertificateSource,
  at: FieldPath,
  addPath: (path: string) => void,
): void {
  const { signerName = '', keyType = '', userAnnotations = {}, maxExpirationSeconds: seconds } = source
  validateSignerName(errors, signerName, at.child('signerName'))
  checkUserAnnotations(errors, userAnnotations, at.child('userAnnotations'))
  if (!keyTypes.includes(keyType)) errors.push(notSupported(at.child('keyType'), keyType, keyTypes))
  const secondsAt = at.child('maxExpirationSeconds')
  const refuse = (bound: string): void =>
    void errors.push(invalid(secondsAt, seconds ?? 0, `if provided, maxExpirationSeconds must be ${bound}`))
  if (seconds !== undefined && seconds < hour) refuse(`>= ${hour}`)
  const longest = longestValidity(signerName)
  if (seconds !== undefined && seconds > longest) refuse(`<= ${longest}`)
  const given = files.filter((file) => (source[file] ?? '') !== '')
  for (const file of given) {
    const path = source[file] ?? ''
    checkLocalPath(errors, path, at.child(file))
    addPath(path)
  }
  if (given.length > 0) return
  errors.push(required(at, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'))
}
