/**
 * JSON patches of webhooks and policies, with the reference's messages about what does not apply. Unlike a client's
 * patch, one that fails is an error of the server's surroundings, and its author wants to know which operation it was.
 */
import {
  cloneJson,
  equalJson,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownValue,
  setKey,
} from '../../api/json.ts'

const missing = 'missing value'
/** Operations that a patch may have. */
const maxOperations = 10_000

export class PatchError extends Error {}

/** The patched copy. Throws a PatchError. */
export function applyPatch(document: JsonObject, patch: JsonValue): JsonValue {
  if (!Array.isArray(patch)) throw new PatchError('json: cannot unmarshal object into Go value of type jsonpatch.Patch')
  if (patch.length > maxOperations) throw new PatchError(`the patch has more than ${maxOperations} operations`)
  const root: { value: JsonValue } = { value: cloneJson(document) as JsonValue }
  for (const operation of patch) apply(root, isJsonObject(operation) ? operation : {})
  return root.value
}

function apply(root: { value: JsonValue }, operation: JsonObject): void {
  const op = String(operation['op'] ?? 'unknown')
  const path = operation['path']
  if (typeof path !== 'string') throw new PatchError(`${op} operation failed in decoding path: ${missing}`)
  switch (op) {
    case 'add':
      add(root, path, cloneJson(operation['value'] ?? null))
      return
    case 'remove':
      remove(root, path)
      return
    case 'replace':
      replace(root, path, cloneJson(operation['value'] ?? null))
      return
    case 'move':
    case 'copy': {
      const value = source(root, op, operation['from'])
      if (op === 'move') remove(root, String(operation['from']))
      add(root, path, cloneJson(value))
      return
    }
    case 'test': {
      const found = lookUp(root, path)
      if (equalJson(found ?? null, operation['value'] ?? null)) return
      throw new PatchError(`testing value ${path} failed: test failed`)
    }
    default:
      throw new PatchError(`Unexpected kind: ${op}`)
  }
}

const segments = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

type Holder = JsonObject | JsonArray

/** The value that the last segment is in. */
function holderOf(root: { value: JsonValue }, path: string): { holder: Holder; key: string } | undefined {
  const parts = segments(path)
  const key = parts.pop()
  if (key === undefined) return undefined
  let at: JsonValue | undefined = root.value
  for (const part of parts) at = childOf(at, part)
  return Array.isArray(at) || isJsonObject(at) ? { holder: at, key } : undefined
}

function childOf(value: JsonValue | undefined, part: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[indexOf(value, part)]
  return isJsonObject(value) ? ownValue(value, part) : undefined
}

/** Negative indices count from the end, as in the reference. */
function indexOf(list: JsonArray, text: string): number {
  if (!/^-?\d+$/.test(text)) return -1
  const index = Number(text)
  return index < 0 ? list.length + index : index
}

const lookUp = (root: { value: JsonValue }, path: string): JsonValue | undefined => {
  const place = holderOf(root, path)
  return place === undefined ? undefined : childOf(place.holder, place.key)
}

function source(root: { value: JsonValue }, op: string, from: JsonValue | undefined): JsonValue {
  const value = typeof from === 'string' ? lookUp(root, from) : undefined
  if (value === undefined)
    throw new PatchError(`${op} operation does not apply: doc is missing from path: ${from ?? ''}: ${missing}`)
  return value
}

function add(root: { value: JsonValue }, path: string, value: JsonValue): void {
  const place = holderOf(root, path)
  if (place === undefined) {
    throw new PatchError(`add operation does not apply: doc is missing path: ${JSON.stringify(path)}: ${missing}`)
  }
  const { holder, key } = place
  if (!Array.isArray(holder)) {
    setKey(holder, key, value)
    return
  }
  const index = key === '-' ? holder.length : indexOf(holder, key)
  if (index < 0 || index > holder.length || (key !== '-' && !/^-?\d+$/.test(key))) {
    throw new PatchError(
      `error in add for path: '${path}': Unable to access invalid index: ${key}: invalid index referenced`,
    )
  }
  holder.splice(index, 0, value)
}

function remove(root: { value: JsonValue }, path: string): void {
  const place = holderOf(root, path)
  if (place === undefined) {
    throw new PatchError(`remove operation does not apply: doc is missing path: ${JSON.stringify(path)}: ${missing}`)
  }
  const { holder, key } = place
  if (Array.isArray(holder)) {
    const index = indexOf(holder, key)
    if (index < 0 || index >= holder.length) {
      throw new PatchError(
        `error in remove for path: '${path}': Unable to access invalid index: ${key}: invalid index referenced`,
      )
    }
    holder.splice(index, 1)
    return
  }
  if (!Object.hasOwn(holder, key)) {
    throw new PatchError(`error in remove for path: '${path}': Unable to remove nonexistent key: ${key}: ${missing}`)
  }
  delete holder[key]
}

/** A key that is not there is added. */
function replace(root: { value: JsonValue }, path: string, value: JsonValue): void {
  if (path === '') {
    root.value = value
    return
  }
  const place = holderOf(root, path)
  if (place === undefined) {
    throw new PatchError(`replace operation does not apply: doc is missing path: ${path}: ${missing}`)
  }
  const { holder, key } = place
  if (!Array.isArray(holder)) {
    setKey(holder, key, value)
    return
  }
  const index = indexOf(holder, key)
  if (index < 0 || index >= holder.length) {
    throw new PatchError(`replace operation does not apply: doc is missing key: ${path}: ${missing}`)
  }
  holder[index] = value
}
