/**
 * One step of a field path: a field of an object, an element of an associative list by its key fields, an element of a
 * set by its value, or an element by its index. An element is immutable and `text` is canonical: two elements of one
 * rank are equal when their texts are.
 *
 *     f:image                      .image
 *     k:{"name":"web"}             [name="web"]
 *     v:"example.com/finalizer"    [="example.com/finalizer"]
 *     i:3                          [3]
 */
import { quote } from '../../api/field-error.ts'
import { GoNative } from '../../api/golang/native.ts'
import { isJsonObject, type JsonValue } from '../../api/json.ts'

/** The order of the four kinds within a set. */
const fieldRank = 0
const keyRank = 1
const valueRank = 2
const indexRank = 3

export interface PathElement {
  readonly rank: 0 | 1 | 2 | 3
  /** The field's name, or the JSON of the key, value or index. */
  readonly text: string
  /** What a key or value element is made of, for ordering; undefined for a field. */
  readonly parts: readonly KeyPart[] | undefined
}

export interface KeyPart {
  readonly name: string
  readonly value: JsonValue
}

export type FieldPathElements = readonly PathElement[]

/**
 * Elements that were made before, by their text: a few names make up nearly all paths, and equal elements that are
 * one object compare at once. Forgotten as a whole when full; long texts are not kept.
 */
class Memo {
  readonly #elements = new Map<string, PathElement>()

  get(text: string): PathElement | undefined {
    return this.#elements.get(text)
  }

  keep(text: string, element: PathElement): PathElement {
    if (text.length > maxKeptLength) return element
    if (this.#elements.size >= maxKept) this.#elements.clear()
    this.#elements.set(text, element)
    return element
  }
}

const maxKept = 4_096
const maxKeptLength = 128
const fieldMemo = new Memo()
const keyMemo = new Memo()
const valueMemo = new Memo()
const encodedMemo = new Memo()
const keyMemos = new Map<string, Memo>()

export const fieldElement = (name: string): PathElement =>
  fieldMemo.get(name) ?? fieldMemo.keep(name, { rank: fieldRank, text: name, parts: undefined })

/** The parts may come in any order; a key is ordered by name. */
export function keyElement(parts: readonly KeyPart[]): PathElement {
  const sorted = isSorted(parts) ? parts : [...parts].sort((a, b) => compareText(a.name, b.name))
  let text = '{'
  for (const { name, value } of sorted) {
    text += `${text.length > 1 ? ',' : ''}${JSON.stringify(name)}:${encodeValue(value)}`
  }
  text += '}'
  return keyMemo.get(text) ?? keyMemo.keep(text, { rank: keyRank, text, parts: sorted })
}

/** The usual key: one field, mostly a name. */
export function singleKeyElement(name: string, value: JsonValue): PathElement {
  if (typeof value !== 'string') return keyElement([{ name, value }])
  let memo = keyMemos.get(name)
  if (memo === undefined) {
    if (keyMemos.size >= 256) keyMemos.clear()
    memo = new Memo()
    keyMemos.set(name, memo)
  }
  return memo.get(value) ?? memo.keep(value, keyElement([{ name, value }]))
}

export function valueElement(value: JsonValue): PathElement {
  const text = encodeValue(value)
  return valueMemo.get(text) ?? valueMemo.keep(text, { rank: valueRank, text, parts: [{ name: '', value }] })
}

export const indexElement = (index: number): PathElement => ({
  rank: indexRank,
  text: String(index),
  parts: [{ name: '', value: index }],
})

export const isField = (element: PathElement): boolean => element.rank === fieldRank
export const isKey = (element: PathElement): boolean => element.rank === keyRank

export function compareElements(a: PathElement, b: PathElement): number {
  if (a.rank !== b.rank) return a.rank - b.rank
  if (a.text === b.text) return 0
  if (a.rank === fieldRank) return a.text < b.text ? -1 : 1
  return compareParts(a.parts ?? [], b.parts ?? [])
}

function compareParts(a: readonly KeyPart[], b: readonly KeyPart[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const left = a[i]!
    const right = b[i]!
    const order = compareText(left.name, right.name) || compareScalars(left.value, right.value)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Numbers before strings before booleans before everything else; equal only when the values are. */
function compareScalars(a: JsonValue, b: JsonValue): number {
  const order = scalarRank(a) - scalarRank(b)
  if (order !== 0) return order
  if (typeof a === 'object' || typeof b === 'object') return compareText(encodeValue(a), encodeValue(b))
  return a < b ? -1 : a > b ? 1 : 0
}

function scalarRank(value: JsonValue): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 0
    case 'string':
      return 1
    case 'boolean':
      return 2
    default:
      return value === null ? 4 : 3
  }
}

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

function isSorted(parts: readonly KeyPart[]): boolean {
  for (let i = 1; i < parts.length; i++) if (parts[i - 1]!.name > parts[i]!.name) return false
  return true
}

// --- the texts: of FieldsV1, and of messages

const prefixes = ['f:', 'k:', 'v:', 'i:'] as const

export const encodeElement = (element: PathElement): string => prefixes[element.rank] + element.text

/** A text that is no path element; the message is the reference's. */
export class PathElementError extends Error {
  override readonly name = 'PathElementError'
}

/** Undefined for an element of a kind that is not known, which a reader skips. */
export function decodeElement(text: string): PathElement | undefined {
  const known = encodedMemo.get(text)
  if (known !== undefined) return known
  const element = decodeNew(text)
  return element && encodedMemo.keep(text, element)
}

function decodeNew(text: string): PathElement | undefined {
  if (text.length < 2) throw new PathElementError('key must be 2 characters long:')
  if (text[1] !== ':') throw new PathElementError(`missing colon: ${text}`)
  const rest = text.slice(2)
  switch (text[0]) {
    case 'f':
      return fieldElement(rest)
    case 'k':
      return keyElement(decodeKey(rest))
    case 'v':
      return valueElement(decodeJson(rest))
    case 'i':
      if (!/^[+-]?\d+$/.test(rest)) throw new PathElementError(`strconv.Atoi: parsing ${quote(rest)}: invalid syntax`)
      return indexElement(Number(rest))
    default:
      return undefined
  }
}

function decodeKey(text: string): KeyPart[] {
  const key = decodeJson(text)
  if (typeof key !== 'object' || key === null || Array.isArray(key)) {
    throw new PathElementError(`expect { or n, but found ${text[0] ?? 'nothing'}`)
  }
  return Object.keys(key).map((name) => ({ name, value: key[name]! }))
}

/** Integers beyond 2^53 come out as `bigint`, as everywhere. */
function decodeJson(text: string): JsonValue {
  try {
    return /\d{16}/.test(text) ? decodeExactly(text) : (JSON.parse(text) as JsonValue)
  } catch {
    throw new PathElementError(`invalid JSON in path element: ${text}`)
  }
}

function decodeExactly(text: string): JsonValue {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (token) =>
    token.startsWith('"') ? token : JSON.stringify(`\0${token}`),
  )
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith('\0') ? exactInteger(value.slice(1)) : value,
  ) as JsonValue
}

