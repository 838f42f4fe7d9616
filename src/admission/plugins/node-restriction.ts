/**
 * What a node may write: itself, its lease, and what belongs to the pods that run on it. Others are not looked at.
 * Mirrors plugin/pkg/admission/noderestriction: Plugin.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { quote } from '../../api/golang/quote.ts'
import { cloneJson, equalJson, type JsonObject } from '../../api/json.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import { notFound } from '../../api/status-error.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import { reasonOf } from '../../lib/fault.ts'
import { certificateSubject } from '../certificate-subject.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { isMirrorPod, mirrorAnnotation } from '../pod.ts'
import { referenceRefusal } from './mirror-pod-references.ts'
import { checkAudience } from './node-audiences.ts'
import { checkPodCertificateRequest } from './node-pod-certificates.ts'

type Check = (request: AdmissionRequest, node: string, cluster: Cluster) => Awaitable<void>

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['pods', checkPod],
  ['nodes', checkNode],
  ['persistentvolumeclaims', checkClaim],
  ['serviceaccounts', checkToken],
  ['leases.coordination.k8s.io', checkLease],
  ['csinodes.storage.k8s.io', checkCsiNode],
  ['resourceslices.resource.k8s.io', checkResourceSlice],
  ['certificatesigningrequests.certificates.k8s.io', checkSigningRequest],
  ['podcertificaterequests.certificates.k8s.io', checkPodCertificateRequest],
])

const checkOf = (group: string, resource: string): Check | undefined =>
  checks.get(group === '' ? resource : `${resource}.${group}`)

export function nodeRestriction(cluster: Cluster): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    handles: ({ operation, group, resource }) => operation !== 'CONNECT' && checkOf(group, resource) !== undefined,
    mutate(request) {
      const { user, resource } = request
      if (!user.groups.includes('system:nodes')) return undefined
      const node = user.name.startsWith('system:node:') ? user.name.slice('system:node:'.length) : ''
      if (node === '') {
        if (!user.name.startsWith('system:node:')) return undefined
        throw denied(request, `could not determine node from user ${quote(user.name)}`)
      }
      const done = checkOf(resource.group, resource.resource)?.(request, node, cluster)
      return done instanceof Promise ? done.then(() => undefined) : undefined
    },
  }
}

function checkPod(request: AdmissionRequest, node: string, cluster: Cluster): Awaitable<void> {
  const quoted = JSON.stringify(node)
  const { operation, subresource } = request
  switch (subresource) {
    case '':
      if (operation === 'CREATE') return checkPodCreate(request, node, cluster)
      if (operation === 'DELETE') {
        if ((request.oldObject as PodObject | undefined)?.spec.nodeName === node) return
        throw denied(request, `node ${quoted} can only delete pods with spec.nodeName set to itself`)
      }
      throw denied(
        request,
        `unexpected operation ${quote(operation)}, node ${quoted} can only create and delete mirror pods`,
      )
    case 'status':
      return checkPodStatus(request, node)
    case 'eviction':
      if (operation !== 'CREATE') throw denied(request, `unexpected operation ${operation}`)
      return whenReady(cluster.view<PodObject>('', 'pods').find(request.namespace, request.name), (pod) => {
        if (pod === undefined) throw notFound({ group: '', resource: 'pod' }, request.name)
        if (pod.spec.nodeName === node) return
        throw denied(request, `node ${node} can only evict pods with spec.nodeName set to itself`)
      })
    default:
      throw denied(
        request,
        `unexpected pod subresource ${quote(subresource)}, only 'status' and 'eviction' are allowed`,
      )
  }
}

function checkPodCreate(request: AdmissionRequest, node: string, cluster: Cluster): Awaitable<void> {
  const pod = request.object as PodObject
  const quoted = JSON.stringify(node)
  const refuse = (why: string): never => {
    throw denied(request, why)
  }
  if (!isMirrorPod(pod)) {
    refuse(`pod does not have ${quote(mirrorAnnotation)} annotation, node ${quoted} can only create mirror pods`)
  }
  if (pod.spec.nodeName !== node) refuse(`node ${quoted} can only create pods with spec.nodeName set to itself`)
  const owners = pod.metadata.ownerReferences ?? []
  if (owners.length > 1) refuse(`node ${quoted} can only create pods with a single owner reference set to itself`)
  const [owner] = owners
  if (owner === undefined || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) {
    return refuse(`node ${quoted} can only create pods with an owner reference set to itself`)
  }
  if (owner.controller !== true) {
    refuse(`node ${quoted} can only create pods with a controller owner reference set to itself`)
  }
  if (owner.blockOwnerDeletion === true) refuse(`node ${quoted} must not set blockOwnerDeletion on an owner reference`)
  return whenReady(cluster.view('', 'nodes').find('', node), (found) => {
    if (found === undefined) throw notFound({ group: '', resource: 'node' }, node)
    if (owner.uid !== found.metadata.uid) {
      refuse(`node ${node} UID mismatch: expected ${owner.uid} got ${found.metadata.uid}`)
    }
    const refusal = referenceRefusal(pod.spec, node, cluster.gate('release:mirrorPodReferences'))
    if (refusal !== undefined) refuse(refusal)
  })
}

function checkPodStatus(request: AdmissionRequest, node: string): void {
  const quoted = JSON.stringify(node)
  if (request.operation !== 'UPDATE') throw denied(request, `unexpected operation ${quote(request.operation)}`)
  const [pod, old] = [request.object as PodObject, request.oldObject as PodObject]
  if (old.spec.nodeName !== node) {
    throw denied(request, `node ${quoted} can only update pod status for pods with spec.nodeName set to itself`)
  }
  if (!equalJson(pod.metadata.labels ?? {}, old.metadata.labels ?? {})) {
    throw denied(request, `node ${quoted} cannot update labels through pod status`)
  }
  const claims = (of: PodObject) => of.status?.['resourceClaimStatuses'] ?? []
  if (!equalJson(claims(pod), claims(old))) {
    throw denied(request, `node ${quoted} cannot update resource claim statues`)
  }
  const extended = (of: PodObject) => (of.status as JsonObject | undefined)?.['extendedResourceClaimStatus'] ?? null
  if (!equalJson(extended(pod), extended(old))) {
    throw denied(request, `node ${quoted} cannot update extended resource claim status`)
  }
}

function checkClaim(request: AdmissionRequest, node: string, cluster: Cluster): void {
  if (request.subresource !== 'status') throw denied(request, 'may only update PVC status')
  if (request.operation !== 'UPDATE') throw denied(request, `unexpected operation ${quote(request.operation)}`)
  const fields = cluster.gate('RecoverVolumeExpansionFailure') ? [...reports, ...resizeReports] : reports
  const { object, oldObject } = request
  if (equalJson(withoutReports(object, fields), withoutReports(oldObject, fields))) return
  throw denied(
    request,
    `node ${quote(node)} is not allowed to update fields other than status.quantity and status.conditions`,
  )
}

const reports = ['capacity', 'conditions']
const resizeReports = ['allocatedResourceStatuses', 'allocatedResources']

function withoutReports(claim: KubeObject | undefined, fields: readonly string[]): JsonObject {
  const copy: JsonObject = cloneJson({ ...claim })
  const metadata = (copy['metadata'] ?? {}) as JsonObject
  delete metadata['resourceVersion']
  delete metadata['managedFields']
  const status = { ...(copy['status'] as JsonObject | undefined) }
  for (const field of fields) delete status[field]
  copy['status'] = status
  return copy
}

function checkNode(request: AdmissionRequest, node: string): void {
  const quoted = JSON.stringify(node)
  if (request.name !== node) {
    throw denied(request, `node ${quoted} is not allowed to modify node ${quote(request.name)}`)
  }
  const { object, oldObject } = request
  const specOf = (of: KubeObject | undefined) => (of?.['spec'] ?? {}) as JsonObject
  if (object === undefined) return
  if (oldObject === undefined) {
    if (specOf(object)['configSource'] != null) {
      throw denied(request, `node ${quoted} is not allowed to create pods with a non-nil configSource`)
    }
    const labels = forbiddenLabels(object.metadata.labels, undefined)
    if (labels.length === 0) return
    throw denied(request, `node ${quoted} is not allowed to set the following labels: ${labels.join(', ')}`)
  }
  const source = specOf(object)['configSource']
  if (source != null && !equalJson(source, specOf(oldObject)['configSource'])) {
    throw denied(request, `node ${quoted} is not allowed to update configSource to a new non-nil configSource`)
  }
  if (!equalJson(specOf(object)['taints'] ?? [], specOf(oldObject)['taints'] ?? [])) {
    throw denied(request, `node ${quoted} is not allowed to modify taints`)
  }
  if (!equalJson([...(object.metadata.ownerReferences ?? [])], [...(oldObject.metadata.ownerReferences ?? [])])) {
    throw denied(request, `node ${quoted} is not allowed to modify ownerReferences`)
  }
  const labels = forbiddenLabels(object.metadata.labels, oldObject.metadata.labels)
  if (labels.length > 0) throw denied(request, `is not allowed to modify labels: ${labels.join(', ')}`)
}

const kubeletLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
])
const kubeletDomains = ['kubelet.kubernetes.io', 'node.kubernetes.io']
const isWithin = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`)

function forbiddenLabels(after: StringMap | undefined, before: StringMap | undefined): string[] {
  const keys = new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})])
  return [...keys].filter((key) => after?.[key] !== before?.[key] && isForbiddenLabel(key)).sort()
}

function isForbiddenLabel(key: string): boolean {
  const slash = key.indexOf('/')
  const domain = slash < 0 ? '' : key.slice(0, slash)
  if (isWithin(domain, 'node-restriction.kubernetes.io')) return true
  if (!isWithin(domain, 'kubernetes.io') && !isWithin(domain, 'k8s.io')) return false
  return !kubeletLabels.has(key) && !kubeletDomains.some((parent) => isWithin(domain, parent))
}

/** A node asks for tokens of pods that run on it, and for no others. */
function checkToken(request: AdmissionRequest, node: string, cluster: Cluster): Awaitable<void> {
  if (request.operation !== 'CREATE' || request.subresource !== 'token') return
  const spec = request.object?.['spec'] as JsonObject | undefined
  const bound = spec?.['boundObjectRef'] as JsonObject | null | undefined
  const name = String(bound?.['name'] ?? '')
  if (bound == null || bound['apiVersion'] !== 'v1' || bound['kind'] !== 'Pod' || name === '') {
    throw denied(request, 'node requested token not bound to a pod')
  }
  if (!bound['uid']) throw denied(request, 'node requested token with a pod binding without a uid')
  return whenReady(cluster.view<PodObject>('', 'pods').find(request.namespace, name), (pod) => {
    if (pod === undefined) throw notFound({ group: '', resource: 'pod' }, name)
    if (bound['uid'] !== pod.metadata.uid) {
      throw denied(
        request,
        `the UID in the bound object reference (${bound['uid']}) does not match the UID in record. The object might have been deleted and then recreated`,
      )
    }
    if (pod.spec.nodeName !== node) {
      throw denied(request, 'node requested token bound to a pod scheduled on a different node')
    }
    if (cluster.gate('ServiceAccountNodeAudienceRestriction')) return checkAudience(request, pod, cluster)
    return undefined
  })
}

