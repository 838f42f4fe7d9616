/** Which kind has which rules. Kinds that are not here have the plain ones. */
import type { MakeKindRules } from './kind-rules.ts'
import { leaseRules } from './kinds/cluster/lease.ts'
import { namespaceRules } from './kinds/cluster/namespace.ts'
import { nodeRules } from './kinds/cluster/node.ts'
import { priorityClassRules } from './kinds/cluster/priority-class.ts'
import { runtimeClassRules } from './kinds/cluster/runtime-class.ts'
import { serviceAccountRules } from './kinds/cluster/service-account.ts'

const rules: Readonly<Record<string, MakeKindRules>> = {
  namespaces: namespaceRules as MakeKindRules,
  nodes: nodeRules as MakeKindRules,
  serviceaccounts: serviceAccountRules as MakeKindRules,
  'leases.coordination.k8s.io': leaseRules as MakeKindRules,
  'priorityclasses.scheduling.k8s.io': priorityClassRules as MakeKindRules,
  'runtimeclasses.node.k8s.io': runtimeClassRules as MakeKindRules,
}

/** `resource` is the plural name; the core group is the empty text. */
export function rulesFor(group: string, resource: string): MakeKindRules | undefined {
  return rules[group === '' ? resource : `${resource}.${group}`]
}
