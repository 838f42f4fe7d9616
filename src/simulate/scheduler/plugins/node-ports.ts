/** Host ports are for one pod each. Mirrors plugins/nodeports. */

import type { Pod } from '../../objects.ts'
import { action } from '../cluster-events.ts'
import { nominatedNodeOf } from '../objects.ts'
import type { Plugin } from '../plugin.ts'
import { anyAddress, type HostPort, PodInfo } from '../pod-info.ts'
import { unschedulable } from '../status.ts'

const name = 'NodePorts'
const rejected = unschedulable(name, "node(s) didn't have free ports for the requested pod ports")

const conflicts = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && (a.ip === b.ip || a.ip === anyAddress || b.ip === anyAddress)

const portsOf = (pod: Pod) => new PodInfo(pod, { podLevelResources: false, inPlaceResize: false }).hostPorts

export const nodePortsPlugin: Plugin = {
  name,
  events: [
    {
      resource: 'Pod',
      actions: action.delete,
      hint(pod, { old }) {
        const deleted = old as Pod
        if (!mayHaveOccupiedNode(deleted)) return false
        const freed = portsOf(deleted)
        return portsOf(pod).some((wanted) => freed.some((each) => conflicts(wanted, each)))
      },
    },
    { resource: 'Node', actions: action.add },
  ],
  preFilter({ hostPorts }) {
    if (hostPorts.length === 0) return undefined
    return { filter: (node) => (node.conflictsWith(hostPorts) ? rejected : undefined) }
  },
}

/** Whether it took room on a node, or had a claim to it. */
export const mayHaveOccupiedNode = (pod: Pod): boolean =>
  (pod.spec.nodeName ?? '') !== '' || nominatedNodeOf(pod) !== ''
