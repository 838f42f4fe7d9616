/**
 * JSON patches of webhooks and policies, with the reference's messages about what does not apply. Unlike a client's
 * patch, one that fails is an error of the server's surroundings, and its author wants to know which operation it was.
 */
import { encodedLength } from '../../api/encoded-length.ts'
import {
  cloneJson,
  equalJson,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  jsonTypeName,
  ownValue,
  setKey,
} from '../../api/json.ts'

const missing = 'missing value'
/** Operations that a patch may have. */
const maxOperations = 10_000
/** All `copy` operations of a patch together may add as many bytes of JSON. */
const maxCopiedBytes = 3 * 1024 * 1024

export class PatchError extends Error {}

type Root = { value: JsonValue; copiedBytes: number }
type Holder = JsonObject | JsonArray

/** Whether it is a patch at all. Throws a PatchError. Mirrors evanphx/json-patch: DecodePatch. */
export function checkPatch(patch: JsonValue): asserts patch is JsonArray {
  if (!Array.isArray(patch)) throw new PatchError(cannotUnmarshal(patch, 'jsonpatch.Patch'))
  if (patch.length > maxOperations) throw new PatchError(`the patch has more than ${maxOperations} operations`)
  for (const each of patch) {
    if (each !== null && !isJsonObject(each)) throw new PatchError(cannotUnmarshal(each, 'jsonpatch.Operation'))
  }
}

/** The patched copy. Throws a PatchError. */
export function applyPatch(document: JsonObject, patch: JsonValue): JsonValue {
  checkPatch(patch)
  const root: Root = { value: cloneJson(document) as JsonValue, copiedBytes: 0 }
  for (const each of patch) new Operation(root, isJsonObject(each) ? each : {}).apply()
  return root.value
}

const cannotUnmarshal = (value: JsonValue, type: string): string =>
  `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${type}`

class Operation {
  readonly #root: Root
  readonly #given: JsonObject
  readonly #kind: string

  constructor(root: Root, given: JsonObject) {
    this.#root = root
    this.#given = given
    this.#kind = typeof given['op'] === 'string' ? given['op'] : 'unknown'
  }

  apply(): void {
    switch (this.#kind) {
      case 'add':
        this.#add()
        break
      case 'remove':
        this.#remove()
        break
      case 'replace':
        this.#replace()
        break
      case 'move':
        this.#move()
        break
      case 'copy':
        this.#copy()
        break
      case 'test':
        this.#test()
        break
      default:
        throw new PatchError(`Unexpected kind: ${this.#kind}`)
    }
  }

  get #value(): JsonValue {
    return cloneJson(this.#given['value'] ?? null)
  }

