/**
 * How deep a patch may nest. The merges recurse along the patch, so that this bounds their stack; no type comes near
 * it.
 */
import type { JsonValue } from '../api/json.ts'
import { badRequest } from '../api/status-error.ts'
import { type JsonNode, ObjectNode } from '../schema/json-tree.ts'

const maxPatchDepth = 1_000

/** Throws a 400 for a patch that nests too deeply. */
export function assertPatchDepth(patch: JsonValue | JsonNode): void {
  let level: unknown[] = [patch]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxPatchDepth) throw badRequest('error decoding patch: exceeded max depth')
    level = level.flatMap(membersOf)
  }
}

function membersOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if (value instanceof ObjectNode) return value.values
  return Array.isArray(value) ? value : Object.values(value)
}
