import type { LabelSelectorObject } from '../../../api/label-selector.ts'

/** As the generated String method of the type writes it. */
export function goLabelSelector(selector: LabelSelectorObject | undefined): string {
  if (selector === undefined) return 'nil'
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  const matchLabels = `map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join('')}}`
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`,
  )
  return `&LabelSelector{MatchLabels:${matchLabels},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
}
