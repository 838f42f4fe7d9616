/**
 * Selectors of webhooks and policies: over the labels of the namespace, and of the object before or after.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/namespace: Matcher.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/object: Matcher.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { checkedSelector, LabelSelector, type LabelSelectorObject } from '../../api/label-selector.ts'
import type { KubeObject } from '../../api/object.ts'
import { notFound } from '../../api/status-error.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'

/** Absent means everything here, other than elsewhere. */
export const compileSelector = (selector: LabelSelectorObject | undefined): LabelSelector =>
  selector === undefined ? LabelSelector.everything : checkedSelector(selector)

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
  selector: LabelSelector,
  request: AdmissionRequest,
): Awaitable<boolean> {
  if (selector.isEmpty() || (request.namespace === '' && !isNamespaceObject(request))) return true
  return whenReady(namespaceOf(cluster, request), (namespace) => selector.matches(namespace?.metadata.labels))
}

/** Judges selectors over the namespace of one request, which is looked up once for all of them. */
export type NamespaceJudge = (selector: LabelSelector) => boolean

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

export function matchesObject(selector: LabelSelector, { object, oldObject }: AdmissionRequest): boolean {
  if (selector.isEmpty()) return true
  const matches = (of: KubeObject | undefined): boolean =>
    of?.metadata !== undefined && selector.matches(of.metadata.labels)
  return matches(object) || matches(oldObject)
}
