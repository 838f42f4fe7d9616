/**
 * The status of a request for a pod's certificate: it is written once, with the one condition that ends the request.
 * Mirrors pkg/apis/certificates/validation: ValidatePodCertificateRequestStatusUpdate.
 */
import { X509Certificate } from 'node:crypto'
import {
  type FieldError,
  invalid,
  invalidUnshown,
  notSupported,
  required,
  tooLong,
} from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { millisOfInstant, parseTime } from '../../../../api/time.ts'
import type { Condition } from '../../../../catalog/types/meta-v1.ts'
import { type PemBlock, pemBlocks } from '../../../../lib/pem.ts'
import { validateConditions } from '../../../checks/conditions.ts'
import { requestedKey } from './pod-certificate-keys.ts'
import type { PodCertificateRequest, PodCertificateRequestStatus } from './pod-certificate-request.ts'

interface Context {
  readonly now: number
  gate(name: string): boolean
}

const statusPath = FieldPath.of('status')
const conditionsPath = statusPath.child('conditions')
const chainPath = statusPath.child('certificateChain')
const ends = ['Issued', 'Denied', 'Failed']
const maxChainBytes = 100 * 1024
const minute = 60_000

const hasEnd = ({ conditions = [] }: PodCertificateRequestStatus, types: readonly string[]): boolean =>
  conditions.some(({ type, status }) => types.includes(type) && status === 'True')

export function validateStatusUpdate(
  request: PodCertificateRequest,
  { spec, status: old }: PodCertificateRequest,
  context: Context,
): FieldError[] {
  const { status } = request
  const errors = checkEnds(status.conditions ?? [])
  if (errors.length > 0) return errors
  const onlyIf = (same: boolean, why: string): FieldError[] => (same ? [] : [invalidUnshown(statusPath, why)])
  if (hasEnd(old, ends)) {
    return onlyIf(equalSemantic(status, old), 'immutable after PodCertificateRequest is issued, denied, or failed')
  }
  if (hasEnd(status, ['Denied', 'Failed'])) {
    const { conditions: _, ...rest } = status
    const why = 'non-condition status fields must be empty when denying or failing the PodCertificateRequest'
    return onlyIf(
      Object.values(rest).every((value) => value === undefined || value === ''),
      why,
    )
  }
  if (hasEnd(status, ['Issued'])) return validateIssued(status, spec, context)
  return onlyIf(
    equalSemantic(status, old),
    'status is immutable unless transitioning to "Issued", "Denied", or "Failed"',
  )
}

/** Paths have a dot before the index here. */
function checkEnds(conditions: readonly Condition[]): FieldError[] {
  let known = 0
  const errors = conditions.flatMap(({ type, status }, i): FieldError[] => {
    const at = conditionsPath.child(`[${i}]`)
    if (!ends.includes(type)) return [notSupported(at.child('type'), type, ends)]
    known++
    const why = 'There may be at most one condition with type "Issued", "Denied", or "Failed"'
    return [
      ...(known > 1 ? [invalid(at.child('type'), type, why)] : []),
      ...(status === 'True' ? [] : [notSupported(at.child('status'), status, ['True'])]),
    ]
  })
  return [...errors, ...validateConditions(conditions, conditionsPath)]
}

type Spec = PodCertificateRequest['spec']

function validateIssued(status: PodCertificateRequestStatus, spec: Spec, context: Context): FieldError[] {
  const chain = status.certificateChain ?? ''
  if (Buffer.byteLength(chain) > maxChainBytes) return [tooLong(chainPath, maxChainBytes)]
  const say = (why: string): FieldError[] => [invalid(chainPath, chain, why)]
  const [leaf, ...rest] = pemBlocks(chain)
  if (leaf === undefined) return say('issued certificate chain must contain at least one certificate')
  if (leaf.type !== 'CERTIFICATE') {
    return say('issued certificate chain must consist entirely of CERTIFICATE PEM blocks')
  }
  const certificate = readCertificate(leaf)
  if (certificate === undefined) return say('leaf certificate does not parse as valid X.509')
  const named = context.gate('release:podCertificateNames') ? checkNames(certificate) : []
  const key = requestedKey(spec)
  if (key !== undefined && !key.equals(certificate.publicKey)) {
    return [...named, ...say('leaf certificate was not issued to the requested public key')]
  }
  const missing = [...named, ...checkPresent(status)]
  if (missing.length > 0) return missing
  const wrong = checkTimes(status, spec, { certificate, now: context.now })
  if (wrong !== undefined) return [wrong]
  const other = rest.map(checkIntermediate).find((why) => why !== undefined)
  return other === undefined ? [] : say(other)
}

