/**
 * How deep a patch may nest. The merges recurse along the patch, so that this bounds their stack; no type comes near
 * it.
 */
import type { JsonObject, JsonValue } from '../api/json.ts'
import { keysOf } from '../api/key-lists.ts'
import { visitInSteps } from '../api/large-values.ts'
import { badRequest } from '../api/status-error.ts'
import type { Steps } from '../lib/in-turns.ts'
import { type JsonNode, ObjectNode } from '../schema/json-tree.ts'

const maxPatchDepth = 1_000

const tooDeep = () => badRequest(`error decoding patch: exceeded max depth of ${maxPatchDepth}`)

/** Throws a 400 for a patch that nests too deeply. */
export function assertPatchDepth(patch: JsonValue | JsonNode | undefined, depth = 0): void {
  if (typeof patch !== 'object' || patch === null) return
  if (depth > maxPatchDepth) throw tooDeep()
  if (patch instanceof ObjectNode) for (const value of patch.values) assertPatchDepth(value, depth + 1)
  else if (Array.isArray(patch)) for (const value of patch) assertPatchDepth(value, depth + 1)
  else for (const key of keysOf(patch as JsonObject)) assertPatchDepth((patch as JsonObject)[key], depth + 1)
}

/** The same, of what takes more than one turn. */
export function* assertPatchDepthInSteps(patch: JsonValue): Steps<void> {
  yield* visitInSteps(patch, (part, depth) => {
    // What holds the part is one level above it.
    if (depth - 1 > maxPatchDepth) throw tooDeep()
    assertPatchDepth(part, depth)
  })
}
