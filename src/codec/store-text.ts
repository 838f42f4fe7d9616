/**
 * The text that the store keeps of an object: in two parts, between which its resource version belongs. What is known of
 * the text is not written again: that of parts which objects share, of keys, of the fields of managers.
 */
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { isStable } from '../api/stable-part.ts'
import { encodeJson, sortKeys } from './json.ts'

export interface SplitJson {
  readonly head: string
  readonly tail: string
}

export type FieldsText = (fieldsV1: JsonObject) => string

/** The fields of `metadata` that come before `resourceVersion`. */
const leading = new Set(['name', 'generateName', 'namespace', 'selfLink', 'uid'])

/**
 * The text of an object that has no resource version yet. `resourceVersion` stands where the reference writes it: in
 * wire order for built-in kinds, in alphabetical order for custom ones, whose keys are sorted here (`sorted`).
 * `fieldsText` gives the text of a `fieldsV1`, for those who know it already. The text of what the object shares with
 * `twin`, one that it takes the place of or is like, is written once.
 */
export function encodeForStore(
  object: JsonObject,
  sorted = false,
  fieldsText: FieldsText = encodeJson,
  twin?: JsonObject,
): SplitJson {
  const ordered = sorted ? sortKeys(object) : object
  const metadata = (ordered['metadata'] ?? {}) as JsonObject
  let before = ''
  let after = ''
  let isAfter = false
  for (const key of Object.keys(ordered)) {
    if (key === 'metadata') isAfter = true
    else if (isAfter) after += sharedMember(key, ordered[key], twin)
    else before += sharedMember(key, ordered[key], twin)
  }
  const replaced = twin === object ? undefined : twin?.['metadata']
  const context = { fieldsText, twin: isJsonObject(replaced) ? replaced : undefined }
  let head = ''
  let rest = ''
  for (const key of Object.keys(metadata)) {
    const value = metadata[key]
    if (sorted ? key < 'resourceVersion' : leading.has(key)) head += metadataMember(key, value, context)
    else if (key !== 'resourceVersion') rest += metadataMember(key, value, context)
  }
  const opened = before === '' ? '{' : `{${before.slice(1)},`
  const known = head === '' ? '' : `${head.slice(1)},`
  return { head: `${opened}"metadata":{${known}"resourceVersion":"`, tail: `"${rest}}${after}}` }
}

export const joinResourceVersion = ({ head, tail }: SplitJson, resourceVersion: string | number | bigint): string =>
  `${head}${resourceVersion}${tail}`

/** A built-in object of that resource version, which stands where the reference writes it. Shares everything else. */
export function withResourceVersion<T extends JsonObject>(object: T, resourceVersion: string): T {
  const given = (object['metadata'] ?? {}) as JsonObject
  const metadata: JsonObject = {}
  let isPlaced = false
  for (const key of Object.keys(given)) {
    if (!isPlaced && !leading.has(key)) {
      metadata['resourceVersion'] = resourceVersion
      isPlaced = true
    }
    if (key !== 'resourceVersion') setKey(metadata, key, given[key])
  }
  if (!isPlaced) metadata['resourceVersion'] = resourceVersion
  return { ...object, metadata }
}

/** `,"a":1`; empty for a value that is absent. */
function member(key: string, value: JsonValue | undefined): string {
  return value === undefined ? '' : keyText(key) + valueText(value)
}

/** The texts of parts that objects share; others may well share them again. */
const sharedTexts = new WeakMap<object, string>()

/** Of objects and their direct members: parts are not shared any deeper. */
function sharedMember(
  key: string,
  value: JsonValue | undefined,
  twin: JsonObject | undefined,
  isInner = false,
): string {
  const before = twin?.[key]
  if (typeof before !== 'object' || before === null || typeof value !== 'object' || value === null) {
    return member(key, value)
  }
  if (before === value) return keyText(key) + sharedText(value, partText)
  if (isInner || !isJsonObject(value) || !isJsonObject(before)) return member(key, value)
  let members = ''
  for (const name of Object.keys(value)) members += sharedMember(name, value[name], before, true)
  return `${keyText(key)}{${members.slice(1)}}`
}

/** Of an object that shares some of its members with others: their texts are likely to be known. */
function partText(value: JsonObject | JsonValue[]): string {
  if (!isJsonObject(value) || !Object.values(value).some(isStableValue)) return encodeJson(value)
  let members = ''
  for (const key of Object.keys(value)) {
    const inner = value[key]
    members += isStableValue(inner) ? keyText(key) + sharedText(inner, encodeJson) : member(key, inner)
  }
  return `{${members.slice(1)}}`
}

const isStableValue = (value: JsonValue | undefined): value is JsonObject | JsonValue[] =>
  typeof value === 'object' && value !== null && isStable(value)

function sharedText<T extends object>(value: T, write: (value: T) => string): string {
  const known = sharedTexts.get(value)
  if (known !== undefined) return known
  const text = write(value)
  sharedTexts.set(value, text)
  return text
}

/** `,"a":`, of keys that were written before. The few that all objects have are the ones that are looked for. */
const keyTexts = new Map<string, string>()
const maxKeyTexts = 256

function keyText(key: string): string {
  const known = keyTexts.get(key)
  if (known !== undefined) return known
  const text = `,${encodeJson(key)}:`
  if (keyTexts.size < maxKeyTexts) keyTexts.set(key, text)
  return text
}

/** What `encodeJson` gives, which takes long to begin. */
function valueText(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return plainText.test(value) ? `"${value}"` : encodeJson(value)
    case 'boolean':
    case 'bigint':
      return String(value)
    default:
      return value === null ? 'null' : encodeJson(value)
  }
}

/** Nothing in it is escaped. */
const plainText = /^[ !#-%'-;=?-[\]-~]*$/

interface MetadataContext {
  readonly fieldsText: FieldsText
  /** That of the object whose place it takes. */
  readonly twin: JsonObject | undefined
}

function metadataMember(key: string, value: JsonValue | undefined, { fieldsText, twin }: MetadataContext): string {
  if (key !== 'managedFields' || !Array.isArray(value)) return sharedMember(key, value, twin, true)
  const known = twin?.[key]
  let entries = ''
  for (const [i, entry] of value.entries()) entries += `,${managerText(entry, known, i, fieldsText)}`
  return `,"managedFields":[${entries.slice(1)}]`
}

/** Whom a write leaves alone stays in its place, mostly. */
function managerText(entry: JsonValue, known: JsonValue | undefined, at: number, fieldsText: FieldsText): string {
  if (!isJsonObject(entry)) return encodeJson(entry)
  const isKnown = Array.isArray(known) && known[at] === entry
  return isKnown ? sharedText(entry, (shared) => entryText(shared, fieldsText)) : entryText(entry, fieldsText)
}

function entryText(entry: JsonObject, fieldsText: FieldsText): string {
  let text = ''
  for (const name of Object.keys(entry)) {
    const part = entry[name]
    text += name === 'fieldsV1' && isJsonObject(part) ? `,"fieldsV1":${fieldsText(part)}` : member(name, part)
  }
  return `{${text.slice(1)}}`
}
