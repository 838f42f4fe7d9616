/** Text beyond the standard library. Indices count code points. */

import { UnitWriter } from '../../lib/unit-writer.ts'
import { display } from '../display.ts'
import type { Work } from '../evaluation.ts'
import { WORK } from '../evaluation.ts'
import type { FunctionDeclaration, Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { INT, LIST_OF_DYN, listType, STRING } from '../types.ts'
import type { Int, List, Value } from '../values.ts'
import { CelError, codePointCount, StringList } from '../values.ts'
import type { Library } from './library.ts'
import type { FormatStyle } from './string-format.ts'
import { formatText, referenceStyle, specifiedStyle } from './string-format.ts'

const LIST_OF_STRING = listType(STRING)
const outOfRange = (index: Int): CelError => new CelError(`index out of range: ${index}`)
/** An index as a number; those beyond any text are all alike. */
const place = (value: Value): number => Number(value as Int)

/** Where in the text the code point with that index starts; -1 behind the end. */
function offsetOf(text: string, index: number): number {
  if (isPlain(text)) return index <= text.length ? index : -1
  let offset = 0
  for (let i = 0; i < index; i++) {
    if (offset >= text.length) return -1
    offset += text.codePointAt(offset)! > 0xffff ? 2 : 1
  }
  return offset
}

const SURROGATE = /[\ud800-\udfff]/
/** Each unit is a code point; the engine knows that at once of most texts. */
const isPlain = (text: string): boolean => !SURROGATE.test(text)

/** How many code points lie before the offset. */
const indexAt = (text: string, offset: number): number => (offset < 0 ? -1 : codePointCount(text.slice(0, offset)))

const charAt: Implementation = (a, b, _c, _d, e) => {
  const text = a as string
  e.work(Math.min(Math.max(0, place(b)), text.length) * 2 * WORK.character)
  const offset = place(b) < 0 ? -1 : offsetOf(text, place(b))
  if (offset < 0) return outOfRange(b as Int)
  return offset === text.length ? '' : String.fromCodePoint(text.codePointAt(offset)!)
}

function indexOf(a: Value, b: Value, c: Value): Value {
  const from = c === undefined ? 0 : place(c)
  if (b === '') return c === undefined ? 0 : c
  if (from < 0) return outOfRange(c as Int)
  const text = a as string
  const offset = offsetOf(text, from)
  return offset < 0 ? -1 : indexAt(text, text.indexOf(b as string, offset))
}

function lastIndexOf(a: Value, b: Value, c: Value): Value {
  const text = a as string
  if (b === '') return c === undefined ? codePointCount(text) : c
  const from = c === undefined ? codePointCount(text) - 1 : place(c)
  if (from < 0) return outOfRange(c === undefined ? -1 : (c as Int))
  const offset = offsetOf(text, from)
  return offset < 0 || offset >= text.length ? -1 : indexAt(text, text.lastIndexOf(b as string, offset))
}

/** Releases before 1.34 find nothing in an empty text by an error. */
const lastIndexInAny: Implementation = (a, b, c) =>
  a === '' && b !== '' && c === undefined ? -1 : lastIndexOf(a, b, c)

function substring(a: Value, b: Value, c: Value): Value {
  const text = a as string
  const start = place(b)
  if (c !== undefined && start > place(c)) {
    return new CelError(`invalid substring range. start: ${b as Int}, end: ${c as Int}`)
  }
  const from = start < 0 ? -1 : offsetOf(text, start)
  if (from < 0) return outOfRange(b as Int)
  if (c === undefined) return text.slice(from)
  const to = offsetOf(text, place(c))
  return to < 0 ? outOfRange(c as Int) : text.slice(from, to)
}

/** At most `count` replacements, all of them if it is negative. */
const replace: Implementation = (a, b, c, d, e) => {
  const text = a as string
  const count = d === undefined || place(d) < 0 ? Infinity : place(d)
  if (count === 0) return text
  if (b !== '') return replaced(text, { search: b as string, by: c as string, count, e })
  return interleaved(text, { by: c as string, count, e })
}

/** The empty text is found before each character and at the end. */
function interleaved(text: string, { by, count, e }: { by: string; count: number; e: Work }): string {
  const places = Math.min(count, text.length + 1)
  e.work((text.length + places * by.length) * WORK.written + places * WORK.part)
  const out = new UnitWriter(text.length + places * by.length)
  let done = 0
  let at = 0
  for (; done < count && at < text.length; done++) {
    const end = at + (text.codePointAt(at)! > 0xffff ? 2 : 1)
    out.writeText(by)
    out.writeText(text, at, end)
    at = end
  }
  out.writeText(text, at)
  if (done < count) out.writeText(by)
  return out.toString()
}

/** So many places are taken for a lot: the result is written unit by unit, not put together from parts. */
const MANY = 1000
/** So many are accounted for together. */
const BLOCK = 1024

function replaced(
  text: string,
  { search, by, count, e }: { search: string; by: string; count: number; e: Work },
): string {
  const places: number[] = []
  for (let at = text.indexOf(search); at >= 0 && places.length < count; at = text.indexOf(search, at + search.length)) {
    if (places.length % BLOCK === 0) e.work(BLOCK * WORK.place)
    places.push(at)
  }
  const length = text.length + places.length * (by.length - search.length)
  e.work(length * WORK.written)
  if (places.length === 0) return text
  const end = places.at(-1)! + search.length
  if (places.length < MANY) return text.slice(0, end).split(search).join(by) + text.slice(end)
  const out = new UnitWriter(length)
  let at = 0
  for (const place of places) {
    out.writeText(text, at, place)
    out.writeText(by)
    at = place + search.length
  }
  out.writeText(text, at)
  return out.toString()
}

const split: Implementation = (a, b, c, _d, e) => {
  const limit = c === undefined || place(c) < 0 ? Infinity : place(c)
  return new StringList(limit === 0 ? [] : pieces(a as string, b as string, { count: limit, e }))
}

/** The text taken apart where the separator is, into so many pieces at most; the last one is the rest. */
function pieces(text: string, separator: string, { count, e }: { count: number; e: Work }): string[] {
  if (separator === '') return characters(text, count, e)
  if (count === Infinity) {
    const parts = text.split(separator)
    e.work(parts.length * WORK.slice)
    return parts
  }
  const parts: string[] = []
  let at = 0
  while (parts.length < count - 1) {
    const end = text.indexOf(separator, at)
    if (end < 0) break
    e.work(WORK.slice)
    parts.push(text.slice(at, end))
    at = end + separator.length
  }
  parts.push(text.slice(at))
  return parts
}

/** The code points of a text, the last of so many pieces being the rest. */
function characters(text: string, count: number, e: Work): string[] {
  const plain = isPlain(text)
  const taken = Math.min(count, text.length)
  e.work(taken * (plain ? WORK.part : WORK.wideCharacter / 2))
  if (plain && count >= text.length) return text.split('')
  const chars: string[] = []
  let at = 0
  while (at < text.length && chars.length < count - 1) {
    const end = at + (text.codePointAt(at)! > 0xffff ? 2 : 1)
    chars.push(text.slice(at, end))
    at = end
  }
  if (at < text.length) chars.push(text.slice(at))
  return chars
}

/** How long the result becomes is known before it is made. */
function joined(parts: readonly string[], separator: string, e: Work): string {
  let length = separator.length * parts.length
  for (const part of parts) length += part.length
  e.work(length * WORK.copied + parts.length * WORK.part)
  return parts.join(separator)
}

/** What Go calls white space. */
const SPACE = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const trim = (a: Value): Value => trimEnd((a as string).replace(new RegExp(`^${SPACE}+`), ''))

/** From the end by hand: a pattern anchored there tries every place. */
function trimEnd(text: string): string {
  const space = new RegExp(`^${SPACE}$`)
  let end = text.length
  while (end > 0 && space.test(text[end - 1]!)) end--
  return text.slice(0, end)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\x00-\x7f]*$/

/** Letters between the two, and so much further on. */
function movedLetters(text: string, { first, last, by }: { first: number; last: number; by: number }): string {
  const out = new UnitWriter(text.length)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    out.write(unit >= first && unit <= last ? unit + by : unit)
  }
  return out.toString()
}

