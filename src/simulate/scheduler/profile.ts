/** The plugins of the default profile, in their order. Mirrors pkg/scheduler/apis/config/v1: getDefaultPlugins. */
import type { ClusterView, Plugin } from './plugin.ts'
import { balancedAllocationPlugin } from './plugins/balanced-allocation.ts'
import { imageLocalityPlugin } from './plugins/image-locality.ts'
import { interPodAffinityPlugin } from './plugins/inter-pod-affinity.ts'
import { nodeAffinityPlugin } from './plugins/node-affinity.ts'
import { nodeNamePlugin } from './plugins/node-name.ts'
import { nodePortsPlugin } from './plugins/node-ports.ts'
import { nodeResourcesFitPlugin } from './plugins/node-resources-fit.ts'
import { nodeUnschedulablePlugin } from './plugins/node-unschedulable.ts'
import { nodeVolumeLimitsPlugin } from './plugins/node-volume-limits.ts'
import { podTopologySpreadPlugin } from './plugins/pod-topology-spread.ts'
import { schedulingGatesPlugin } from './plugins/scheduling-gates.ts'
import { taintTolerationPlugin } from './plugins/taint-toleration.ts'
import { volumeBindingPlugin } from './plugins/volume-binding.ts'
import { volumeRestrictionsPlugin } from './plugins/volume-restrictions.ts'
import { volumeZonePlugin } from './plugins/volume-zone.ts'
import type { VolumeBinder } from './volumes/volume-binder.ts'

export interface ProfileParts {
  readonly volumes: VolumeBinder
  /** Present with the gate DynamicResourceAllocation. */
  readonly devices: Plugin | undefined
  /** The plugin of the part that deletes pods. */
  readonly preemption: Plugin
}

export function defaultProfile(view: ClusterView, { volumes, devices, preemption }: ProfileParts): readonly Plugin[] {
  return [
    schedulingGatesPlugin,
    nodeUnschedulablePlugin,
    nodeNamePlugin,
    taintTolerationPlugin,
    nodeAffinityPlugin,
    nodePortsPlugin,
    nodeResourcesFitPlugin(view),
    volumeRestrictionsPlugin(view),
    nodeVolumeLimitsPlugin(view),
    volumeBindingPlugin(view, volumes),
    volumeZonePlugin(view),
    podTopologySpreadPlugin(view),
    interPodAffinityPlugin(view),
    ...(devices === undefined ? [] : [devices]),
    preemption,
    balancedAllocationPlugin(view),
    imageLocalityPlugin(view),
  ]
}
