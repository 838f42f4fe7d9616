/** Which names of a definition are free in its group, and the conditions that tell. */
import type { CustomResourceDefinitionNames } from '../../catalog/types/apiextensions-v1.ts'
import { type Definition, isConditionTrue } from './definition.ts'
import type { NewCondition } from './definition-rules.ts'

export interface Naming {
  readonly names: CustomResourceDefinitionNames
  readonly accepted: NewCondition
  readonly established: NewCondition
}

/** The names that other definitions of the group have been given. */
export interface UsedNames {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

export function usedNames(others: Iterable<Partial<CustomResourceDefinitionNames>>): UsedNames {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  for (const { plural, singular, shortNames = [], kind, listKind } of others) {
    for (const name of [plural, singular, ...shortNames]) if (name) resources.add(name)
    for (const name of [kind, listKind]) if (name) kinds.add(name)
  }
  return { resources, kinds }
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`

export function acceptNames(definition: Definition, used: UsedNames): Naming {
  const wanted = definition.spec.names
  const names: CustomResourceDefinitionNames = { ...definition.status.acceptedNames }
  let conflict: { reason: string; message: string } | undefined
  const take = (key: 'plural' | 'singular' | 'kind' | 'listKind', taken: ReadonlySet<string>, reason: string): void => {
    const name = wanted[key] ?? ''
    if (name === (names[key] ?? '')) return
    if (taken.has(name)) conflict = { reason, message: inUse(name) }
    else names[key] = name
  }
  take('plural', used.resources, 'PluralConflict')
  take('singular', used.resources, 'SingularConflict')
  const short = wanted.shortNames ?? []
  const known = names.shortNames ?? []
  const taken = short.filter((name) => !known.includes(name) && used.resources.has(name))
  if (taken.length > 0) {
    const texts = taken.map(inUse)
    conflict = {
      reason: 'ShortNamesConflict',
      message: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`,
    }
  } else if (short.length > 0) names.shortNames = short
  else delete names.shortNames
  take('kind', used.kinds, 'KindConflict')
  take('listKind', used.kinds, 'ListKindConflict')
  if (wanted.categories === undefined) delete names.categories
  else names.categories = wanted.categories
  const accepted: NewCondition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict }
  return { names, accepted, established: establishedCondition(definition, conflict === undefined) }
}

function establishedCondition(definition: Definition, isAccepted: boolean): NewCondition {
  // A definition that was established once stays so, whatever becomes of new names.
  if (isAccepted || isConditionTrue(definition, 'Established')) {
    return {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    }
  }
  return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
}
