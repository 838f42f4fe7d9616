/**
 * What a resize may do to a pod: change the processors and the memory of its containers, and of the whole where the gate for that is on.
 * Mirrors pkg/apis/core/validation: ValidatePodResize.
 */

import { type FieldError, forbidden, invalid } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { Quantity } from '../../../api/quantity.ts'
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../../catalog/types/core-v1.ts'
import { type Errors, wholePath } from '../../checks/checks.ts'
import { equalMeaning } from './equal-meaning.ts'
import { hasNodeResourceClaims } from './later-pod-status.ts'
import type { PodOptions } from './pod-options.ts'
import { mirrorRefusal } from './pod-update.ts'
import { qosClassOf } from './qos.ts'

const specPath = FieldPath.of('spec')
const mutable = 'only cpu and memory resources are mutable'

const asksAsWhole = ({ spec }: Pod): boolean =>
  keysOf(spec.resources?.requests ?? {}).length + keysOf(spec.resources?.limits ?? {}).length > 0

/** What rules out a resize altogether; it is then the only error. */
export function resizeRefusal(pod: Pod, old: Pod, { knowsWholeResize }: PodOptions): FieldError[] | undefined {
  if (!knowsWholeResize && (asksAsWhole(old) || asksAsWhole(pod))) {
    return [forbidden(wholePath, 'pods with pod-level resources cannot be resized')]
  }
  const refused = mirrorRefusal(old, 'static pods cannot be resized')
  if (refused !== undefined) return refused
  return old.spec.os?.name === 'windows' ? [forbidden(wholePath, 'windows pods cannot be resized')] : undefined
}

export function validateResize(errors: Errors, pod: Pod, old: Pod, options: PodOptions): void {
  validateState(errors, pod, old, options)
  const isWhole = asksAsWhole(old) || asksAsWhole(pod)
  if (isWhole && !options.wholeResize) {
    const gate = 'InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled'
    errors.push(forbidden(wholePath, `resize of pods with pod-level resources is forbidden when ${gate}`))
    return
  }
  if (isWhole) validateWholeResize(errors, pod.spec, old.spec)
  if (hasNodeResourceClaims(old)) {
    errors.push(forbidden(specPath, 'pods with node allocatable resource claims cannot be resized'))
  }
  const before = errors.length
  validateSameContainers(errors, pod.spec, old.spec)
  if (errors.length > before) return
  const resized = (after: Container | undefined, container: Container, at: FieldPath): void => {
    validateNothingRemoved(errors, after, container, at)
    if (!options.anyMemoryResize) validateMemoryLimit(errors, after, container, at)
  }
  old.spec.initContainers?.forEach((container, i) => {
    if (container.restartPolicy !== 'Always' && !options.initResize) return
    resized(pod.spec.initContainers?.[i], container, specPath.child('initContainers').index(i))
  })
  old.spec.containers?.forEach((container, i) => {
    resized(pod.spec.containers?.[i], container, specPath.child('containers').index(i))
  })
  const undone = withResizeUndone(errors, pod.spec, old.spec, options)
  const spec = isWhole ? withOldWhole(undone, old.spec) : undone
  if (errors.length === 0 && !equalMeaning(spec, old.spec)) errors.push(forbidden(specPath, mutable))
}

function validateState(errors: Errors, pod: Pod, old: Pod, options: PodOptions): void {
  const oldClass = old.status.qosClass ?? qosClassOf(old.spec, options.podLevelResources)
  if (qosClassOf(pod.spec, options.podLevelResources) !== oldClass) {
    const why = 'Pod QOS Class may not change as a result of resizing'
    errors.push(invalid(specPath, pod.status.qosClass ?? '', why))
  }
  const running = old.status.containerStatuses?.find(({ state }) => state.running !== undefined)
  if (running !== undefined && running.resources === undefined) {
    errors.push(forbidden(specPath, 'Pod running on node without support for resize'))
  }
}

/** Mirrors pkg/apis/core/validation: validatePodLevelResourcesResize. */
function validateWholeResize(errors: Errors, spec: PodSpec, old: PodSpec): void {
  const at = specPath.child('resources')
  if (old.resources !== undefined && spec.resources === undefined) {
    errors.push(forbidden(at, 'pod-level resources cannot be removed'))
    return
  }
  for (const list of ['requests', 'limits'] as const) {
    if (!removesAny(spec.resources?.[list], old.resources?.[list])) continue
    errors.push(forbidden(at.child(list), `pod-level resource ${list} cannot be removed`))
  }
  if (!equalMeaning(withOldWhole(spec, old).resources, old.resources)) {
    errors.push(forbidden(specPath, `${mutable} at pod-level`))
  }
}

/** The specification with what its whole asks for put back, as far as it may change. */
function withOldWhole(spec: PodSpec, old: PodSpec): PodSpec {
  if (spec.resources === undefined) return spec
  const { claims = [] } = spec.resources
  const resources = { ...withOldAmounts(spec.resources, old.resources), ...(claims.length > 0 && { claims }) }
  const { resources: _, ...others } = spec
  const amounts = keysOf(resources.limits ?? {}).length + keysOf(resources.requests ?? {}).length
  return old.resources === undefined && amounts + claims.length === 0 ? others : { ...others, resources }
}

