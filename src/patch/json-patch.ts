/**
 * JSON Patch (RFC 6902) with the reference's leniencies: `replace` and `copy` of a missing key succeed, positions may
 * count from the end, what stands before the first slash of a path is dropped, and `test` compares the text of numbers
 * (`1` is not `1.0`), which is why a patch is read from its tree and not from plain values.
 *
 * A patch is read once and applied as often as needed. Applying copies only the objects and lists that it changes; the
 * rest of the result is shared with the current object and the patch.
 */

import { encodedLength } from '../api/encoded-length.ts'
import {
  copyObject,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownValue,
  setKey,
} from '../api/json.ts'
import { badRequest, rejected, requestEntityTooLarge } from '../api/status-error.ts'
import { sortedKeys } from '../schema/decode.ts'
import {
  describeNode,
  fromTree,
  hasUnusualNumber,
  infiniteNumber,
  type JsonNode,
  NumberNode,
  ObjectNode,
  toTree,
} from '../schema/json-tree.ts'
import { assertPatchDepth } from './patch-depth.ts'

const maxOperations = 10_000
/** All `copy` operations of a patch together may add as many bytes of JSON. */
const maxCopiedBytes = 3 * 1024 * 1024

interface Operation {
  readonly op: string | undefined
  readonly path: string | undefined
  readonly from: string | undefined
  /** Undefined when the operation has no value. */
  readonly value: JsonNode | undefined
}

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
  const text = (name: string): string | undefined => {
    const value = memberOf(node, name)
    if (typeof value === 'string') return value
    if (value === undefined || value === null || lenient) return undefined
    throw wrongType(value, `struct field jsonPatchOp.${name} of type string`, lenient)
  }
  const value = memberOf(node, 'value')
  const infinite = lenient || value === undefined ? undefined : infiniteNumber(value)
  const operation = { op: text('op'), path: text('path'), from: text('from'), value }
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
  const document = new PatchedDocument(current, patch)
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
  const document = new PatchedDocument(current, patch, { exact: true })
  for (const operation of patch.operations) document.apply(operation)
  return document.tree()
}

type Container = JsonObject | JsonArray

/** Where an operation points: the object or list, and the key in it. */
interface Target {
  readonly container: Container
  readonly key: string
}

class PatchedDocument {
  root: Container
  /** Made by this patch and reachable on one way only: may be changed in place. */
  #owned = new Set<Container>()
  #copiedBytes = 0
  /** All that operations went through or tested. */
  readonly #opened: Set<JsonValue> | undefined
  readonly #unusual: ReadonlySet<string>
  /** The strings that operations have put into the document, written as the patch writes them. */
  readonly #brought = new Set<string>()

  constructor(current: JsonObject, { unusual }: JsonPatch, { exact = false } = {}) {
    this.root = current
    this.#unusual = unusual
    this.#opened = exact ? new Set() : undefined
  }