function exactInteger(digits: string): number | bigint {
  const value = BigInt(digits)
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

const unsafeInHtml: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

function encodeValue(value: JsonValue): string {
  if (typeof value === 'bigint') return String(value)
  const text = JSON.stringify(value)
  return typeof value === 'string' && /[<>&\u2028\u2029]/.test(text)
    ? text.replace(/[<>&\u2028\u2029]/g, (char) => unsafeInHtml[char]!)
    : text
}

/** As messages write a path: `.spec.containers[name="web"].image`. */
export function formatPath(path: FieldPathElements): string {
  let text = ''
  for (const element of path) text += formatElement(element)
  return text
}

export function formatElement(element: PathElement): string {
  switch (element.rank) {
    case fieldRank:
      return `.${element.text}`
    case keyRank:
      return `[${(element.parts ?? []).map(({ name, value }) => `${name}=${formatScalar(value)}`).join(',')}]`
    case valueRank:
      return `[=${formatScalar(element.parts?.[0]?.value ?? null)}]`
    default:
      return `[${element.text}]`
  }
}

function formatScalar(value: JsonValue): string {
  if (typeof value === 'string') return quote(value)
  if (value instanceof GoNative) return '{{undefined}}'
  if (Array.isArray(value)) return `[${value.map(formatScalar).join(',')}]`
  if (!isJsonObject(value)) return encodeValue(value)
  return Object.keys(value)
    .map((key) => `${key}=${formatScalar(value[key] ?? null)}`)
    .join('')
}
