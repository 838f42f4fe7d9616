/** Conversions between the versions of a kind, where they differ in more than their name. */
import type { GroupVersionResource } from '../api/group-version.ts'
import { formatGroupVersion } from '../api/group-version.ts'
import type { KubeObject } from '../api/object.ts'
import { hasChange, type ReleaseChange } from '../api/release-changes.ts'
import { defaultRelease } from '../api/release-facts.ts'
import { eventFromHub, eventToHub } from './kinds/config/event/event-conversion.ts'
import {
  autoscalerFromHub,
  autoscalerToHub,
  autoscalerToHubWithoutZeros,
} from './kinds/control/horizontal-pod-autoscaler/autoscaler-conversion.ts'
import {
  claimConversion,
  claimTemplateConversion,
  olderSliceConversion,
  sliceConversion,
  stableClaimConversion,
  stableClaimTemplateConversion,
  stableSliceConversion,
} from './kinds/devices/device-conversion.ts'

export interface Conversion {
  readonly toHub: (object: KubeObject) => KubeObject
  readonly fromHub: (object: KubeObject) => KubeObject
}

const conversions: Readonly<Record<string, Conversion>> = {
  'events.k8s.io/v1/events': { toHub: eventToHub, fromHub: eventFromHub },
  'resource.k8s.io/v1/resourceclaims': stableClaimConversion,
  'resource.k8s.io/v1/resourceclaimtemplates': stableClaimTemplateConversion,
  'resource.k8s.io/v1/resourceslices': stableSliceConversion,
  'resource.k8s.io/v1beta2/resourceclaims': claimConversion,
  'resource.k8s.io/v1beta2/resourceclaimtemplates': claimTemplateConversion,
  'resource.k8s.io/v1beta2/resourceslices': sliceConversion,
  'resource.k8s.io/v1alpha3/resourceslices': olderSliceConversion,
  'autoscaling/v1/horizontalpodautoscalers': { toHub: autoscalerToHub, fromHub: autoscalerFromHub },
}

/** Those that a release changed. */
const changedConversions: Readonly<Record<string, Conversion & { readonly since: ReleaseChange }>> = {
  'autoscaling/v1/horizontalpodautoscalers': {
    since: 'noZeroTargets',
    toHub: autoscalerToHubWithoutZeros,
    fromHub: autoscalerFromHub,
  },
}

/** The version that conversions of a resource go through, where a later release stores another one. */
const hubs: Readonly<Record<string, string>> = {
  'resourceclaims.resource.k8s.io': 'resource.k8s.io/v1beta1',
  'resourceclaimtemplates.resource.k8s.io': 'resource.k8s.io/v1beta1',
  'resourceslices.resource.k8s.io': 'resource.k8s.io/v1beta1',
}

export const conversionHub = ({ resource, group }: GroupVersionResource): string | undefined =>
  hubs[`${resource}.${group}`]

export function conversionFor(resource: GroupVersionResource, release = defaultRelease): Conversion | undefined {
  const key = `${formatGroupVersion(resource)}/${resource.resource}`
  const changed = changedConversions[key]
  if (changed === undefined || !hasChange(release, changed.since)) return conversions[key]
  const { toHub, fromHub } = changed
  return { toHub, fromHub }
}
