/**
 * The number behind the priority class of a pod or of a group of pods, and that at most one class is everybody's default.
 * Mirrors plugin/pkg/admission/priority: Plugin.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import type { KubeObject } from '../../api/object.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type { PodSpec } from '../../catalog/types/core-v1.ts'
import type { PriorityClass as SchedulingPriorityClass } from '../../catalog/types/scheduling-v1.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import { type AdmissionPlugin, handling, type Mutation } from '../plugin.ts'
import { withSpec } from '../pod.ts'

type PriorityClass = KubeObject & Partial<SchedulingPriorityClass>

type PodGroup = KubeObject & { readonly spec: { readonly priorityClassName?: string; readonly priority?: number } }

const group = 'scheduling.k8s.io'
const writes = ['CREATE', 'UPDATE'] as const

interface ResolvedPriority {
  readonly name: string
  readonly priority: number
  readonly preemptionPolicy: string | undefined
}

export function priority(cluster: Cluster): AdmissionPlugin {
  const classes = cluster.view<PriorityClass>(group, 'priorityclasses')
  const defaultClass = (): Awaitable<PriorityClass | undefined> => whenReady(classes.list(), lowestDefault)
  const ofPods = handling(writes, '', 'pods')
  const ofClasses = handling(writes, group, 'priorityclasses')
  const ofGroups = handling(['CREATE'], group, 'podgroups')
  const ranksGroups = cluster.gate('WorkloadAwarePreemption')
  const resolvePriority = (request: AdmissionRequest, className: string | undefined): Awaitable<ResolvedPriority> => {
    if (!className) {
      return whenReady(defaultClass(), (found) => (found === undefined ? noClass : priorityOf(found)))
    }
    return whenReady(classes.find('', className), (found) => {
      if (found === undefined) throw denied(request, `no PriorityClass with name ${className} was found`)
      return priorityOf(found)
    })
  }
  return {
    name: 'Priority',
    handles: (shape) => ofPods(shape) || ofClasses(shape) || (ranksGroups && ofGroups(shape)),
    mutate(request) {
      if (request.resource.resource === 'podgroups') {
        const ranked = request.object as PodGroup
        return whenReady(resolvePriority(request, ranked.spec.priorityClassName), (found) =>
          prioritizedGroup(request, ranked, found),
        )
      }
      if (request.resource.group !== '') return undefined
      const pod = request.object as PodObject
      if (request.operation === 'UPDATE') return kept(pod, request.oldObject as PodObject)
      return whenReady(resolvePriority(request, pod.spec.priorityClassName), (found) =>
        prioritized(request, pod, found),
      )
    },
    validate(request) {
      const { object, operation } = request
      if (request.resource.resource !== 'priorityclasses' || object?.['globalDefault'] !== true) return
      return whenReady(defaultClass(), (other) => {
        if (other === undefined || (operation === 'UPDATE' && other.metadata.name === object.metadata.name)) return
        throw denied(
          request,
          `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
        )
      })
    },
  }
}

const noClass: ResolvedPriority = { name: '', priority: 0, preemptionPolicy: 'PreemptLowerPriority' }

const priorityOf = ({ metadata, value, preemptionPolicy }: PriorityClass): ResolvedPriority => ({
  name: metadata.name ?? '',
  priority: value ?? 0,
  preemptionPolicy,
})

function lowestDefault(classes: readonly PriorityClass[]): PriorityClass | undefined {
  let lowest: PriorityClass | undefined
  for (const each of classes) {
    if (each.globalDefault === true && (lowest === undefined || (each.value ?? 0) < (lowest.value ?? 0))) lowest = each
  }
  return lowest
}

/** Clients that do not know the fields leave them out of an update. */
function kept(pod: PodObject, old: PodObject): Mutation {
  const spec: Partial<PodSpec> = {}
  for (const field of ['priority', 'preemptionPolicy'] as const) {
    const before = old.spec[field]
    if (pod.spec[field] === undefined && before !== undefined) Object.assign(spec, { [field]: before })
  }
  return Object.keys(spec).length === 0 ? undefined : withSpec(pod, spec)
}

function prioritized(request: AdmissionRequest, pod: PodObject, resolved: ResolvedPriority): PodObject {
  const { priority: given, preemptionPolicy: givenPolicy } = pod.spec
  const { name, priority: number, preemptionPolicy } = resolved
  const by = 'must not be provided in pod spec; priority admission controller computed'
  if (given !== undefined && given !== number) {
    throw denied(request, `the integer value of priority (${given}) ${by} ${number} from the given PriorityClass name`)
  }
  if (givenPolicy !== undefined && preemptionPolicy !== undefined && givenPolicy !== preemptionPolicy) {
    throw denied(
      request,
      `the string value of PreemptionPolicy (${givenPolicy}) ${by} ${preemptionPolicy} from the given PriorityClass name`,
    )
  }
  return withSpec(pod, {
    ...(name === '' ? {} : { priorityClassName: name }),
    priority: number,
    ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }),
  })
}

function prioritizedGroup(
  request: AdmissionRequest,
  ranked: PodGroup,
  { name, priority: number }: ResolvedPriority,
): PodGroup {
  const { priority: given } = ranked.spec
  if (given !== undefined && given !== number) {
    const why = `must match the priority computed (${number}) based on the priority class set in the spec`
    throw denied(request, `priority set in the pod group (${given}) ${why}`)
  }
  const spec = { ...ranked.spec, ...(name === '' ? {} : { priorityClassName: name }), priority: number }
  return { ...ranked, spec }
}
