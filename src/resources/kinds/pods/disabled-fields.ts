/**
 * Fields of features that are off: a write drops them, unless the stored object already uses the feature. With every
 * gate at its default only a few of these have work to do.
 * Mirrors pkg/api/pod: DropDisabledPodFields, DropDisabledTemplateFields.
 */

import type {
  Container,
  ContainerStatus,
  Lifecycle,
  LifecycleHandler,
  PodAffinityTerm,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
  ProjectedVolumeSource,
  TopologySpreadConstraint,
} from '../../../catalog/types/core-v1.ts'
import { mapItems } from '../../../lib/map-items.ts'
import { compileOnce, Verdicts } from '../../../lib/memo.ts'
import type { WriteContext } from '../../../registry/strategy.ts'
import { internedSpec } from './interned-spec.ts'
import { affinityTerms, withAffinityTerms, withContainers } from './pod-options.ts'
import { hasRestartRules, usesRestartRules, withoutRestartRules } from './restart-rules.ts'
import { withMember, without } from './with-member.ts'

type Gate = WriteContext['gate']

/** The specification without what it may not use; itself when it uses nothing of that. */
export function withoutDisabledFields(spec: PodSpec, old: PodSpec | undefined, gate: Gate): PodSpec {
  const shared = old === undefined ? internedSpec(spec) : undefined
  if (shared !== undefined && allowed.has(shared, [gate], () => dropDisabled(spec, old, gate) === spec)) return spec
  const kept = dropDisabled(spec, old, gate)
  if (shared !== undefined && kept === spec) allowed.add(shared, [gate])
  return kept
}

function dropDisabled(spec: PodSpec, old: PodSpec | undefined, gate: Gate): PodSpec {
  let kept = spec
  for (const { isUsed, touches = isUsed, without: drop } of disabledFeatures(gate)) {
    if (touches(kept) && !(old !== undefined && isUsed(old))) kept = drop(kept)
  }
  return kept
}

/** Interned specifications that use nothing that is disabled. */
const allowed = new Verdicts<PodSpec>('disabled-fields')

/** The same for a template of pods. */
export function withoutDisabledInTemplate(
  template: PodTemplateSpec,
  old: PodTemplateSpec | undefined,
  gate: Gate,
): PodTemplateSpec {
  return withMember(template, 'spec', (spec) => withoutDisabledFields(spec, old?.spec, gate))
}

/** Gives the holder a template without what that may not use. A holder whose template may stay is left alone. */
export function dropDisabledFields(
  holder: { template?: PodTemplateSpec },
  old: { readonly template?: PodTemplateSpec } | undefined,
  gate: Gate,
): void {
  const { template } = holder
  if (template === undefined) return
  const kept = withoutDisabledInTemplate(template, old?.template, gate)
  if (kept !== template) holder.template = kept
}

/** Gates do not change while a server runs. */
const disabledFeatures = compileOnce('disabled-features', (gate: Gate): readonly Feature[] =>
  features.filter(({ name, since }) => (since === undefined || gate(since)) && !gate(name)),
)

interface Feature {
  readonly name: string
  /** The change that brought it: releases before it refuse what is dropped now. */
  readonly since?: string
  /** Whether the specification uses it: what there is to drop, and what an old object may keep. */
  isUsed(spec: PodSpec): boolean
  /** Whether dropping it changes the specification, where that is more. */
  touches?(spec: PodSpec): boolean
  without(spec: PodSpec): PodSpec
}

const some = (spec: PodSpec, matches: (container: Container) => boolean): boolean =>
  spec.containers?.some(matches) ||
  spec.initContainers?.some(matches) ||
  spec.ephemeralContainers?.some(matches) ||
  false

