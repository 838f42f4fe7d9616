/**
 * CertificateSigningRequest: the server writes the requester, and the spec is immutable. Conditions of approval come
 * through `approval`, the certificate through `status`, each once. Faults that an object has already are let be.
 * Mirrors pkg/apis/certificates/validation: ValidateCertificateSigningRequestCreate,
 * ValidateCertificateSigningRequestUpdate, ValidateCertificateSigningRequestStatusUpdate,
 * ValidateCertificateSigningRequestApprovalUpdate.
 * Mirrors pkg/registry/certificates/certificates: csrStrategy, csrStatusStrategy, csrApprovalStrategy.
 */

import { X509Certificate } from 'node:crypto'
import { goBytes } from '../../../../api/ca-bundle.ts'
import {
  duplicate,
  type FieldError,
  forbidden,
  forbiddenAs,
  invalid,
  notSupported,
  required,
} from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { GoLiteral } from '../../../../api/golang/literal.ts'
import { quote } from '../../../../api/golang/quote.ts'
import { equalSemantic } from '../../../../api/json.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { formatTime, instantOfMillis } from '../../../../api/time.ts'
import { goDiff } from '../../../../catalog/golang/diff-report.ts'
import { invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type {
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
  CertificateSigningRequestStatus,
} from '../../../../catalog/types/certificates-v1.ts'
import type { MetricSet } from '../../../../lib/metrics.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { duplicateFinder } from '../../../../lib/repeats.ts'
import type { Strategy, WriteContext } from '../../../../registry/strategy.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { keepField, withStatus } from '../../../plain-rules.ts'
import { validateSignerName } from '../../pods/signer-name.ts'
import { certificateProblem, certificateRequestProblem } from './certificate-request.ts'

type Condition = CertificateSigningRequestCondition
type Request = KubeObject & { spec: CertificateSigningRequestSpec; status: CertificateSigningRequestStatus }

const specPath = FieldPath.of('spec')
const statusPath = FieldPath.of('status')
const conditionsPath = statusPath.child('conditions')
const olderVersion = 'certificates.k8s.io/v1beta1'
const legacySigner = 'kubernetes.io/legacy-unknown'
const minimumExpiration = 600
const decisions = ['Approved', 'Denied']
const lasting = [...decisions, 'Failed']

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]

const text = (base64: string | null | undefined): string => Buffer.from(base64 ?? '', 'base64').toString('latin1')

const goRequest = (base64: string | null | undefined): GoLiteral =>
  base64 === undefined || base64 === null ? new GoLiteral('[]byte(nil)', 'null') : goBytes(base64)

function validateRequest(request: Request, old: Request | undefined, context: WriteContext): FieldError[] {
  const { spec, status } = request
  const errors: FieldError[] = []
  const problem = certificateRequestProblem(text(spec.request))
  if (problem !== undefined) errors.push(invalidAs(specPath.child('request'), () => goRequest(spec.request), problem))
  pushAll(errors, validateUsages(spec.usages ?? [], old?.spec.usages))
  const signerAt = specPath.child('signerName')
  if (spec.signerName === legacySigner && old?.spec.signerName !== legacySigner) {
    errors.push(invalid(signerAt, spec.signerName, 'the legacy signerName is not allowed via this API version'))
  } else if (spec.signerName === '') errors.push(required(signerAt))
  else validateSignerName(errors, spec.signerName, signerAt)
  const { expirationSeconds } = spec
  if (expirationSeconds !== undefined && expirationSeconds < minimumExpiration) {
    const why = 'may not specify a duration less than 600 seconds (10 minutes)'
    errors.push(invalid(specPath.child('expirationSeconds'), expirationSeconds, why))
  }
  return [
    ...errors,
    ...validateConditions(status.conditions ?? [], old, context),
    ...validateCertificate(status, old?.status),
  ]
}

function validateUsages(given: readonly string[], old: readonly string[] | undefined): FieldError[] {
  const at = specPath.child('usages')
  const errors: FieldError[] = []
  if (given.length === 0) errors.push(required(at))
  const unknownBefore = old?.some((usage) => !usages.includes(usage)) ?? false
  if (!unknownBefore) {
    given.forEach((usage, i) => {
      if (!usages.includes(usage)) errors.push(notSupported(at.index(i), usage, usages))
    })
  }
  if (old !== undefined && new Set(old).size < old.length) return errors
  const isRepeated = duplicateFinder(given, (usage) => usage)
  given.forEach((usage, i) => {
    if (isRepeated(i)) errors.push(duplicate(at.index(i), usage))
  })
  return errors
}

