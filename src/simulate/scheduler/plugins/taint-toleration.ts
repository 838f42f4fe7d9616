/** Taints keep pods away that do not tolerate them, or make a node less liked. Mirrors plugins/tainttoleration. */

import type { Taint } from '../../../catalog/types/core-v1.ts'
import type { Node } from '../../objects.ts'
import { action } from '../cluster-events.ts'
import { uidOf } from '../objects.ts'
import { normalizeByHighest, type Plugin } from '../plugin.ts'
import { unresolvable } from '../status.ts'
import { isTolerated, untoleratedTaint } from '../toleration.ts'

const name = 'TaintToleration'

const isPreference = ({ effect }: Taint): boolean => effect === 'PreferNoSchedule'

export const taintTolerationPlugin: Plugin = {
  name,
  weight: 3,
  events: [
    {
      resource: 'Node',
      actions: action.add | action.updateNodeTaint,
      hint({ spec: { tolerations } }, { old, object }) {
        const keepsAway = (node: Node): boolean => untoleratedTaint(node.spec?.taints, tolerations) !== undefined
        return (old === undefined || keepsAway(old as Node)) && !keepsAway(object as Node)
      },
    },
    {
      resource: 'Pod',
      actions: action.updatePodToleration,
      hint: (pod, { object }) => object !== undefined && uidOf(object) === uidOf(pod),
    },
  ],
  preFilter({ pod: { spec } }) {
    return {
      filter({ taints }) {
        if (taints === undefined) return undefined
        const taint = untoleratedTaint(taints, spec.tolerations)
        return taint && unresolvable(name, `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`)
      },
    }
  },
  preScore({ pod: { spec } }) {
    const tolerations = spec.tolerations?.filter(({ effect = '' }) => effect === '' || effect === 'PreferNoSchedule')
    const isIntolerable = (taint: Taint): boolean => isPreference(taint) && !isTolerated(taint, tolerations)
    return {
      score: ({ taints }) => taints?.filter(isIntolerable).length ?? 0,
      normalize: (scores) => normalizeByHighest(scores, true),
    }
  },
}
