/**
 * Tolerations that pods of a namespace get, and the only ones that they may have.
 * Mirrors plugin/pkg/admission/podtolerationrestriction: Plugin.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { isJsonObject, type JsonValue, jsonTypeName } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { notFound, unknownError } from '../../api/status-error.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type { Toleration } from '../../catalog/types/core-v1.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import { reasonOf } from '../../lib/fault.ts'
import type { Cluster } from '../cluster.ts'
import { type AdmissionPlugin, handling } from '../plugin.ts'
import { withSpec } from '../pod.ts'
import { isBestEffort } from '../pod-resources.ts'
import { coversToleration, mergeTolerations } from '../tolerations.ts'

const defaultsAnnotation = 'scheduler.alpha.kubernetes.io/defaultTolerations'
const allowedAnnotation = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist'

/** Reads JSON; throws an Error in the reference's words. */
type Parse = (text: string) => JsonValue

export function podTolerationRestriction(
  cluster: Cluster,
  configuration: JsonValue | undefined,
  parse: Parse,
): AdmissionPlugin {
  const config = isJsonObject(configuration) ? configuration : {}
  const listed = (field: string): Toleration[] => (Array.isArray(config[field]) ? (config[field] as Toleration[]) : [])
  const defaults = listed('default')
  const allowed = listed('whitelist')
  const namespaceOf = <R>(request: AdmissionRequest, use: (namespace: KubeObject) => R): Awaitable<R> =>
    whenReady(cluster.namespace(request.namespace), (namespace) => {
      if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, request.namespace)
      return use(namespace)
    })
  const check = (namespace: KubeObject, tolerations: readonly Toleration[]): void => {
    if (tolerations.length === 0) return
    const own = annotated(namespace, allowedAnnotation, parse)
    const permitted = own ?? allowed
    if (permitted.length === 0) return
    if (tolerations.every((each) => permitted.some((wide) => coversToleration(wide, each)))) return
    throw unknownError(
      `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${own === undefined ? 'cluster' : 'namespace'} whitelist`,
    )
  }
  return {
    name: 'PodTolerationRestriction',
    handles: handling(['CREATE', 'UPDATE'], '', 'pods'),
    mutate(request) {
      const pod = request.object as PodObject
      return namespaceOf(request, (namespace) => {
        const own = pod.spec.tolerations ?? []
        const standard =
          request.operation === 'CREATE' ? (annotated(namespace, defaultsAnnotation, parse) ?? defaults) : []
        const extra = isBestEffort(pod) ? standard : [...standard, memoryPressure]
        const final = extra.length === 0 ? own : mergeTolerations(own, extra)
        check(namespace, final)
        return final === own ? undefined : withSpec(pod, { tolerations: [...final] })
      })
    },
    validate: (request) =>
      namespaceOf(request, (namespace) => check(namespace, (request.object as PodObject).spec.tolerations ?? [])),
  }
}

/** Pods that were promised some memory or computing may stay while the node runs short. */
const memoryPressure: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
}

/** Undefined when the namespace says nothing; an empty text is an empty list. */
function annotated(namespace: KubeObject, annotation: string, parse: Parse): Toleration[] | undefined {
  const text = namespace.metadata.annotations?.[annotation]
  if (text === undefined) return undefined
  if (text === '') return []
  try {
    return tolerationsOf(parse(text))
  } catch (error) {
    throw unknownError(reasonOf(error))
  }
}

function tolerationsOf(value: JsonValue): Toleration[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw mistyped(value, '[]v1.Toleration')
  for (const item of value) if (item !== null && !isJsonObject(item)) throw mistyped(item, 'v1.Toleration')
  return value.map((item) => (item ?? {}) as unknown as Toleration)
}

function mistyped(value: JsonValue, type: string): Error {
  return new Error(`json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${type}`)
}
