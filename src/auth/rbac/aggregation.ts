/**
 * The rules of a ClusterRole that is put together from others: those that any of its selectors choose, in the order of
 * the selectors and then of the names, each rule once. A controller writes the result into the role.
 */
import { equalJson, isJsonObject, type JsonArray, type JsonValue } from '../../api/json.ts'
import { checkedSelector, type LabelSelector } from '../../api/label-selector.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'

/** A role of which nothing but this is looked at unless it is chosen. */
export interface ChoosableRole {
  readonly name: string
  readonly labels: StringMap | undefined
  object(): KubeObject
}

/** Undefined when the role is not aggregated or already has exactly these rules. */
export function aggregatedRules(role: KubeObject, all: Iterable<ChoosableRole>): JsonArray | undefined {
  const selectors = selectorsOf(role)
  if (selectors === undefined) return undefined
  const others = [...all].filter(({ name }) => name !== role.metadata.name).sort((a, b) => (a.name < b.name ? -1 : 1))
  const rules = new Map<string, JsonValue>()
  for (const selector of selectors) {
    for (const other of others) {
      if (!selector.matches(other.labels)) continue
      for (const rule of rulesIn(other.object())) {
        const identity = JSON.stringify(rule)
        if (!rules.has(identity)) rules.set(identity, rule)
      }
    }
  }
  const found = [...rules.values()]
  return equalJson(found, rulesIn(role)) ? undefined : found
}

function selectorsOf(role: KubeObject): LabelSelector[] | undefined {
  const aggregation = role['aggregationRule']
  if (!isJsonObject(aggregation)) return undefined
  const selectors = aggregation['clusterRoleSelectors']
  return Array.isArray(selectors) ? selectors.filter(isJsonObject).map((selector) => checkedSelector(selector)) : []
}

const rulesIn = (role: KubeObject): JsonArray => (Array.isArray(role['rules']) ? role['rules'] : [])
