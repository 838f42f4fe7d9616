/** The behaviour of an autoscaler as v1 keeps it in an annotation: the reference's own names, in any case when read. */
import type { JsonObject } from '../../../../api/json.ts'
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '../../../../catalog/types/autoscaling-v2.ts'
import { integerIn, listOf, objectIn, objectOf, quantityIn, textIn } from '../../../conversions/json-reader.ts'
import { withoutAbsent } from '../../../conversions/wire-order.ts'

export function behaviorToText({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): string {
  return JSON.stringify({ ScaleUp: rulesToInternal(scaleUp), ScaleDown: rulesToInternal(scaleDown) })
}

function rulesToInternal(rules: HPAScalingRules | undefined): JsonObject | null {
  if (rules === undefined) return null
  const policies = rules.policies?.map(({ type, value, periodSeconds }) => ({
    Type: type,
    Value: value,
    PeriodSeconds: periodSeconds,
  }))
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: policies ?? null,
    Tolerance: rules.tolerance ?? null,
  }
}

/** Undefined when it says nothing. */
export function behaviorFromText(value: unknown): JsonObject | undefined {
  const behavior = lowerCased(value)
  const scaleUp = objectIn(behavior, 'scaleup')
  const scaleDown = objectIn(behavior, 'scaledown')
  if (scaleUp === undefined && scaleDown === undefined) return undefined
  return withoutAbsent({ scaleUp: scaleUp && rulesFrom(scaleUp), scaleDown: scaleDown && rulesFrom(scaleDown) })
}

function rulesFrom(value: JsonObject): JsonObject {
  const rules = lowerCased(value)
  const policies = rules['policies']
  return withoutAbsent({
    stabilizationWindowSeconds: integerIn(rules, 'stabilizationwindowseconds'),
    selectPolicy: textIn(rules, 'selectpolicy'),
    policies:
      policies === undefined || policies === null
        ? undefined
        : listOf(policies).map((item) => {
            const policy = lowerCased(item)
            return {
              type: textIn(policy, 'type') ?? '',
              value: integerIn(policy, 'value') ?? 0,
              periodSeconds: integerIn(policy, 'periodseconds') ?? 0,
            }
          }),
    tolerance: quantityIn(rules, 'tolerance'),
  })
}

function lowerCased(value: unknown): JsonObject {
  return Object.fromEntries(Object.entries(objectOf(value)).map(([key, item]) => [key.toLowerCase(), item]))
}
