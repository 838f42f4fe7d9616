/**
 * Selectors of webhooks and policies: over the labels of the namespace, and of the object before or after.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/namespace: Matcher.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/object: Matcher.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { keysOf } from '../../api/key-lists.ts'
import {
  type LabelPredicate,
  LabelSelector,
  type LabelSelectorExpression,
  type LabelSelectorObject,
  selectorOfObject,
} from '../../api/label-selector.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import { notFound } from '../../api/status-error.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'

/** What matching needs of a selector. */
export interface ObjectSelector {
  isEmpty(): boolean
  readonly matches: LabelPredicate
}

/** Absent means everything here, other than elsewhere. */
export function compileSelector(selector: LabelSelectorObject | undefined): ObjectSelector {
  if (selector === undefined) return LabelSelector.everything
  return isLong(selector) ? longSelector(selector) : selectorOfObject(selector)
}

/** Terms and values of a selector that is compiled. */
const maxCompiled = 500

function isLong({ matchLabels, matchExpressions }: LabelSelectorObject): boolean {
  let terms = matchLabels === undefined ? 0 : keysOf(matchLabels).length
  for (const { values } of matchExpressions ?? []) {
    terms += 1 + (values?.length ?? 0)
    if (terms > maxCompiled) return true
  }
  return terms > maxCompiled
}

/** To compile it would take long; it was checked when it was written, and mostly its first term decides. */
function longSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelectorObject): ObjectSelector {
  return {
    isEmpty: () => false,
    matches: (labels) =>
      keysOf(matchLabels).every((key) => labels?.[key] === matchLabels[key]) &&
      matchExpressions.every((expression) => isSatisfied(expression, labels)),
  }
}

function isSatisfied(expression: LabelSelectorExpression, labels: StringMap | undefined): boolean {
  const label: unknown = labels?.[expression.key]
  const value = typeof label === 'string' ? label : undefined
  switch (expression.operator) {
    case 'In':
      return value !== undefined && expression.values?.includes(value) === true
    case 'NotIn':
      return value === undefined || expression.values?.includes(value) !== true
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return selectorOfObject({ matchExpressions: [expression] }).matches(labels)
  }
}

const isNamespaceObject = ({ resource }: AdmissionRequest): boolean =>
  resource.group === '' && resource.resource === 'namespaces'

/** The namespace that a request is about: of its object, or the object itself. Undefined for other cluster-wide ones. */
function namespaceOf(cluster: Cluster, request: AdmissionRequest): Awaitable<KubeObject | undefined> {
  if (isNamespaceObject(request))
    return request.subresource === '' ? (request.object ?? request.oldObject) : request.oldObject
  if (request.namespace === '') return undefined
  return whenReady(cluster.namespace(request.namespace), (namespace) => {
    if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, request.namespace)
    return namespace
  })
}

/** Cluster-wide objects match any selector. */
export function matchesNamespace(
  cluster: Cluster,
  selector: ObjectSelector,
  request: AdmissionRequest,
): Awaitable<boolean> {
  if (selector.isEmpty() || (request.namespace === '' && !isNamespaceObject(request))) return true
  return whenReady(namespaceOf(cluster, request), (namespace) => selector.matches(namespace?.metadata.labels))
}

/** Judges selectors over the namespace of one request, which is looked up once for all of them. */
export type NamespaceJudge = (selector: ObjectSelector) => boolean

/** What is wrong with the namespace shows only when a selector asks for it. */
export function namespaceJudge(cluster: Cluster, request: AdmissionRequest): Awaitable<NamespaceJudge> {
  if (request.namespace === '' && !isNamespaceObject(request)) return () => true
  const judge =
    (namespace: KubeObject | undefined): NamespaceJudge =>
    (selector) =>
      selector.isEmpty() || selector.matches(namespace?.metadata.labels)
  const failing =
    (error: unknown): NamespaceJudge =>
    (selector) => {
      if (selector.isEmpty()) return true
      throw error
    }
  try {
    const found = namespaceOf(cluster, request)
    return found instanceof Promise ? found.then(judge, failing) : judge(found)
  } catch (error) {
    return failing(error)
  }
}

export function matchesObject(selector: ObjectSelector, { object, oldObject }: AdmissionRequest): boolean {
  if (selector.isEmpty()) return true
  const matches = (of: KubeObject | undefined): boolean =>
    of?.metadata !== undefined && selector.matches(of.metadata.labels)
  return matches(object) || matches(oldObject)
}
