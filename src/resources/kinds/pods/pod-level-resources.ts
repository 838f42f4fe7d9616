/**
 * Resources that a whole pod asks for, held against those of its containers.
 * Mirrors pkg/apis/core/validation: validatePodResources.
 */

import { forbidden, invalid } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { entriesOf } from '../../../api/key-lists.ts'
import { Quantity } from '../../../api/quantity.ts'
import type { PodSpec, ResourceRequirements } from '../../../catalog/types/core-v1.ts'
import type { Errors } from '../../checks/checks.ts'
import { givenAmount, isHugePages, validateRequirements } from './resource-requirements.ts'

interface WholeRules {
  readonly claims: readonly string[]
  readonly anyHugePages: boolean
  /** Those of v1.34: nothing for Windows, what is not given is not compared, and huge pages are limited for all containers. */
  readonly laterRules: boolean
}

type Amounts = Map<string, Quantity>

export function validatePodLevelResources(errors: Errors, spec: PodSpec, at: FieldPath, rules: WholeRules): void {
  const { resources } = spec
  if (resources === undefined) return
  if (rules.laterRules && spec.os?.name === 'windows') {
    errors.push(forbidden(at, 'may not be set for a windows pod'))
    return
  }
  if (resources.claims !== undefined) {
    errors.push(forbidden(at.child('claims'), 'claims cannot be set for Resources at pod-level'))
  }
  validateRequirements(errors, resources, at, { ...rules, level: 'pod' })
  validateWhole(
    errors,
    { spec, resources, list: 'requests', at },
    ({ given }) => !rules.laterRules || given !== undefined,
  )
  if (rules.laterRules) {
    validateWhole(errors, { spec, resources, list: 'limits', at }, ({ name, given }) => {
      return isHugePages(name) && given !== undefined
    })
  }
  spec.containers?.forEach((container, i) => {
    for (const [name, limit] of entriesOf(container.resources?.limits ?? {})) {
      const whole = givenAmount(resources.limits, name)
      if (whole === undefined || Quantity.parse(limit).compare(Quantity.parse(whole)) <= 0) continue
      const limitAt = at.child('containers').index(i).key(name).child('limits')
      errors.push(invalid(limitAt, limit, `must be less than or equal to pod limits of ${whole}`))
    }
  })
}

interface Whole {
  readonly spec: PodSpec
  readonly resources: ResourceRequirements
  readonly list: 'requests' | 'limits'
  readonly at: FieldPath
}

/** The whole has no less than its containers together, of the resources that this holds for. */
function validateWhole(
  errors: Errors,
  { spec, resources, list, at }: Whole,
  holdsFor: (resource: { readonly name: string; readonly given: string | undefined }) => boolean,
): void {
  for (const [name, wanted] of aggregate(spec, list)) {
    const given = givenAmount(resources[list], name)
    if (!holdsFor({ name, given })) continue
    const amount = Quantity.parse(given ?? '0')
    if (wanted.compare(amount) <= 0) continue
    const why = `must be greater than or equal to aggregate container ${list} of ${wanted}`
    errors.push(invalid(at.child(list).key(name), amount.toString(), why))
  }
}

/** What all containers have in a list: those that run together add up, an init container may have more than they do. */
function aggregate({ containers, initContainers }: PodSpec, list: Whole['list']): Amounts {
  const total: Amounts = new Map()
  for (const { resources } of containers ?? []) add(total, resources?.[list])
  const sidecars: Amounts = new Map()
  const starting: Amounts = new Map()
  for (const { resources, restartPolicy } of initContainers ?? []) {
    const here: Amounts = new Map()
    if (restartPolicy === 'Always') {
      add(total, resources?.[list])
      add(sidecars, resources?.[list])
    } else add(here, resources?.[list])
    for (const [name, amount] of sidecars) here.set(name, (here.get(name) ?? Quantity.zero).add(amount))
    for (const [name, amount] of here) raise(starting, name, amount)
  }
  for (const [name, amount] of starting) raise(total, name, amount)
  return total
}

function add(amounts: Amounts, list: Readonly<Record<string, string>> = {}): void {
  for (const [name, text] of entriesOf(list)) {
    amounts.set(name, (amounts.get(name) ?? Quantity.zero).add(Quantity.parse(text)))
  }
}

function raise(amounts: Amounts, name: string, amount: Quantity): void {
  const known = amounts.get(name)
  if (known === undefined || amount.compare(known) > 0) amounts.set(name, amount)
}
