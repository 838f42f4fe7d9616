/**
 * What an update may do to a pod: little. The main endpoint and `ephemeralcontainers` each allow some; `resize` has a file of its own.
 * Mirrors pkg/apis/core/validation: ValidatePodUpdate, ValidatePodEphemeralContainersUpdate.
 */

import { type FieldError, forbidden, forbiddenAs, invalid, quote, required } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { rangeMessage } from '../../../api/names.ts'
import { withEachItem } from '../../../api/rules-in-steps.ts'
import { goDiff } from '../../../catalog/golang/diff-report.ts'
import { podSpecDiff } from '../../../catalog/golang/pod-spec.ts'
import {
  goNodeSelectorTerm,
  goNodeSelectorTerms,
  goNull,
  goStringMap,
  invalidAs,
} from '../../../catalog/golang/pod-syntax.ts'
import type {
  Container,
  NodeAffinity,
  NodeSelectorTerm,
  Pod,
  PodSpec,
  Toleration,
} from '../../../catalog/types/core-v1.ts'
import { type Errors, wholePath } from '../../checks/checks.ts'
import { equalMeaning } from './equal-meaning.ts'
import { mirrorAnnotation } from './pod-annotations.ts'
import type { PodOptions } from './pod-options.ts'
import { validateTolerations } from './pod-spec.ts'

const specPath = FieldPath.of('spec')
const maxInt32 = 2 ** 31 - 1

const updatable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

export function validateSpecUpdate(errors: Errors, spec: PodSpec, old: PodSpec, options: PodOptions): void {
  for (const name of ['containers', 'initContainers'] as const) {
    if (!validateImages(errors, spec[name] ?? [], old[name] ?? [], specPath.child(name))) return
  }
  if (!validateDeadline(errors, spec.activeDeadlineSeconds, old.activeDeadlineSeconds)) return
  validateAddedTolerations(errors, spec.tolerations ?? [], old.tolerations ?? [], options)
  validateRemovedGates(errors, spec, old)
  if (equalMeaning(spec, old)) return
  const unchanged = withAllowedChangesUndone(errors, spec, old)
  if (equalMeaning(unchanged, old)) return
  const why = `pod updates may not change fields other than ${updatable}`
  errors.push(forbiddenAs(specPath, (release) => `${why}\n${podSpecDiff(old, unchanged, release)}`))
}

/** False: nothing more can be said. */
function validateImages(
  errors: Errors,
  containers: readonly Container[],
  old: readonly Container[],
  at: FieldPath,
): boolean {
  if (containers.length !== old.length) {
    errors.push(forbidden(at, 'pod updates may not add or remove containers'))
    return false
  }
  containers.forEach(({ image = '' }, i) => {
    if (image === '') errors.push(required(at.index(i).child('image')))
    if (image.trim() !== image) {
      errors.push(invalid(at.index(i).child('image'), image, 'must not have leading or trailing whitespace'))
    }
  })
  return true
}

function validateDeadline(errors: Errors, seconds: number | undefined, old: number | undefined): boolean {
  const at = specPath.child('activeDeadlineSeconds')
  if (seconds === undefined) {
    if (old !== undefined)
      errors.push(invalidAs(at, () => goNull, 'must not update from a positive integer to nil value'))
    return true
  }
  if (seconds < 0 || seconds > maxInt32) {
    errors.push(invalid(at, seconds, rangeMessage(0, maxInt32)))
    return false
  }
  if (old !== undefined && old < seconds) {
    errors.push(invalid(at, seconds, 'must be less than or equal to previous value'))
    return false
  }
  return true
}

function validateAddedTolerations(
  errors: Errors,
  tolerations: Toleration[],
  old: readonly Toleration[],
  options: PodOptions,
): void {
  const at = specPath.child('tolerations')
  // Mostly they are the very same.
  if (tolerations !== old && !areKept(errors, tolerations, old)) {
    errors.push(forbidden(at, 'existing toleration can not be modified except its tolerationSeconds'))
    return
  }
  validateTolerations(errors, tolerations, at, options)
}

function areKept(errors: Errors, tolerations: readonly Toleration[], old: readonly Toleration[]): boolean {
  const identity = ({ key = '', operator = '', value = '', effect = '' }: Toleration): string =>
    JSON.stringify([key, operator, value, effect])
  const now = withEachItem(
    errors,
    tolerations,
    () => new Set<string>(),
    (known, _, toleration) => known.add(identity(toleration)),
  )
  const state = withEachItem(
    errors,
    old,
    () => ({ areKept: true }),
    (found, _, toleration) => {
      found.areKept &&= now.has(identity(toleration))
    },
  )
  return state.areKept
}

function validateRemovedGates(errors: Errors, { schedulingGates: gates }: PodSpec, old: PodSpec): void {
  const known = new Set((old.schedulingGates ?? []).map(({ name }) => name))
  const last = new Map(gates?.map(({ name }, i) => [name, i]))
  gates?.forEach(({ name }, i) => {
    if (known.has(name) || last.get(name) !== i) return
    const why = `only deletion is allowed, but found new scheduling gate '${name}'`
    errors.push(forbidden(specPath.child('schedulingGates').index(i).child('name'), why))
  })
}