function readCertificate({ bytes }: PemBlock): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes)
  } catch {
    return undefined
  }
}

function checkIntermediate(block: PemBlock): string | undefined {
  if (block.type !== 'CERTIFICATE') return 'issued certificate chain must consist entirely of CERTFICATE PEM blocks'
  return readCertificate(block) === undefined ? 'intermediate certificate does not parse as valid X.509' : undefined
}

/** `DNS:a.example, email:b@example` */
function checkNames({ subjectAltName = '' }: X509Certificate): FieldError[] {
  return subjectAltName.split(', ').flatMap((entry): FieldError[] => {
    const colon = entry.indexOf(':')
    const [kind, name] = [entry.slice(0, colon), entry.slice(colon + 1)]
    const say = (why: string): FieldError => invalid(chainPath, name, why)
    if (kind === 'email')
      return isAddress(name) ? [] : [say('leaf certificate should not contain invalid EmailAddress')]
    if (kind !== 'DNS') return []
    return [
      ...(name === '' ? [say('leaf certificate should not contain empty DNSName')] : []),
      ...(name.includes('..') ? [say("leaf certificate's DNSName should not contain '..'")] : []),
      ...(name.startsWith('.') || name.endsWith('.')
        ? [say("leaf certificate's DNSName should not start or end with '.'")]
        : []),
    ]
  })
}

const isAddress = (text: string): boolean => /^[^\s@<>(),;:\\"[\]]+@[^\s@<>(),;:\\"[\]]+$/.test(text)

function checkPresent({ notBefore, notAfter, beginRefreshAt }: PodCertificateRequestStatus): FieldError[] {
  const consistent = 'must be present and consistent with the issued certificate'
  const range = 'must be present and in the range [notbefore+10min, notafter-10min]'
  return [
    ...(notBefore == null ? [required(statusPath.child('notBefore'), consistent)] : []),
    ...(notAfter == null ? [required(statusPath.child('notAfter'), consistent)] : []),
    ...(beginRefreshAt == null ? [required(statusPath.child('beginRefreshAt'), range)] : []),
  ]
}

const millis = (time: string | undefined): number => millisOfInstant(parseTime(time ?? ''))

function checkTimes(
  { notBefore, notAfter, beginRefreshAt }: PodCertificateRequestStatus,
  { maxExpirationSeconds = 0 }: Spec,
  { certificate, now }: { readonly certificate: X509Certificate; readonly now: number },
): FieldError | undefined {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  const say = (field: string, value: string | undefined, why: string): FieldError =>
    invalid(statusPath.child(field), value, why)
  if (millis(notBefore) !== from) {
    return say('notBefore', notBefore, 'must be set to the NotBefore time encoded in the leaf certificate')
  }
  if (Math.abs(from - now) >= 5 * minute) {
    return say('notBefore', notBefore, "must be set to within 5 minutes of kube-apiserver's current time")
  }
  if (millis(notAfter) !== to) {
    return say('notAfter', notAfter, 'must be set to the NotAfter time encoded in the leaf certificate')
  }
  const lifetime = to - from
  if (lifetime < 60 * minute) return wrongLifetime(lifetime, 'leaf certificate lifetime must be >= 1 hour')
  if (lifetime > maxExpirationSeconds * 1000) {
    return wrongLifetime(
      lifetime,
      `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${maxExpirationSeconds})`,
    )
  }
  const refresh = millis(beginRefreshAt)
  if (refresh < from + 10 * minute) {
    return say('beginRefreshAt', beginRefreshAt, 'must be at least 10 minutes after status.notBefore')
  }
  return refresh > to - 10 * minute
    ? say('beginRefreshAt', beginRefreshAt, 'must be at least 10 minutes before status.notAfter')
    : undefined
}

/** A duration is shown in nanoseconds. */
const wrongLifetime = (lifetime: number, why: string): FieldError => invalid(chainPath, lifetime * 1e6, why)
