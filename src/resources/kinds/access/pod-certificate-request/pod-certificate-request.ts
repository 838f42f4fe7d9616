/**
 * PodCertificateRequest: a kubelet asks for a certificate of a pod. The spec is immutable, and the status ends with one condition.
 * Mirrors pkg/apis/certificates/validation: ValidatePodCertificateRequestCreate, ValidatePodCertificateRequestUpdate.
 * Mirrors pkg/registry/certificates/podcertificaterequest: Strategy, StatusStrategy.
 */
import {
  type FieldError,
  forbidden,
  invalid,
  invalidAs,
  invalidUnshown,
  required,
  tooLong,
} from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { quote } from '../../../../api/golang/quote.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { checkSubdomainName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import type { UserInfo } from '../../../../api/user.ts'
import { goJsonOnly } from '../../../../catalog/golang/dump.ts'
import type { Condition } from '../../../../catalog/types/meta-v1.ts'
import { addMessages, immutableMessage } from '../../../checks/checks.ts'
import { keepMetadataForStatus } from '../../../checks/status-metadata.ts'
import { checkUserAnnotations } from '../../../checks/user-annotations.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { longestValidity } from '../../pods/pod-certificate-source.ts'
import { validateSignerName } from '../../pods/signer-name.ts'
import { validateKeyAndProof, validateStubRequest } from './pod-certificate-keys.ts'
import { validateStatusUpdate } from './pod-certificate-status.ts'

export interface PodCertificateRequestSpec {
  readonly signerName: string
  readonly podName: string
  readonly podUID: string
  readonly serviceAccountName: string
  readonly serviceAccountUID: string
  readonly nodeName: string
  readonly nodeUID: string
  readonly maxExpirationSeconds?: number
  readonly pkixPublicKey?: string
  readonly proofOfPossession?: string
  readonly stubPKCS10Request?: string
  readonly unverifiedUserAnnotations?: Readonly<Record<string, string>>
}

export interface PodCertificateRequestStatus {
  readonly conditions?: readonly Condition[]
  readonly certificateChain?: string
  readonly notBefore?: string
  readonly beginRefreshAt?: string
  readonly notAfter?: string
}

export type PodCertificateRequest = KubeObject & {
  spec: PodCertificateRequestSpec
  status: PodCertificateRequestStatus
}

type Gate = KindServices['gate']

const specPath = FieldPath.of('spec')
const maxUid = 128
const hour = 60 * 60

function validateSpec(spec: PodCertificateRequestSpec, gate: Gate): FieldError[] {
  const errors: FieldError[] = []
  validateSignerName(errors, spec.signerName, specPath.child('signerName'))
  if (gate('release:podCertificateNames')) {
    checkUserAnnotations(errors, spec.unverifiedUserAnnotations ?? {}, specPath.child('unverifiedUserAnnotations'))
  }
  checkIdentity(errors, spec, 'podName', 'podUID')
  checkIdentity(errors, spec, 'serviceAccountName', 'serviceAccountUID')
  checkIdentity(errors, spec, 'nodeName', 'nodeUID')
  const expiryPath = specPath.child('maxExpirationSeconds')
  const { maxExpirationSeconds: expiry } = spec
  if (expiry === undefined) return [...errors, required(expiryPath, 'must be set')]
  const longest = longestValidity(spec.signerName)
  if (expiry < hour || expiry > longest) {
    errors.push(invalid(expiryPath, expiry, `must be in the range [${hour}, ${longest}]`))
  }
  return [...errors, ...validateKey(spec, gate)]
}

type NameField = 'podName' | 'serviceAccountName' | 'nodeName'
type UidField = 'podUID' | 'serviceAccountUID' | 'nodeUID'

function checkIdentity(errors: FieldError[], spec: PodCertificateRequestSpec, name: NameField, uid: UidField): void {
  addMessages(errors, specPath.child(name), spec[name], checkSubdomainName(spec[name]))
  if (spec[uid] === '') errors.push(invalid(specPath.child(uid), '', 'must not be empty'))
  if (Buffer.byteLength(spec[uid]) > maxUid) errors.push(tooLong(specPath.child(uid), maxUid))
}

/** A key comes with a proof, or, in later releases, in a certificate request. */
function validateKey(spec: PodCertificateRequestSpec, gate: Gate): FieldError[] {
  if (!gate('release:stubCertificateRequests')) return validateKeyAndProof(spec)
  const isGiven = (base64: string | undefined): boolean => (base64 ?? '') !== ''
  const [key, proof] = [isGiven(spec.pkixPublicKey), isGiven(spec.proofOfPossession)]
  const stub = isGiven(spec.stubPKCS10Request)
  if (stub && !key && !proof) return validateStubRequest(spec)
  if (!stub && key && proof) return validateKeyAndProof(spec)
  const why = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set'
  return [invalidUnshown(specPath, why)]
}

/** The permission is on the signer itself, or on all signers of its domain. */
async function mayServe({ access }: Pick<KindServices, 'access'>, user: UserInfo, signer: string): Promise<boolean> {
  const isAllowed = (name: string): Promise<boolean> =>
    access.allows({
      user,
      verb: 'sign',
      isResourceRequest: true,
      path: '',
      apiGroup: 'certificates.k8s.io',
      apiVersion: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
    })
  return (await isAllowed(signer)) || isAllowed(`${signer.split('/')[0] ?? ''}/*`)
}

export function podCertificateRequestRules(services: KindServices): KindRules<PodCertificateRequest> {
  const { gate, clock } = services
  return {
    strategy: withStatus<PodCertificateRequest>({
      validate: ({ spec }) => validateSpec(spec, gate),
      validateUpdate: ({ spec }, old) =>
        equalSemantic(spec, old.spec)
          ? []
          : [invalidAs(specPath, () => goJsonOnly('certificates.PodCertificateRequestSpec', spec), immutableMessage)],
    }),
    parts: {
      status: statusOnly<PodCertificateRequest>({
        prepareForUpdate: keepMetadataForStatus,
        async validateInTurns(request, old, { user }) {
          if (old === undefined) return []
          const errors = validateStatusUpdate(request, old, { now: clock.now(), gate })
          const { signerName } = old.spec
          if (errors.length > 0 || user === undefined || equalSemantic(request.status, old.status)) return errors
          if (await mayServe(services, user, signerName)) return []
          const why = `User ${quote(user.name)} is not permitted to "sign" for signer ${quote(signerName)}`
          return [forbidden(specPath.child('signerName'), why)]
        },
      }),
    },
    fields: {
      'spec.signerName': (request) => (request as PodCertificateRequest).spec.signerName,
      'spec.podName': (request) => (request as PodCertificateRequest).spec.podName,
      'spec.nodeName': (request) => (request as PodCertificateRequest).spec.nodeName,
    },
  }
}
