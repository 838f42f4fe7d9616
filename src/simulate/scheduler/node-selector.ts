/** Node selectors, compiled. Mirrors component-helpers/scheduling/corev1/nodeaffinity. */
import { type LabelOperator, type LabelRequirement, LabelSelector, selectorOfLabels } from '../../api/label-selector.ts'
import { checkLabelValue, checkQualifiedName } from '../../api/names.ts'
import type { StringMap } from '../../api/object.ts'
import type {
  NodeSelector as NodeSelectorObject,
  NodeSelectorRequirement,
  NodeSelectorTerm,
} from '../../catalog/types/core-v1.ts'
import type { Pod } from '../objects.ts'

/** The part of a node that selectors see. */
export interface NamedLabels {
  readonly name: string
  readonly labels: StringMap | undefined
}

export type NodePredicate = (node: NamedLabels) => boolean

const everyNode: NodePredicate = () => true

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  ['Gt', 'gt'],
  ['Lt', 'lt'],
])

/** Terms are alternatives. A term that is empty or cannot be read selects no node. */
export function nodeSelector({ nodeSelectorTerms }: NodeSelectorObject): NodePredicate {
  const terms = (nodeSelectorTerms ?? []).map(nodeSelectorTerm)
  return (node) => terms.some((matches) => matches(node))
}

export function nodeSelectorTerm({ matchExpressions, matchFields }: NodeSelectorTerm): NodePredicate {
  const expressions = matchExpressions ?? []
  const fields = matchFields ?? []
  if (expressions.length === 0 && fields.length === 0) return () => false
  const requirements = expressions.map(labelRequirement)
  if (!requirements.every((each) => each !== undefined) || !fields.every(isReadableField)) return () => false
  const selector = LabelSelector.of(requirements)
  return (node) => selector.matches(node.labels) && fields.every((field) => fieldMatches(field, node))
}

function labelRequirement({ key, operator, values = [] }: NodeSelectorRequirement): LabelRequirement | undefined {
  const known = operators.get(operator)
  if (known === undefined || checkQualifiedName(key).length > 0) return undefined
  return values.every((value) => checkLabelValue(value).length === 0) ? { key, operator: known, values } : undefined
}

const isReadableField = ({ operator, values = [] }: NodeSelectorRequirement): boolean =>
  (operator === 'In' || operator === 'NotIn') && values.length === 1

function fieldMatches({ key, operator, values = [] }: NodeSelectorRequirement, { name }: NamedLabels): boolean {
  const isEqual = (key === 'metadata.name' ? name : '') === values[0]
  return operator === 'In' ? isEqual : !isEqual
}

/** What the pod's node selector and required node affinity ask for together. */
export function requiredNodeAffinity({ spec }: Pod): NodePredicate {
  const labels = Object.keys(spec.nodeSelector ?? {}).length === 0 ? undefined : selectorOfLabels(spec.nodeSelector)
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const affinity = required === undefined ? undefined : nodeSelector(required)
  if (labels === undefined) return affinity ?? everyNode
  if (affinity === undefined) return (node) => labels.matches(node.labels)
  return (node) => labels.matches(node.labels) && affinity(node)
}
