/** Patches of custom types: their result must say what it is, and is coerced as a body is. */

import type { JsonObject } from '../../api/json.ts'
import { internalError } from '../../api/status-error.ts'
import { encodeTree } from '../../codec/json.ts'
import { sortKeys } from '../../schema/json-shape.ts'
import type { JsonNode } from '../../schema/json-tree.ts'
import { applyYaml, invalidPatched, jsonPatch, mergePatch, noTypeMeta, type PatchFormat } from './patch-format.ts'

export const unstructuredPatch: PatchFormat = {
  types: [jsonPatch, mergePatch, applyYaml],
  inShownOrder: sortKeys,
  *decodePatched({ version }, { value, shown }) {
    yield
    const isTyped = checkNamesType(value, shown)
    const { object, unknown, error } = version.coerce?.(value) ?? { object: value, unknown: [] }
    if (error !== undefined) throw invalidPatched(shown, error)
    if (!isTyped) throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
    return { object, strict: unknown.map((path) => `unknown field "${path}"`) }
  },
  *decodeApplied({ version }, { value }) {
    yield
    return version.coerce?.(value, { keepsNulls: true }).object ?? value
  },
}

/** A custom object without a kind cannot be read; false: nothing can be done with this one, which has no version. */
function checkNamesType({ apiVersion, kind }: JsonObject, shown: () => JsonNode): boolean {
  if (typeof apiVersion === 'string' && apiVersion !== '' && typeof kind === 'string' && kind !== '') return true
  const problem = noTypeMeta(shown())
  if (problem !== '') throw invalidPatched(shown, problem)
  if ((kind ?? '') === '') throw invalidPatched(shown, `Object 'Kind' is missing in '${encodeTree(shown())}'`)
  return false
}
