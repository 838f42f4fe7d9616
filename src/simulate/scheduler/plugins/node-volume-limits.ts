/**
 * A node takes as many volumes of a CSI driver as its CSINode says. Mirrors plugins/nodevolumelimits. Volumes of in-tree
 * plugins count as those of the drivers that they were migrated to, by the names of disks.
 */

import type { Volume } from '../../../catalog/types/core-v1.ts'
import type { CSINode as CsiNode, PersistentVolumeClaim, Pod } from '../../objects.ts'
import { action } from '../cluster-events.ts'
import { inlineVolume, migratedDriver, migratedVolume } from '../csi-migration.ts'
import type { NodeInfo } from '../node-info.ts'
import { nameOf, namespaceOf } from '../objects.ts'
import type { ClusterView, Plugin } from '../plugin.ts'
import { failure, type Status, unresolvable, unschedulable } from '../status.ts'
import { claimNotFound, claimOfVolume, classOfClaim, notForPod } from '../volume-claims.ts'
import { mayHaveOccupiedNode } from './node-ports.ts'

const name = 'NodeVolumeLimits'
const exceeded = unschedulable(name, 'node(s) exceed max volume count')

/** Drivers by the unique names of volumes. */
type Volumes = Map<string, string>

const isCounted = (volume: Volume): boolean =>
  volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined || inlineVolume(volume) !== undefined

export function nodeVolumeLimitsPlugin(view: ClusterView): Plugin {
  return {
    name,
    events: [
      { resource: 'CSINode', actions: action.add },
      {
        resource: 'CSINode',
        actions: action.update,
        hint: (_, { old, object }) => hasRaisedLimit(old as CsiNode, object as CsiNode),
      },
      {
        resource: 'Pod',
        actions: action.delete,
        hint: (_, { old }) => mayHaveOccupiedNode(old as Pod) && ((old as Pod).spec.volumes ?? []).some(isCounted),
      },
      {
        resource: 'PersistentVolumeClaim',
        actions: action.add,
        hint: (pod, { object }) => object !== undefined && asksFor(pod, object as PersistentVolumeClaim),
      },
      {
        resource: 'VolumeAttachment',
        actions: action.delete,
        hint: (pod) => (pod.spec.volumes ?? []).some((volume) => isCounted(volume) && volume.ephemeral === undefined),
      },
    ],
    preFilter({ pod }) {
      if (!(pod.spec.volumes ?? []).some(isCounted)) return undefined
      return { filter: (node) => checkLimits(pod, node, view) }
    },
  }
}

const asksFor = (pod: Pod, claim: PersistentVolumeClaim): boolean =>
  namespaceOf(pod) === namespaceOf(claim) &&
  (pod.spec.volumes ?? []).some((volume) => claimOfVolume(pod, volume)?.name === nameOf(claim))

function limitsOf(csiNode: CsiNode | undefined): Map<string, number> {
  const limits = new Map<string, number>()
  for (const { name: driver, allocatable } of csiNode?.spec.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(driver, allocatable.count)
  }
  return limits
}

function hasRaisedLimit(old: CsiNode, csiNode: CsiNode): boolean {
  const before = limitsOf(old)
  return [...limitsOf(csiNode)].some(([driver, limit]) => limit > (before.get(driver) ?? 0))
}

function checkLimits(pod: Pod, node: NodeInfo, view: ClusterView): Status | undefined {
  const csiNode = view.listers.csiNodes.get('', node.name)
  const wanted: Volumes = new Map()
  const wrong = addVolumes(wanted, pod, { csiNode, view, isNew: true })
  if (wrong !== undefined) return wrong
  const limits = limitsOf(csiNode)
  if (wanted.size === 0 || limits.size === 0) return undefined
  const attached: Volumes = new Map()
  for (const other of node.pods.values()) {
    const fault = addVolumes(attached, other.pod, { csiNode, view, isNew: false })
    if (fault !== undefined) return fault
  }
  for (const volume of attached.keys()) wanted.delete(volume)
  addAttachments(attached, node.name, view)
  const used = countByDriver(attached)
  const isOver = [...countByDriver(wanted)].some(([driver, count]) => {
    const limit = limits.get(driver)
    return limit !== undefined && (used.get(driver) ?? 0) + count > limit
  })
  return isOver ? exceeded : undefined
}

function countByDriver(volumes: Volumes): Map<string, number> {
  const counts = new Map<string, number>()
  for (const driver of volumes.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1)
  return counts
}

interface Counting {
  readonly csiNode: CsiNode | undefined
  readonly view: ClusterView
  /** Of a new pod all claims must be there. */
  readonly isNew: boolean
}

function addVolumes(volumes: Volumes, pod: Pod, { csiNode, view, isNew }: Counting): Status | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const named = claimOfVolume(pod, volume)
    if (named === undefined) {
      const inline = csiNode === undefined ? undefined : inlineVolume(volume)
      if (inline !== undefined) volumes.set(`${inline.driver}/${inline.handle}`, inline.driver)
      continue
    }
    const claim = view.listers.claims.get(namespaceOf(pod), named.name)
    if (claim === undefined) {
      if (!isNew) continue
      return unresolvable(name, `looking up PVC ${namespaceOf(pod)}/${named.name}: ${claimNotFound(named.name)}`)
    }
    const foreign = named.isEphemeral ? notForPod(pod, claim) : undefined
    if (foreign !== undefined) return failure(name, foreign)
    const source = sourceOf(claim, csiNode, view)
    if (source !== undefined) volumes.set(`${source.driver}/${source.handle}`, source.driver)
  }
  return undefined
}

interface Source {
  readonly driver: string
  readonly handle: string
}

/** Of the claim's volume; of a claim that has none yet, of the one that its class would make. */
function sourceOf(claim: PersistentVolumeClaim, csiNode: CsiNode | undefined, view: ClusterView): Source | undefined {
  const volume = view.listers.volumes.get('', claim.spec.volumeName ?? '')
  if (volume !== undefined) {
    const { csi } = volume.spec
    if (csi !== undefined) return { driver: csi.driver, handle: csi.volumeHandle }
    return csiNode === undefined ? undefined : migratedVolume(volume)
  }
  const className = classOfClaim(claim)
  const found = className === '' ? undefined : view.listers.storageClasses.get('', className)
  if (found === undefined) return undefined
  const migrated = migratedDriver(found.provisioner)
  if (migrated !== undefined && csiNode === undefined) return undefined
  return { driver: migrated ?? found.provisioner, handle: `to-be-made ${namespaceOf(claim)}/${nameOf(claim)}` }
}

/** Attachments of volumes that no pod on the node uses any more count, too. */
function addAttachments(attached: Volumes, node: string, { listers }: ClusterView): void {
  for (const { spec } of listers.volumeAttachments.list()) {
    if (spec.nodeName !== node || spec.attacher === '') continue
    const csi = listers.volumes.get('', spec.source.persistentVolumeName ?? '')?.spec.csi
    if (csi !== undefined) attached.set(`${spec.attacher}/${csi.volumeHandle}`, spec.attacher)
  }
}
