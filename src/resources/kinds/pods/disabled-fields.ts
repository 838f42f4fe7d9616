/**
 * Fields of features that are off: a write drops them, unless the stored object already uses the feature. With every
 * gate at its default only a few of these have work to do.
 */
import type {
  Container,
  ContainerStatus,
  Lifecycle,
  PodAffinityTerm,
  PodSpec,
  PodStatus,
} from '../../../catalog/types/core-v1.ts'
import type { WriteContext } from '../../../registry/strategy.ts'
import { affinityTerms, allContainers } from './pod-options.ts'

type Gate = WriteContext['gate']

/** Changes the specification, which the caller must own. */
export function dropDisabledFields(spec: PodSpec, old: PodSpec | undefined, gate: Gate): void {
  for (const { isUsed, drop } of disabledFeatures(gate)) {
    if (isUsed(spec) && !(old !== undefined && isUsed(old))) drop(spec)
  }
}

/** Gates do not change while a server runs. */
const disabledByGates = new WeakMap<Gate, readonly Feature[]>()

function disabledFeatures(gate: Gate): readonly Feature[] {
  let disabled = disabledByGates.get(gate)
  if (disabled === undefined) {
    disabled = features.filter(({ name }) => !gate(name))
    disabledByGates.set(gate, disabled)
  }
  return disabled
}

interface Feature {
  readonly name: string
  /** Whether the specification uses it: what there is to drop, and what an old object may keep. */
  isUsed(spec: PodSpec): boolean
  drop(spec: PodSpec): void
}

const some = (spec: PodSpec, matches: (container: Container) => boolean): boolean =>
  spec.containers?.some(matches) ||
  spec.initContainers?.some(matches) ||
  spec.ephemeralContainers?.some(matches) ||
  false

const each = (spec: PodSpec, change: (container: Container) => void): void => {
  for (const container of allContainers(spec)) change(container)
}

