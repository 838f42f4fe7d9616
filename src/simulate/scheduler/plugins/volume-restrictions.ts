/** Disks that one pod or node has alone, and claims for one pod. Mirrors plugins/volumerestrictions. */

import type { Volume } from '../../../catalog/types/core-v1.ts'
import type { PersistentVolumeClaim, Pod } from '../../objects.ts'
import { action } from '../cluster-events.ts'
import type { NodeInfo } from '../node-info.ts'
import { nameOf, namespaceOf } from '../objects.ts'
import type { ClusterView, FilterRun, Plugin } from '../plugin.ts'
import type { PodInfo } from '../pod-info.ts'
import { type Status, unresolvable, unschedulable } from '../status.ts'
import { claimNotFound } from '../volume-claims.ts'

const name = 'VolumeRestrictions'
const diskConflict = unschedulable(name, 'node(s) had no available disk')
const claimConflict = unschedulable(
  name,
  'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode',
)

export function volumeRestrictionsPlugin(view: ClusterView): Plugin {
  return {
    name,
    events: [
      { resource: 'Pod', actions: action.delete, hint: (pod, { old }) => freesVolume(pod, old as Pod) },
      { resource: 'Node', actions: action.add },
      {
        resource: 'PersistentVolumeClaim',
        actions: action.add,
        hint: (pod, { object }) => object !== undefined && usesClaim(pod, object as PersistentVolumeClaim),
      },
    ],
    preFilter(info) {
      const { volumes = [] } = info.pod.spec
      if (volumes.length === 0) return undefined
      const claims = exclusiveClaims(info, view)
      if (claims instanceof Set) return restrictionRun(info, claims, view)
      return claims
    },
  }
}

/** Names of the pod's claims with the access mode ReadWriteOncePod. */
function exclusiveClaims({ pod, namespace }: PodInfo, { listers }: ClusterView): Set<string> | Status {
  const names = new Set<string>()
  for (const { persistentVolumeClaim: volume } of pod.spec.volumes ?? []) {
    if (volume === undefined) continue
    const claim = listers.claims.get(namespace, volume.claimName)
    if (claim === undefined) return unresolvable(name, claimNotFound(volume.claimName))
    if (claim.spec.accessModes?.includes('ReadWriteOncePod') === true) names.add(nameOf(claim))
  }
  return names
}

function restrictionRun(info: PodInfo, claims: ReadonlySet<string>, view: ClusterView): FilterRun | undefined {
  const disks = (info.pod.spec.volumes ?? []).filter(isDisk)
  const users = [...claims].filter((claim) => view.isClaimInUse(`${info.namespace}/${claim}`)).length
  if (disks.length === 0 && users === 0) return undefined
  return runOver({ disks, claims, users })
}

interface Restrictions {
  readonly disks: readonly Volume[]
  readonly claims: ReadonlySet<string>
  /** How many pods use one of the claims. */
  readonly users: number
}

function runOver(restrictions: Restrictions): FilterRun {
  let { users } = restrictions
  const { disks, claims } = restrictions
  const used = ({ pod }: PodInfo): number =>
    (pod.spec.volumes ?? []).filter(({ persistentVolumeClaim: claim }) => claim && claims.has(claim.claimName)).length
  return {
    filter(node) {
      if (disks.some((disk) => isTaken(disk, node))) return diskConflict
      return users > 0 ? claimConflict : undefined
    },
    addPod(other) {
      users += used(other)
    },
    removePod(other) {
      users -= used(other)
    },
    clone: () => runOver({ disks, claims, users }),
  }
}

const isDisk = (volume: Volume): boolean =>
  volume.gcePersistentDisk !== undefined ||
  volume.awsElasticBlockStore !== undefined ||
  volume.rbd !== undefined ||
  volume.iscsi !== undefined

function isTaken(disk: Volume, { pods }: NodeInfo): boolean {
  for (const { pod } of pods.values()) if (conflictsWithPod(disk, pod)) return true
  return false
}

const conflictsWithPod = (disk: Volume, { spec }: Pod): boolean =>
  spec.volumes?.some((other) => conflicts(disk, other)) ?? false

/** The same disk, unless both only read where that can be shared. */
function conflicts(a: Volume, b: Volume): boolean {
  const areReaders = (one: { readOnly?: boolean }, two: { readOnly?: boolean }): boolean =>
    one.readOnly === true && two.readOnly === true
  if (a.gcePersistentDisk !== undefined && b.gcePersistentDisk !== undefined) {
    if (a.gcePersistentDisk.pdName === b.gcePersistentDisk.pdName) {
      if (!areReaders(a.gcePersistentDisk, b.gcePersistentDisk)) return true
    }
  }
  if (a.awsElasticBlockStore !== undefined && b.awsElasticBlockStore !== undefined) {
    if (a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore.volumeID) return true
  }
  if (a.iscsi !== undefined && b.iscsi !== undefined) {
    if (a.iscsi.iqn === b.iscsi.iqn && !areReaders(a.iscsi, b.iscsi)) return true
  }
  if (a.rbd === undefined || b.rbd === undefined || areReaders(a.rbd, b.rbd)) return false
  const monitors = new Set(a.rbd.monitors ?? [])
  const isSame = a.rbd.pool === b.rbd.pool && a.rbd.image === b.rbd.image
  return isSame && (b.rbd.monitors ?? []).some((monitor) => monitors.has(monitor))
}

function freesVolume(pod: Pod, deleted: Pod): boolean {
  if (namespaceOf(deleted) !== namespaceOf(pod)) return false
  const volumes = pod.spec.volumes ?? []
  if (volumes.some((volume) => isDisk(volume) && conflictsWithPod(volume, deleted))) return true
  const claimOf = ({ persistentVolumeClaim: claim }: Volume): string[] => (claim === undefined ? [] : [claim.claimName])
  const claims = new Set(volumes.flatMap(claimOf))
  return (deleted.spec.volumes ?? []).flatMap(claimOf).some((claim) => claims.has(claim))
}

const usesClaim = (pod: Pod, claim: PersistentVolumeClaim): boolean =>
  namespaceOf(claim) === namespaceOf(pod) &&
  (pod.spec.volumes ?? []).some(({ persistentVolumeClaim: volume }) => volume?.claimName === nameOf(claim))