function validateConditions(
  conditions: readonly Condition[],
  old: Request | undefined,
  { gate }: Pick<WriteContext, 'gate'>,
): FieldError[] {
  const before = old?.status.conditions ?? []
  const types = before.map(({ type }) => type)
  const mayBeBoth = decisions.every((type) => types.includes(type))
  const mayRepeat = new Set(types).size < types.length
  const seen = new Set<string>()
  return conditions.flatMap(({ type, status }, i) => {
    const at = conditionsPath.index(i)
    const errors: FieldError[] = []
    if (type === '' && !types.includes('')) errors.push(required(at.child('type')))
    const allowed = lasting.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
    if (status === '') errors.push(required(at.child('status')))
    else if (!allowed.includes(status)) errors.push(notSupported(at.child('status'), status, allowed))
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined
    if (!mayBeBoth && opposite !== undefined && seen.has(opposite)) {
      const place = gate('release:exclusiveConditionsOfList') ? conditionsPath : at.child('type')
      errors.push(invalid(place, type, 'Approved and Denied conditions are mutually exclusive'))
    }
    if (!mayRepeat && seen.has(type)) errors.push(duplicate(at.child('type'), type))
    seen.add(type)
    return errors
  })
}

function validateCertificate(
  { certificate = '' }: CertificateSigningRequestStatus,
  old: CertificateSigningRequestStatus | undefined,
): FieldError[] {
  const before = old?.certificate ?? ''
  const isOldFault = old !== undefined && (certificate === before || certificateProblem(text(before)) !== undefined)
  const problem = isOldFault ? undefined : certificateProblem(text(certificate))
  return problem === undefined ? [] : [invalid(statusPath.child('certificate'), '<certificate data>', problem)]
}

interface Allowed {
  readonly context: WriteContext
  readonly decisions: boolean
  readonly certificate: boolean
}

function validateUpdate(request: Request, old: Request, allowed: Allowed): FieldError[] {
  const errors = validateRequest(request, old, allowed.context)
  const of = ({ status }: Request, type: string): Condition[] =>
    (status.conditions ?? []).filter((condition) => condition.type === type)
  const say = (what: string, type: string, more: (release: number) => string = () => ''): void => {
    const why = `updates may not ${what} a condition of type ${quote(type)}`
    errors.push(forbiddenAs(conditionsPath, (release) => why + more(release)))
  }
  for (const type of lasting) if (of(request, type).length < of(old, type).length) say('remove', type)
  for (const type of allowed.decisions ? [] : decisions) {
    const [now, before] = [of(request, type), of(old, type)]
    if (now.length > before.length) say('add', type)
    else if (now.length === before.length && !equalSemantic(now, before)) {
      const change = { before, after: now }
      say(
        'modify',
        type,
        (release) => `\n${goDiff('[]certificates.CertificateSigningRequestCondition', change, release)}`,
      )
    }
  }
  const [certificate, before] = [request.status.certificate ?? '', old.status.certificate ?? '']
  if (certificate === before) return errors
  const at = statusPath.child('certificate')
  if (!allowed.certificate) return [...errors, forbidden(at, 'updates may not set certificate content')]
  return before === '' ? errors : [...errors, forbidden(at, 'updates may not modify existing certificate content')]
}

/** The draft with the times of its conditions filled in: now, or since when the condition is as it is. */
function fillTimes(draft: Request, old: Request, { now }: WriteContext): void {
  if (draft.status.conditions === undefined) return
  const time = formatTime(instantOfMillis(now))
  const conditions = draft.status.conditions.map((condition): Condition => {
    const same = (old.status.conditions ?? []).find(
      ({ type, status, lastTransitionTime }) =>
        type === condition.type && status === condition.status && lastTransitionTime != null,
    )
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? time,
      lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? time,
    }
  })
  draft.status = { ...draft.status, conditions }
}

