/**
 * Annotations that mean something to pods: mirror pods, costs of deletion, and profiles from before there were fields.
 * Mirrors pkg/apis/core/validation: ValidatePodSpecificAnnotations, ValidatePodSpecificAnnotationUpdates.
 */

import { type FieldError, forbidden, invalid, quote } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { keysOf } from '../../../api/key-lists.ts'
import type { PodSpec, SeccompProfile, Toleration } from '../../../catalog/types/core-v1.ts'
import { checkDescendingPath, type Errors } from '../../checks/checks.ts'
import { type ListedType, readAnnotatedList } from './annotated-list.ts'
import { allContainers, deletionCost, type PodOptions, visitContainers } from './pod-options.ts'
import { validateTolerations } from './pod-spec.ts'

export const mirrorAnnotation = 'kubernetes.io/config.mirror'
const tolerationsAnnotation = 'scheduler.alpha.kubernetes.io/tolerations'
const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost'
export const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod'
export const seccompPrefix = 'container.seccomp.security.alpha.kubernetes.io/'
export const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/'

export type Annotations = Readonly<Record<string, string>> | undefined

export function validatePodAnnotations(
  errors: Errors,
  annotations: Annotations,
  spec: PodSpec,
  at: FieldPath,
  { anyDeletionCost }: PodOptions,
): void {
  if (annotations === undefined) return
  const mirror = annotations[mirrorAnnotation]
  if (mirror !== undefined && (spec.nodeName ?? '') === '') {
    const why = 'must set spec.nodeName if mirror pod annotation is set'
    errors.push(invalid(at.key(mirrorAnnotation), mirror, why))
  }
  if ((annotations[tolerationsAnnotation] ?? '') !== '') {
    validateTolerationsText(errors, annotations[tolerationsAnnotation] ?? '', at)
  }
  if (!anyDeletionCost && deletionCost(annotations) === undefined) {
    const shown = annotations[deletionCostAnnotation] ?? ''
    errors.push(invalid(at.key(deletionCostAnnotation), shown, 'must be a 32bit integer'))
  }
  validateSeccompAnnotations(errors, annotations, at)
  validateAppArmorAnnotations(errors, annotations, spec, at)
}

function validateTolerationsText(errors: Errors, text: string, at: FieldPath): void {
  const parsed = readAnnotatedList(text, listedToleration)
  if (typeof parsed === 'string') errors.push(invalid(at, tolerationsAnnotation, parsed))
  else validateTolerations(errors, parsed, at.child(tolerationsAnnotation))
}

const listedToleration: ListedType<Toleration> = {
  name: 'core.Toleration',
  fields: {
    key: ['Key', 'string'],
    operator: ['Operator', 'core.TolerationOperator'],
    value: ['Value', 'string'],
    effect: ['Effect', 'core.TaintEffect'],
    tolerationSeconds: ['TolerationSeconds', 'int64'],
  },
}

function validateSeccompAnnotations(errors: Errors, annotations: NonNullable<Annotations>, at: FieldPath): void {
  const ofPod = annotations[seccompPodAnnotation]
  if (ofPod !== undefined) validateSeccompText(errors, ofPod, at.child(seccompPodAnnotation))
  for (const key of keysOf(annotations ?? {})) {
    if (key.startsWith(seccompPrefix)) validateSeccompText(errors, annotations[key] ?? '', at.child(key))
  }
}

function validateSeccompText(errors: Errors, profile: string, at: FieldPath): void {
  if (profile === 'runtime/default' || profile === 'docker/default' || profile === 'unconfined') return
  if (profile.startsWith('localhost/')) checkDescendingPath(errors, profile.slice('localhost/'.length), at)
  else errors.push(invalid(at, profile, 'must be a valid seccomp profile'))
}

