/**
 * Workload: groups of pods that are scheduled together. The first release with it has its rules in code; later ones declare them.
 * Mirrors pkg/apis/scheduling/validation: ValidateWorkload, ValidateWorkloadUpdate.
 */

import { duplicate, type FieldError, invalid, invalidAs, required, tooMany } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { checkPathSegmentName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import { goJsonOnly } from '../../../../catalog/golang/dump.ts'
import { duplicateFinder } from '../../../../lib/repeats.ts'
import { addMessages, checkLabel, checkPositive, checkSubdomain, immutableMessage } from '../../../checks/checks.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'

interface ControllerRef {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

interface WorkloadPodGroup {
  readonly name: string
  readonly policy: { readonly basic?: object; readonly gang?: { readonly minCount: number } }
}

type Workload = KubeObject & {
  spec: { readonly controllerRef?: ControllerRef; readonly podGroups?: readonly WorkloadPodGroup[] | null }
}

const specPath = FieldPath.of('spec')
const groupsPath = specPath.child('podGroups')
const maxGroups = 8

function validate({ spec }: Workload): FieldError[] {
  const errors: FieldError[] = []
  const { controllerRef } = spec
  // A list that must be there is null where it is not.
  const podGroups = spec.podGroups ?? []
  if (controllerRef !== undefined) checkReference(errors, controllerRef)
  if (podGroups.length === 0) errors.push(required(groupsPath, 'must have at least one item'))
  else if (podGroups.length > maxGroups) errors.push(tooMany(groupsPath, podGroups.length, maxGroups))
  else checkGroups(errors, podGroups)
  return errors
}

function checkReference(errors: FieldError[], { apiGroup = '', kind, name }: ControllerRef): void {
  const at = specPath.child('controllerRef')
  if (apiGroup !== '') checkSubdomain(errors, apiGroup, at, 'apiGroup')
  for (const [field, value] of [
    ['kind', kind],
    ['name', name],
  ] as const) {
    if (value === '') errors.push(required(at.child(field)))
    else addMessages(errors, at.child(field), value, checkPathSegmentName(value))
  }
}

function checkGroups(errors: FieldError[], groups: readonly WorkloadPodGroup[]): void {
  const isRepeated = duplicateFinder(groups, ({ name }) => name)
  eachItem(errors, groups, (errors, { name, policy }, i) => {
    const at = groupsPath.index(i)
    checkLabel(errors, name, at, 'name')
    if (isRepeated(i)) errors.push(duplicate(at.child('name'), name))
    checkPolicy(errors, policy, at.child('policy'))
  })
}

function checkPolicy(errors: FieldError[], { basic, gang }: WorkloadPodGroup['policy'], at: FieldPath): void {
  const rule = 'exactly one of `basic`, `gang` is required'
  if (basic === undefined && gang === undefined) errors.push(required(at, rule))
  else if (basic !== undefined && gang !== undefined) {
    errors.push(invalid(at, '{`basic`, `gang`}', `${rule}, but multiple fields are set`))
  } else if (gang !== undefined) checkPositive(errors, gang.minCount, at.child('gang'), 'minCount')
}

/** The paths begin below the spec. */
function checkKept({ spec }: Workload, { spec: old }: Workload): FieldError[] {
  const errors: FieldError[] = []
  if (old.controllerRef !== undefined && !equalSemantic(spec.controllerRef, old.controllerRef)) {
    const shown = goJsonOnly('*scheduling.TypedLocalObjectReference', spec.controllerRef)
    errors.push(invalidAs(FieldPath.of('controllerRef'), () => shown, immutableMessage))
  }
  if (!equalSemantic(spec.podGroups, old.podGroups)) {
    const shown = goJsonOnly('[]scheduling.PodGroup', spec.podGroups)
    errors.push(invalidAs(FieldPath.of('podGroups'), () => shown, immutableMessage))
  }
  return errors
}

export function workloadRules({ gate }: Pick<KindServices, 'gate'>): KindRules<Workload> {
  if (gate('release:declaredWorkloads')) return { strategy: {} }
  return {
    strategy: { validate, validateUpdate: (object, old) => [...validate(object), ...checkKept(object, old)] },
  }
}
