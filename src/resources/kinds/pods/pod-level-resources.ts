/**
 * Resources that a whole pod asks for, held against those of its containers.
 * Mirrors pkg/apis/core/validation: validatePodResources.
 */

import { forbidden, invalid } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { entriesOf } from '../../../api/key-lists.ts'
import { Quantity } from '../../../api/quantity.ts'
import type { PodSpec } from '../../../catalog/types/core-v1.ts'
import type { Errors } from '../../checks/checks.ts'
import { givenAmount, validateRequirements } from './resource-requirements.ts'

type Amounts = Map<string, Quantity>

export function validatePodLevelResources(
  errors: Errors,
  spec: PodSpec,
  at: FieldPath,
  rules: { readonly claims: readonly string[]; readonly anyHugePages: boolean },
): void {
  const { resources } = spec
  if (resources === undefined) return
  if (resources.claims !== undefined) {
    errors.push(forbidden(at.child('claims'), 'claims cannot be set for Resources at pod-level'))
  }
  validateRequirements(errors, resources, at, { ...rules, level: 'pod' })
  for (const [name, wanted] of aggregateRequests(spec)) {
    const given = Quantity.parse(givenAmount(resources.requests, name) ?? '0')
    if (wanted.compare(given) <= 0) continue
    const why = `must be greater than or equal to aggregate container requests of ${wanted}`
    errors.push(invalid(at.child('requests').key(name), given.toString(), why))
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

/** What all containers ask for: those that run together add up, an init container may ask for more than they do. */
function aggregateRequests({ containers, initContainers }: PodSpec): Amounts {
  const total: Amounts = new Map()
  for (const { resources } of containers ?? []) add(total, resources?.requests)
  const sidecars: Amounts = new Map()
  const starting: Amounts = new Map()
  for (const { resources, restartPolicy } of initContainers ?? []) {
    const here: Amounts = new Map()
    if (restartPolicy === 'Always') {
      add(total, resources?.requests)
      add(sidecars, resources?.requests)
    } else add(here, resources?.requests)
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
