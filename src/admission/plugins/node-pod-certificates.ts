/**
 * A node asks for certificates of pods that run on it: node, pod and service account must be those that there are. What may only be
 * late in a view is an error that can be retried, not a refusal.
 * Mirrors plugin/pkg/admission/noderestriction: Plugin.admitPodCertificateRequest.
 */
import type { AdmissionRequest } from '../../api/admission.ts'
import { quote } from '../../api/golang/quote.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { notFound, unknownError } from '../../api/status-error.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import { isMirrorPod } from '../pod.ts'

const fields = ['podName', 'podUID', 'serviceAccountName', 'serviceAccountUID', 'nodeName', 'nodeUID'] as const

/** Validation comes later: what is left out is empty. */
type CertificateSpec = Readonly<Record<(typeof fields)[number], string>>

function specOf({ object }: AdmissionRequest): CertificateSpec {
  const given = (object?.['spec'] ?? {}) as JsonObject
  return Object.fromEntries(fields.map((field) => [field, String(given[field] ?? '')])) as CertificateSpec
}

export async function checkPodCertificateRequest(
  request: AdmissionRequest,
  node: string,
  cluster: Cluster,
): Promise<void> {
  if (!cluster.gate('PodCertificateRequest')) throw denied(request, 'PodCertificateRequest feature gate is disabled')
  if (request.operation !== 'CREATE') throw denied(request, `unexpected operation ${request.operation}`)
  if (request.subresource !== '') throw denied(request, `unexpected subresource ${request.subresource}`)
  const spec = specOf(request)
  if (spec.nodeName !== node) {
    throw denied(
      request,
      `PodCertificateRequest.Spec.NodeName=${quote(spec.nodeName)}, which is not the requesting node ${quote(node)}`,
    )
  }
  await checkNode(request, spec, cluster)
  await checkPod(request, spec, cluster)
  await checkAccount(request, spec, cluster)
}

async function checkNode(request: AdmissionRequest, spec: CertificateSpec, cluster: Cluster): Promise<void> {
  const { podName, nodeName, nodeUID } = spec
  const found = await cluster.view('', 'nodes').find('', nodeName)
  if (found === undefined) throw missing('node', nodeName, nodeName)
  if (found.metadata.uid !== nodeUID) {
    throw unknownError(
      `PodCertificateRequest for pod ${pathOf(request, podName)} names node UID ${quote(nodeUID)}, inconsistent with the running node (${uidOf(found)})`,
    )
  }
}

async function checkPod(request: AdmissionRequest, spec: CertificateSpec, cluster: Cluster): Promise<void> {
  const { podName, podUID, nodeName, serviceAccountName } = spec
  const shown = pathOf(request, podName)
  const pod = await cluster.view<PodObject>('', 'pods').find(request.namespace, podName)
  if (pod === undefined) throw missing('pod', `${request.namespace}/${podName}`, podName)
  if (podUID !== pod.metadata.uid) {
    throw unknownError(
      `PodCertificateRequest for pod ${shown} contains pod UID (${quote(podUID)}) which differs from running pod ${uidOf(pod)}`,
    )
  }
  if (pod.spec.nodeName !== nodeName) {
    throw denied(request, `pod ${shown} is not running on node ${quote(nodeName)} named in the PodCertificateRequest`)
  }
  if (isMirrorPod(pod)) throw denied(request, `pod ${shown} is a mirror pod`)
  const running = pod.spec.serviceAccountName ?? ''
  if (serviceAccountName !== running) {
    throw denied(
      request,
      `PodCertificateRequest for pod ${shown} contains serviceAccountName (${quote(serviceAccountName)}) that differs from running pod (${quote(running)})`,
    )
  }
}

async function checkAccount(request: AdmissionRequest, spec: CertificateSpec, cluster: Cluster): Promise<void> {
  const { podName, serviceAccountName, serviceAccountUID } = spec
  const account = await cluster.view('', 'serviceaccounts').find(request.namespace, serviceAccountName)
  if (account === undefined) {
    throw missing('service account', `${request.namespace}/${serviceAccountName}`, serviceAccountName)
  }
  if (serviceAccountUID !== account.metadata.uid) {
    throw unknownError(
      `PodCertificateRequest for pod ${pathOf(request, podName)} names service account UID ${quote(serviceAccountUID)}, which differs from the running service account (${uidOf(account)})`,
    )
  }
}

const pathOf = ({ namespace }: AdmissionRequest, pod: string): string => quote(`${namespace}/${pod}`)
const uidOf = ({ metadata }: KubeObject): string => quote(metadata.uid ?? '')

const missing = (what: string, path: string, name: string) =>
  unknownError(
    `while retrieving ${what} ${quote(path)} named in the PodCertificateRequest: ${notFound({ group: '', resource: what.replace(' ', '') }, name).message}`,
  )