const features: readonly Feature[] = [
  {
    name: 'UserNamespacesSupport',
    isUsed: ({ hostUsers }) => hostUsers !== undefined,
    drop: (spec) => delete spec.hostUsers,
  },
  {
    name: 'SupplementalGroupsPolicy',
    isUsed: ({ securityContext }) => securityContext?.supplementalGroupsPolicy !== undefined,
    drop: ({ securityContext }) => delete securityContext?.supplementalGroupsPolicy,
  },
  {
    name: 'PodLevelResources',
    isUsed: ({ resources }) => resources !== undefined,
    drop: (spec) => delete spec.resources,
  },
  {
    name: 'ProcMountType',
    isUsed: (spec) => some(spec, ({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default'),
    drop: (spec) =>
      each(spec, ({ securityContext }) => {
        if (securityContext?.procMount !== undefined) securityContext.procMount = 'Default'
      }),
  },
  {
    name: 'NodeInclusionPolicyInPodTopologySpread',
    isUsed: ({ topologySpreadConstraints = [] }) =>
      topologySpreadConstraints.some(
        (one) => one.nodeAffinityPolicy !== undefined || one.nodeTaintsPolicy !== undefined,
      ),
    drop: ({ topologySpreadConstraints = [] }) => {
      for (const constraint of topologySpreadConstraints) {
        delete constraint.nodeAffinityPolicy
        delete constraint.nodeTaintsPolicy
      }
    },
  },
  {
    name: 'MatchLabelKeysInPodTopologySpread',
    isUsed: ({ topologySpreadConstraints = [] }) =>
      topologySpreadConstraints.some(({ matchLabelKeys }) => matchLabelKeys !== undefined),
    drop: ({ topologySpreadConstraints = [] }) => {
      for (const constraint of topologySpreadConstraints) delete constraint.matchLabelKeys
    },
  },
  {
    name: 'MatchLabelKeysInPodAffinity',
    isUsed: (spec) => spec.affinity !== undefined && affinityTerms(spec).some(hasLabelKeys),
    drop: (spec) => {
      for (const term of affinityTerms(spec)) {
        delete term.matchLabelKeys
        delete term.mismatchLabelKeys
      }
    },
  },
  {
    name: 'DynamicResourceAllocation',
    isUsed: (spec) =>
      spec.resourceClaims !== undefined || some(spec, ({ resources }) => resources?.claims !== undefined),
    drop: (spec) => {
      delete spec.resourceClaims
      each(spec, ({ resources }) => delete resources?.claims)
    },
  },
  {
    name: 'ClusterTrustBundleProjection',
    isUsed: ({ volumes = [] }) =>
      volumes.some(({ projected }) => projected?.sources?.some((source) => source.clusterTrustBundle !== undefined)),
    drop: ({ volumes = [] }) => {
      for (const { projected } of volumes) {
        for (const source of projected?.sources ?? []) delete source.clusterTrustBundle
      }
    },
  },
  {
    name: 'InPlacePodVerticalScaling',
    isUsed: (spec) => some(spec, ({ resizePolicy }) => resizePolicy !== undefined),
    drop: (spec) => each(spec, (container) => delete container.resizePolicy),
  },
  {
    name: 'SidecarContainers',
    isUsed: ({ initContainers = [] }) => initContainers.some(({ restartPolicy }) => restartPolicy !== undefined),
    drop: ({ initContainers = [] }) => {
      for (const container of initContainers) delete container.restartPolicy
    },
  },
  {
    name: 'RecursiveReadOnlyMounts',
    isUsed: (spec) =>
      some(spec, ({ volumeMounts = [] }) => volumeMounts.some((mount) => mount.recursiveReadOnly !== undefined)),
    drop: (spec) =>
      each(spec, ({ volumeMounts = [] }) => {
        for (const mount of volumeMounts) delete mount.recursiveReadOnly
      }),
  },
  {
    name: 'PodLifecycleSleepAction',
    isUsed: (spec) =>
      some(
        spec,
        ({ lifecycle }) => lifecycle?.preStop?.sleep !== undefined || lifecycle?.postStart?.sleep !== undefined,
      ),
    drop: (spec) => each(spec, dropSleep),
  },
  {
    name: 'ImageVolume',
    isUsed: ({ volumes = [] }) => volumes.some(({ image }) => image !== undefined),
    drop: dropImageVolumes,
  },
  {
    name: 'SELinuxChangePolicy',
    isUsed: ({ securityContext }) => securityContext?.seLinuxChangePolicy !== undefined,
    drop: ({ securityContext }) => delete securityContext?.seLinuxChangePolicy,
  },
  {
    name: 'ContainerStopSignals',
    isUsed: (spec) => some(spec, ({ lifecycle }) => lifecycle?.stopSignal !== undefined),
    drop: (spec) =>
      each(spec, (container) => {
        delete container.lifecycle?.stopSignal
        dropEmptyLifecycle(container)
      }),
  },
]

const hasLabelKeys = ({ matchLabelKeys, mismatchLabelKeys }: PodAffinityTerm): boolean =>
  matchLabelKeys !== undefined || mismatchLabelKeys !== undefined

function dropSleep(container: Container): void {
  const { lifecycle } = container
  for (const name of ['preStop', 'postStart'] as const satisfies readonly (keyof Lifecycle)[]) {
    const hook = lifecycle?.[name]
    if (lifecycle === undefined || hook?.sleep === undefined) continue
    delete hook.sleep
    if (Object.keys(hook).length === 0) delete lifecycle[name]
  }
  dropEmptyLifecycle(container)
}

function dropEmptyLifecycle(container: Container): void {
  if (container.lifecycle !== undefined && Object.keys(container.lifecycle).length === 0) delete container.lifecycle
}

function dropImageVolumes(spec: PodSpec): void {
  const dropped = new Set((spec.volumes ?? []).filter(({ image }) => image !== undefined).map(({ name }) => name))
  setList(
    spec,
    'volumes',
    spec.volumes?.filter(({ image }) => image === undefined),
  )
  each(spec, (container) => {
    setList(
      container,
      'volumeMounts',
      container.volumeMounts?.filter(({ name }) => !dropped.has(name)),
    )
  })
}

/** An empty list is an absent one. */
function setList<T extends object, K extends keyof T>(target: T, key: K, list: unknown[] | undefined): void {
  if (list === undefined || list.length === 0) delete target[key]
  else target[key] = list as T[K]
}

/** The same for what a kubelet reports: the status itself when there is nothing to drop. */
export function withoutDisabledStatus(
  status: PodStatus,
  { oldSpec, oldStatus, gate }: { readonly oldSpec: PodSpec; readonly oldStatus: PodStatus; readonly gate: Gate },
): PodStatus {
  const ofContainers: (keyof ContainerStatus)[] = []
  if (!gate('InPlacePodVerticalScaling') && !some(oldSpec, ({ resizePolicy }) => resizePolicy !== undefined)) {
    ofContainers.push('resources', 'allocatedResources')
  }
  if (!gate('RecursiveReadOnlyMounts')) ofContainers.push('volumeMounts')
  if (!gate('ResourceHealthStatus')) ofContainers.push('allocatedResourcesStatus')
  if (!gate('SupplementalGroupsPolicy') && oldSpec.securityContext?.supplementalGroupsPolicy === undefined) {
    ofContainers.push('user')
  }
  let kept = status
  for (const list of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const) {
    kept = withItems(kept, list, (one) => without(one, ofContainers))
  }
  if (!gate('DynamicResourceAllocation') && oldSpec.resourceClaims === undefined) {
    kept = without(kept, ['resourceClaimStatuses'])
  }
  const tracked = [oldStatus, ...(oldStatus.conditions ?? [])]
  if (gate('PodObservedGenerationTracking') || tracked.some((one) => one.observedGeneration !== undefined)) return kept
  kept = without(kept, ['observedGeneration'])
  return withItems(kept, 'conditions', (condition) => without(condition, ['observedGeneration']))
}

/** The object without these keys; itself when it has none of them. */
function without<T extends object>(object: T, keys: readonly (keyof T)[]): T {
  let kept = object
  for (const key of keys) {
    if (kept[key] === undefined) continue
    if (kept === object) kept = { ...object }
    delete kept[key]
  }
  return kept
}

/** The status with every element of a list changed; itself when none is. */
function withItems<
  K extends 'conditions' | 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses',
>(
  status: PodStatus,
  list: K,
  change: (item: NonNullable<PodStatus[K]>[number]) => NonNullable<PodStatus[K]>[number],
): PodStatus {
  const items = status[list] as NonNullable<PodStatus[K]>[number][] | undefined
  if (items === undefined || items.length === 0) return status
  const changed = items.map(change)
  return changed.every((item, i) => item === items[i]) ? status : { ...status, [list]: changed }
}
