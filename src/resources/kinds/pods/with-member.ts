/**
 * Changes of parts that others may hold, too: a part that changes is a copy along the way to it, and a part in which
 * nothing changes is itself.
 */

/** The object with one of its members changed; without it where the change leaves nothing. */
export function withMember<T extends object, K extends keyof T>(
  object: T,
  key: K,
  change: (member: NonNullable<T[K]>) => T[K] | undefined,
): T {
  const member = object[key]
  if (member === undefined || member === null) return object
  const changed = change(member)
  if (changed === member) return object
  return changed === undefined ? without(object, [key]) : { ...object, [key]: changed }
}

/** The object without these keys. */
export function without<T extends object>(object: T, keys: readonly (keyof T)[]): T {
  let kept = object
  for (const key of keys) {
    if (kept[key] === undefined) continue
    if (kept === object) kept = { ...object }
    delete kept[key]
  }
  return kept
}