function validateAppArmorAnnotations(
  errors: Errors,
  annotations: NonNullable<Annotations>,
  spec: PodSpec,
  at: FieldPath,
): void {
  let names: Set<string> | undefined
  for (const key of keysOf(annotations ?? {})) {
    if (!key.startsWith(appArmorPrefix)) continue
    names ??= new Set([...allContainers(spec)].map((container) => container.name))
    const name = key.slice(appArmorPrefix.length)
    const profile = annotations[key] ?? ''
    if (!names.has(name)) {
      errors.push(invalid(at.key(key), name, 'container not found'))
    }
    if (['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith('localhost/')) continue
    errors.push(invalid(at.key(key), profile, `invalid AppArmor profile name: ${quote(profile)}`))
  }
}

/** Some annotations stay as they were. */
export function validateAnnotationChanges(
  errors: Errors,
  annotations: Annotations,
  old: Annotations,
  at: FieldPath,
): void {
  for (const key of keysOf(old ?? {})) {
    if (annotations?.[key] === old?.[key]) continue
    if (key.startsWith(appArmorPrefix)) {
      errors.push(forbidden(at.key(key), 'may not remove or update AppArmor annotations'))
    }
    if (key === mirrorAnnotation) {
      errors.push(forbidden(at.key(key), 'may not remove or update mirror pod annotation'))
    }
  }
  for (const key of keysOf(annotations ?? {})) {
    if (old?.[key] !== undefined) continue
    if (key.startsWith(appArmorPrefix)) errors.push(forbidden(at.key(key), 'may not add AppArmor annotations'))
    if (key === mirrorAnnotation) errors.push(forbidden(at.key(key), 'may not add mirror pod annotation'))
  }
}

/** Whether annotations say what confines the pod, as they did before there were fields. */
export function namesProfiles(annotations: Annotations): annotations is NonNullable<Annotations> {
  for (const key of keysOf(annotations ?? {})) {
    if (key === seccompPodAnnotation || key.startsWith(seccompPrefix) || key.startsWith(appArmorPrefix)) return true
  }
  return false
}

/** Where a profile is given as annotation and as field, both must say the same. */
export function validateProfilesAgree(errors: Errors, annotations: Annotations, spec: PodSpec, at: FieldPath): void {
  if (!namesProfiles(annotations)) return
  const podSeccomp = spec.securityContext?.seccompProfile
  const podAnnotation = annotations[seccompPodAnnotation]
  if (podSeccomp !== undefined && podAnnotation !== undefined) {
    const problem = disagreement(seccompWords, podAnnotation, podSeccomp, at.child('securityContext', 'seccompProfile'))
    if (problem !== undefined) errors.push(problem)
  }
  visitContainers(spec, at, ({ name, securityContext }, path) => {
    const annotation = annotations[`${seccompPrefix}${name}`]
    const profile = securityContext?.seccompProfile
    if (annotation === undefined || profile === undefined) return
    const problem = disagreement(seccompWords, annotation, profile, path().child('securityContext', 'seccompProfile'))
    if (problem !== undefined) errors.push(problem)
  })
  if (spec.os?.name === 'windows') return
  visitContainers(spec, at, ({ name, securityContext }, path) => {
    const annotation = annotations[`${appArmorPrefix}${name}`]
    const profile = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile
    if (annotation === undefined || profile === undefined) return
    const profileAt = path().child('securityContext', 'appArmorProfile')
    const problem = disagreement(appArmorWords, annotation, profile, profileAt)
    if (problem !== undefined) errors.push(problem)
  })
}

interface Words {
  readonly what: string
  readonly defaults: readonly string[]
}

const seccompWords: Words = { what: 'seccomp', defaults: ['runtime/default', 'docker/default'] }
const appArmorWords: Words = { what: 'apparmor', defaults: ['runtime/default'] }

function disagreement(
  { what, defaults }: Words,
  annotation: string,
  { type, localhostProfile }: SeccompProfile,
  at: FieldPath,
): FieldError | undefined {
  const local = 'localhost/'
  const agrees =
    type === 'Unconfined'
      ? annotation === 'unconfined'
      : type === 'RuntimeDefault'
        ? defaults.includes(annotation)
        : type === 'Localhost'
          ? annotation.startsWith(local)
          : true
  if (!agrees) return forbidden(at.child('type'), `${what} type in annotation and field must match`)
  if (type !== 'Localhost' || annotation.slice(local.length) === localhostProfile) return undefined
  return forbidden(at.child('localhostProfile'), `${what} profile in annotation and field must match`)
}