  /** Some operations do not say why they have no path. */
  #path(isBrief: boolean): string {
    const failed = `${this.#kind} operation failed to decode path`
    const { path } = this.#given
    if (typeof path === 'string') return path
    if (isBrief) throw new PatchError(`${failed}: ${missing}`)
    throw new PatchError(
      path == null
        ? `${failed}: operation missing path field: ${missing}`
        : `${failed}: ${cannotUnmarshal(path, 'string')}`,
    )
  }

  #from(): string {
    const failed = `${this.#kind} operation failed to decode from`
    const { from } = this.#given
    if (typeof from === 'string') return from
    throw new PatchError(
      from == null
        ? `${failed}: operation, missing from field: ${missing}`
        : `${failed}: ${cannotUnmarshal(from, 'string')}`,
    )
  }

  /** The value that the last segment is in; what is missing is reported as `what`. */
  #place(path: string, what: string): { holder: Holder; key: string } {
    const place = placeOf(this.#root, path)
    if (place === undefined) throw new PatchError(`${this.#kind} operation does not apply: ${what}: ${missing}`)
    return place
  }

  #add(): void {
    const path = this.#path(true)
    const { holder, key } = this.#place(path, `doc is missing path: "${path}"`)
    within(`error in add for path: '${path}'`, () => addTo(holder, key, this.#value))
  }

  #remove(): void {
    const path = this.#path(true)
    const { holder, key } = this.#place(path, `doc is missing path: "${path}"`)
    within(`error in remove for path: '${path}'`, () => removeFrom(holder, key))
  }

  /** A key that is not there is added. The whole document is only replaced by an object or a list. */
  #replace(): void {
    const path = this.#path(false)
    if (path === '') {
      if (typeof this.#value === 'object' && this.#value !== null) this.#root.value = this.#value
      return
    }
    const { holder, key } = this.#place(path, `doc is missing path: ${path}`)
    if (!Array.isArray(holder)) {
      setKey(holder, key, this.#value)
      return
    }
    const index = within(
      () => `replace operation does not apply: doc is missing key: ${path}: ${missing}`,
      () => elementIndex(holder, key),
    )
    holder[index] = this.#value
  }

  #move(): void {
    const from = this.#from()
    const { holder, key } = this.#place(from, `doc is missing from path: ${from}`)
    const value = within(`error in move for path: '${key}'`, () => {
      const found = valueIn(holder, key)
      removeFrom(holder, key)
      return found
    })
    const path = this.#path(false)
    const target = this.#place(path, `doc is missing destination path: ${path}`)
    within(`error in move for path: '${path}'`, () => addTo(target.holder, target.key, value))
  }

  /** What is missing copies as null. */
  #copy(): void {
    const from = this.#from()
    const { holder, key } = this.#place(from, `doc is missing from path: ${from}`)
    const value = within(`error in copy for from: '${from}'`, () => valueIn(holder, key))
    const path = this.#path(true)
    const target = this.#place(path, `doc is missing destination path: ${path}`)
    this.#countCopy(value)
    within('error while adding value during copy', () => addTo(target.holder, target.key, cloneJson(value)))
  }

  #countCopy(value: JsonValue): void {
    this.#root.copiedBytes += encodedLength(value)
    const { copiedBytes } = this.#root
    if (copiedBytes <= maxCopiedBytes) return
    throw new PatchError(
      `Unable to complete the copy, the accumulated size increase of copy is ${copiedBytes}, exceeding the limit ${maxCopiedBytes}`,
    )
  }

  #test(): void {
    const path = this.#path(false)
    const found = path === '' ? this.#root.value : this.#tested(path)
    if (!equalJson(found, this.#value)) throw new PatchError(`testing value ${path} failed: test failed`)
  }

  #tested(path: string): JsonValue {
    const { holder, key } = this.#place(path, `is missing path: ${path}`)
    return within(`error in test for path: '${path}'`, () => valueIn(holder, key))
  }
}

/** Says where something went wrong; a function says it instead of what went wrong. */
function within<T>(where: string | (() => string), run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    throw new PatchError(typeof where === 'string' ? `${where}: ${error.message}` : where())
  }
}

/** What comes before the first slash is not looked at. */
function placeOf(root: Root, path: string): { holder: Holder; key: string } | undefined {
  const parts = path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const key = parts.pop()
  if (key === undefined) return undefined
  let at: JsonValue = root.value
  for (const part of parts) {
    if (!isHolder(at)) return undefined
    try {
      at = valueIn(at, part)
    } catch (error) {
      if (error instanceof PatchError) return undefined
      throw error
    }
  }
  return isHolder(at) ? { holder: at, key } : undefined
}

const isHolder = (value: JsonValue): value is Holder => Array.isArray(value) || isJsonObject(value)

function valueIn(holder: Holder, key: string): JsonValue {
  return (Array.isArray(holder) ? holder[elementIndex(holder, key)] : ownValue(holder, key)) ?? null
}

/** Negative indices count from the end, as in the reference. */
function indexBelow(length: number, text: string): number {
  const index = Number(text)
  if (index < -length || index >= length) {
    throw new PatchError(`Unable to access invalid index: ${index}: invalid index referenced`)
  }
  return index < 0 ? index + length : index
}

function elementIndex(list: JsonArray, key: string): number {
  checkNumber(key)
  return indexBelow(list.length, key)
}

function checkNumber(key: string): void {
  if (!/^[+-]?\d+$/.test(key)) throw new PatchError(`strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`)
}

function addTo(holder: Holder, key: string, value: JsonValue): void {
  if (!Array.isArray(holder)) {
    setKey(holder, key, value)
    return
  }
  if (key !== '-') within(`value was not a proper array index: '${key}'`, () => checkNumber(key))
  holder.splice(key === '-' ? holder.length : indexBelow(holder.length + 1, key), 0, value)
}

function removeFrom(holder: Holder, key: string): void {
  if (Array.isArray(holder)) {
    holder.splice(elementIndex(holder, key), 1)
    return
  }
  if (!Object.hasOwn(holder, key)) throw new PatchError(`Unable to remove nonexistent key: ${key}: ${missing}`)
  delete holder[key]
}