const features: readonly Feature[] = [
  {
    name: 'ContainerRestartRules',
    since: 'release:restartRules',
    isUsed: usesRestartRules,
    touches: hasRestartRules,
    without: withoutRestartRules,
  },
  {
    name: 'UserNamespacesSupport',
    isUsed: ({ hostUsers }) => hostUsers !== undefined,
    without: (spec) => without(spec, ['hostUsers']),
  },
  {
    name: 'SupplementalGroupsPolicy',
    isUsed: ({ securityContext }) => securityContext?.supplementalGroupsPolicy !== undefined,
    without: (spec) => withMember(spec, 'securityContext', (own) => without(own, ['supplementalGroupsPolicy'])),
  },
  {
    name: 'PodLevelResources',
    isUsed: ({ resources }) => resources !== undefined,
    without: (spec) => without(spec, ['resources']),
  },
  {
    name: 'ProcMountType',
    isUsed: (spec) => some(spec, ({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default'),
    without: (spec) =>
      withContainers(spec, (container) =>
        withMember(container, 'securityContext', (own) => withMember(own, 'procMount', () => 'Default')),
      ),
  },
  {
    name: 'NodeInclusionPolicyInPodTopologySpread',
    isUsed: ({ topologySpreadConstraints = [] }) =>
      topologySpreadConstraints.some(
        (one) => one.nodeAffinityPolicy !== undefined || one.nodeTaintsPolicy !== undefined,
      ),
    without: (spec) => withoutInSpread(spec, ['nodeAffinityPolicy', 'nodeTaintsPolicy']),
  },
  {
    name: 'MatchLabelKeysInPodTopologySpread',
    isUsed: ({ topologySpreadConstraints = [] }) =>
      topologySpreadConstraints.some(({ matchLabelKeys }) => matchLabelKeys !== undefined),
    without: (spec) => withoutInSpread(spec, ['matchLabelKeys']),
  },
  {
    name: 'MatchLabelKeysInPodAffinity',
    isUsed: (spec) => spec.affinity !== undefined && affinityTerms(spec).some(hasLabelKeys),
    without: (spec) => withAffinityTerms(spec, (term) => without(term, ['matchLabelKeys', 'mismatchLabelKeys'])),
  },
  {
    name: 'DynamicResourceAllocation',
    isUsed: (spec) =>
      spec.resourceClaims !== undefined || some(spec, ({ resources }) => resources?.claims !== undefined),
    without: (spec) =>
      withContainers(without(spec, ['resourceClaims']), (container) =>
        withMember(container, 'resources', (resources) => without(resources, ['claims'])),
      ),
  },
  {
    name: 'ClusterTrustBundleProjection',
    isUsed: ({ volumes = [] }) =>
      volumes.some(({ projected }) => projected?.sources?.some((source) => source.clusterTrustBundle !== undefined)),
    without: (spec) =>
      withMember(spec, 'volumes', (volumes) =>
        mapItems(volumes, (volume) => withMember(volume, 'projected', withoutTrustBundles)),
      ),
  },
  {
    name: 'InPlacePodVerticalScaling',
    isUsed: (spec) => some(spec, ({ resizePolicy }) => resizePolicy !== undefined),
    without: (spec) => withContainers(spec, (container) => without(container, ['resizePolicy'])),
  },
  {
    name: 'SidecarContainers',
    isUsed: ({ initContainers = [] }) => initContainers.some(({ restartPolicy }) => restartPolicy !== undefined),
    without: (spec) =>
      withMember(spec, 'initContainers', (containers) =>
        mapItems(containers, (container) => without(container, ['restartPolicy'])),
      ),
  },
  {
    name: 'RecursiveReadOnlyMounts',
    isUsed: (spec) =>
      some(spec, ({ volumeMounts = [] }) => volumeMounts.some((mount) => mount.recursiveReadOnly !== undefined)),
    without: (spec) =>
      withContainers(spec, (container) =>
        withMember(container, 'volumeMounts', (mounts) =>
          mapItems(mounts, (mount) => without(mount, ['recursiveReadOnly'])),
        ),
      ),
  },
  {
    name: 'PodLifecycleSleepAction',
    isUsed: (spec) =>
      some(
        spec,
        ({ lifecycle }) => lifecycle?.preStop?.sleep !== undefined || lifecycle?.postStart?.sleep !== undefined,
      ),
    without: (spec) => withContainers(spec, (container) => withMember(container, 'lifecycle', withoutSleep)),
  },
  {
    name: 'ImageVolume',
    isUsed: ({ volumes = [] }) => volumes.some(({ image }) => image !== undefined),
    // The reference makes these lists anew: empty ones are none after that.
    touches: (spec) =>
      spec.volumes?.length === 0 ||
      some(spec, ({ volumeMounts }) => volumeMounts?.length === 0) ||
      (spec.volumes ?? []).some(({ image }) => image !== undefined),
    without: withoutImageVolumes,
  },
  {
    name: 'SELinuxChangePolicy',
    isUsed: ({ securityContext }) => securityContext?.seLinuxChangePolicy !== undefined,
    without: (spec) => withMember(spec, 'securityContext', (own) => without(own, ['seLinuxChangePolicy'])),
  },
  {
    name: 'ContainerStopSignals',
    isUsed: (spec) => some(spec, ({ lifecycle }) => lifecycle?.stopSignal !== undefined),
    without: (spec) =>
      withContainers(spec, (container) =>
        withMember(container, 'lifecycle', (lifecycle) => unlessEmpty(without(lifecycle, ['stopSignal']))),
      ),
  },
]

const hasLabelKeys = ({ matchLabelKeys, mismatchLabelKeys }: PodAffinityTerm): boolean =>
  matchLabelKeys !== undefined || mismatchLabelKeys !== undefined

function withoutInSpread(spec: PodSpec, keys: readonly (keyof TopologySpreadConstraint)[]): PodSpec {
  return withMember(spec, 'topologySpreadConstraints', (constraints) =>
    mapItems(constraints, (constraint) => without(constraint, keys)),
  )
}

const withoutTrustBundles = (projected: ProjectedVolumeSource): ProjectedVolumeSource =>
  withMember(projected, 'sources', (sources) => mapItems(sources, (source) => without(source, ['clusterTrustBundle'])))

/** A hook that only slept is none, and hooks that are none are no lifecycle. */
function withoutSleep(lifecycle: Lifecycle): Lifecycle | undefined {
  const awake = (hook: LifecycleHandler): LifecycleHandler | undefined =>
    hook.sleep === undefined ? hook : unlessEmpty(without(hook, ['sleep']))
  return unlessEmpty(withMember(withMember(lifecycle, 'preStop', awake), 'postStart', awake))
}

const unlessEmpty = <T extends object>(object: T): T | undefined =>
  Object.keys(object).length === 0 ? undefined : object

/** The volumes go, and with them all that would mount them. */
function withoutImageVolumes(spec: PodSpec): PodSpec {
  const dropped = new Set((spec.volumes ?? []).filter(({ image }) => image !== undefined).map(({ name }) => name))
  const kept = withMember(spec, 'volumes', (volumes) => filtered(volumes, ({ image }) => image === undefined))
  return withContainers(kept, (container) =>
    withMember(container, 'volumeMounts', (mounts) => filtered(mounts, ({ name }) => !dropped.has(name))),
  )
}

/** An empty list is an absent one. */
function filtered<Item>(list: Item[], keeps: (item: Item) => boolean): Item[] | undefined {
  if (list.length > 0 && list.every(keeps)) return list
  const kept = list.filter(keeps)
  return kept.length === 0 ? undefined : kept
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

/** The status with every element of a list changed; itself when none is. */
function withItems<
  K extends 'conditions' | 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses',
>(
  status: PodStatus,
  list: K,
  change: (item: NonNullable<PodStatus[K]>[number]) => NonNullable<PodStatus[K]>[number],
): PodStatus {
  const items = status[list] as NonNullable<PodStatus[K]>[number][] | undefined
  if (items === undefined) return status
  const changed = mapItems(items, change)
  return changed === items ? status : { ...status, [list]: changed }
}