function lowerAscii(a: Value): Value {
  const text = a as string
  return ASCII.test(text) ? text.toLowerCase() : movedLetters(text, { first: 0x41, last: 0x5a, by: 0x20 })
}

function upperAscii(a: Value): Value {
  const text = a as string
  return ASCII.test(text) ? text.toUpperCase() : movedLetters(text, { first: 0x61, last: 0x7a, by: -0x20 })
}

const join: Implementation = (a, b, _c, _d, e) => {
  const list = a as List
  e.work(list.length * WORK.visited)
  const parts: string[] = []
  for (let i = 0; i < list.length; i++) {
    const item = list.at(i)
    if (typeof item !== 'string') return new CelError(`join: invalid input: ${display(item)}`)
    parts.push(item)
  }
  return joined(parts, b === undefined ? '' : (b as string), e)
}

const QUOTED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

const QUOTED_CODES = new Map(Object.entries(QUOTED).map(([char, text]) => [char.charCodeAt(0), text]))

const quote: Implementation = (a, _b, _c, _d, e) => {
  e.work((a as string).length * WORK.quoted)
  const wellFormed = (a as string).replace(/\p{Surrogate}/gu, '\ufffd')
  const out = new UnitWriter(wellFormed.length + 2)
  out.write(0x22)
  for (let i = 0; i < wellFormed.length; i++) {
    const unit = wellFormed.charCodeAt(i)
    const escaped = unit < 0x60 ? QUOTED_CODES.get(unit) : undefined
    if (escaped === undefined) out.write(unit)
    else out.writeText(escaped)
  }
  out.write(0x22)
  return out.toString()
}

