/** What the claims of a pod need on a node: volumes that are there, or that can be made. Mirrors plugins/volumebinding: FindPodVolumes. */
import { selectorOfObject } from '../../../api/label-selector.ts'
import { Quantity } from '../../../api/quantity.ts'
import type { CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../objects.ts'
import type { NodeInfo } from '../node-info.ts'
import { labelValue, nameOf, schedulingKey } from '../objects.ts'
import type { ClusterView, Lister } from '../plugin.ts'
import { classOfClaim, isReachable, selectedNodeAnnotation } from '../volume-claims.ts'
import { claimedStorage, matchingVolume } from './matching-volume.ts'

const nodeConflict = "node(s) didn't match PersistentVolume's node affinity"
const bindConflict = "node(s) didn't find available persistent volumes to bind"
const notEnoughSpace = 'node(s) did not have enough free storage'
const volumeMissing = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'

const noProvisioner = 'kubernetes.io/no-provisioner'

export interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[]
  /** Bound with their first pod. */
  readonly delayed: readonly PersistentVolumeClaim[]
}

export interface StaticBinding {
  readonly claim: PersistentVolumeClaim
  readonly volume: PersistentVolume
}

export interface NodeVolumes {
  readonly bindings: readonly StaticBinding[]
  readonly provisions: readonly PersistentVolumeClaim[]
}

export interface DecisionView {
  readonly view: ClusterView
  readonly volumes: Lister<PersistentVolume>
}

/** The reasons against the node, or what is to be bound and made there. Throws where the cluster makes no sense. */
export function decideVolumes(claims: PodClaims, node: NodeInfo, from: DecisionView): NodeVolumes | string[] {
  const reasons: string[] = []
  const against = boundReason(claims.bound, node, from.volumes)
  const decision = decideDelayed(claims.delayed, node, from)
  if (against === nodeConflict) reasons.push(nodeConflict)
  if (typeof decision === 'string') reasons.push(decision)
  if (against === volumeMissing) reasons.push(volumeMissing)
  return reasons.length > 0 || typeof decision === 'string' ? reasons : decision
}

function boundReason(
  claims: readonly PersistentVolumeClaim[],
  node: NodeInfo,
  volumes: Lister<PersistentVolume>,
): string | undefined {
  for (const { spec } of claims) {
    const volume = volumes.get('', spec.volumeName ?? '')
    if (volume === undefined) return volumeMissing
    if (!isReachable(volume, node)) return nodeConflict
  }
  return undefined
}

function decideDelayed(
  claims: readonly PersistentVolumeClaim[],
  node: NodeInfo,
  from: DecisionView,
): NodeVolumes | string {
  const provisions: PersistentVolumeClaim[] = []
  const open: PersistentVolumeClaim[] = []
  for (const claim of claims) {
    const selected = claim.metadata.annotations?.[selectedNodeAnnotation]
    if (selected === undefined) open.push(claim)
    else if (selected === node.name) provisions.push(claim)
    else return bindConflict
  }
  const bindings: StaticBinding[] = []
  const taken = new Set<string>()
  const useAttributes = from.view.gate('VolumeAttributesClass')
  for (const claim of open.toSorted((a, b) => claimedStorage(a).compare(claimedStorage(b)))) {
    const volume = matchingVolume(claim, from.volumes.list(), { node, taken, useAttributes })
    if (volume === undefined) {
      provisions.push(claim)
      continue
    }
    taken.add(nameOf(volume))
    bindings.push({ claim, volume })
  }
  for (const claim of provisions) {
    const reason = provisionReason(claim, node, from.view)
    if (reason !== undefined) return reason
  }
  return { bindings, provisions }
}

function provisionReason(claim: PersistentVolumeClaim, node: NodeInfo, view: ClusterView): string | undefined {
  const className = classOfClaim(claim)
  if (className === '') throw new Error(`no class for claim ${JSON.stringify(schedulingKey(claim))}`)
  const found = view.listers.storageClasses.get('', className)
  if (found === undefined) throw new Error(`failed to find storage class ${JSON.stringify(className)}`)
  if (found.provisioner === '' || found.provisioner === noProvisioner) return bindConflict
  if (!isAllowedTopology(found, node)) return bindConflict
  return hasCapacity(claim, found, { node, view }) ? undefined : notEnoughSpace
}

/** Terms are alternatives; none allow every node. */
function isAllowedTopology({ allowedTopologies = [] }: StorageClass, { labels }: NodeInfo): boolean {
  if (allowedTopologies.length === 0) return true
  return allowedTopologies.some(
    ({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.length > 0 &&
      matchLabelExpressions.every(({ key, values }) => values?.includes(labelValue(labels, key) ?? '')),
  )
}

interface NodeCandidate {
  readonly node: NodeInfo
  readonly view: ClusterView
}

/** Only of drivers that publish their capacity. */
function hasCapacity(claim: PersistentVolumeClaim, storageClass: StorageClass, { node, view }: NodeCandidate): boolean {
  const { csiDrivers, csiStorageCapacities } = view.listers
  if (claim.spec.resources?.requests?.['storage'] === undefined) return true
  if (csiDrivers.get('', storageClass.provisioner)?.spec.storageCapacity !== true) return true
  const requested = claimedStorage(claim).value()
  return csiStorageCapacities.list().some((capacity) => {
    if (capacity.storageClassName !== nameOf(storageClass)) return false
    const limit = volumeLimit(capacity)
    return limit !== undefined && limit >= requested && isAccessible(capacity, node)
  })
}

export function volumeLimit({ maximumVolumeSize, capacity }: CSIStorageCapacity): number | undefined {
  const limit = maximumVolumeSize ?? capacity
  return limit === undefined ? undefined : Quantity.parse(limit).value()
}

function isAccessible({ nodeTopology }: CSIStorageCapacity, { labels }: NodeInfo): boolean {
  if (nodeTopology === undefined) return false
  try {
    return selectorOfObject(nodeTopology).matches(labels)
  } catch {
    return false
  }
}
