/**
 * The claims of pods for devices: made from templates, reserved for pods that were scheduled without them, and given back
 * by pods that are done. Pure.
 * Mirrors pkg/controller/resourceclaim: Controller.handleClaim, Controller.syncClaim.
 * Mirrors k8s.io/dynamic-resource-allocation/resourceclaim: Name, IsForPod, CanBeReserved.
 */
import type { PodResourceClaim } from '../../../catalog/types/core-v1.ts'
import type { Pod, ResourceClaim, ResourceClaimTemplate } from '../../objects.ts'

export const podClaimAnnotation = 'resource.kubernetes.io/pod-claim-name'
export const allocationFinalizer = 'resource.kubernetes.io/delete-protection'
/** As many consumers as a claim may be reserved for. */
const maxReservations = 256
/** A generated name has room for so much before its five random characters. */
const maxBaseLength = 57

export type ClaimName =
  | { readonly type: 'named'; readonly name: string; readonly isOwned: boolean }
  /** From a template, and not made yet. */
  | { readonly type: 'missing' }
  | { readonly type: 'unneeded' }

export function claimNameOf({ status }: Pod, claim: PodResourceClaim): ClaimName {
  if (claim.resourceClaimName !== undefined) return { type: 'named', name: claim.resourceClaimName, isOwned: false }
  if (claim.resourceClaimTemplateName === undefined) return { type: 'unneeded' }
  const found = status?.resourceClaimStatuses?.find(({ name }) => name === claim.name)
  if (found === undefined) return { type: 'missing' }
  return found.resourceClaimName === undefined
    ? { type: 'unneeded' }
    : { type: 'named', name: found.resourceClaimName, isOwned: true }
}

export const isClaimOwnedBy = ({ metadata }: ResourceClaim, pod: Pod): boolean =>
  (metadata.ownerReferences ?? []).some(
    ({ controller, apiVersion, kind, uid }) =>
      controller === true && apiVersion === 'v1' && kind === 'Pod' && uid === pod.metadata.uid,
  )

export function claimFromTemplate(pod: Pod, claimName: string, template: ResourceClaimTemplate): ResourceClaim {
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const { annotations, labels } = template.spec.metadata ?? {}
  return {
    apiVersion: template.apiVersion,
    kind: 'ResourceClaim',
    metadata: {
      generateName: generatedPrefix(name, claimName),
      namespace,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true }],
      annotations: { ...annotations, [podClaimAnnotation]: claimName },
      ...(labels === undefined ? {} : { labels }),
    },
    spec: template.spec.spec,
  }
}

/** Both names are cut in proportion, the second by the length of what the first cut left. */
export function generatedPrefix(podName: string, claimName: string): string {
  const whole = `${podName}-${claimName}-`
  if (whole.length <= maxBaseLength) return whole
  const cut = (text: string): string => text.slice(0, Math.floor((text.length * maxBaseLength) / whole.length))
  return `${cut(podName)}-${cut(claimName)}`
}

export const isReservedFor = ({ status }: ResourceClaim, { metadata }: Pod): boolean =>
  (status?.reservedFor ?? []).some(({ uid }) => uid === metadata.uid)

export const canBeReserved = ({ status }: ResourceClaim): boolean =>
  status?.allocation !== undefined && (status.reservedFor ?? []).length < maxReservations

/** A pod that neither runs nor will. */
export const isPodDone = ({ metadata, spec, status }: Pod): boolean =>
  status?.phase === 'Failed' ||
  status?.phase === 'Succeeded' ||
  (metadata.deletionTimestamp !== undefined && !spec?.nodeName)

type ResourceClaimStatus = NonNullable<ResourceClaim['status']>

/** The status without consumers that are done, and without the allocation when none is left; undefined when all stay. */
export function releasedStatus(
  { metadata, status }: ResourceClaim,
  findPod: (name: string) => Pod | undefined,
): ResourceClaimStatus | undefined {
  const reserved = status?.reservedFor ?? []
  const isOwnAllocation = metadata.finalizers?.includes(allocationFinalizer) === true
  const valid = reserved.filter(({ apiGroup, resource, name, uid }) => {
    if (apiGroup || resource !== 'pods') return true
    const pod = findPod(name)
    return pod !== undefined && pod.metadata.uid === uid && !isPodDone(pod)
  })
  const { reservedFor: _, allocation, ...rest } = status ?? {}
  const drops = isOwnAllocation && valid.length === 0
  const isGoing = metadata.deletionTimestamp !== undefined && drops && allocation !== undefined
  if (valid.length === reserved.length && !isGoing) return undefined
  return {
    ...rest,
    ...(valid.length > 0 ? { reservedFor: valid } : {}),
    ...(allocation === undefined || drops ? {} : { allocation }),
  }
}
