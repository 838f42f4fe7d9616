/**
 * What a ReplicaSet or ReplicationController says of its pods.
 * Mirrors pkg/controller/replicaset: calculateStatus.
 */
import { selectorOfLabels } from '../../../api/label-selector.ts'
import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from '../../../catalog/types/apps-v1.ts'
import type { Pod } from '../../../catalog/types/core-v1.ts'
import { untilAvailable } from '../../framework/pods.ts'
import { omitEmpty } from '../../framework/values.ts'

export interface ReplicaStatusFacts {
  readonly set: ReplicaSet
  readonly active: readonly Pod[]
  /** Absent where the gate DeploymentReplicaSetTerminatingReplicas is off. */
  readonly terminating: number | undefined
  /** Why pods could not be created or deleted. */
  readonly failure: string | undefined
  readonly now: number
  readonly time: string
}

export function replicaStatus(facts: ReplicaStatusFacts): ReplicaSetStatus {
  const { set, active, terminating, now } = facts
  const { minReadySeconds = 0, template } = set.spec
  const labelled = selectorOfLabels(template.metadata.labels)
  let [fullyLabeledReplicas, readyReplicas, availableReplicas] = [0, 0, 0]
  for (const pod of active) {
    if (labelled.matches(pod.metadata.labels)) fullyLabeledReplicas++
    const wait = untilAvailable(pod, minReadySeconds, now)
    if (wait !== undefined) readyReplicas++
    if (wait === 0) availableReplicas++
  }
  return {
    ...omitEmpty({
      fullyLabeledReplicas,
      readyReplicas,
      availableReplicas,
      observedGeneration: set.metadata.generation,
      conditions: conditionsOf(facts),
    }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    replicas: active.length,
  }
}

function conditionsOf({ set, active, failure, time }: ReplicaStatusFacts): ReplicaSetCondition[] {
  const present = set.status.conditions ?? []
  const known = present.find(({ type }) => type === 'ReplicaFailure')
  if (failure === undefined) return present.filter((condition) => condition !== known)
  if (known !== undefined) return present
  const reason = active.length < (set.spec.replicas ?? 1) ? 'FailedCreate' : 'FailedDelete'
  return [...present, { type: 'ReplicaFailure', status: 'True', lastTransitionTime: time, reason, message: failure }]
}
