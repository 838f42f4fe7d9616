/**
 * How deep a patch may nest. The merges recurse along the patch, so that this bounds their stack; no type comes near
 * it.
 */
import type { JsonObject, JsonValue } from '../api/json.ts'
import { keysOf } from '../api/key-lists.ts'
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

/** Members and elements to a step. */
const perStep = 256

/** The same, of what takes more than one turn: level by level, so that it needs no stack. */
export function* assertPatchDepthInSteps(patch: JsonValue): Steps<void> {
  let level: JsonValue[] = [patch]
  let count = 0
  for (let depth = 0; level.length > 0; depth++) {
    const below: JsonValue[] = []
    for (const part of level) {
      if (typeof part !== 'object' || part === null) continue
      if (depth > maxPatchDepth) throw tooDeep()
      for (const key of Array.isArray(part) ? part.keys() : keysOf(part)) {
        if (++count % perStep === 0) yield
        const member = (part as JsonObject)[key]
        if (typeof member === 'object') below.push(member)
      }
    }
    level = below
  }
}
