/** Pods with scheduling gates are not tried. Mirrors plugins/schedulinggates. */
import { action } from '../cluster-events.ts'
import { uidOf } from '../objects.ts'
import type { Plugin } from '../plugin.ts'
import { unresolvable } from '../status.ts'

export const schedulingGates = 'SchedulingGates'

export const schedulingGatesPlugin: Plugin = {
  name: schedulingGates,
  events: [
    {
      resource: 'Pod',
      actions: action.updatePodGatesEliminated,
      hint: (pod, { object }) => object !== undefined && uidOf(object) === uidOf(pod),
    },
  ],
  preEnqueue({ spec }) {
    const gates = spec.schedulingGates ?? []
    if (gates.length === 0) return undefined
    return unresolvable(schedulingGates, `waiting for scheduling gates: [${gates.map(({ name }) => name).join(' ')}]`)
  },
}