  apply({ op, path, from, value }: Operation): void {
    if (op === 'add') add(this.#target(path), this.#plain(value))
    else if (op === 'remove') remove(this.#target(path))
    else if (op === 'replace') this.#replace(path, value)
    else if (op === 'move') this.#move(from, path)
    else if (op === 'copy') this.#copy(from, path)
    else if (op === 'test') this.#test(path, value)
    else throw rejected()
  }

  #replace(path: string | undefined, value: JsonNode | undefined): void {
    if (path === '') {
      // What is neither an object nor a list is overlooked; no value at all is not.
      if (value === undefined) throw rejected()
      const whole = this.#plain(value)
      if (typeof whole === 'object' && whole !== null) this.root = whole
    } else {
      replace(this.#target(path), this.#plain(value))
    }
  }

  #move(from: string | undefined, path: string | undefined): void {
    const source = this.#target(from)
    const value = get(source)
    remove(source)
    add(this.#target(path), value ?? null)
  }

  #copy(from: string | undefined, path: string | undefined): void {
    this.#target(from)
    // What is copied into itself has been gone through by then.
    this.#target(path)
    const value = get(this.#target(from))
    this.#copiedBytes += value === undefined ? 0 : encodedLength(value)
    if (this.#copiedBytes > maxCopiedBytes) throw rejected()
    // The value now hangs in two places: nothing that was owned may be changed in place any more.
    this.#owned = new Set()
    add(this.#target(path), value ?? null)
  }

  #test(path: string | undefined, value: JsonNode | undefined): void {
    const actual = path === '' ? this.root : get(this.#target(path))
    const isNothing = actual === undefined || actual === null
    const equal = isNothing ? (value ?? null) === null : value !== undefined && equals(actual, value, this.#foreign())
    if (!equal) throw rejected()
    if (this.#opened !== undefined && actual !== undefined) addDeep(this.#opened, actual)
  }

  #plain(value: JsonNode | undefined): JsonValue {
    if (value === undefined) return null
    if (this.#unusual.size > 0) addStrings(this.#brought, value)
    return this.#opened === undefined ? fromTree(value) : withNumbers(value)
  }

  #foreign(): ReadonlySet<string> {
    return this.#brought.size === 0
      ? this.#unusual
      : new Set([...this.#unusual].filter((text) => !this.#brought.has(text)))
  }

  tree(): JsonNode {
    this.#opened?.add(this.root)
    return this.#tree(this.root)
  }

  #tree(value: JsonValue): JsonNode {
    if (value instanceof NumberNode) return value
    if (Array.isArray(value)) return value.map((item) => this.#tree(item))
    if (!isJsonObject(value)) return toTree(value)
    const node = new ObjectNode()
    for (const key of this.#opened?.has(value) ? sortedKeys(value) : Object.keys(value)) {
      node.keys.push(key)
      node.values.push(this.#tree(value[key] ?? null))
    }
    return node
  }

  /** The way to the target is made this patch's own. Throws when it leads nowhere. */
  #target(path: string | undefined): Target {
    const segments = path?.split('/').map(decodeSegment)
    const key = segments?.at(-1)
    if (segments === undefined || key === undefined || segments.length < 2) throw rejected()
    this.root = this.#own(this.root)
    let container = this.root
    for (const segment of segments.slice(1, -1)) {
      const next = get({ container, key: segment })
      if (typeof next !== 'object' || next === null) throw rejected()
      const owned = this.#own(next)
      if (owned !== next) replace({ container, key: segment }, owned)
      container = owned
    }
    return { container, key }
  }

  #own(container: Container): Container {
    if (this.#owned.has(container)) return container
    const copy = Array.isArray(container) ? [...container] : copyObject(container)
    this.#owned.add(copy)
    this.#opened?.add(copy)
    return copy
  }
}

function addStrings(set: Set<string>, node: JsonNode): void {
  if (typeof node === 'string') set.add(node)
  else if (Array.isArray(node)) for (const item of node) addStrings(set, item)
  else if (node instanceof ObjectNode) for (const value of node.values) addStrings(set, value)
}

function addDeep(set: Set<JsonValue>, value: JsonValue): void {
  if (typeof value !== 'object' || value === null) return
  set.add(value)
  for (const member of Object.values(value)) if (member !== undefined) addDeep(set, member)
}

/** A plain value in which numbers that a plain one would change are as they are written: an opaque leaf. */
function withNumbers(node: JsonNode): JsonValue {
  if (!hasUnusualNumber(node)) return fromTree(node)
  if (Array.isArray(node)) return node.map(withNumbers)
  if (!(node instanceof ObjectNode)) return node as unknown as JsonValue
  return Object.fromEntries(node.keys.map((key, i) => [key, withNumbers(node.values[i] ?? null)]))
}

const decodeSegment = (segment: string): string =>
  segment.includes('~') ? segment.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~')) : segment

/** A position as Go reads a number, counted from the end when it is negative; throws outside of `0 … end`. */
function position(key: string, length: number, end: number): number {
  if (!/^[-+]?[0-9]{1,15}$/.test(key)) throw rejected()
  const index = Number(key) < 0 ? Number(key) + length : Number(key) + 0
  if (index < 0 || index > end) throw rejected()
  return index
}

function get({ container, key }: Target): JsonValue | undefined {
  if (!Array.isArray(container)) return ownValue(container, key)
  return container[position(key, container.length, container.length - 1)]
}

function add({ container, key }: Target, value: JsonValue): void {
  if (!Array.isArray(container)) setKey(container, key, value)
  else if (key === '-') container.push(value)
  else container.splice(position(key, container.length + 1, container.length), 0, value)
}

function replace({ container, key }: Target, value: JsonValue): void {
  if (Array.isArray(container)) container[position(key, container.length, container.length - 1)] = value
  else setKey(container, key, value)
}

function remove({ container, key }: Target): void {
  if (Array.isArray(container)) {
    container.splice(position(key, container.length, container.length - 1), 1)
  } else {
    if (ownValue(container, key) === undefined) throw rejected()
    delete container[key]
  }
}

/** Whether the value's JSON text would be that of the tree, keys in any order. */
function equals(value: JsonValue | undefined, node: JsonNode, unusual: ReadonlySet<string>): boolean {
  if (value === undefined || value === null) return node === null
  if (typeof value === 'number' || typeof value === 'bigint') {
    return node instanceof NumberNode && node.text === (Object.is(value, -0) ? '-0' : String(value))
  }
  if (Array.isArray(value)) {
    return (
      Array.isArray(node) && node.length === value.length && node.every((item, i) => equals(value[i], item, unusual))
    )
  }
  if (typeof value === 'string') return value === node && !unusual.has(value)
  if (typeof value !== 'object') return value === node
  if (!(node instanceof ObjectNode)) return false
  const members = new Map(node.keys.map((key, i) => [key, node.values[i] ?? null]))
  const present = Object.keys(value).filter((key) => value[key] !== undefined)
  return (
    present.length === members.size &&
    present.every((key) => {
      const member = members.get(key)
      return member !== undefined && equals(value[key], member, unusual)
    })
  )
}
