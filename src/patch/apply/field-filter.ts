/**
 * Which fields a write to an endpoint can own. A write to `/status` does not own `spec`, whatever it says; a write to
 * `/resize` owns nothing but resources.
 */
import { FieldSet, type FieldSetEntry } from './field-set.ts'
import { isField } from './path-element.ts'

export type FieldFilter = (set: FieldSet) => FieldSet

/** Drops the named fields and everything below them: `excludingFields(['status', 'metadata.labels'])`. */
export function excludingFields(paths: readonly string[]): FieldFilter {
  const excluded = FieldSet.ofFields(...paths)
  return (set) => set.recursiveDifference(excluded)
}

/**
 * Keeps the named fields, what leads to them and what lies below them; `*` stands for any one step:
 * `includingFields(['spec.containers.*.resources'])`.
 */
export function includingFields(patterns: readonly string[]): FieldFilter {
  const split = patterns.map((pattern) => pattern.split('.'))
  return (set) => keepMatching(set, split)
}

function keepMatching(set: FieldSet, patterns: readonly (readonly string[])[]): FieldSet {
  if (patterns.some((pattern) => pattern.length === 0)) return set
  const entries: FieldSetEntry[] = []
  for (const entry of set.entries) {
    const { element } = entry
    const matching = patterns.filter(([head]) => head === '*' || (isField(element) && head === element.text))
    if (matching.length === 0) continue
    const child =
      entry.child &&
      keepMatching(
        entry.child,
        matching.map((pattern) => pattern.slice(1)),
      )
    if (entry.member || (child && !child.isEmpty)) {
      entries.push({ element, member: entry.member, child: child?.isEmpty ? undefined : child })
    }
  }
  return FieldSet.from(entries)
}
