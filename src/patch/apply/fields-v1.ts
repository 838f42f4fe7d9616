/**
 * `fieldsV1`, the JSON of a field set. A member without members below it is `{}`; one that has some carries `.`:
 *
 *     {"f:spec":{"f:replicas":{},"f:template":{".":{},"f:metadata":{}}}}
 *
 * Encoding is canonical: `.` first, then the order of the set. Decoding takes any order, skips elements of unknown
 * kinds and refuses what is no path element. Objects are immutable, so both directions are remembered for as long as
 * the object or the set lives: an unchanged entry costs nothing.
 */

import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import { jsonText } from '../../api/json-text.ts'
import { compareTexts, keysOf, listKeys } from '../../api/key-lists.ts'
import { keepText } from '../../api/known-text.ts'
import { deferValue, isHeavy, sortInSteps } from '../../api/large-values.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import { SideTable } from '../../lib/memo.ts'
import { FieldSet, type FieldSetEntry } from './field-set.ts'
import { compareElements, decodeElement, encodeElement, type PathElement, PathElementError } from './path-element.ts'

const decoded = new SideTable<JsonObject, FieldSet>()
/** Of those, the ones that are spelt as `encodeFieldsV1` would spell them. */
const canonicalFields = new SideTable<JsonObject, true>()

/** Deeper than any object that can be written. */
const maxDepth = 1_000

export function encodeFieldsV1(set: FieldSet): JsonObject {
  const known = set.memo.fieldsV1
  if (known !== undefined) return known
  const fields = isHuge(set) ? lazyFields(set) : encodeEntries(set, false)
  set.memo.fieldsV1 = fields
  decoded.set(fields, set)
  canonicalFields.set(fields, true)
  return fields
}

/** The JSON text of fields, as `encode` writes it; of those in canonical form written once for a set. */
export function fieldsV1Text(fields: JsonObject, encode: (fields: JsonValue) => string): string {
  const set = canonicalFields.has(fields) ? decoded.get(fields) : undefined
  if (set === undefined) return encode(fields)
  set.memo.text ??= isLong(set) ? runToEnd(textOfSet(set, false, encode)) : encode(fields)
  return set.memo.text
}

/** The same with the keys in the order of their texts at every level; undefined where it is faster to sort the fields. */
export function sortedFieldsV1Text(fields: JsonObject, encode: (key: string) => string): string | undefined {
  const set = canonicalFields.has(fields) ? decoded.get(fields) : undefined
  if (set === undefined || !isLong(set)) return undefined
  set.memo.sortedText ??= runToEnd(sortedTextOfSet(set, false, encode))
  return set.memo.sortedText
}

/** Writes the text of many fields in steps, for one of the two above. False where there is no set that it could be written of. */
export function* prepareFieldsV1Text(
  fields: JsonObject,
  sorted: boolean,
  encode: (key: string) => string,
): Steps<boolean> {
  const set = canonicalFields.has(fields) ? decoded.get(fields) : undefined
  if (set === undefined) return false
  if (!isLong(set)) return true
  if (sorted) set.memo.sortedText ??= yield* sortedTextOfSet(set, false, encode)
  else {
    set.memo.text ??= yield* textOfSet(set, false, encode)
    keepText(fields, set.memo.text)
  }
  return true
}

/** Objects with more keys are dictionaries to the engine, which takes its time to list and sort their keys. */
const manyKeys = 256

const isWide = ({ entries }: FieldSet, width: number): boolean =>
  entries.length > width || entries.some(({ child }) => child !== undefined && isWide(child, width))

/** Made lazily: mostly only the store reads the fields of a set, as text. */
const hugeCount = 4096

const isHuge = (set: FieldSet): boolean => countEntries(set, 0) > hugeCount

/** Added to `count`, and no further than to a huge set. */
function countEntries({ entries }: FieldSet, count: number): number {
  let sum = count + entries.length
  for (const { child } of entries) {
    if (sum > hugeCount) break
    if (child !== undefined) sum = countEntries(child, sum)
  }
  return sum
}

/** Its text is written from the set, in steps where that may be. */
const isLong = (set: FieldSet): boolean => isWide(set, manyKeys) || isHuge(set)

const touches = [
  'get',
  'has',
  'ownKeys',
  'getOwnPropertyDescriptor',
  'set',
  'defineProperty',
  'deleteProperty',
] as const