const basicFunctions = (lastIndex: Implementation): readonly FunctionDeclaration[] => [
  declareFunction('charAt', { members: [['string_char_at_int', [STRING, INT], STRING, charAt]] }),
  declareFunction('indexOf', {
    members: [
      ['string_index_of_string', [STRING, STRING], INT, indexOf],
      ['string_index_of_string_int', [STRING, STRING, INT], INT, indexOf],
    ],
  }),
  declareFunction('lastIndexOf', {
    members: [
      ['string_last_index_of_string', [STRING, STRING], INT, lastIndex],
      ['string_last_index_of_string_int', [STRING, STRING, INT], INT, lastIndex],
    ],
  }),
  declareFunction('lowerAscii', { members: [['string_lower_ascii', [STRING], STRING, lowerAscii]] }),
  declareFunction('replace', {
    members: [
      ['string_replace_string_string', [STRING, STRING, STRING], STRING, replace],
      ['string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, replace],
    ],
  }),
  declareFunction('split', {
    members: [
      ['string_split_string', [STRING, STRING], LIST_OF_STRING, split],
      ['string_split_string_int', [STRING, STRING, INT], LIST_OF_STRING, split],
    ],
  }),
  declareFunction('substring', {
    members: [
      ['string_substring_int', [STRING, INT], STRING, substring],
      ['string_substring_int_int', [STRING, INT, INT], STRING, substring],
    ],
  }),
  declareFunction('trim', { members: [['string_trim', [STRING], STRING, trim]] }),
  declareFunction('upperAscii', { members: [['string_upper_ascii', [STRING], STRING, upperAscii]] }),
  declareFunction('join', {
    members: [
      ['list_join', [LIST_OF_STRING], STRING, join],
      ['list_join_string', [LIST_OF_STRING, STRING], STRING, join],
    ],
  }),
]

const formatting = (style: FormatStyle): readonly FunctionDeclaration[] => [
  declareFunction('format', {
    members: [
      [
        'string_format',
        [STRING, LIST_OF_DYN],
        STRING,
        (a, b, _c, _d, e) => formatText(a as string, b as List, { ...style, work: e }),
      ],
    ],
    stopsAtError: true,
  }),
  declareFunction('strings.quote', { overloads: [['strings_quote', [STRING], STRING, quote]] }),
]

const reverse = declareFunction('reverse', {
  members: [
    [
      'string_reverse',
      [STRING],
      STRING,
      (a, _b, _c, _d, e) =>
        characters(a as string, Infinity, e)
          .reverse()
          .join(''),
    ],
  ],
})

const firstBasic = basicFunctions(lastIndexOf)
const basic = basicFunctions(lastIndexInAny)

/** The first version has no formatting. */
export const stringsLibraryV0: Library = { functions: firstBasic }
/** As up to 1.33, and as since. */
export const stringsLibraryV2: Library = { functions: [...firstBasic, ...formatting(referenceStyle)] }
export const laterStringsLibraryV2: Library = { functions: [...basic, ...formatting(referenceStyle)] }
/** As the language specifies it. */
export const stringsLibraryV4: Library = { functions: [...basic, ...formatting(specifiedStyle), reverse] }
