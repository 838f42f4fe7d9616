/** Claims of a pod are bound, or can be on its node. Mirrors plugins/volumebinding. */
import { reasonOf } from '../../../lib/fault.ts'
import type {
  CSIDriver as CsiDriver,
  CSIStorageCapacity as CsiStorageCapacity,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from '../../objects.ts'
import { action, differs } from '../cluster-events.ts'
import { nameOf, namespaceOf } from '../objects.ts'
import type { ClusterView, FilterRun, Plugin } from '../plugin.ts'
import type { PodInfo } from '../pod-info.ts'
import { failure, type Status, unresolvable } from '../status.ts'
import { claimNotFound, claimOfVolume, claimsOfPod, classOfClaim, isFullyBound, notForPod } from '../volume-claims.ts'
import type { VolumeBinder } from '../volumes/volume-binder.ts'
import { decideVolumes, type NodeVolumes, type PodClaims, volumeLimit } from '../volumes/volume-decision.ts'

const name = 'VolumeBinding'
const migratedPlugins = 'storage.alpha.kubernetes.io/migrated-plugins'

export function volumeBindingPlugin(view: ClusterView, binder: VolumeBinder): Plugin {
  return {
    name,
    events: [
      {
        resource: 'StorageClass',
        actions: action.add | action.update,
        hint: (_, { old, object }) =>
          old === undefined ||
          differs((old as StorageClass).allowedTopologies, (object as StorageClass).allowedTopologies),
      },
      {
        resource: 'PersistentVolumeClaim',
        actions: action.add | action.update,
        hint: (pod, { object }) => object !== undefined && asksFor(pod, object as PersistentVolumeClaim),
      },
      { resource: 'PersistentVolume', actions: action.add | action.update },
      { resource: 'Node', actions: action.add | action.updateNodeLabel },
      {
        resource: 'CSINode',
        actions: action.add | action.update,
        hint: (_, { old, object }) =>
          old === undefined ||
          old.metadata.annotations?.[migratedPlugins] !== object?.metadata.annotations?.[migratedPlugins],
      },
      {
        resource: 'CSIDriver',
        actions: action.update,
        hint: (pod, { old, object }) => stoppedTellingCapacity(pod, old as CsiDriver, object as CsiDriver),
      },
      {
        resource: 'CSIStorageCapacity',
        actions: action.add | action.update,
        hint: (_, { old, object }) => hasMoreRoom(old as CsiStorageCapacity | undefined, object as CsiStorageCapacity),
      },
    ],
    preFilter(info) {
      try {
        const claims = podClaims(info, view, binder)
        return claims === undefined || 'code' in claims ? claims : bindingRun(info, claims, { view, binder })
      } catch (error) {
        return failure(name, reasonOf(error))
      }
    },
  }
}

const asksFor = (pod: Pod, claim: PersistentVolumeClaim): boolean =>
  namespaceOf(pod) === namespaceOf(claim) && claimsOfPod(pod).some((each) => each.name === nameOf(claim))

const stoppedTellingCapacity = ({ spec }: Pod, old: CsiDriver, driver: CsiDriver): boolean =>
  old.spec.storageCapacity === true &&
  driver.spec.storageCapacity !== true &&
  (spec.volumes ?? []).some(({ csi }) => csi?.driver === nameOf(driver))

function hasMoreRoom(old: CsiStorageCapacity | undefined, capacity: CsiStorageCapacity): boolean {
  if (old === undefined) return true
  const limit = volumeLimit(capacity)
  return limit !== undefined && limit > (volumeLimit(old) ?? -1)
}

/** Undefined where the pod has none. */
function podClaims(
  { pod, namespace }: PodInfo,
  view: ClusterView,
  binder: VolumeBinder,
): PodClaims | Status | undefined {
  const bound: PersistentVolumeClaim[] = []
  const delayed: PersistentVolumeClaim[] = []
  let isWaiting = false
  const volumes = (pod.spec.volumes ?? []).flatMap((volume) => claimOfVolume(pod, volume) ?? [])
  if (volumes.length === 0) return undefined
  const found = volumes.map(({ name: claimName, isEphemeral }) => {
    const claim = binder.claims.get(namespace, claimName)
    return { claimName, isEphemeral, claim, wrong: wrongClaim(pod, claimName, claim, isEphemeral) }
  })
  const first = found.find(({ wrong }) => wrong !== undefined)
  if (first?.wrong !== undefined) return unresolvable(name, first.wrong)
  for (const { claim } of found) {
    if (claim === undefined) continue
    if (isFullyBound(claim)) bound.push(claim)
    else if (isDelayed(claim, view) && (claim.spec.volumeName ?? '') === '') delayed.push(claim)
    else isWaiting = true
  }
  return isWaiting ? unresolvable(name, 'pod has unbound immediate PersistentVolumeClaims') : { bound, delayed }
}

function wrongClaim(
  pod: Pod,
  claimName: string,
  claim: PersistentVolumeClaim | undefined,
  isEphemeral: boolean,
): string | undefined {
  const quoted = JSON.stringify(claimName)
  if (claim === undefined) {
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}`
      : claimNotFound(claimName)
  }
  if (claim.status?.phase === 'Lost') {
    const volume = JSON.stringify(claim.spec.volumeName ?? '')
    return `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${volume}`
  }
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim ${quoted} is being deleted`
  return isEphemeral ? notForPod(pod, claim) : undefined
}

/** Throws where the class does not say. */
function isDelayed(claim: PersistentVolumeClaim, { listers }: ClusterView): boolean {
  const className = classOfClaim(claim)
  const found = className === '' ? undefined : listers.storageClasses.get('', className)
  if (found === undefined) return false
  if (found.volumeBindingMode === undefined) {
    throw new Error(`VolumeBindingMode not set for StorageClass ${JSON.stringify(className)}`)
  }
  return found.volumeBindingMode === 'WaitForFirstConsumer'
}

interface Context {
  readonly view: ClusterView
  readonly binder: VolumeBinder
}

function bindingRun({ pod }: PodInfo, claims: PodClaims, { view, binder }: Context): FilterRun {
  const decisions = new Map<string, NodeVolumes>()
  const decided = (node: string): NodeVolumes | undefined => {
    const decision = decisions.get(node)
    const isNothing = decision === undefined || decision.bindings.length + decision.provisions.length === 0
    return isNothing ? undefined : decision
  }
  return {
    filter(node) {
      try {
        const decision = decideVolumes(claims, node, { view, volumes: binder.volumes })
        if ('bindings' in decision) decisions.set(node.name, decision)
        else return unresolvable(name, ...decision)
      } catch (error) {
        return failure(name, reasonOf(error))
      }
      return undefined
    },
    reserve(node) {
      const decision = decided(node)
      if (decision !== undefined) binder.assume(decision, node)
      return undefined
    },
    unreserve(node) {
      const decision = decided(node)
      if (decision !== undefined) binder.revert(decision)
    },
    async preBind(node) {
      const decision = decided(node)
      if (decision !== undefined) await binder.write(decision, node)
    },
    untilBound(node) {
      const decision = decided(node)
      return decision === undefined ? undefined : binder.untilBound(decision, pod, node)
    },
  }
}
