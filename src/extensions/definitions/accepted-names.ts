/** Which names of a definition are free in its group, and the conditions that report it. */

import { aggregateText } from '../../api/aggregate-text.ts'
import { caBundleProblem } from '../../api/ca-bundle.ts'
import { quote } from '../../api/golang/quote.ts'
import { copyObject } from '../../api/json.ts'
import type { CustomResourceDefinitionNames } from '../../catalog/types/apiextensions-v1.ts'
import { type Definition, isConditionTrue } from './definition.ts'
import type { DefinitionCondition } from './definition-rules.ts'

export interface Naming {
  readonly names: CustomResourceDefinitionNames
  readonly accepted: DefinitionCondition
  readonly established: DefinitionCondition
}

/** The names that definitions have been given, by group; who asks for one that is another's cannot have it. */
export class NameIndex {
  /** `group name` or `group Kind`, to the definitions that have it. */
  readonly #owners = new Map<string, Set<string>>()
  readonly #given = new Map<string, readonly string[]>()

  set(definition: string, group: string, names: Partial<CustomResourceDefinitionNames>): void {
    this.delete(definition)
    const { plural, singular, shortNames = [], kind, listKind } = names
    const keys = [
      ...[plural, singular, ...shortNames].map((name) => resourceKey(group, name ?? '')),
      ...[kind, listKind].map((name) => kindKey(group, name ?? '')),
    ]
    this.#given.set(definition, keys)
    for (const key of keys) {
      const owners = this.#owners.get(key)
      if (owners === undefined) this.#owners.set(key, new Set([definition]))
      else owners.add(definition)
    }
  }

  delete(definition: string): void {
    for (const key of this.#given.get(definition) ?? []) {
      const owners = this.#owners.get(key)
      owners?.delete(definition)
      if (owners?.size === 0) this.#owners.delete(key)
    }
    this.#given.delete(definition)
  }

  /** Whether a definition other than this one has the name. */
  isTaken(key: string, definition: string): boolean {
    const owners = this.#owners.get(key)
    return owners !== undefined && (owners.size > 1 || !owners.has(definition))
  }
}

const resourceKey = (group: string, name: string): string => `r ${group} ${name}`
const kindKey = (group: string, name: string): string => `k ${group} ${name}`

const inUse = (name: string): string => `${quote(name)} is already in use`

export function acceptNames(definition: Definition, index: NameIndex): Naming {
  const { group } = definition.spec
  const { name: self = '' } = definition.metadata
  const wanted = definition.spec.names
  const names: CustomResourceDefinitionNames = copyObject(definition.status.acceptedNames)
  let conflict: { reason: string; message: string } | undefined
  const take = (key: 'plural' | 'singular' | 'kind' | 'listKind', keyOf: typeof kindKey, reason: string): void => {
    const name = wanted[key] ?? ''
    if (name === (names[key] ?? '')) return
    if (name !== '' && index.isTaken(keyOf(group, name), self)) conflict = { reason, message: inUse(name) }
    else names[key] = name
  }
  take('plural', resourceKey, 'PluralConflict')
  take('singular', resourceKey, 'SingularConflict')
  const short = wanted.shortNames ?? []
  const known = names.shortNames ?? []
  const taken = short.filter((name) => !known.includes(name) && index.isTaken(resourceKey(group, name), self))
  if (taken.length > 0) {
    conflict = { reason: 'ShortNamesConflict', message: aggregateText(taken.map(inUse)) }
  } else if (short.length > 0) names.shortNames = short
  else delete names.shortNames
  take('kind', kindKey, 'KindConflict')
  take('listKind', kindKey, 'ListKindConflict')
  if (wanted.categories === undefined) delete names.categories
  else names.categories = wanted.categories
  const accepted: DefinitionCondition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict }
  return { names, accepted, established: establishedCondition(definition, conflict === undefined) }
}

function establishedCondition(definition: Definition, isAccepted: boolean): DefinitionCondition {
  // A definition that was established once stays so, whatever becomes of new names.
  const wasEstablished = isConditionTrue(definition, 'Established')
  if (isAccepted && !wasEstablished && hasUnreadableCa(definition)) {
    return {
      type: 'Established',
      status: 'False',
      reason: 'InvalidCABundle',
      message: 'The conversion webhook CABundle is invalid',
    }
  }
  if (isAccepted || wasEstablished) {
    return {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    }
  }
  return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
}

const hasUnreadableCa = ({ spec }: Definition): boolean =>
  caBundleProblem(spec.conversion?.webhook?.clientConfig?.caBundle ?? '') !== undefined
