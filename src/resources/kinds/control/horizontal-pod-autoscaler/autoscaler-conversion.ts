/**
 * `autoscaling/v1` and `v2`: the first knows a target for CPU and nothing more. What it cannot say is kept in
 * annotations while an object is in that version, and only then. The hub is v2.
 * Mirrors pkg/apis/autoscaling/v1: Convert_autoscaling_HorizontalPodAutoscaler_To_v1_HorizontalPodAutoscaler,
 * Convert_v1_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../api/json.ts'
import type { KubeObject, ObjectMeta, StringMap } from '../../../../api/object.ts'
import type {
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
} from '../../../../catalog/types/autoscaling-v2.ts'
import { listOf, NotReadable, objectOf } from '../../../conversions/json-reader.ts'
import { withoutAbsent } from '../../../conversions/wire-order.ts'
import { behaviorFromText, behaviorToText } from './converted-behavior.ts'
import { metricFromV1, metricToV1, objectTargetWithoutZero, statusFromV1, statusToV1 } from './converted-metrics.ts'

const metricsKey = 'autoscaling.alpha.kubernetes.io/metrics'
const statusesKey = 'autoscaling.alpha.kubernetes.io/current-metrics'
const conditionsKey = 'autoscaling.alpha.kubernetes.io/conditions'
export const behaviorKey = 'autoscaling.alpha.kubernetes.io/behavior'

/** Where a tolerance is kept, by what it is the tolerance of. */
export const toleranceKeys = {
  scaleUp: 'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
  scaleDown: 'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
} as const

const roundTripKeys: ReadonlySet<string> = new Set<string>([
  metricsKey,
  statusesKey,
  conditionsKey,
  behaviorKey,
  ...Object.values(toleranceKeys),
])

const standardUtilization = 80

type Spec = HorizontalPodAutoscalerSpec
type Status = HorizontalPodAutoscalerStatus

/** The target that v1 has a field for. */
const cpuUtilization = ({ type, resource }: MetricSpec): number | undefined =>
  type === 'Resource' && resource?.name === 'cpu' ? resource.target.averageUtilization : undefined

const cpuMetric = (averageUtilization: number): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})

/** The object without annotations that only mean something in v1; the same one when it has none. */
export function withoutRoundTrip<T extends JsonObject>(object: T): T {
  const metadata = object['metadata'] as ObjectMeta | undefined
  const annotations = metadata?.annotations
  if (annotations === undefined || !Object.keys(annotations).some((key) => roundTripKeys.has(key))) return object
  return { ...object, metadata: withAnnotations(metadata as ObjectMeta, kept(annotations)) }
}

function kept(annotations: StringMap): StringMap {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !roundTripKeys.has(key)))
}

/** Annotations stay where the wire has them; none at all are no field. */
function withAnnotations(metadata: ObjectMeta, annotations: StringMap): ObjectMeta {
  const filled = Object.keys(annotations).length > 0
  if (metadata.annotations !== undefined) {
    if (filled) return { ...metadata, annotations }
    const { annotations: _, ...rest } = metadata
    return rest
  }
  if (!filled) return metadata
  const { ownerReferences, finalizers, managedFields, ...head } = metadata
  return {
    ...head,
    annotations,
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ...(managedFields === undefined ? {} : { managedFields }),
  }
}

export function autoscalerFromHub(object: KubeObject): KubeObject {
  const spec = object['spec'] as unknown as Spec
  const status = (object['status'] ?? {}) as unknown as Status
  const annotations: StringMap = { ...kept(object.metadata.annotations ?? {}) }
  const others = (spec.metrics ?? []).filter((metric) => cpuUtilization(metric) === undefined)
  if (others.length > 0) annotations[metricsKey] = JSON.stringify(others.map(metricToV1))
  const currentMetrics = status.currentMetrics ?? []
  if (currentMetrics.length > 0) annotations[statusesKey] = JSON.stringify(currentMetrics.map(statusToV1))
  if (spec.behavior !== undefined) annotations[behaviorKey] = behaviorToText(spec.behavior)
  const conditions = status.conditions ?? []
  if (conditions.length > 0) annotations[conditionsKey] = JSON.stringify(conditions.map(conditionInOrder))
  const sorted = Object.fromEntries(Object.entries(annotations).sort(([a], [b]) => (a < b ? -1 : 1)))
  return {
    kind: object.kind,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object.metadata, sorted),
    spec: withoutAbsent({
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      targetCPUUtilizationPercentage: (spec.metrics ?? []).map(cpuUtilization).find((value) => value !== undefined),
    }),
    status: withoutAbsent({
      observedGeneration: status.observedGeneration,
      lastScaleTime: status.lastScaleTime,
      currentReplicas: status.currentReplicas ?? 0,
      desiredReplicas: status.desiredReplicas ?? 0,
      currentCPUUtilizationPercentage: currentMetrics.findLast(
        ({ type, resource }) =>
          type === 'Resource' && resource?.name === 'cpu' && resource.current.averageUtilization !== undefined,
      )?.resource?.current.averageUtilization,
    }),
  }
}

