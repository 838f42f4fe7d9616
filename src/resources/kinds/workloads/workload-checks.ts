/** Rules that several workloads share: selectors, counts, shares, templates that keep running. */

import { forbidden, invalid, notSupported, required } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { equalSemantic } from '../../../api/json.ts'
import { keysOf } from '../../../api/key-lists.ts'
import {
  type LabelSelectorObject,
  type LabelSelector as Matcher,
  selectorInSteps,
  selectorOfObject,
  termCount,
} from '../../../api/label-selector.ts'
import { validateLabelSelector } from '../../../api/label-selector-validation.ts'
import { checkPercent } from '../../../api/names.ts'
import { stepsOfRules } from '../../../api/rules-in-steps.ts'
import { ApiError } from '../../../api/status-error.ts'
import { goIntOrString, goSelector, goStringMap, invalidAs } from '../../../catalog/golang/pod-syntax.ts'
import type { PodTemplateSpec } from '../../../catalog/types/core-v1.ts'
import type { LabelSelector } from '../../../catalog/types/meta-v1.ts'
import type { Steps } from '../../../lib/in-turns.ts'
import { pushAll } from '../../../lib/push-all.ts'
import type { WriteContext } from '../../../registry/strategy.ts'
import { checkNotNegative, type Errors, immutableMessage } from '../../checks/checks.ts'
import type { PodOptions } from '../pods/pod-options.ts'
import { validateTemplate } from '../pods/pod-template.ts'

export const specPath = FieldPath.of('spec')
export const statusPath = FieldPath.of('status')

/** The selector that an object means; undefined when it cannot be read. */
export function readSelector(selector: LabelSelector | null | undefined): Matcher | undefined {
  const given = selector as LabelSelectorObject | null | undefined
  return given === null || given === undefined
    ? selectorOfObject(given)
    : stepsOfRules(given, termCount(given), () => readInSteps(given))
}

function* readInSteps(selector: LabelSelectorObject): Steps<Matcher | undefined> {
  try {
    return yield* selectorInSteps(selector)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** A selector that must be there and choose something. */
export function validateSelector(errors: Errors, selector: LabelSelector | null, kind: string): void {
  const at = specPath.child('selector')
  if (selector === null || selector === undefined) {
    errors.push(required(at))
    return
  }
  pushAll(errors, validateLabelSelector(selector, at))
  if (keysOf(selector.matchLabels ?? {}).length + (selector.matchExpressions?.length ?? 0) === 0) {
    errors.push(invalidAs(at, () => goSelector(selector), `empty selector is invalid for ${kind}`))
  }
}

export function validateTemplateLabels(
  errors: Errors,
  selector: Matcher,
  { metadata }: PodTemplateSpec,
  at: FieldPath,
): void {
  if (selector.isEmpty() || selector.matches(metadata.labels)) return
  const why = '`selector` does not match template `labels`'
  errors.push(invalidAs(at.child('metadata', 'labels'), () => goStringMap(metadata.labels), why))
}

/** The template of pods that run for ever. */
export function validateRunningTemplate(
  errors: Errors,
  template: PodTemplateSpec,
  at: FieldPath,
  options: PodOptions,
  kind: string,
): void {
  validateTemplate(errors, template, at, options)
  validateKeepsRunning(errors, template, at, kind)
}

export function validateKeepsRunning(errors: Errors, { spec }: PodTemplateSpec, at: FieldPath, kind: string): void {
  const { restartPolicy = '' } = spec
  if (restartPolicy !== 'Always') {
    errors.push(notSupported(at.child('spec', 'restartPolicy'), restartPolicy, ['Always']))
  }
  if (spec.activeDeadlineSeconds !== undefined) {
    const why = `activeDeadlineSeconds in ${kind} is not Supported`
    errors.push(forbidden(at.child('spec', 'activeDeadlineSeconds'), why))
  }
}

export type Share = number | string

/** A count, or a percentage. */
export function validateShare(errors: Errors, share: Share, at: FieldPath): void {
  if (typeof share === 'number') {
    if (share < 0) errors.push(invalid(at, share, 'must be greater than or equal to 0'))
    return
  }
  for (const message of checkPercent(share)) errors.push(invalidAs(at, () => goIntOrString(share), message))
}

const percentOf = (share: Share): number | undefined =>
  typeof share === 'string' && checkPercent(share).length === 0 ? Number(share.slice(0, -1)) : undefined

/** The number in it; texts that are no percentage read as the number that they begin with. */
export function shareValue(share: Share): number {
  if (typeof share === 'number') return share
  return percentOf(share) ?? (/^[+-]?\d+$/.test(share) ? Number(share) : 0)
}

export function validateAtMostAll(errors: Errors, share: Share, at: FieldPath): void {
  if ((percentOf(share) ?? 0) > 100) {
    errors.push(invalidAs(at, () => goIntOrString(share), 'must not be greater than 100%'))
  }
}

/** Before `apps/v1beta2`, the selector of a workload was mutable. */
export const maySelectAnew = ({ apiVersion }: WriteContext): boolean =>
  apiVersion === 'extensions/v1beta1' || apiVersion === 'apps/v1beta1'

export function validateSelectorKept(
  errors: Errors,
  selector: LabelSelector | null | undefined,
  old: LabelSelector | null | undefined,
): void {
  if (!equalSemantic(selector, old)) {
    errors.push(invalidAs(specPath.child('selector'), () => goSelector(selector), immutableMessage))
  }
}

/** A list of counts in a status, in the reference's order. */
export function validateCounts(errors: Errors, status: object, names: readonly string[]): void {
  const counts = status as Readonly<Record<string, number | undefined>>
  for (const name of names) checkNotNegative(errors, counts[name], statusPath, name)
}

/** Counts that are parts of another. */
export function validateNotMore(
  errors: Errors,
  status: object,
  names: readonly string[],
  whole: string,
  shown = `status.${whole}`,
): void {
  const counts = status as Readonly<Record<string, number | undefined>>
  for (const name of names) {
    const count = counts[name] ?? 0
    if (count > (counts[whole] ?? 0)) {
      errors.push(invalid(statusPath.child(name), count, `cannot be greater than ${shown}`))
    }
  }
}

/** The number of hash collisions only grows. */
export function validateCollisions(errors: Errors, count: number | undefined, old: number | undefined): void {
  if (old === undefined || (count !== undefined && count >= old)) return
  errors.push(invalid(statusPath.child('collisionCount'), count ?? 0, 'cannot be decremented'))
}
