/** What comparing two large objects needs of the heavy values that only one of them has, made in steps: comparing them then finds it. */
import type { JsonValue } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import { isHeavy } from '../../api/large-values.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { Schema } from '../../schema/schema.ts'
import { keepFullSet } from './full-set.ts'
import { toFullSetInSteps } from './full-set-in-steps.ts'
import { anySchema, isMap, ListItemError, memberOf, memberSchema } from './topology.ts'

const membersPerStep = 128

/** Elements that cannot be named are left for the comparison to find. */
export function* prepareComparison(schema: Schema, before: JsonValue, after: JsonValue): Steps<void> {
  try {
    yield* prepareMembers(schema, before, after)
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error
  }
}

function* prepareMembers(schema: Schema, before: JsonValue, after: JsonValue): Steps<void> {
  if (before === after || !isMap(before) || !isMap(after)) return
  yield* prepareLonely(schema, before, after)
  yield* prepareLonely(schema, after, before)
  let count = 0
  for (const name of keysOf(after)) {
    if (++count % membersPerStep === 0) yield
    const [left, right] = [memberOf(before, name), memberOf(after, name)]
    if (left === undefined || !isHeavy(right)) continue
    yield* prepareMembers(memberSchema(schema, name) ?? anySchema, left, right)
  }
}

/** The heavy members of one map that the other has not. */
function* prepareLonely(schema: Schema, map: JsonValue, other: JsonValue): Steps<void> {
  if (!isMap(map) || !isMap(other)) return
  let count = 0
  for (const name of keysOf(map)) {
    if (++count % membersPerStep === 0) yield
    const member = memberOf(map, name)
    if (!isHeavy(member) || memberOf(other, name) !== undefined) continue
    const type = memberSchema(schema, name) ?? anySchema
    keepFullSet(type, member, yield* toFullSetInSteps(type, member))
  }
}