const leaseNamespace = 'kube-node-lease'

function checkLease(request: AdmissionRequest, node: string): void {
  if (request.namespace !== leaseNamespace) {
    throw denied(request, `can only access leases in the ${quote(leaseNamespace)} system namespace`)
  }
  if (request.name !== node) {
    throw denied(request, 'can only access node lease with the same name as the requesting node')
  }
}

function checkCsiNode(request: AdmissionRequest, node: string): void {
  if (request.name !== node) throw denied(request, 'can only access CSINode with the same name as the requesting node')
}

function checkResourceSlice(request: AdmissionRequest, node: string): void {
  const { operation, object, oldObject } = request
  const spec = (operation === 'DELETE' ? oldObject : object)?.['spec'] as { nodeName?: string } | undefined
  if (operation !== 'UPDATE' && (spec?.nodeName ?? '') !== node) {
    const verb = operation === 'DELETE' ? 'delete' : 'create'
    throw denied(request, `can only ${verb} ResourceSlice with the same NodeName as the requesting node`)
  }
}

const kubeletSigners: ReadonlySet<unknown> = new Set([
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
])

/** A node asks for certificates of its own name alone. */
function checkSigningRequest(request: AdmissionRequest, node: string, cluster: Cluster): void {
  if (request.operation !== 'CREATE' || cluster.gate('AllowInsecureKubeletCertificateSigningRequests')) return
  const spec = (request.object?.['spec'] ?? {}) as { signerName?: string; request?: string }
  if (!kubeletSigners.has(spec.signerName)) return
  let commonName: string
  try {
    commonName = certificateSubject(spec.request ?? '').commonName
  } catch (error) {
    throw denied(request, `unable to parse csr: ${reasonOf(error)}`)
  }
  if (commonName !== `system:node:${node}`) {
    throw denied(request, `can only create a node CSR with CN=system:node:${node}`)
  }
}
