/**
 * The pods and claims of a StatefulSet: their names, and what they are made of. Pure.
 * Mirrors pkg/controller/statefulset: newVersionedStatefulSetPod, updateStorage, getPersistentVolumeClaims.
 */
import { isJsonObject } from '../../../api/json.ts'
import type { ControllerRevision, StatefulSet, StatefulSetStatus } from '../../../catalog/types/apps-v1.ts'
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from '../../../catalog/types/core-v1.ts'
import { controllerReference } from '../../framework/owners.ts'
import { podFromTemplate } from '../../framework/pod-control.ts'
import { isAvailable, isReady, isTerminating } from '../../framework/pods.ts'
import { omitEmpty } from '../../framework/values.ts'
import { revisionHashLabel } from '../history/controller-revisions.ts'

const nameLabel = 'statefulset.kubernetes.io/pod-name'
const indexLabel = 'apps.kubernetes.io/pod-index'

export const statefulReplicas = ({ spec }: StatefulSet): number => spec.replicas ?? 1
export const startOf = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0
const podName = ({ metadata }: StatefulSet, ordinal: number): string => `${metadata.name}-${ordinal}`

/** Undefined for a pod that is not named as those of the set. */
export function ordinalOf({ metadata: { name: setName = '' } }: StatefulSet, { metadata }: Pod): number | undefined {
  const [, parent, ordinal] = /^(.*)-(\d{1,10})$/.exec(metadata.name ?? '') ?? []
  return parent === setName ? Number(ordinal) : undefined
}

export function isInRange(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(set, pod) ?? -1
  return ordinal >= startOf(set) && ordinal < startOf(set) + statefulReplicas(set)
}

export const podRevision = ({ metadata }: Pod): string => metadata.labels?.[revisionHashLabel] ?? ''
export const isRunningReady = (pod: Pod): boolean => pod.status.phase === 'Running' && isReady(pod)
export const isHealthy = (pod: Pod): boolean => isRunningReady(pod) && !isTerminating(pod)

export interface Revisions {
  /** That which the set comes from. */
  readonly current: ControllerRevision
  /** That which it goes to. */
  readonly update: ControllerRevision
}

export const controllerRevisionName = ({ metadata }: ControllerRevision): string => metadata.name ?? ''

/** The set with the template of a revision. */
function atRevision(set: StatefulSet, { data }: ControllerRevision): StatefulSet {
  const spec = isJsonObject(data) && isJsonObject(data['spec']) ? data['spec'] : {}
  const { $patch: _, ...template } = isJsonObject(spec['template']) ? spec['template'] : {}
  return { ...set, spec: { ...set.spec, template: template as unknown as PodTemplateSpec } }
}

/** Pods below the partition, and those that an update has not come to, have the older template. */
function needsCurrent({ spec, status }: StatefulSet, ordinal: number, start: number): boolean {
  if (spec.updateStrategy?.type !== 'RollingUpdate') return false
  const { rollingUpdate } = spec.updateStrategy
  return (
    ordinal < start + (rollingUpdate === undefined ? (status.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0))
  )
}

export function statefulPod(
  set: StatefulSet,
  { current, update }: Revisions,
  given: { readonly ordinal: number; readonly hasIndexLabel: boolean },
): Pod {
  const { ordinal, hasIndexLabel } = given
  const revision = needsCurrent(set, ordinal, startOf(set)) ? current : update
  const source = atRevision(set, revision)
  const pod = podFromTemplate(source.spec.template, set, controllerReference(set, 'apps/v1', 'StatefulSet'))
  const name = podName(set, ordinal)
  const { metadata } = pod
  return withStorage(source, {
    ...pod,
    metadata: {
      ...metadata,
      name,
      labels: {
        ...metadata.labels,
        [nameLabel]: name,
        ...(hasIndexLabel ? { [indexLabel]: String(ordinal) } : {}),
        [revisionHashLabel]: controllerRevisionName(revision),
      },
    },
    spec: { ...pod.spec, hostname: name, subdomain: set.spec.serviceName ?? '' },
  })
}

const claimName = (set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string =>
  `${template.metadata.name}-${set.metadata.name}-${ordinal}`

export function withStorage(set: StatefulSet, pod: Pod): Pod {
  const ordinal = ordinalOf(set, pod) ?? 0
  const templates = set.spec.volumeClaimTemplates ?? []
  const claimed = templates.map((template) => ({
    name: template.metadata.name ?? '',
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }))
  const names = new Set(claimed.map(({ name }) => name))
  const others = (pod.spec.volumes ?? []).filter(({ name }) => !names.has(name))
  const volumes = [...claimed, ...others]
  return { ...pod, spec: { ...pod.spec, ...(volumes.length === 0 ? {} : { volumes }) } }
}

/** The claims that a pod of the set has. */
export function claimsOf(set: StatefulSet, pod: Pod): PersistentVolumeClaim[] {
  const ordinal = ordinalOf(set, pod) ?? 0
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(set, template, ordinal),
      namespace: set.metadata.namespace ?? '',
      labels: { ...template.metadata.labels, ...set.spec.selector?.matchLabels },
      ...(template.metadata.annotations === undefined ? {} : { annotations: { ...template.metadata.annotations } }),
      creationTimestamp: null,
    },
    spec: structuredClone(template.spec),
    status: {},
  }))
}

export function hasIdentity(set: StatefulSet, pod: Pod): boolean {
  const { name = '', labels } = pod.metadata
  return ordinalOf(set, pod) !== undefined && labels?.[nameLabel] === name
}

export function withIdentity(pod: Pod): Pod {
  const { name = '' } = pod.metadata
  return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [nameLabel]: name } } }
}

export function hasStorage(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(set, pod) ?? -1
  return (set.spec.volumeClaimTemplates ?? []).every((template) =>
    (pod.spec.volumes ?? []).some(
      ({ name, persistentVolumeClaim }) =>
        name === template.metadata.name && persistentVolumeClaim?.claimName === claimName(set, template, ordinal),
    ),
  )
}

export function statefulStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update, now }: Revisions & { readonly now: number },
): StatefulSetStatus {
  const count = (is: (pod: Pod) => boolean): number => pods.filter(is).length
  const { minReadySeconds = 0 } = set.spec
  const has = (revision: ControllerRevision) => (pod: Pod) =>
    podRevision(pod) === controllerRevisionName(revision) && !isTerminating(pod)
  const ready = count(isRunningReady)
  const updated = count(has(update))
  const replicas = statefulReplicas(set)
  const isComplete =
    set.spec.updateStrategy?.type === 'RollingUpdate' &&
    updated === replicas &&
    ready === replicas &&
    pods.length === replicas
  return {
    replicas: pods.length,
    availableReplicas: count((pod) => isRunningReady(pod) && isAvailable(pod, minReadySeconds, now)),
    ...omitEmpty({
      observedGeneration: set.metadata.generation,
      readyReplicas: ready,
      currentReplicas: isComplete ? updated : count(has(current)),
      updatedReplicas: updated,
      currentRevision: controllerRevisionName(isComplete ? update : current),
      updateRevision: controllerRevisionName(update),
      conditions: set.status.conditions,
    }),
    collisionCount: set.status.collisionCount ?? 0,
  }
}
