/**
 * How quantities and times of a decoded object or map were written where that was not in canonical form: `1.5` for
 * `1500m`. Objects hold the canonical form alone, but some of the reference's messages show a quantity as it was parsed, or
 * the fraction of a second that storing cuts off. The writings belong to the very container that was decoded from a request: no other request sees them, and what is stored
 * has none. Mirrors apimachinery/pkg/api/resource: Quantity keeps the digits and the scale that it was parsed with.
 */
import { SideTable } from '../lib/memo.ts'

/** The writing of a quantity that was given as null: Go leaves it zero, without a format. */
export const nullWriting = 'null'

/** That of a quantity that was rounded since it was read: its text is no longer known. */
export const roundedWriting = (canonical: string): string => `${rounded}${canonical}`
const rounded = 'rounded '
/** What it was rounded to; undefined for any other writing. */
export const roundedFrom = (writing: string): string | undefined =>
  writing.startsWith(rounded) ? writing.slice(rounded.length) : undefined

const writings = new SideTable<object, ReadonlyMap<string, string>>()

export const keepWritings = (container: object, written: ReadonlyMap<string, string>): void => {
  writings.set(container, written)
}

export const hasWritings = (container: object): boolean => writings.has(container)

/** Undefined for what is as it was written, or comes from the store. */
export const writingOf = (container: object | undefined, name: string): string | undefined =>
  container === undefined ? undefined : writings.get(container)?.get(name)

/** For a copy of a container, or one with other members of its own. */
export function copyWritings(to: object, from: object): void {
  const written = writings.get(from)
  if (written !== undefined) writings.set(to, written)
}

/** For a copy of a whole object: its own, and those of its metadata. */
export function copyObjectWritings(to: WithMetadata, from: WithMetadata): void {
  if (to !== from) copyWritings(to, from)
  if (to.metadata !== from.metadata && to.metadata !== undefined && from.metadata !== undefined)
    copyWritings(to.metadata, from.metadata)
}

interface WithMetadata {
  readonly metadata?: object
}

/** For a copy of a container, some members of which were changed. */
export const addWritings = (to: object, from: object, written: ReadonlyMap<string, string>): void => {
  writings.set(to, new Map([...(writings.get(from) ?? []), ...written]))
}

/** For a container made of another one, whose members have other names. */
export function renameWritings(to: object, from: object, names: Readonly<Record<string, string>>): void {
  const written = writings.get(from)
  if (written === undefined) return
  writings.set(to, new Map([...written].map(([name, writing]) => [names[name] ?? name, writing])))
}

/** For a container made of others: of each name the writing that the first one with the name has, if any. */
export function carryWritings(to: object, from: readonly object[]): void {
  if (!from.some(hasWritings)) return
  const carried = new Map<string, string>()
  for (const name of Object.keys(to)) {
    const writing = writingOf(
      from.find((container) => Object.hasOwn(container, name)),
      name,
    )
    if (writing !== undefined) carried.set(name, writing)
  }
  keepWritings(to, carried)
}
