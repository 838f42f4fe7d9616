/**
 * The JSON text of an object as it is stored, split where its resourceVersion is spliced in. Memoized texts are reused: those of interned
 * parts, of keys, of managed fields.
 */

import { isInterned } from '../api/interned.ts'
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { isHeavy } from '../api/large-values.ts'
import type { Steps } from '../lib/in-turns.ts'
import { memoize, SideTable } from '../lib/memo.ts'
import { sortedKeys, sortKeys } from '../schema/json-shape.ts'
import { encodeJson } from './json.ts'
import { encodeJsonInSteps } from './json-in-steps.ts'

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
 * `fieldsText` gives the text of a `fieldsV1` in that order, for those who know it already. The text of what the object shares with
 * `baseline`, one that it takes the place of or is like, is written once.
 */
export function encodeForStore(
  object: JsonObject,
  sorted = false,
  fieldsText: FieldsText = sorted ? (fields) => encodeJson(sortKeys(fields)) : encodeJson,
  baseline?: JsonObject,
): SplitJson {
  const ordered = sorted ? sortMembers(object) : object
  const metadata = (ordered['metadata'] ?? {}) as JsonObject
  let before = ''
  let after = ''
  let isAfter = false
  for (const key in ordered) {
    if (key === 'metadata') isAfter = true
    else if (isAfter) after += member(key, ordered[key], baseline?.[key])
    else before += member(key, ordered[key], baseline?.[key])
  }
  const replaced = baseline === object ? undefined : baseline?.['metadata']
  const context = { fieldsText, baseline: isJsonObject(replaced) ? replaced : undefined }
  let head = ''
  let rest = ''
  for (const key in metadata) {
    const value = metadata[key]
    if (sorted ? key < 'resourceVersion' : leading.has(key)) head += metadataMember(key, value, context)
    else if (key !== 'resourceVersion') rest += metadataMember(key, value, context)
  }
  const opened = before === '' ? '{' : `{${before.slice(1)},`
  const known = head === '' ? '' : `${head.slice(1)},`
  return { head: `${opened}"metadata":{${known}"resourceVersion":"`, tail: `"${rest}}${after}}` }
}

/** The texts of heavy members, which were written in steps. */
const preparedTexts = new SideTable<object, { readonly sorted: boolean; readonly text: string }>()

/** Writes the heavy members of an object, and of its metadata, in steps: `encodeForStore` then finds their texts. */
export function* prepareMemberTexts(object: JsonObject, sorted: boolean): Steps<void> {
  const { metadata, ...members } = object
  for (const member of [...Object.values(members), ...Object.entries(metadata ?? {}).flatMap(exceptManagers)]) {
    yield* prepareText(member, sorted)
  }
}

/** The same of one value, where it is heavy. */
export function* prepareText(value: JsonValue | undefined, sorted: boolean): Steps<void> {
  if (!isHeavy(value) || preparedText(value, sorted) !== undefined) return
  preparedTexts.set(value, { sorted, text: yield* encodeJsonInSteps(value, sorted) })
}

/** Undefined where it was not prepared. */
export function preparedText(value: object, sorted: boolean): string | undefined {
  const prepared = preparedTexts.get(value)
  return prepared?.sorted === sorted ? prepared.text : undefined
}

/** The managers have a text of their own. */
const exceptManagers = ([key, value]: readonly [string, JsonValue | undefined]): (JsonValue | undefined)[] =>
  key === 'managedFields' ? [] : [value]

/** As `sortKeys`, but for the fields of managers, which are as many as the object has: they have a text of their own. */
function sortMembers(object: JsonObject): JsonObject {
  const { managedFields } = (object['metadata'] ?? {}) as JsonObject
  if (!Array.isArray(managedFields)) return sortUnprepared(object)
  const entries = managedFields.map((entry) => {
    if (!isJsonObject(entry) || !isJsonObject(entry['fieldsV1'])) return sortKeys(entry)
    const sorted = sortKeys({ ...entry, fieldsV1: null }) as JsonObject
    sorted['fieldsV1'] = entry['fieldsV1']
    return sorted
  })
  const sorted = sortUnprepared({ ...object, metadata: { ...(object['metadata'] as JsonObject), managedFields: null } })
  ;(sorted['metadata'] as JsonObject)['managedFields'] = entries
  return sorted
}

