/**
 * Who may approve, sign and vouch for certificates of which signer, and whom a client certificate must not name.
 * Mirrors plugin/pkg/admission/certificates/approval: Plugin.
 * Mirrors plugin/pkg/admission/certificates/signing: Plugin.
 * Mirrors plugin/pkg/admission/certificates/subjectrestriction: Plugin.
 * Mirrors plugin/pkg/admission/certificates/ctbattest: Plugin.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { quote } from '../../api/golang/quote.ts'
import { equalJson } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { CertificateSigningRequest, CertificateSigningRequestStatus } from '../../catalog/types/certificates-v1.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import { reasonOf } from '../../lib/fault.ts'
import { certificateSubject } from '../certificate-subject.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import { type AdmissionPlugin, handling } from '../plugin.ts'

const group = 'certificates.k8s.io'

type SigningRequest = KubeObject &
  Pick<CertificateSigningRequest, 'spec'> & { status?: CertificateSigningRequestStatus }

/** The permission is on the signer itself, or on all signers of its domain. */
function checkSigner(
  cluster: Cluster,
  request: AdmissionRequest,
  { verb, signer, why }: { verb: string; signer: string; why: string },
): Awaitable<void> {
  const ask = (name: string) =>
    cluster.authorize({
      user: request.user,
      verb,
      isResourceRequest: true,
      path: '',
      apiGroup: group,
      apiVersion: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
    })
  return whenReady(ask(signer), (decision) => {
    if (decision.allowed) return
    return whenReady(ask(`${signer.split('/')[0] ?? ''}/*`), (wide) => {
      if (!wide.allowed) throw denied(request, `${why} ${quote(signer)}`)
    })
  })
}

export function certificateApproval(cluster: Cluster): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    handles: handling(['UPDATE'], group, 'certificatesigningrequests', ['approval']),
    validate(request) {
      const signer = (request.oldObject as SigningRequest).spec.signerName ?? ''
      const why = 'user not permitted to approve requests with signerName'
      return checkSigner(cluster, request, { verb: 'approve', signer, why })
    },
  }
}

export function certificateSigning(cluster: Cluster): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    handles: handling(['UPDATE'], group, 'certificatesigningrequests', ['status']),
    validate(request) {
      const old = request.oldObject as SigningRequest
      const { status } = request.object as SigningRequest
      const sameCertificate = (status?.certificate ?? '') === (old.status?.certificate ?? '')
      if (sameCertificate && equalJson(status?.conditions ?? [], old.status?.conditions ?? [])) return
      const why = 'user not permitted to sign requests with signerName'
      return checkSigner(cluster, request, { verb: 'sign', signer: old.spec.signerName ?? '', why })
    },
  }
}

export function clusterTrustBundleAttest(cluster: Cluster): AdmissionPlugin {
  const isOn = cluster.gate('ClusterTrustBundle')
  return {
    name: 'ClusterTrustBundleAttest',
    handles: (shape) => isOn && handling(['CREATE', 'UPDATE'], group, 'clustertrustbundles')(shape),
    validate(request) {
      const spec = request.object?.['spec'] as { signerName?: string } | undefined
      const signer = spec?.signerName ?? ''
      if (signer === '' || isBookkeeping(request)) return
      return checkSigner(cluster, request, {
        verb: 'attest',
        signer,
        why: 'user not permitted to attest for signerName',
      })
    },
  }
}

/** Garbage collection and rewrites for the store do not vouch for anything. */
function isBookkeeping({ object, oldObject }: AdmissionRequest): boolean {
  if (object === undefined || oldObject === undefined) return false
  const bare = ({ metadata, ...rest }: KubeObject): KubeObject => {
    const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managed, ...kept } = metadata
    return { ...rest, metadata: kept } as KubeObject
  }
  return equalJson(bare(object), bare(oldObject))
}

const clientSigner = 'kubernetes.io/kube-apiserver-client'
const masters = 'system:masters'

/** Refuses certificates of the group system:masters. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  handles: handling(['CREATE'], group, 'certificatesigningrequests'),
  validate(request) {
    const { spec } = request.object as SigningRequest
    if (spec.signerName !== clientSigner) return
    let organizations: readonly string[]
    try {
      organizations = certificateSubject(spec.request ?? '').organizations
    } catch (error) {
      throw denied(request, `failed to parse CSR: ${reasonOf(error)}`)
    }
    if (organizations.includes(masters)) {
      throw denied(request, `use of ${clientSigner} signer with ${masters} group is not allowed`)
    }
  },
}
