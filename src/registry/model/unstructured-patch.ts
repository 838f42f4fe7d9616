/** Patches of custom types: their result must say what it is, and is coerced as a body is. */

import type { JsonObject } from '../../api/json.ts'
import { internalError } from '../../api/status-error.ts'
import { encodeTree } from '../../codec/json.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { sortKeys } from '../../schema/json-shape.ts'
import type { JsonNode } from '../../schema/json-tree.ts'
import type { CoerceBodyOptions, CoercedBody, ResourceVersion } from '../resource-definition.ts'
import {
  type AppliedValue,
  applyYaml,
  invalidPatched,
  jsonPatch,
  mergePatch,
  noTypeMeta,
  type PatchFormat,
} from './patch-format.ts'

export const unstructuredPatch: PatchFormat = {
  types: [jsonPatch, mergePatch, applyYaml],
  inShownOrder: sortKeys,
  *decodePatched({ version }, { value, shown, isLarge }) {
    yield
    const isTyped = checkNamesType(value, shown)
    const { object, unknown, error } = yield* coerced(version, { value, isLarge })
    if (error !== undefined) throw invalidPatched(shown, error)
    if (!isTyped) throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
    return { object, strict: unknown.map((path) => `unknown field "${path}"`) }
  },
  *decodeApplied({ version }, applied) {
    yield
    return (yield* coerced(version, applied, { keepsNulls: true })).object
  },
}

function* coerced(
  { coerce, coerceInSteps }: ResourceVersion,
  { value, isLarge }: Pick<AppliedValue, 'value' | 'isLarge'>,
  options?: CoerceBodyOptions,
): Steps<CoercedBody> {
  if (isLarge && coerceInSteps !== undefined) return yield* coerceInSteps(value, options)
  return coerce?.(value, options) ?? { object: value, unknown: [] }
}

/** A custom object without a kind cannot be read; false: nothing can be done with this one, which has no version. */
function checkNamesType({ apiVersion, kind }: JsonObject, shown: () => JsonNode): boolean {
  if (typeof apiVersion === 'string' && apiVersion !== '' && typeof kind === 'string' && kind !== '') return true
  const problem = noTypeMeta(shown())
  if (problem !== '') throw invalidPatched(shown, problem)
  if ((kind ?? '') === '') throw invalidPatched(shown, `Object 'Kind' is missing in '${encodeTree(shown())}'`)
  return false
}
