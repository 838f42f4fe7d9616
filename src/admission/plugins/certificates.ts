/** Who may approve, sign and vouch for certificates of which signer, and whom a client certificate must not name. */
import type { AdmissionRequest } from '../../api/admission.ts'
import { equalJson, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { type DerValue, readDer, readObjectId, readText } from '../../lib/der-reader.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import { type AdmissionPlugin, handling, whenReady } from '../plugin.ts'

const group = 'certificates.k8s.io'

interface SigningRequest extends KubeObject {
  spec: { signerName?: string; request?: string }
  status?: { certificate?: string; conditions?: JsonValue[] }
}

/** The permission is on the signer itself, or on all signers of its domain. */
function checkSigner(
  cluster: Cluster,
  request: AdmissionRequest,
  { verb, signer, why }: { verb: string; signer: string; why: string },
): void | Promise<void> {
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
      if (!wide.allowed) throw denied(request, `${why} ${JSON.stringify(signer)}`)
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
  return {
    name: 'ClusterTrustBundleAttest',
    handles: handling(['CREATE', 'UPDATE'], group, 'clustertrustbundles'),
    validate(request) {
      const spec = request.object?.['spec'] as { signerName?: string } | undefined
      const signer = spec?.signerName ?? ''
      if (signer === '' || (request.oldObject !== undefined && equalJson(spec, request.oldObject['spec']))) return
      return checkSigner(cluster, request, {
        verb: 'attest',
        signer,
        why: 'user not permitted to attest for signerName',
      })
    },
  }
}

const clientSigner = 'kubernetes.io/kube-apiserver-client'
const masters = 'system:masters'

/** Nobody gets a certificate that makes them all-powerful. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  handles: handling(['CREATE'], group, 'certificatesigningrequests'),
  validate(request) {
    const { spec } = request.object as SigningRequest
    if (spec.signerName !== clientSigner) return
    let organizations: readonly string[]
    try {
      organizations = requestedOrganizations(spec.request ?? '')
    } catch (error) {
      throw denied(request, `could not parse CSR: ${(error as Error).message}`)
    }
    if (organizations.includes(masters)) {
      throw denied(request, `use of ${clientSigner} signer with ${masters} group is not allowed`)
    }
  },
}

const pemRequest = /-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE REQUEST-----/
const organizationId = '2.5.4.10'

/** Request → information → version, subject → sets of (id, value). */
function requestedOrganizations(base64: string): string[] {
  const pem = pemRequest.exec(Buffer.from(base64, 'base64').toString('latin1'))?.[1]
  if (pem === undefined) throw new Error('PEM block type must be CERTIFICATE REQUEST')
  const inside = (value: DerValue | undefined): DerValue[] => (value === undefined ? [] : readDer(value.contents))
  const [information] = inside(readDer(Buffer.from(pem, 'base64'))[0])
  return inside(inside(information)[1]).flatMap((set) =>
    inside(set).flatMap((pair) => {
      const [id, value] = inside(pair)
      const isOrganization = id !== undefined && readObjectId(id) === organizationId
      return isOrganization && value !== undefined ? [readText(value)] : []
    }),
  )
}