/** Fields that are made when they are first looked at. To everybody who does they are a plain object. */
function lazyFields(set: FieldSet): JsonObject {
  let isMade = false
  const made = (target: JsonObject): JsonObject => {
    if (!isMade) fillFields(target, set)
    isMade = true
    return target
  }
  const handler: Record<string, (target: JsonObject, ...rest: never[]) => unknown> = {
    preventExtensions: (target) => Reflect.preventExtensions(made(target)),
  }
  for (const name of touches) {
    const touch = Reflect[name] as (target: JsonObject, ...rest: never[]) => unknown
    handler[name] = (target, ...rest) => touch(made(target), ...rest)
  }
  const target: JsonObject = {}
  const fields = new Proxy<JsonObject>(target, handler)
  deferValue(fields, function* () {
    if (!isMade) yield* fillFieldsInSteps(target, set)
    isMade = true
    listKeys(fields, keysOf(target))
  })
  return fields
}

function* fillFieldsInSteps(out: JsonObject, { entries }: FieldSet): Steps<void> {
  const keys: string[] = Object.keys(out)
  for (const { element, member, child } of entries) {
    if (keys.length % entriesPerStep === 0) yield
    const key = encodeElement(element)
    keys.push(key)
    if (child !== undefined && isLong(child)) yield* encodeEntriesInSteps(child, member)
    setKey(out, key, child ? encodeEntries(child, member) : leaf)
  }
  listKeys(out, keys)
}

/** Fills the memo of `encodeEntries`. */
function* encodeEntriesInSteps(set: FieldSet, self: boolean): Steps<void> {
  const { memo } = set
  if ((self ? memo.fieldsV1WithSelf : memo.fieldsV1) !== undefined) return
  const out: JsonObject = {}
  if (self) out['.'] = {}
  yield* fillFieldsInSteps(out, set)
  if (self) memo.fieldsV1WithSelf = out
  else memo.fieldsV1 = out
}

const entriesPerStep = 128

/** What `encode` makes of the set's fields. */
function* textOfSet({ entries }: FieldSet, self: boolean, encode: (key: string) => string): Steps<string> {
  let text = self ? '{".":{}' : '{'
  let isFirst = !self
  let count = 0
  for (const { element, member, child } of entries) {
    if (++count % entriesPerStep === 0) yield
    const below = child === undefined ? '{}' : yield* textOfSet(child, member, encode)
    text += `${isFirst ? '' : ','}${encode(encodeElement(element))}:${below}`
    isFirst = false
  }
  return `${text}}`
}

function* sortedTextOfSet({ entries }: FieldSet, self: boolean, encode: (key: string) => string): Steps<string> {
  const unordered = entries.map((entry) => ({ key: encodeElement(entry.element), entry }))
  // Mostly they are in order.
  const members = yield* sortInSteps(unordered, (a, b) => compareTexts(a.key, b.key))
  let text = self ? '{".":{}' : '{'
  let isFirst = !self
  let count = 0
  for (const { key, entry } of members) {
    if (++count % entriesPerStep === 0) yield
    const below = entry.child === undefined ? '{}' : yield* sortedTextOfSet(entry.child, entry.member, encode)
    text += `${isFirst ? '' : ','}${encode(key)}:${below}`
    isFirst = false
  }
  return `${text}}`
}

/** One for all: nothing is ever added to fields that have been encoded. */
const leaf: JsonObject = Object.freeze({})

function encodeEntries(set: FieldSet, self: boolean): JsonObject {
  const { memo } = set
  const known = self ? memo.fieldsV1WithSelf : memo.fieldsV1
  if (known !== undefined) return known
  const out: JsonObject = {}
  if (self) out['.'] = {}
  fillFields(out, set)
  if (self) memo.fieldsV1WithSelf = out
  else memo.fieldsV1 = out
  return out
}

function fillFields(out: JsonObject, { entries }: FieldSet): void {
  for (const { element, member, child } of entries) {
    setKey(out, encodeElement(element), child ? encodeEntries(child, member) : leaf)
  }
}

/** Throws a PathElementError. */
export function decodeFieldsV1(fields: JsonValue | undefined): FieldSet {
  if (fields === undefined || fields === null) return FieldSet.empty
  if (!isJsonObject(fields)) throw notAnObject(fields)
  const known = decoded.get(fields)
  if (known !== undefined) return known
  const canonical = { is: true }
  return keepDecoded(fields, decodeEntries(fields, canonical, 0), canonical.is)
}

/** The same, of fields that take more than one turn. */
export function* decodeFieldsV1InSteps(fields: JsonValue | undefined): Steps<FieldSet> {
  if (!isHeavy(fields) || Array.isArray(fields)) return decodeFieldsV1(fields)
  const known = decoded.get(fields)
  if (known !== undefined) return known
  const canonical = { is: true }
  return keepDecoded(fields, yield* decodeEntriesInSteps(fields, canonical, 0), canonical.is)
}