/** What is prepared is in order already, and stays the very value that its text was prepared of. */
function sortUnprepared(object: JsonObject): JsonObject {
  const sorted: JsonObject = {}
  for (const key of sortedKeys(object)) {
    const value = object[key]
    if (value === undefined) continue
    if (key === 'metadata' && isJsonObject(value)) sorted[key] = sortUnprepared(value)
    else setKey(sorted, key, isPart(value) && preparedTexts.has(value) ? value : sortKeys(value))
  }
  return sorted
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
function member(key: string, value: JsonValue | undefined, baseline: JsonValue | undefined): string {
  return value === undefined ? '' : keyText(key) + sharedText(value, baseline)
}

/** The text of a value that may be the baseline's. Parts are shared by objects and their direct members, not any deeper. */
function sharedText(value: JsonValue, baseline: JsonValue | undefined): string {
  const prepared = isPart(value) ? preparedTexts.get(value) : undefined
  if (prepared !== undefined) return prepared.text
  if (!isPart(value) || !isPart(baseline)) return valueText(value)
  if (value === baseline) return partText(value)
  return isJsonObject(value) && isJsonObject(baseline) ? membersText(value, baseline) : encodeJson(value)
}

/** The text of a part that objects share. Those of its members that are interned are likely to be known. */
const partText = memoize('part-text', (value: JsonContainer): string => {
  if (isJsonObject(value)) {
    for (const key in value) if (isInternedPart(value[key])) return membersText(value, undefined)
  }
  return encodeJson(value)
})

/** No text is put together before all of it is there: each time would be a copy. */
function membersText(value: JsonObject, baseline: JsonObject | undefined): string {
  let text = ''
  for (const key in value) {
    const part = value[key]
    if (part === undefined) continue
    text += text === '' ? firstKeyText(key) : keyText(key)
    const isShared = isPart(part) && (part === baseline?.[key] || isInterned(part))
    text += isShared ? partText(part) : valueText(part)
  }
  return text === '' ? '{}' : `${text}}`
}

type JsonContainer = JsonObject | JsonValue[]

const isPart = (value: JsonValue | undefined): value is JsonContainer => typeof value === 'object' && value !== null
const isInternedPart = (value: JsonValue | undefined): boolean => isPart(value) && isInterned(value)

/** `,"a":` or `{"a":`, of keys that were written before. The few that all objects have are the ones that are looked for. */
const keyText = keyTexts(',')
const firstKeyText = keyTexts('{')
const maxKeyTexts = 256

function keyTexts(lead: ',' | '{'): (key: string) => string {
  const texts = new Map<string, string>()
  return (key) => {
    const known = texts.get(key)
    if (known !== undefined) return known
    const text = `${lead}${encodeJson(key)}:`
    if (texts.size < maxKeyTexts) texts.set(key, text)
    return text
  }
}

/** What `encodeJson` gives, which takes long to begin. */
function valueText(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return plainText.test(value) ? `"${value}"` : encodeJson(value)
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null'
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
  readonly baseline: JsonObject | undefined
}

function metadataMember(key: string, value: JsonValue | undefined, { fieldsText, baseline }: MetadataContext): string {
  if (value === undefined) return ''
  const known = baseline?.[key]
  if (key === 'managedFields' && Array.isArray(value)) return `,"managedFields":${managersText(value, fieldsText)}`
  if (!isPart(value)) return keyText(key) + valueText(value)
  return keyText(key) + (preparedTexts.get(value)?.text ?? (value === known ? partText(value) : encodeJson(value)))
}

function managersText(entries: readonly JsonValue[], fieldsText: FieldsText): string {
  let text = ''
  for (const [i, entry] of entries.entries()) {
    const lead = i === 0 ? '[' : ','
    if (!isJsonObject(entry)) text += lead + encodeJson(entry)
    else text += lead + entryText(entry, fieldsText)
  }
  return text === '' ? '[]' : `${text}]`
}

function entryText(entry: JsonObject, fieldsText: FieldsText): string {
  let text = ''
  for (const name in entry) {
    const part = entry[name]
    if (part === undefined) continue
    const isFields = name === 'fieldsV1' && isJsonObject(part)
    text += (text === '' ? firstKeyText(name) : keyText(name)) + (isFields ? fieldsText(part) : valueText(part))
  }
  return text === '' ? '{}' : `${text}}`
}
