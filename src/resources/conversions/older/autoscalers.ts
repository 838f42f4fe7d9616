/** The two betas of the autoscaler that reads several metrics. What they cannot say is kept in annotations. */
import type { JsonObject, JsonValue } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { Quantity } from '../../../api/quantity.ts'
import type {
  HorizontalPodAutoscalerBehavior,
  MetricSpec,
  MetricStatus,
} from '../../../catalog/types/autoscaling-v2.ts'
import {
  behaviorKey,
  readAnnotation,
  toleranceKeys,
  withoutRoundTrip,
} from '../../kinds/control/horizontal-pod-autoscaler/autoscaler-conversion.ts'
import { behaviorFromText, behaviorToText } from '../../kinds/control/horizontal-pod-autoscaler/converted-behavior.ts'
import {
  metricFromV1,
  metricToV1,
  statusFromV1,
  statusToV1,
} from '../../kinds/control/horizontal-pod-autoscaler/converted-metrics.ts'
import {
  annotated,
  annotationsOf,
  changed,
  changedItems,
  type OlderConversion,
  objectAt,
  put,
  withOlderSpec,
} from './parts.ts'

type Change = (item: JsonObject) => JsonObject

/** Counts and conditions are always written in the betas, and only when there are any today. */
function statusToHub(status: JsonObject): JsonObject {
  const { currentReplicas, conditions } = status
  const counted = currentReplicas === 0 ? put(status, 'currentReplicas', undefined) : status
  return conditions === null || (Array.isArray(conditions) && conditions.length === 0)
    ? put(counted, 'conditions', undefined)
    : counted
}

const withMetrics = (object: KubeObject, spec: Change, status: Change): KubeObject =>
  changed(
    withOlderSpec(object, (value) => changedItems(value, 'metrics', spec)),
    'status',
    (value) => changedItems(value, 'currentMetrics', status),
  ) as KubeObject

export const firstBetaAutoscaler: OlderConversion = {
  toHub(object) {
    const behavior = readAnnotation(annotationsOf(object)[behaviorKey], behaviorFromText)
    const plain = withMetrics(withoutRoundTrip(object), metricFromV1, statusFromV1)
    const withStatus = changed(plain, 'status', statusToHub) as KubeObject
    return behavior === undefined ? withStatus : withOlderSpec(withStatus, (spec) => ({ ...spec, behavior }))
  },
  fromHub(object) {
    const { behavior } = objectAt(object, 'spec')
    const metric: Change = (item) => metricToV1(item as unknown as MetricSpec)
    const plain = withMetrics(withoutRoundTrip(object), metric, (item) => statusToV1(item as unknown as MetricStatus))
    if (behavior === undefined) return plain
    const text = behaviorToText(behavior as unknown as HorizontalPodAutoscalerBehavior)
    return annotated(
      withOlderSpec(plain, (spec) => put(spec, 'behavior', undefined)),
      behaviorKey,
      text,
    )
  },
}

const directions = Object.entries(toleranceKeys) as ['scaleUp' | 'scaleDown', string][]

const toleranceIn = (object: KubeObject, direction: string): JsonValue | undefined =>
  objectAt(objectAt(objectAt(object, 'spec'), 'behavior'), direction)['tolerance']

export const secondBetaAutoscaler: OlderConversion = {
  toHub(object) {
    let out = changed(withoutRoundTrip(object), 'status', statusToHub) as KubeObject
    for (const [direction, key] of directions) {
      const text = annotationsOf(object)[key]
      if (text === undefined || Quantity.check(text) !== undefined) continue
      const tolerance = String(Quantity.parse(text))
      out = withOlderSpec(out, (spec) => {
        const behavior = objectAt(spec, 'behavior')
        return { ...spec, behavior: { ...behavior, [direction]: { ...objectAt(behavior, direction), tolerance } } }
      })
    }
    return out
  },
  fromHub(object) {
    let out = withoutRoundTrip(object)
    for (const [direction, key] of directions) {
      const tolerance = toleranceIn(object, direction)
      if (typeof tolerance !== 'string') continue
      const drop = (rules: JsonObject): JsonObject => put(rules, 'tolerance', undefined)
      out = annotated(
        withOlderSpec(out, (spec) => changed(spec, 'behavior', (behavior) => changed(behavior, direction, drop))),
        key,
        tolerance,
      )
    }
    return out
  },
}