const conditionInOrder = (condition: NonNullable<Status['conditions']>[number]): JsonObject =>
  withoutAbsent({
    type: condition.type,
    status: condition.status,
    lastTransitionTime: condition.lastTransitionTime,
    reason: condition.reason,
    message: condition.message,
  })

/**
 * What the round-trip annotations would say stays as it is in the object that is replaced, where they are gone. Mirrors
 * pkg/apis/autoscaling/v1: Convert_v1_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler, which converts onto it.
 */
export const autoscalerToHub = (object: KubeObject, onto?: KubeObject): KubeObject => toHub(object, onto, metricFromV1)

/** As later releases read targets of objects (`release:noZeroTargets`). */
export const autoscalerToHubWithoutZeros = (object: KubeObject, onto?: KubeObject): KubeObject =>
  toHub(object, onto, (metric) => metricFromV1(metric, objectTargetWithoutZero))

function toHub(
  object: KubeObject,
  onto: KubeObject | undefined,
  readMetric: (metric: unknown) => JsonObject,
): KubeObject {
  const before = isJsonObject(onto?.['spec']) ? onto['spec'] : {}
  const statusBefore = isJsonObject(onto?.['status']) ? onto['status'] : {}
  const spec = isJsonObject(object['spec']) ? object['spec'] : {}
  const status = isJsonObject(object['status']) ? object['status'] : {}
  const annotations = object.metadata.annotations ?? {}
  const target = spec['targetCPUUtilizationPercentage']
  const own = typeof target === 'number' ? [cpuMetric(target)] : []
  const others =
    readAnnotation(annotations[metricsKey], (value) => listOf(value).map((metric) => readMetric(metric))) ?? []
  const metrics = [...others, ...own]
  const current = status['currentCPUUtilizationPercentage']
  const ownStatus =
    typeof current === 'number'
      ? [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }]
      : (statusBefore['currentMetrics'] ?? null)
  const annotated = readAnnotation(annotations[conditionsKey], (value) => listOf(value).map(objectOf))
  const conditions = annotated ?? statusBefore['conditions']
  return {
    kind: object.kind,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(object.metadata, kept(annotations)),
    spec: withoutAbsent({
      scaleTargetRef: spec['scaleTargetRef'],
      minReplicas: spec['minReplicas'],
      maxReplicas: spec['maxReplicas'],
      metrics: metrics.length > 0 ? metrics : (before['metrics'] ?? [cpuMetric(standardUtilization)]),
      behavior: readAnnotation(annotations[behaviorKey], behaviorFromText) ?? before['behavior'],
    }),
    status: withoutAbsent({
      observedGeneration: status['observedGeneration'],
      lastScaleTime: status['lastScaleTime'],
      currentReplicas: status['currentReplicas'] === 0 ? undefined : status['currentReplicas'],
      desiredReplicas: status['desiredReplicas'] ?? 0,
      currentMetrics: readAnnotation(annotations[statusesKey], (value) => listOf(value).map(statusFromV1)) ?? ownStatus,
      conditions: Array.isArray(conditions) && conditions.length > 0 ? conditions : undefined,
    }),
  }
}

/** What an annotation holds; one that cannot be read says nothing. */
export function readAnnotation<T extends JsonValue>(
  text: string | undefined,
  convert: (value: unknown) => T | undefined,
): T | undefined {
  if (text === undefined) return undefined
  try {
    return convert(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof NotReadable) return undefined
    throw error
  }
}
