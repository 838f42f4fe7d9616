/** Which kind has which rules. Kinds that are not here have the plain ones. */
import type { MakeKindRules } from './kind-rules.ts'
import { leaseRules } from './kinds/cluster/lease.ts'
import { namespaceRules } from './kinds/cluster/namespace.ts'
import { nodeRules } from './kinds/cluster/node.ts'
import { priorityClassRules } from './kinds/cluster/priority-class.ts'
import { runtimeClassRules } from './kinds/cluster/runtime-class.ts'
import { serviceAccountRules } from './kinds/cluster/service-account.ts'
import { podRules } from './kinds/pods/pod-rules.ts'
import { controllerRevisionRules } from './kinds/workloads/controller-revision.ts'
import { cronJobRules } from './kinds/workloads/cron-job.ts'
import { daemonSetRules } from './kinds/workloads/daemon-set.ts'
import { deploymentRules } from './kinds/workloads/deployment.ts'
import { disruptionBudgetRules } from './kinds/workloads/disruption-budget.ts'
import { jobRules } from './kinds/workloads/job.ts'
import { replicaSetRules } from './kinds/workloads/replica-set.ts'
import { replicationControllerRules } from './kinds/workloads/replication-controller.ts'
import { statefulSetRules } from './kinds/workloads/stateful-set.ts'
import { storedTemplateRules } from './kinds/workloads/stored-template.ts'

const rules: Readonly<Record<string, MakeKindRules>> = {
  namespaces: namespaceRules as MakeKindRules,
  nodes: nodeRules as MakeKindRules,
  serviceaccounts: serviceAccountRules as MakeKindRules,
  'leases.coordination.k8s.io': leaseRules as MakeKindRules,
  'priorityclasses.scheduling.k8s.io': priorityClassRules as MakeKindRules,
  'runtimeclasses.node.k8s.io': runtimeClassRules as MakeKindRules,
  pods: podRules,
  podtemplates: storedTemplateRules as MakeKindRules,
  replicationcontrollers: replicationControllerRules as MakeKindRules,
  'controllerrevisions.apps': controllerRevisionRules as MakeKindRules,
  'daemonsets.apps': daemonSetRules as MakeKindRules,
  'deployments.apps': deploymentRules as MakeKindRules,
  'replicasets.apps': replicaSetRules as MakeKindRules,
  'statefulsets.apps': statefulSetRules as MakeKindRules,
  'cronjobs.batch': cronJobRules as MakeKindRules,
  'jobs.batch': jobRules as MakeKindRules,
  'poddisruptionbudgets.policy': disruptionBudgetRules as MakeKindRules,
}

/** `resource` is the plural name; the core group is the empty text. */
export function rulesFor(group: string, resource: string): MakeKindRules | undefined {
  return rules[group === '' ? resource : `${resource}.${group}`]
}
