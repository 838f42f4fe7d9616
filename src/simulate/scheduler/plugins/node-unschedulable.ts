/** Cordoned nodes take only pods that tolerate that. Mirrors plugins/nodeunschedulable. */

import type { Taint } from '../../../catalog/types/core-v1.ts'
import type { Node, Pod } from '../../objects.ts'
import { action } from '../cluster-events.ts'
import { uidOf } from '../objects.ts'
import type { Plugin } from '../plugin.ts'
import { unresolvable } from '../status.ts'
import { isTolerated } from '../toleration.ts'

const name = 'NodeUnschedulable'
const rejected = unresolvable(name, 'node(s) were unschedulable')
const cordon: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

const tolerates = ({ spec }: Pod): boolean => isTolerated(cordon, spec.tolerations)
const isOpen = (node: Node | undefined): boolean => node !== undefined && node.spec?.unschedulable !== true

export const nodeUnschedulablePlugin: Plugin = {
  name,
  events: [
    {
      resource: 'Node',
      actions: action.add | action.updateNodeTaint,
      hint: (_, { old, object }) => isOpen(object as Node) && !isOpen(old as Node | undefined),
    },
    {
      resource: 'Pod',
      actions: action.updatePodToleration,
      hint: (pod, { object }) => object !== undefined && uidOf(object) === uidOf(pod) && tolerates(object as Pod),
    },
  ],
  preFilter({ pod }) {
    const tolerated = tolerates(pod)
    return { filter: ({ node }) => (node?.spec?.unschedulable === true && !tolerated ? rejected : undefined) }
  },
}