function keepDecoded(fields: JsonObject, set: FieldSet, isCanonical: boolean): FieldSet {
  decoded.set(fields, set)
  if (isCanonical) {
    set.memo.fieldsV1 = fields
    canonicalFields.set(fields, true)
  }
  return set
}

function decodeEntries(fields: JsonObject, canonical: { is: boolean }, depth: number): FieldSet {
  const level = new Level(fields, canonical, depth)
  for (const key of keysOf(fields)) {
    const element = level.begin(key)
    if (element === undefined) continue
    const below = fields[key] as JsonObject
    level.end(element, below, decodeEntries(below, canonical, depth + 1))
  }
  return collectEntries(level.entries, canonical)
}

function* decodeEntriesInSteps(fields: JsonObject, canonical: { is: boolean }, depth: number): Steps<FieldSet> {
  if (!isHeavy(fields)) return decodeEntries(fields, canonical, depth)
  const level = new Level(fields, canonical, depth)
  let count = 0
  for (const key of keysOf(fields)) {
    if (++count % entriesPerStep === 0) yield
    const element = level.begin(key)
    if (element === undefined) continue
    const below = fields[key] as JsonObject
    level.end(element, below, yield* decodeEntriesInSteps(below, canonical, depth + 1))
  }
  const entries = yield* sortInSteps(level.entries, (a, b) => compareElements(a.element, b.element))
  // Sorted entries come to the same, only that they were not in order.
  if (entries !== level.entries) canonical.is = false
  yield
  return collectEntries(entries, canonical)
}

/** The keys of one level of the fields, as they come. */
class Level {
  readonly entries: FieldSetEntry[] = []
  readonly #fields: JsonObject
  readonly #canonical: { is: boolean }
  readonly #depth: number
  #position = 0

  constructor(fields: JsonObject, canonical: { is: boolean }, depth: number) {
    if (depth > maxDepth) throw new PathElementError('fields are nested too deeply')
    this.#fields = fields
    this.#canonical = canonical
    this.#depth = depth
  }

  /** The element of the key where there are fields below it: `end` comes next. Undefined where that is all. */
  begin(key: string): PathElement | undefined {
    const canonical = this.#canonical
    if (key === '.') {
      canonical.is &&= this.#position++ === 0 && this.#depth > 0 && isEmptyObject(this.#fields[key])
      return undefined
    }
    this.#position++
    const element = decodeElement(key)
    if (element === undefined || (element.rank !== 0 && !isSpelt(element, key))) canonical.is = false
    if (element === undefined) return undefined
    const below = this.#fields[key]
    if (below === null || below === undefined) {
      canonical.is = false
      this.entries.push({ element, member: true, child: undefined })
      return undefined
    }
    if (!isJsonObject(below)) throw notAnObject(below)
    return element
  }

  end(element: PathElement, below: JsonObject, child: FieldSet): void {
    const leaf = child.isEmpty
    if (leaf && !isEmptyObject(below)) this.#canonical.is = false
    this.entries.push({ element, member: leaf || Object.hasOwn(below, '.'), child: leaf ? undefined : child })
  }
}

/** Canonical text is sorted and names nothing twice; other text may spell one key in two ways. */
function collectEntries(entries: FieldSetEntry[], canonical: { is: boolean }): FieldSet {
  for (let i = 1; i < entries.length; i++) {
    if (compareElements(entries[i - 1]!.element, entries[i]!.element) >= 0) canonical.is = false
  }
  return FieldSet.from(canonical.is ? entries : uniteEqual(entries))
}

function uniteEqual(entries: FieldSetEntry[]): FieldSetEntry[] {
  const united: FieldSetEntry[] = []
  for (const entry of entries.sort((a, b) => compareElements(a.element, b.element))) {
    const { element, member, child } = united.at(-1) ?? entry
    if (united.length > 0 && compareElements(element, entry.element) === 0) {
      const both = child && entry.child ? child.union(entry.child) : (child ?? entry.child)
      united[united.length - 1] = { element, member: member || entry.member, child: both }
    } else united.push(entry)
  }
  return united
}

/** Whether the text is the element's canonical one. */
const isSpelt = (element: PathElement, text: string): boolean =>
  text.length === element.text.length + 2 && text.endsWith(element.text)

function isEmptyObject(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value)) return false
  for (const _ in value) return false
  return true
}

const notAnObject = (value: JsonValue): PathElementError =>
  new PathElementError(`ReadMapCB: expect { or n, but found ${jsonText(value)[0]}`)
