/** Which kind has which rules. Kinds that are not here have the plain ones. */
import type { MakeKindRules } from './kind-rules.ts'

const rules: Readonly<Record<string, MakeKindRules>> = {}

/** `resource` is the plural name; the core group is the empty text. */
export function rulesFor(group: string, resource: string): MakeKindRules | undefined {
  return rules[group === '' ? resource : `${resource}.${group}`]
}
