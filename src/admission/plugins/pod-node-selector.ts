/**
 * Pods run only on the nodes of their namespace: its annotation or the configuration says which.
 * Mirrors plugin/pkg/admission/podnodeselector: Plugin.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { isJsonObject, type JsonValue, ownValue, setKey } from '../../api/json.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import { forbidden, notFound, unknownError } from '../../api/status-error.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import { type AdmissionPlugin, handling, type Mutation } from '../plugin.ts'
import { withSpec } from '../pod.ts'

const annotation = 'scheduler.alpha.kubernetes.io/node-selector'
const clusterDefault = 'clusterDefaultNodeSelector'

export function podNodeSelector(cluster: Cluster, configuration: JsonValue | undefined): AdmissionPlugin {
  const selectors = configuredSelectors(configuration)
  const ownSelector = (namespace: KubeObject): StringMap =>
    parseSelector(namespace.metadata.annotations?.[annotation] ?? selectors(clusterDefault))
  const withNamespace = <R>(request: AdmissionRequest, use: (own: StringMap, pod: PodObject) => R): Awaitable<R> =>
    whenReady(cluster.namespace(request.namespace), (namespace) => {
      if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, request.namespace)
      const pod = request.object as PodObject
      const own = ownSelector(namespace)
      if (conflicts(own, pod.spec.nodeSelector)) {
        throw refuse(request, 'pod node label selector conflicts with its namespace node label selector')
      }
      return use(own, pod)
    })
  const checkAllowed = (request: AdmissionRequest, selector: StringMap | undefined): void => {
    const allowed = parseSelector(selectors(request.namespace))
    if (Object.keys(allowed).length === 0) return
    if (Object.entries(selector ?? {}).every(([key, value]) => ownValue(allowed, key) === value)) return
    throw refuse(request, 'pod node label selector labels conflict with its namespace whitelist')
  }
  return {
    name: 'PodNodeSelector',
    handles: handling(['CREATE'], '', 'pods'),
    mutate: (request) =>
      withNamespace(request, (own, pod): Mutation => {
        const nodeSelector = { ...own, ...pod.spec.nodeSelector }
        checkAllowed(request, nodeSelector)
        return Object.keys(nodeSelector).length === 0 ? undefined : withSpec(pod, { nodeSelector })
      }),
    validate: (request) => withNamespace(request, (_, pod) => checkAllowed(request, pod.spec.nodeSelector)),
  }
}

const refuse = ({ resource, object }: AdmissionRequest, why: string): Error =>
  forbidden(resource, object?.metadata.name ?? '', why)

function configuredSelectors(configuration: JsonValue | undefined): (name: string) => string {
  const inner = isJsonObject(configuration) ? configuration['podNodeSelectorPluginConfig'] : undefined
  return (name) => (isJsonObject(inner) ? String(ownValue(inner, name) ?? '') : '')
}

/** `a=b, c=d`. */
function parseSelector(text: string): StringMap {
  const labels: StringMap = {}
  if (text.trim() === '') return labels
  for (const part of text.split(',')) {
    const pair = part.split('=')
    if (pair.length !== 2) throw unknownError(`invalid selector: [${part.trim()}]`)
    setKey(labels, pair[0]!.trim(), pair[1]!.trim())
  }
  return labels
}

const conflicts = (a: StringMap, b: StringMap | undefined): boolean =>
  Object.entries(b ?? {}).some(([key, value]) => Object.hasOwn(a, key) && a[key] !== value)