/** As many decisions as before are the decisions from before. */
function keepDecisions(draft: Request, old: Request): void {
  if (draft.status.conditions === undefined) return
  const conditions = [...draft.status.conditions]
  for (const type of decisions) {
    const before = (old.status.conditions ?? []).filter((condition) => condition.type === type)
    const places = conditions.flatMap((condition, i) => (condition.type === type ? [i] : []))
    if (places.length !== before.length) continue
    places.forEach((place, i) => {
      const kept = before[i]
      if (kept !== undefined) conditions[place] = kept
    })
  }
  draft.status = { ...draft.status, conditions }
}

function fillRequestor(draft: Request, { user }: WriteContext): void {
  const { username: _n, uid: _u, groups: _g, extra: _e, ...asked } = draft.spec
  const extra = Object.fromEntries([...(user?.extra ?? [])].map(([key, values]) => [key, [...values]]))
  const uid = user?.uid ?? ''
  draft.spec = {
    ...asked,
    ...(user === undefined || user.name === '' ? {} : { username: user.name }),
    ...(uid === '' ? {} : { uid }),
    ...((user?.groups.length ?? 0) > 0 ? { groups: [...(user?.groups ?? [])] } : {}),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  }
}

const anyName = { validateName: (): [] => [] }
const metadataRules: Pick<Strategy, 'validateMetadata' | 'validateMetadataUpdate'> = {
  validateMetadata: (metadata) => metadata.validate(anyName),
  validateMetadataUpdate: (metadata) => [...metadata.validate(anyName), ...metadata.validateUpdate()],
}

const backdatingMs = 5 * 60 * 1000

/**
 * Counts issued certificates by whether they live as long as was asked for.
 * Mirrors pkg/registry/certificates/certificates/storage: countCSRDurationMetric.
 */
function countLifetimes(metrics: MetricSet | undefined): Pick<Strategy<Request>, 'beginUpdate'> {
  if (metrics === undefined) return {}
  const prefix = 'apiserver_certificates_registry_csr_'
  return {
    beginUpdate(draft, { spec, status }) {
      const { expirationSeconds } = spec
      if ((status.certificate ?? '') !== '' || expirationSeconds === undefined) return undefined
      const commit = (): void => {
        const issued = draft.status.certificate ?? ''
        if (issued === '') return
        const signer = spec.signerName.startsWith('kubernetes.io/') ? spec.signerName : 'other'
        metrics.counter(`${prefix}requested_duration_total`).add(1, signer)
        if (isHonored(expirationSeconds * 1000, text(issued))) {
          metrics.counter(`${prefix}honored_duration_total`).add(1, signer)
        }
      }
      return { commit, rollback: () => {} }
    },
  }
}

/** Within five minutes of backdating and a twentieth of what was asked for. */
function isHonored(wantedMs: number, pem: string): boolean {
  try {
    const { validFrom, validTo } = new X509Certificate(pem)
    const lifetime = Date.parse(validTo) - Date.parse(validFrom)
    return Math.abs(wantedMs - lifetime) < backdatingMs + wantedMs / 20
  } catch {
    return false
  }
}

export function certificateSigningRequestRules({ metrics }: Pick<KindServices, 'metrics'>): KindRules<Request> {
  return {
    strategy: withStatus<Request>({
      ...metadataRules,
      prepareForCreate: fillRequestor,
      // The old version let pass what is wrong only today.
      validate: (request, context) =>
        validateRequest(request, context.apiVersion === olderVersion ? request : undefined, context),
      prepareForUpdate: (draft, old) => keepField(draft, old, 'spec'),
      validateUpdate: (request, old, context) =>
        validateUpdate(request, old, { context, decisions: false, certificate: false }),
    }),
    parts: {
      status: {
        ...metadataRules,
        ...countLifetimes(metrics),
        prepareForUpdate(draft, old, context) {
          keepField(draft, old, 'spec')
          keepDecisions(draft, old)
          fillTimes(draft, old, context)
        },
        validateUpdate: (request, old, context) =>
          validateUpdate(request, old, { context, decisions: false, certificate: true }),
      },
      approval: {
        ...metadataRules,
        prepareForUpdate(draft, old, context) {
          fillTimes(draft, old, context)
          keepField(draft, old, 'spec')
          const { conditions } = draft.status
          const { conditions: _, ...kept } = old.status
          draft.status = conditions === undefined ? kept : { conditions, ...kept }
        },
        validateUpdate: (request, old, context) =>
          validateUpdate(request, old, { context, decisions: true, certificate: false }),
      },
    },
    fields: { 'spec.signerName': (request) => (request as Request).spec.signerName },
  }
}