/** The new specification with everything put back that may change. */
function withAllowedChangesUndone(errors: Errors, spec: PodSpec, old: PodSpec): PodSpec {
  const undone: PodSpec = { ...spec }
  const oldImages = (containers: readonly Container[], before: readonly Container[]): Container[] =>
    containers.map((container, i) => withField(container, 'image', before[i]?.image))
  undone.containers = oldImages(spec.containers ?? [], old.containers ?? [])
  if (spec.initContainers?.length === 0) delete undone.initContainers
  else if (spec.initContainers !== undefined) {
    undone.initContainers = oldImages(spec.initContainers, old.initContainers ?? [])
  }
  for (const name of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'] as const) putBack(undone, old, name)
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1) {
    putBack(undone, old, 'terminationGracePeriodSeconds')
  }
  if ((old.schedulingGates?.length ?? 0) > 0) undoGatedChanges(errors, undone, old)
  return undone
}

function withField<T extends object, K extends keyof T>(object: T, key: K, value: T[K] | undefined): T {
  const copy = { ...object }
  if (value === undefined) delete copy[key]
  else copy[key] = value
  return copy
}

function putBack<K extends keyof PodSpec>(spec: PodSpec, old: PodSpec, key: K): void {
  if (old[key] === undefined) delete spec[key]
  else spec[key] = old[key]
}

/** While gates hold a pod back, where it may run can still be narrowed. */
function undoGatedChanges(errors: Errors, spec: PodSpec, old: PodSpec): void {
  const { nodeSelector } = spec
  if (!equalMeaning(nodeSelector, old.nodeSelector)) {
    const kept = keysOf(old.nodeSelector ?? {}).every((key) => nodeSelector?.[key] === old.nodeSelector?.[key])
    if (!kept) {
      const why = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'
      errors.push(invalidAs(specPath.child('nodeSelector'), () => goStringMap(nodeSelector), why))
    }
    putBack(spec, old, 'nodeSelector')
  }
  const nodeAffinity = spec.affinity?.nodeAffinity
  const oldNodeAffinity = old.affinity?.nodeAffinity
  if (equalMeaning(nodeAffinity, oldNodeAffinity)) return
  validateNodeAffinityChange(errors, nodeAffinity, oldNodeAffinity)
  const { nodeAffinity: _, ...others } = spec.affinity ?? {}
  const onlyNodes = Object.keys(others).length === 0
  if (old.affinity === undefined && onlyNodes) delete spec.affinity
  else if (oldNodeAffinity !== undefined) spec.affinity = { ...others, nodeAffinity: oldNodeAffinity }
  else spec.affinity = others
}

function validateNodeAffinityChange(
  errors: Errors,
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
): void {
  const oldTerms = old?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const given = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  const terms = given ?? []
  const at = specPath.child(
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
    'nodeSelectorTerms',
  )
  if (oldTerms.length > 0 && oldTerms.length !== terms.length) {
    const why = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'
    errors.push(invalidAs(at, () => goNodeSelectorTerms(given), why))
    return
  }
  oldTerms.forEach((oldTerm, i) => {
    const term = terms[i]
    if (term === undefined || onlyAdds(term, oldTerm)) return
    const why = 'only additions are allowed (no mutations or deletions)'
    errors.push(invalidAs(at.index(i), () => goNodeSelectorTerm(term), why))
  })
}

function onlyAdds(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const count = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): number =>
    matchExpressions.length + matchFields.length
  if (count(old) === 0) return count(term) === 0
  return (['matchExpressions', 'matchFields'] as const).every((name) => {
    const before = old[name] ?? []
    return equalMeaning((term[name] ?? []).slice(0, before.length), before)
  })
}

/** Containers for debugging may be added, never changed or removed. */
export function validateEphemeralUpdate(errors: Errors, pod: Pod, old: Pod): void {
  const at = specPath.child('ephemeralContainers')
  const byName = new Map((pod.spec.ephemeralContainers ?? []).map((container) => [container.name, container]))
  for (const before of old.spec.ephemeralContainers ?? []) {
    const shown = quote(before.name)
    const after = byName.get(before.name)
    if (after === undefined) {
      errors.push(forbidden(at, `existing ephemeral containers ${shown} may not be removed\n`))
    } else if (!equalMeaning(after, before)) {
      const change = (release: number): string => goDiff('core.EphemeralContainer', { before, after }, release)
      const why = `existing ephemeral containers ${shown} may not be changed`
      errors.push(forbiddenAs(at, (release) => `${why}\n${change(release)}`))
    }
  }
}

/** Something about the pod rules out its kind of change altogether; it is then the only error. */
export function mirrorRefusal({ metadata }: Pod, why: string): FieldError[] | undefined {
  return metadata.annotations?.[mirrorAnnotation] === undefined ? undefined : [forbidden(wholePath, why)]
}
