/** Which fields a write to an endpoint can own. A write to `/status` does not own `spec`, whatever it says. */
import { FieldSet } from './field-set.ts'

export type FieldFilter = (set: FieldSet) => FieldSet

/** Drops the named fields and everything below them: `excludingFields(['status', 'metadata.labels'])`. */
export function excludingFields(paths: readonly string[]): FieldFilter {
  const excluded = FieldSet.ofFields(...paths)
  return (set) => set.recursiveDifference(excluded)
}
