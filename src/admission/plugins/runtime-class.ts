/**
 * What a pod takes over from its runtime class: the overhead, and where it may run.
 * Mirrors plugin/pkg/admission/runtimeclass: RuntimeClass.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { quote } from '../../api/golang/quote.ts'
import { ownValue, setKey } from '../../api/json.ts'
import { checkPathSegmentName } from '../../api/names.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import { unknownError } from '../../api/status-error.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type { RuntimeClass as NodeRuntimeClass } from '../../catalog/types/node-v1.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import { type AdmissionPlugin, handling } from '../plugin.ts'
import { withSpec } from '../pod.ts'
import { amountsOf } from '../pod-resources.ts'
import { mergeTolerations } from '../tolerations.ts'

type RuntimeClass = KubeObject & Pick<NodeRuntimeClass, 'overhead' | 'scheduling'>

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

export function runtimeClass(cluster: Cluster): AdmissionPlugin {
  const classes = cluster.view<RuntimeClass>('node.k8s.io', 'runtimeclasses')
  const classOf = (request: AdmissionRequest): Awaitable<RuntimeClass | undefined> => {
    const { runtimeClassName } = (request.object as PodObject).spec
    if (runtimeClassName === undefined) return undefined
    checkLookup(runtimeClassName)
    return whenReady(classes.find('', runtimeClassName), (found) => {
      if (found !== undefined) return found
      throw denied(request, `pod rejected: RuntimeClass ${quote(runtimeClassName)} not found`)
    })
  }
  return {
    name: 'RuntimeClass',
    handles: handling(['CREATE'], '', 'pods'),
    mutate: (request) =>
      whenReady(classOf(request), (found) => (found === undefined ? undefined : adopt(request, found))),
    validate: (request) => whenReady(classOf(request), (found) => checkOverhead(request, found)),
  }
}

/** The reference asks its own API for a class that it does not know, by a path that must be one. */
function checkLookup(name: string): void {
  if (name === '') throw unknownError('resource name may not be empty')
  const problems = checkPathSegmentName(name)
  if (problems.length > 0) throw unknownError(`invalid resource name ${quote(name)}: [${problems.join(' ')}]`)
}

function adopt(request: AdmissionRequest, { overhead, scheduling }: RuntimeClass): PodObject {
  let pod = request.object as PodObject
  if (overhead !== undefined) {
    if (pod.spec.overhead !== undefined && !sameAmounts(overhead.podFixed, pod.spec.overhead)) {
      throw denied(request, mismatch)
    }
    if (overhead.podFixed !== undefined) pod = withSpec(pod, { overhead: { ...overhead.podFixed } })
  }
  if (scheduling === undefined) return pod
  const nodeSelector = { ...pod.spec.nodeSelector }
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = ownValue(nodeSelector, key)
    if (own !== undefined && own !== value) {
      throw denied(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      )
    }
    setKey(nodeSelector, key, value)
  }
  const tolerations = mergeTolerations(pod.spec.tolerations ?? [], scheduling.tolerations ?? [])
  return withSpec(pod, {
    ...(Object.keys(nodeSelector).length > 0 ? { nodeSelector } : {}),
    ...(tolerations.length > 0 ? { tolerations } : {}),
  })
}

function checkOverhead(request: AdmissionRequest, found: RuntimeClass | undefined): void {
  const { overhead } = (request.object as PodObject).spec
  if (found?.overhead !== undefined) {
    if (!sameAmounts(found.overhead.podFixed, overhead)) throw denied(request, mismatch)
  } else if (overhead !== undefined) {
    throw denied(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
  }
}

function sameAmounts(a: StringMap | undefined, b: StringMap | undefined): boolean {
  const [left, right] = [amountsOf(a), amountsOf(b)]
  if (left.size !== right.size) return false
  for (const [name, amount] of left) if (right.get(name)?.equals(amount) !== true) return false
  return true
}
