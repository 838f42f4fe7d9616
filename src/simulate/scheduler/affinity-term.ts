/** Terms of inter-pod affinity, compiled. Mirrors pkg/scheduler/framework: AffinityTerm. */
import { LabelSelector, selectorOfObject } from '../../api/label-selector.ts'
import type { StringMap } from '../../api/object.ts'
import type { PodAffinity, PodAffinityTerm } from '../../catalog/types/core-v1.ts'
import type { Pod } from '../objects.ts'
import { namespaceOf } from './objects.ts'

export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>
  readonly namespaceSelector: LabelSelector
  readonly selector: LabelSelector
  readonly topologyKey: string
}

export interface WeightedTerm {
  readonly term: AffinityTerm
  readonly weight: number
}

/** `namespaceLabels` are those of the pod's namespace, where the term's namespaces are still given by labels. */
export function termMatches(
  { namespaces, namespaceSelector, selector }: AffinityTerm,
  pod: Pod,
  namespaceLabels: StringMap | undefined,
): boolean {
  if (!namespaces.has(namespaceOf(pod)) && !namespaceSelector.matches(namespaceLabels)) return false
  return selector.matches(pod.metadata.labels)
}

/** No terms match no pod. */
export const allTermsMatch = (terms: readonly AffinityTerm[], pod: Pod): boolean =>
  terms.length > 0 && terms.every((term) => termMatches(term, pod, undefined))

export function requiredTerms(pod: Pod, affinity: PodAffinity | undefined): readonly AffinityTerm[] {
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution
  return terms === undefined || terms.length === 0 ? [] : terms.map((term) => affinityTerm(pod, term))
}

export function preferredTerms(pod: Pod, affinity: PodAffinity | undefined): readonly WeightedTerm[] {
  const terms = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return terms.map(({ weight, podAffinityTerm }) => ({ weight, term: affinityTerm(pod, podAffinityTerm) }))
}

function affinityTerm(pod: Pod, term: PodAffinityTerm): AffinityTerm {
  const { namespaces = [], namespaceSelector, labelSelector, topologyKey } = term
  const own = namespaces.length === 0 && namespaceSelector === undefined
  return {
    namespaces: new Set(own ? [namespaceOf(pod)] : namespaces),
    namespaceSelector: selectorOfObject(namespaceSelector),
    selector: selectorOfObject(labelSelector),
    topologyKey,
  }
}

/** The term with the namespaces that its selector chooses by name. */
export function withNamespaces(
  term: AffinityTerm,
  matching: (selector: LabelSelector) => Iterable<string>,
): AffinityTerm {
  const { namespaceSelector } = term
  if (namespaceSelector.isEmpty()) return term
  const namespaces = new Set([...term.namespaces, ...matching(namespaceSelector)])
  return { ...term, namespaces, namespaceSelector: LabelSelector.nothing }
}

/** The same for terms that match the same pods. */
export function termsKey(terms: readonly AffinityTerm[]): string {
  return JSON.stringify(
    terms.map(({ namespaces, namespaceSelector, selector }) => [
      namespaceSelector.isEmpty() ? '*' : [...namespaces].sort(),
      selector.selectsNothing ? false : selector.toString(),
    ]),
  )
}
