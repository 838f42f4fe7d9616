/** A label selector as the text that Go's generated code has of one. */
import type { JsonObject, JsonValue } from '../../api/json.ts'

export function selectorText({ matchLabels, matchExpressions }: JsonObject): string {
  const labels = (matchLabels ?? {}) as JsonObject
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}: ${String(labels[key])},`)
  const requirements = ((matchExpressions ?? []) as JsonObject[]).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${String(key ?? '')},Operator:${String(operator ?? '')},Values:[${((values ?? []) as JsonValue[]).map(String).join(' ')}],},`,
  )
  const expressions = `[]LabelSelectorRequirement{${requirements.join('')}}`
  return `&LabelSelector{MatchLabels:map[string]string{${pairs.join('')}},MatchExpressions:${expressions},}`
}
