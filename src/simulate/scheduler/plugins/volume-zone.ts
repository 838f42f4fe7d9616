/** Volumes with zone labels are for nodes of those zones. Mirrors plugins/volumezone. */
import { pushAll } from '../../../lib/push-all.ts'
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../objects.ts'
import { action, differs } from '../cluster-events.ts'
import type { NodeInfo } from '../node-info.ts'
import { labelValue, nameOf, namespaceOf } from '../objects.ts'
import type { ClusterView, Plugin } from '../plugin.ts'
import { type Status, unresolvable } from '../status.ts'
import { claimNotFound, classOfClaim } from '../volume-claims.ts'

const name = 'VolumeZone'
const rejected = unresolvable(name, 'node(s) had no available volume zone')

/** Labels with their present names. */
const topologyLabels: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['topology.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'topology.kubernetes.io/region'],
])

interface Topology {
  readonly key: string
  readonly values: readonly string[]
}

export function volumeZonePlugin(view: ClusterView): Plugin {
  return {
    name,
    events: [
      {
        resource: 'StorageClass',
        actions: action.add,
        hint: (_, { object }) => (object as StorageClass).volumeBindingMode === 'WaitForFirstConsumer',
      },
      { resource: 'Node', actions: action.add | action.updateNodeLabel },
      {
        resource: 'PersistentVolumeClaim',
        actions: action.add | action.update,
        hint: (pod, { object }) => object !== undefined && asksFor(pod, object as PersistentVolumeClaim),
      },
      {
        resource: 'PersistentVolume',
        actions: action.add | action.update,
        hint: (_, { old, object }) =>
          old === undefined ||
          differs(keysOf(topologiesOf(old as PersistentVolume)), keysOf(topologiesOf(object as PersistentVolume))),
      },
    ],
    preFilter({ pod }) {
      const topologies = topologiesOfPod(pod, view)
      if (!Array.isArray(topologies)) return topologies
      if (topologies.length === 0) return undefined
      return { filter: (node) => (isInZone(node, topologies) ? undefined : rejected) }
    },
  }
}

const keysOf = (topologies: readonly Topology[]): string[] =>
  topologies.map(({ key, values }) => `${key}=${values.toSorted().join(',')}`)

const claimNamesOf = ({ spec }: Pod): string[] =>
  (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => (claim === undefined ? [] : [claim.claimName]))

const asksFor = (pod: Pod, claim: PersistentVolumeClaim): boolean =>
  namespaceOf(pod) === namespaceOf(claim) && claimNamesOf(pod).includes(nameOf(claim))

function topologiesOfPod(pod: Pod, view: ClusterView): Topology[] | Status {
  const topologies: Topology[] = []
  for (const claimName of claimNamesOf(pod)) {
    if (claimName === '') return unresolvable(name, 'PersistentVolumeClaim had no name')
    const claim = view.listers.claims.get(namespaceOf(pod), claimName)
    if (claim === undefined) return unresolvable(name, claimNotFound(claimName))
    const volumeName = claim.spec.volumeName ?? ''
    if (volumeName === '') {
      const unbound = unboundStatus(claim, view)
      if (unbound !== undefined) return unbound
      continue
    }
    const volume = view.listers.volumes.get('', volumeName)
    if (volume === undefined) return unresolvable(name, `persistentvolume ${JSON.stringify(volumeName)} not found`)
    pushAll(topologies, topologiesOf(volume))
  }
  return topologies
}

/** A claim that is bound with its first pod has no zone yet. */
function unboundStatus(claim: PersistentVolumeClaim, { listers }: ClusterView): Status | undefined {
  const className = classOfClaim(claim)
  if (className === '') return unresolvable(name, 'PersistentVolumeClaim had no pv name and storageClass name')
  const found = listers.storageClasses.get('', className)
  const quoted = JSON.stringify(className)
  if (found === undefined) return unresolvable(name, `storageclass.storage.k8s.io ${quoted} not found`)
  if (found.volumeBindingMode === undefined) {
    return unresolvable(name, `VolumeBindingMode not set for StorageClass ${quoted}`)
  }
  if (found.volumeBindingMode === 'WaitForFirstConsumer') return undefined
  return unresolvable(name, 'PersistentVolume had no name')
}

function topologiesOf({ metadata: { labels } }: PersistentVolume): Topology[] {
  return [...topologyLabels.keys()].flatMap((key) => {
    const value = labelValue(labels, key)
    const values = value?.split('__').map((zone) => zone.trim()) ?? []
    return values.length === 0 || values.includes('') ? [] : [{ key, values }]
  })
}

/** Nodes that say nothing of zones take every volume. */
function isInZone({ labels }: NodeInfo, topologies: readonly Topology[]): boolean {
  const saysAny = [...topologyLabels.keys()].some((key) => labelValue(labels, key) !== undefined)
  if (!saysAny) return true
  return topologies.every(({ key, values }) => {
    const value = labelValue(labels, key) ?? labelValue(labels, topologyLabels.get(key) ?? key)
    return value !== undefined && values.includes(value)
  })
}
