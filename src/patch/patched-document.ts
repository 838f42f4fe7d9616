/**
 * An object while the operations of a JSON Patch change it. Only the objects and lists on the way to a change are copied; the rest is
 * shared. What does not apply throws a PatchError. Mirrors evanphx/json-patch: Patch.Apply, whose words these are.
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
import { sortedKeys } from '../schema/json-shape.ts'
import {
  describeNode,
  fromTree,
  hasUnusualNumber,
  type JsonNode,
  NumberNode,
  ObjectNode,
  toTree,
} from '../schema/json-tree.ts'

/** All `copy` operations of a patch together may add as many bytes of JSON. */
const maxCopiedBytes = 3 * 1024 * 1024

export class PatchError extends Error {
  override readonly name = 'PatchError'
}

export interface Operation {
  readonly op: string | undefined
  readonly path: string | undefined
  readonly from: string | undefined
  /** Undefined when the operation has no value. */
  readonly value: JsonNode | undefined
  /** The members that should be text and are not. */
  readonly malformed?: { readonly path?: JsonNode | undefined; readonly from?: JsonNode | undefined }
}

type Container = JsonObject | JsonArray

/** Where an operation points: the object or list, and the key in it. */
interface Target {
  readonly container: Container
  readonly key: string
}

const missing = 'missing value'

export class PatchedDocument {
  root: Container
  /** Made by this patch and reachable on one way only: may be changed in place. */
  #owned = new Set<Container>()
  #copiedBytes = 0
  /** All that operations went through or tested. */
  readonly #opened: Set<JsonValue> | undefined
  readonly #unusual: ReadonlySet<string>
  /** The strings that operations have put into the document, written as the patch writes them. */
  readonly #brought = new Set<string>()

  /** `exact`: numbers and the order of keys are kept for `tree`. */
  constructor(current: JsonObject, unusual: ReadonlySet<string>, { exact = false } = {}) {
    this.root = current
    this.#unusual = unusual
    this.#opened = exact ? new Set() : undefined
  }

  apply(operation: Operation): void {
    switch (operation.op) {
      case 'add':
        this.#add(operation)
        break
      case 'remove':
        this.#remove(operation)
        break
      case 'replace':
        this.#replace(operation)
        break
      case 'move':
        this.#move(operation)
        break
      case 'copy':
        this.#copy(operation)
        break
      case 'test':
        this.#test(operation)
        break
      default:
        throw new PatchError(`Unexpected kind: ${operation.op ?? 'unknown'}`)
    }
  }

  #add(operation: Operation): void {
    const path = briefPath(operation)
    const target = this.#target(path, () => `add operation does not apply: doc is missing path: "${path}"`)
    within(
      () => `error in add for path: '${path}'`,
      () => add(target, this.#plain(operation.value)),
    )
  }