type Amounts = Readonly<Record<string, string>>

const removesAny = (list: Amounts | undefined, old: Amounts | undefined): boolean =>
  keysOf(old ?? {}).some((name) => list?.[name] === undefined)

function validateSameContainers(errors: Errors, spec: PodSpec, old: PodSpec): void {
  for (const name of ['containers', 'initContainers'] as const) {
    const at = specPath.child(name)
    const after = spec[name] ?? []
    const before = old[name] ?? []
    if (after.length !== before.length) {
      errors.push(forbidden(at, `${name} may not be added or removed on resize`))
      continue
    }
    before.forEach((container, i) => {
      if (after[i]?.name === container.name) return
      errors.push(forbidden(at.index(i).child('name'), `${name} may not be renamed or reordered on resize`))
    })
  }
}

function validateNothingRemoved(errors: Errors, after: Container | undefined, before: Container, at: FieldPath): void {
  const resourcesAt = at.child('resources')
  const { resources = {} } = after ?? {}
  for (const list of ['requests', 'limits'] as const) {
    if (!removesAny(resources[list], before.resources?.[list])) continue
    errors.push(forbidden(resourcesAt.child(list), `resource ${list} cannot be removed`))
  }
}

/** Without a restart, memory may not be taken away. */
function validateMemoryLimit(errors: Errors, after: Container | undefined, before: Container, at: FieldPath): void {
  const { resources = {}, resizePolicy = [] } = after ?? {}
  const policy = resizePolicy.find(({ resourceName }) => resourceName === 'memory')?.restartPolicy ?? ''
  if (policy !== 'NotRequired' && policy !== '') return
  const limit = resources.limits?.['memory']
  const oldLimit = before.resources?.limits?.['memory']
  if (limit === undefined) return
  const memoryAt = at.child('resources', 'limits').key('memory')
  if (oldLimit === undefined) {
    errors.push(forbidden(memoryAt, 'memory limits cannot be added unless resizePolicy is RestartContainer'))
  } else if (Quantity.parse(limit).compare(Quantity.parse(oldLimit)) < 0) {
    errors.push(forbidden(memoryAt, 'memory limits cannot be decreased unless resizePolicy is RestartContainer'))
  }
}

function withResizeUndone(errors: Errors, spec: PodSpec, old: PodSpec, options: PodOptions): PodSpec {
  const undone: PodSpec = { ...spec }
  undone.containers = (spec.containers ?? []).map((container, i) => {
    const before = old.containers?.[i] as Container
    const back = withOldCompute(container, before, options)
    if (!equalMeaning(back, before)) errors.push(forbidden(specPath, mutable))
    return back
  })
  if (spec.initContainers === undefined) return undone
  undone.initContainers = spec.initContainers.map((container, i) => {
    const before = old.initContainers?.[i] as Container
    const mayResize = container.restartPolicy === 'Always' || options.initResize
    const back = mayResize ? withOldCompute(container, before, options) : container
    const at = specPath.child('initContainers').index(i)
    if (!equalMeaning(back, before)) errors.push(initRefusal(mayResize, at, options))
    if (options.initResize && !equalMeaning(container, before)) validateRestartPolicy(errors, container, at)
    return back
  })
  return undone
}

function initRefusal(mayResize: boolean, at: FieldPath, { knowsInitResize }: PodOptions): FieldError {
  if (!mayResize) return forbidden(specPath, 'resources for non-sidecar init containers are immutable')
  if (!knowsInitResize) return forbidden(specPath, 'only cpu and memory resources for sidecar containers are mutable')
  return forbidden(at, 'only cpu and memory resources for init or sidecar containers are mutable')
}

/** What runs once before the others is not started again to be resized. */
function validateRestartPolicy(errors: Errors, { restartPolicy, resizePolicy = [] }: Container, at: FieldPath): void {
  if (restartPolicy === 'Always') return
  const why = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'
  for (const policy of resizePolicy) if (policy.restartPolicy === 'RestartContainer') errors.push(forbidden(at, why))
}

function withOldCompute(container: Container, old: Container, { knowsWholeResize }: PodOptions): Container {
  const { resources = {} } = container
  return { ...container, resources: withOldAmounts(resources, old.resources, !knowsWholeResize) }
}

/** Earlier releases did not look at what was added to a list that was not there. */
function withOldAmounts(
  { limits, requests }: ResourceRequirements,
  old: ResourceRequirements | undefined,
  dropsNewLists = false,
): ResourceRequirements {
  const back: ResourceRequirements = {}
  for (const [list, given] of Object.entries({ limits, requests }) as ['limits' | 'requests', Amounts | undefined][]) {
    const before = old?.[list]
    if (before === undefined && (dropsNewLists || given === undefined)) continue
    const { cpu: _cpu, memory: _memory, ...others } = given ?? {}
    const { cpu, memory } = before ?? {}
    const kept = { ...others, ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) }
    if (before !== undefined || keysOf(kept).length > 0) back[list] = kept
  }
  return back
}
