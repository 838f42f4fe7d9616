/** Tolerations that pods of a namespace get, and the only ones that they may have. */
import type { AdmissionRequest } from '../../api/admission.ts'
import { isJsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { notFound, unknownError } from '../../api/status-error.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import { type AdmissionPlugin, handling, whenReady } from '../plugin.ts'
import { type Pod, type Toleration, withSpec } from '../pod.ts'
import { coversToleration, mergeTolerations } from '../tolerations.ts'

const defaultsAnnotation = 'scheduler.alpha.kubernetes.io/defaultTolerations'
const allowedAnnotation = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist'

export function podTolerationRestriction(cluster: Cluster, configuration: JsonValue | undefined): AdmissionPlugin {
  const config = isJsonObject(configuration) ? configuration : {}
  const listed = (field: string): Toleration[] => (Array.isArray(config[field]) ? (config[field] as Toleration[]) : [])
  const defaults = listed('default')
  const allowed = listed('whitelist')
  const namespaceOf = <R>(request: AdmissionRequest, use: (namespace: KubeObject) => R): R | Promise<R> =>
    whenReady(cluster.namespace(request.namespace), (namespace) => {
      if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, request.namespace)
      return use(namespace)
    })
  const check = (request: AdmissionRequest, namespace: KubeObject, tolerations: readonly Toleration[]): void => {
    if (tolerations.length === 0) return
    const permitted = annotated(namespace, allowedAnnotation) ?? allowed
    if (permitted.length === 0) return
    if (tolerations.every((each) => permitted.some((wide) => coversToleration(wide, each)))) return
    throw denied(
      request,
      'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
    )
  }
  return {
    name: 'PodTolerationRestriction',
    handles: handling(['CREATE', 'UPDATE'], '', 'pods'),
    mutate(request) {
      const pod = request.object as Pod
      return namespaceOf(request, (namespace) => {
        const own = pod.spec.tolerations ?? []
        const extra = request.operation === 'CREATE' ? (annotated(namespace, defaultsAnnotation) ?? defaults) : []
        const merged = extra.length === 0 ? own : mergeTolerations(extra, own)
        const final = request.operation === 'CREATE' ? withMemoryPressure(pod, merged) : merged
        check(request, namespace, final)
        return final === own ? undefined : withSpec(pod, { tolerations: [...final] })
      })
    },
    validate: (request) =>
      namespaceOf(request, (namespace) => check(request, namespace, (request.object as Pod).spec.tolerations ?? [])),
  }
}

/** Pods that promised the node some memory may stay while it runs short. */
function withMemoryPressure(pod: Pod, tolerations: readonly Toleration[]): readonly Toleration[] {
  const promised = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])].some(
    ({ resources }) => Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0,
  )
  if (!promised) return tolerations
  return mergeTolerations(tolerations, [
    { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  ])
}

/** Undefined when the namespace says nothing, or an empty list. */
function annotated(namespace: KubeObject, annotation: string): Toleration[] | undefined {
  const text = namespace.metadata.annotations?.[annotation] ?? ''
  if (text === '') return undefined
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? (list as Toleration[]) : undefined
  } catch (error) {
    throw unknownError((error as Error).message)
  }
}
