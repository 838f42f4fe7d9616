/**
 * How deep a patch may nest. The merges recurse along the patch, so that this bounds their stack; no type comes near
 * it.
 */
import type { JsonObject, JsonValue } from '../api/json.ts'
import { badRequest } from '../api/status-error.ts'
import { type JsonNode, ObjectNode } from '../schema/json-tree.ts'

const maxPatchDepth = 1_000

/** Throws a 400 for a patch that nests too deeply. */
export function assertPatchDepth(patch: JsonValue | JsonNode | undefined, depth = 0): void {
  if (typeof patch !== 'object' || patch === null) return
  if (depth > maxPatchDepth) throw badRequest(`error decoding patch: exceeded max depth of ${maxPatchDepth}`)
  if (patch instanceof ObjectNode) for (const value of patch.values) assertPatchDepth(value, depth + 1)
  else if (Array.isArray(patch)) for (const value of patch) assertPatchDepth(value, depth + 1)
  else for (const key of Object.keys(patch)) assertPatchDepth((patch as JsonObject)[key], depth + 1)
}
