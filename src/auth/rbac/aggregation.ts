/**
 * The rules of a ClusterRole that is put together from others: those that any of its selectors choose, in the order of
 * the selectors and then of the names, each rule once. A controller writes the result into the role.
 */
import { equalInSteps } from '../../api/equal-in-steps.ts'
import { isJsonObject, type JsonArray, type JsonValue } from '../../api/json.ts'
import { checkedSelector, type LabelSelector } from '../../api/label-selector.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import type { Steps } from '../../lib/in-turns.ts'

/** A role of which nothing but this is looked at unless it is chosen. */
export interface ChoosableRole {
  readonly name: string
  readonly labels: StringMap | undefined
  objectInSteps(): Steps<KubeObject>
}

/** Undefined when the role is not aggregated or already has exactly these rules. */
export function* aggregatedRules(role: KubeObject, all: Iterable<ChoosableRole>): Steps<JsonArray | undefined> {
  const selectors = selectorsOf(role)
  if (selectors === undefined) return undefined
  const others = [...all].filter(({ name }) => name !== role.metadata.name).sort((a, b) => (a.name < b.name ? -1 : 1))
  const rules = new Map<string, JsonValue>()
  for (const selector of selectors) {
    yield
    for (const other of others) {
      if (!selector.matches(other.labels)) continue
      for (const rule of rulesIn(yield* other.objectInSteps())) {
        yield
        const identity = JSON.stringify(rule)
        if (!rules.has(identity)) rules.set(identity, rule)
      }
    }
  }
  const found = [...rules.values()]
  return (yield* equalInSteps(found, rulesIn(role))) ? undefined : found
}

/** Each is read when its turn comes, and let go then: there may be very many. */
function selectorsOf(role: KubeObject): Iterable<LabelSelector> | undefined {
  const aggregation = role['aggregationRule']
  return isJsonObject(aggregation) ? selectorsIn(aggregation['clusterRoleSelectors']) : undefined
}

function* selectorsIn(selectors: JsonValue | undefined): Generator<LabelSelector> {
  for (const selector of Array.isArray(selectors) ? selectors : [])
    if (isJsonObject(selector)) yield checkedSelector(selector)
}

const rulesIn = (role: KubeObject): JsonArray => (Array.isArray(role['rules']) ? role['rules'] : [])
