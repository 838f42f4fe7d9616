/**
 * JSON Patch (RFC 6902) with the reference's leniencies: `replace` and `copy` of a missing key succeed, positions may
 * count from the end, what stands before the first slash of a path is dropped, and `test` compares the text of numbers
 * (`1` is not `1.0`), which is why a patch is read from its tree and not from plain values.
 *
 * A patch is read once and applied as often as needed. Applying copies only the objects and lists that it changes; the
 * rest of the result is shared with the current object and the patch.
 */

import type { JsonObject, JsonValue } from '../api/json.ts'
import { ApiError, badRequest, rejected, requestEntityTooLarge } from '../api/status-error.ts'
import {
  describeNode,
  hasUnusualNumber,
  infiniteNumber,
  type JsonNode,
  ObjectNode,
  toTree,
} from '../schema/json-tree.ts'
import { assertPatchDepth } from './patch-depth.ts'
import { type Operation, PatchError, PatchedDocument } from './patched-document.ts'

const maxOperations = 10_000

export interface JsonPatch {
  readonly operations: readonly Operation[]
  /** `json patch unknown field "[0].comment"`, `json patch duplicate field "[0].value"`. */
  readonly strict: readonly string[]
  readonly unusual: ReadonlySet<string>
  /** Its numbers are written so that only `patchedTree` has them all. */
  readonly exact: boolean
}

export interface JsonPatchOptions {
  /** `fieldValidation=Ignore` */
  readonly lenient?: boolean
  /** Strings of the patch that are written otherwise than the object's: a `test` does not find them equal. */
  readonly unusual?: ReadonlySet<string>
}

/** Reads a patch; throws a 400 or a 413. */
export function parseJsonPatch(
  tree: JsonNode,
  { lenient = false, unusual = new Set() }: JsonPatchOptions = {},
): JsonPatch {
  assertPatchDepth(tree)
  if (tree === null) return { operations: [], strict: [], unusual, exact: false }
  if (!Array.isArray(tree)) throw wrongType(tree, lenient ? 'jsonpatch.Patch' : '[]handlers.jsonPatchOp', lenient)
  const operations = tree.map((node) => readOperation(node, lenient))
  if (operations.length > maxOperations) {
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    )
  }
  return { operations, strict: strictErrors(tree), unusual, exact: hasUnusualNumber(tree) }
}

const wrongType = (node: JsonNode, type: string, lenient: boolean) =>
  badRequest(
    `${lenient ? '' : 'error decoding patch: '}json: cannot unmarshal ${describeNode(node)} into Go ${type.startsWith('struct field') ? type : `value of type ${type}`}`,
  )

function readOperation(node: JsonNode, lenient: boolean): Operation {
  if (node === null) return { op: undefined, path: undefined, from: undefined, value: undefined }
  if (!(node instanceof ObjectNode)) {
    throw wrongType(node, lenient ? 'jsonpatch.Operation' : 'handlers.jsonPatchOp', lenient)
  }
  const text = (name: 'op' | 'path' | 'from'): string | undefined => {
    const value = memberOf(node, name)
    if (typeof value === 'string') return value
    if (value === undefined || value === null || lenient) return undefined
    throw wrongType(value, `struct field jsonPatchOp.${name} of type string`, lenient)
  }
  const value = memberOf(node, 'value')
  const infinite = lenient || value === undefined ? undefined : infiniteNumber(value)
  const malformed = { path: memberOf(node, 'path') ?? undefined, from: memberOf(node, 'from') ?? undefined }
  const operation = { op: text('op'), path: text('path'), from: text('from'), value, malformed }
  if (infinite === undefined) return operation
  throw badRequest(
    `error decoding patch: json: cannot unmarshal number ${infinite} into Go struct field jsonPatchOp.value of type float64`,
  )
}

/** The last of two equal keys wins. */
function memberOf(node: ObjectNode, name: string): JsonNode | undefined {
  const at = node.keys.lastIndexOf(name)
  return at < 0 ? undefined : node.values[at]
}

const known: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value'])

function strictErrors(operations: readonly JsonNode[]): string[] {
  const found = new Set<string>()
  operations.forEach((node, i) => {
    if (!(node instanceof ObjectNode)) return
    const seen = new Set<string>()
    node.keys.forEach((key, k) => {
      if (!known.has(key)) found.add(`json patch unknown field "[${i}].${key}"`)
      else if (seen.has(key)) found.add(`json patch duplicate field "[${i}].${key}"`)
      seen.add(key)
      if (key === 'value') findDuplicates(node.values[k] ?? null, `[${i}].value`, found)
    })
  })
  return [...found]
}

function findDuplicates(node: JsonNode, path: string, found: Set<string>): void {
  if (Array.isArray(node)) {
    node.forEach((item, i) => {
      findDuplicates(item, `${path}[${i}]`, found)
    })
  } else if (node instanceof ObjectNode) {
    const seen = new Set<string>()
    node.keys.forEach((key, i) => {
      if (seen.has(key)) found.add(`json patch duplicate field "${path}.${key}"`)
      seen.add(key)
      findDuplicates(node.values[i] ?? null, `${path}.${key}`, found)
    })
  }
}

/** The patched value; throws a 422 when an operation does not apply. It is a list when the patch replaced the whole. */
export function applyJsonPatch(current: JsonObject, patch: JsonPatch): JsonValue {
  try {
    return applyOperations(current, patch)
  } catch (error) {
    // The answer does not say which operation it was.
    throw error instanceof PatchError ? rejected() : error
  }
}

/**
 * Applies the patch of a webhook or a policy, which is no tree: the error names the operation that does not apply. Throws a
 * PatchError.
 */
export function applyForeignPatch(current: JsonObject, patch: JsonValue): JsonValue {
  return applyOperations(current, readForeignPatch(patch))
}

/** Whether it is a patch at all: throws a PatchError. */
export function readForeignPatch(patch: JsonValue): JsonPatch {
  try {
    return parseJsonPatch(toTree(patch), { lenient: true })
  } catch (error) {
    throw error instanceof ApiError ? new PatchError(error.message) : error
  }
}

function applyOperations(current: JsonObject, patch: JsonPatch): JsonValue {
  const document = new PatchedDocument(current, patch.unusual)
  let growth = 0
  for (const operation of patch.operations) {
    document.apply(operation)
    growth = grown(growth, operation)
    if (growth <= maxUncheckedGrowth) continue
    assertPatchDepth(document.root)
    growth = 0
  }
  assertPatchDepth(document.root)
  return document.root
}

/** By how many levels a document may have grown beyond the limit of a value before it is measured. */
const maxUncheckedGrowth = 1_000

/**
 * An upper bound of the levels beyond the limit that the document has after an operation: what it writes stands below its
 * path. A value of the patch is within the limit itself, what is copied or moved is as deep as the document may be.
 */
function grown(growth: number, { op, path = '' }: Operation): number {
  if (op === 'copy' || op === 'move') return growth + path.split('/').length
  return op === 'add' || op === 'replace' ? Math.max(growth, path.split('/').length) : growth
}

/**
 * The patched value as errors show it: keys are sorted in the objects that an operation went through or tested, and
 * elsewhere as they were; numbers are as the patch writes them.
 */
export function patchedTree(current: JsonObject, patch: JsonPatch): JsonNode {
  const document = new PatchedDocument(current, patch.unusual, { exact: true })
  for (const operation of patch.operations) document.apply(operation)
  return document.tree()
}
