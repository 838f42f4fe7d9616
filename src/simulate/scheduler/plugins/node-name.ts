/** A pod that names its node passes there alone. Mirrors plugins/nodename. */
import { action } from '../cluster-events.ts'
import type { Plugin } from '../plugin.ts'
import { unresolvable } from '../status.ts'

const name = 'NodeName'
const rejected = unresolvable(name, "node(s) didn't match the requested node name")

export const nodeNamePlugin: Plugin = {
  name,
  events: [{ resource: 'Node', actions: action.add }],
  preFilter({ pod }) {
    const { nodeName = '' } = pod.spec
    if (nodeName === '') return undefined
    return { filter: (node) => (node.name === nodeName ? undefined : rejected) }
  },
}
