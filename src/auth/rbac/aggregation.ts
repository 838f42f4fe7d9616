/**
 * The rules of a ClusterRole that is put together from others: those that any of its selectors choose, in the order of
 * the selectors and then of the names, each rule once. A controller writes the result into the role.
 */
import { equalJson, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'

/** Undefined when the role is not aggregated or already has exactly these rules. */
export function aggregatedRules(role: KubeObject, all: Iterable<KubeObject>): JsonArray | undefined {
  const selectors = selectorsOf(role)
  if (selectors === undefined) return undefined
  const others = [...all]
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  const rules: JsonArray = []
  for (const selector of selectors) {
    for (const other of others) {
      if (!selectorMatches(selector, other.metadata.labels ?? {})) continue
      for (const rule of rulesIn(other)) if (!rules.some((known) => equalJson(known, rule))) rules.push(rule)
    }
  }
  return equalJson(rules, rulesIn(role)) ? undefined : rules
}

function selectorsOf(role: KubeObject): JsonObject[] | undefined {
  const aggregation = role['aggregationRule']
  if (!isJsonObject(aggregation)) return undefined
  const selectors = aggregation['clusterRoleSelectors']
  return Array.isArray(selectors) ? selectors.filter(isJsonObject) : []
}

const rulesIn = (role: KubeObject): JsonArray => (Array.isArray(role['rules']) ? role['rules'] : [])

function selectorMatches(selector: JsonObject, labels: JsonObject): boolean {
  const matchLabels = isJsonObject(selector['matchLabels']) ? selector['matchLabels'] : {}
  const expressions = Array.isArray(selector['matchExpressions']) ? selector['matchExpressions'] : []
  return (
    Object.entries(matchLabels).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value) &&
    expressions.every((expression) => isJsonObject(expression) && expressionMatches(expression, labels))
  )
}

function expressionMatches(expression: JsonObject, labels: JsonObject): boolean {
  const key = String(expression['key'])
  const values: JsonValue[] = Array.isArray(expression['values']) ? expression['values'] : []
  const present = Object.hasOwn(labels, key)
  switch (expression['operator']) {
    case 'In':
      return present && values.includes(labels[key] ?? null)
    case 'NotIn':
      return !present || !values.includes(labels[key] ?? null)
    case 'Exists':
      return present
    case 'DoesNotExist':
      return !present
    default:
      return false
  }
}