  #remove(operation: Operation): void {
    const path = briefPath(operation)
    const target = this.#target(path, () => `remove operation does not apply: doc is missing path: "${path}"`)
    within(
      () => `error in remove for path: '${path}'`,
      () => remove(target),
    )
  }

  /** A key that is not there is added. The whole document is only replaced by an object or a list. */
  #replace(operation: Operation): void {
    const path = pathOf(operation)
    if (path === '') {
      // What is neither an object nor a list is overlooked; no value at all is not.
      if (operation.value === undefined) throw new PatchError(`replace operation does not apply: ${missing}`)
      const whole = this.#plain(operation.value)
      if (typeof whole === 'object' && whole !== null) this.root = whole
      return
    }
    const target = this.#target(path, () => `replace operation does not apply: doc is missing path: ${path}`)
    try {
      replace(target, this.#plain(operation.value))
    } catch (error) {
      if (!(error instanceof PatchError)) throw error
      throw new PatchError(`replace operation does not apply: doc is missing key: ${path}: ${missing}`)
    }
  }

  #move(operation: Operation): void {
    const from = fromOf(operation)
    const source = this.#target(from, () => `move operation does not apply: doc is missing from path: ${from}`)
    const value = within(
      () => `error in move for path: '${source.key}'`,
      () => {
        const found = get(source)
        remove(source)
        return found
      },
    )
    const path = pathOf(operation)
    const target = this.#target(path, () => `move operation does not apply: doc is missing destination path: ${path}`)
    within(
      () => `error in move for path: '${path}'`,
      () => add(target, value ?? null),
    )
  }

  /** What is missing copies as null. */
  #copy(operation: Operation): void {
    const from = fromOf(operation)
    const source = () => this.#target(from, () => `copy operation does not apply: doc is missing from path: ${from}`)
    const read = (place: Target) =>
      within(
        () => `error in copy for from: '${from}'`,
        () => get(place),
      )
    read(source())
    const path = briefPath(operation)
    const target = () =>
      this.#target(path, () => `copy operation does not apply: doc is missing destination path: ${path}`)
    // What is copied into itself has been gone through by then.
    target()
    const value = read(source())
    this.#countCopy(value)
    // The value now hangs in two places: nothing that was owned may be changed in place any more.
    this.#owned = new Set()
    const place = target()
    within(
      () => 'error while adding value during copy',
      () => add(place, value ?? null),
    )
  }

  #countCopy(value: JsonValue | undefined): void {
    this.#copiedBytes += value === undefined ? 0 : encodedLength(value)
    if (this.#copiedBytes <= maxCopiedBytes) return
    throw new PatchError(
      `Unable to complete the copy, the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${maxCopiedBytes}`,
    )
  }

  #test(operation: Operation): void {
    const path = pathOf(operation)
    const { value } = operation
    const actual = path === '' ? this.root : this.#tested(path)
    const isNothing = actual === undefined || actual === null
    const equal = isNothing ? (value ?? null) === null : value !== undefined && equals(actual, value, this.#foreign())
    if (!equal) throw new PatchError(`testing value ${path} failed: test failed`)
    if (this.#opened !== undefined && actual !== undefined) addDeep(this.#opened, actual)
  }

  #tested(path: string): JsonValue | undefined {
    const target = this.#target(path, () => `test operation does not apply: is missing path: ${path}`)
    return within(
      () => `error in test for path: '${path}'`,
      () => get(target),
    )
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

  /** The way to the target is made this patch's own. What precedes the first slash is dropped. Throws when it leads nowhere. */
  #target(path: string, problem: () => string): Target {
    const segments = path.split('/').map(decodeSegment)
    const key = segments.at(-1)
    if (key === undefined || segments.length < 2) throw new PatchError(`${problem()}: ${missing}`)
    this.root = this.#own(this.root)
    let container = this.root
    for (const segment of segments.slice(1, -1)) {
      const next = inner({ container, key: segment })
      if (next === undefined) throw new PatchError(`${problem()}: ${missing}`)
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

/** Says where something went wrong. */
function within<T>(where: () => string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    throw new PatchError(`${where()}: ${error.message}`)
  }
}

const wrongType = (node: JsonNode): string =>
  `json: cannot unmarshal ${describeNode(node)} into Go value of type string`

/** Some operations do not say why they have no path. */
function briefPath({ op, path }: Operation): string {
  if (path !== undefined) return path
  throw new PatchError(`${op} operation failed to decode path: ${missing}`)
}

function pathOf({ op, path, malformed }: Operation): string {
  if (path !== undefined) return path
  const wrong = malformed?.path
  const why = wrong === undefined ? `operation missing path field: ${missing}` : wrongType(wrong)
  throw new PatchError(`${op} operation failed to decode path: ${why}`)
}

function fromOf({ op, from, malformed }: Operation): string {
  if (from !== undefined) return from
  const wrong = malformed?.from
  const why = wrong === undefined ? `operation, missing from field: ${missing}` : wrongType(wrong)
  throw new PatchError(`${op} operation failed to decode from: ${why}`)
}

/** The object or list at a place; undefined where there is none. */
function inner(target: Target): Container | undefined {
  try {
    const found = get(target)
    return typeof found === 'object' && found !== null ? found : undefined
  } catch (error) {
    if (error instanceof PatchError) return undefined
    throw error
  }
}

/** A position as Go reads a number, counted from the end when it is negative; throws outside of `0 … end`. */
function position(key: string, length: number, end: number): number {
  if (!/^[-+]?[0-9]+$/.test(key)) throw new PatchError(`strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`)
  const given = Number(key) + 0
  const index = given < 0 ? given + length : given
  if (index >= 0 && index <= end) return index
  throw new PatchError(`Unable to access invalid index: ${key.replace(/^\+/, '')}: invalid index referenced`)
}

function get({ container, key }: Target): JsonValue | undefined {
  if (!Array.isArray(container)) return ownValue(container, key)
  return container[position(key, container.length, container.length - 1)]
}

function add({ container, key }: Target, value: JsonValue): void {
  if (!Array.isArray(container)) setKey(container, key, value)
  else if (key === '-') container.push(value)
  else container.splice(newPosition(key, container.length), 0, value)
}

/** Where an element is inserted: also behind the last one. */
function newPosition(key: string, length: number): number {
  if (/^[-+]?[0-9]+$/.test(key)) return position(key, length + 1, length)
  return within(
    () => `value was not a proper array index: '${key}'`,
    () => position(key, length + 1, length),
  )
}

function replace({ container, key }: Target, value: JsonValue): void {
  if (Array.isArray(container)) container[position(key, container.length, container.length - 1)] = value
  else setKey(container, key, value)
}

function remove({ container, key }: Target): void {
  if (Array.isArray(container)) {
    container.splice(position(key, container.length, container.length - 1), 1)
  } else {
    if (ownValue(container, key) === undefined)
      throw new PatchError(`Unable to remove nonexistent key: ${key}: ${missing}`)
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
