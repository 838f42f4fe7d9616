/**
 * Writes YAML as the reference prints it: sorted keys, two blanks a level, list items in line with their key, texts
 * quoted only where they would read as something else, long ones folded after column 80.
 */

import type { JsonObject, JsonValue } from '../api/json.ts'
import { keysOf } from '../api/key-lists.ts'
import { materialize, sortInSteps } from '../api/large-values.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { compareKeys } from './yaml-key-order.ts'
import { kindOfPlain } from './yaml-scalars.ts'

const step = 2
const bestWidth = 80
/** Longer keys are written with a question mark. */
const longestKey = 128

/** The text, with a line break at its end. */
export const encodeYaml = (value: JsonValue): string => runToEnd(encodeYamlInSteps(value))

/** The same for answers, which may be large. */
export function* encodeYamlInSteps(value: JsonValue): Steps<string> {
  const emitter = new YamlEmitter()
  yield* emitter.node(value, { mapping: false, key: false })
  return emitter.finish()
}

/** How many items make a step: a step goes through all that is open. */
const itemsPerStep = 64

type Style = 'plain' | 'single' | 'double' | 'literal'

interface Context {
  /** The node is a key or value of a mapping. */
  readonly mapping: boolean
  /** The node is a key on one line. */
  readonly key: boolean
}

class YamlEmitter {
  /** Texts of many items each, and the parts of those that come after them. */
  readonly #texts: string[] = []
  #parts: string[] = []
  #column = 0
  #indent = -1
  /** The last thing written was a blank, an indentation, or nothing. */
  #afterBlank = true
  /** Only indentation and indicators such as `-` stand on the line so far. */
  #inIndentation = true
  #items = 0

  finish(): string {
    if (this.#column > 0) this.#break()
    this.#fold()
    return this.#texts.join('')
  }

  #fold(): void {
    this.#texts.push(this.#parts.join(''))
    this.#parts = []
  }

  /** Whether a step ends here, between two items. */
  #isPause(): boolean {
    if (++this.#items % itemsPerStep !== 0) return false
    this.#fold()
    return true
  }

  *node(value: JsonValue, context: Context): Steps<void> {
    if (this.#isPause()) yield
    if (Array.isArray(value)) yield* this.#sequence(value, context)
    else if (typeof value === 'object' && value !== null) yield* this.#mapping(value)
    else if (typeof value === 'string') yield* this.#text(value, context)
    else yield* this.#scalar(formatScalar(value), 'plain', context)
  }

  *#sequence(items: JsonValue[], { mapping }: Context): Steps<void> {
    if (items.length === 0) {
      this.#indicator('[]')
      return
    }
    const outer = this.#indent
    const inline = mapping && !this.#inIndentation
    if (this.#indent < 0) this.#indent = 0
    else if (!inline) this.#indent += step
    for (const item of items) {
      this.#newLine()
      this.#indicator('-', true)
      yield* this.node(item, { mapping: false, key: false })
    }
    this.#indent = outer
  }

  *#mapping(object: JsonObject): Steps<void> {
    yield* materialize(object)
    const keys = keysOf(object).filter((key) => object[key] !== undefined)
    if (keys.length === 0) {
      this.#indicator('{}')
      return
    }
    const outer = this.#indent
    this.#indent = this.#indent < 0 ? 0 : this.#indent + step
    for (const key of yield* sortInSteps(keys, compareKeys)) {
      this.#newLine()
      yield* this.#entry(key, object[key] as JsonValue)
    }
    this.#indent = outer
  }

  *#entry(key: string, value: JsonValue): Steps<void> {
    const simple = Buffer.byteLength(key) <= longestKey && !hasBreak(key)
    if (simple) {
      yield* this.#text(key, { mapping: true, key: true })
      this.#put(':')
      this.#afterBlank = false
    } else {
      this.#indicator('?', true)
      yield* this.#text(key, { mapping: true, key: false })
      this.#newLine()
      this.#indicator(':', true)
    }
    yield* this.node(value, { mapping: true, key: false })
  }

  #text(text: string, context: Context): Steps<void> {
    const canBePlain = kindOfPlain(text) === 'str' && !isBaseSixty(text)
    const wanted: Style = text.includes('\n') ? 'literal' : canBePlain ? 'plain' : 'double'
    return this.#scalar(text, chooseStyle(text, wanted, context.key), context)
  }

  #scalar(text: string, style: Style, { key }: Context): Steps<void> {
    if (style === 'literal') return this.#literal(text)
    if (style === 'plain') return this.#folded(text, { quote: '', mayBreak: !key })
    return style === 'single' ? this.#folded(text, { quote: "'", mayBreak: !key }) : this.#double(text, !key)
  }

  #indicator(text: string, isIndentation = false): void {
    if (!this.#afterBlank) this.#put(' ')
    this.#put(text)
    this.#afterBlank = false
    this.#inIndentation = this.#inIndentation && isIndentation
  }

  #put(text: string): void {
    this.#parts.push(text)
    this.#column += text.length
  }

  #break(): void {
    this.#parts.push('\n')
    this.#column = 0
  }

  /** Moves to the indentation: of this line if nothing but indentation is on it, else of the next. */
  #newLine(more = 0): void {
    const indent = Math.max(this.#indent, 0) + more
    const used = !this.#inIndentation || this.#column > indent || (this.#column === indent && !this.#afterBlank)
    if (used) this.#break()
    if (this.#column < indent) this.#put(' '.repeat(indent - this.#column))
    this.#afterBlank = true
    this.#inIndentation = true
  }

  /** Plain and single-quoted texts: a single blank beyond the width becomes a new line. */
  *#folded(text: string, { quote, mayBreak }: { quote: string; mayBreak: boolean }): Steps<void> {
    if (quote !== '') this.#indicator(quote)
    else if (!this.#afterBlank) this.#put(' ')
    let wasBlank = false
    let wasBreak = false
    for (const { 0: run, index } of text.matchAll(foldedRuns)) {
      if (this.#isPause()) yield
      if (run === ' ') {
        const inside = quote === '' || (index > 0 && index < text.length - 1)
        if (mayBreak && !wasBlank && this.#column > bestWidth && inside && text[index + 1] !== ' ') this.#newLine(step)
        else this.#put(' ')
        wasBlank = true
      } else if (isBreakChar(run)) {
        if (!wasBreak && run === '\n') this.#break()
        this.#writeBreak(run)
        this.#inIndentation = true
        wasBreak = true
      } else {
        if (wasBreak) this.#newLine(step)
        this.#putRun(quote === '' ? run : run.replaceAll(quote, quote + quote))
        this.#inIndentation = false
        wasBlank = false
        wasBreak = false
      }
    }
    if (quote !== '') this.#put(quote)
    this.#afterBlank = false
    this.#inIndentation = false
  }

  /** The width counts characters, not the halves of those beyond the basic plane. */
  #putRun(run: string): void {
    this.#parts.push(run)
    this.#column += /[\ud800-\udfff]/.test(run) ? [...run].length : run.length
  }

  #writeBreak(char: string): void {
    if (char === '\n') this.#break()
    else {
      this.#parts.push(char)
      this.#column = 0
    }
  }

  *#double(text: string, mayBreak: boolean): Steps<void> {
    this.#indicator('"')
    let wasBlank = false
    for (const { 0: run, index } of text.matchAll(doubleRuns)) {
      if (this.#isPause()) yield
      if (run === ' ') {
        const inside = index > 0 && index < text.length - 1
        if (mayBreak && !wasBlank && this.#column > bestWidth && inside) {
          this.#newLine(step)
          if (text[index + 1] === ' ') this.#put('\\')
        } else {
          this.#put(' ')
        }
        wasBlank = true
      } else {
        if (needsEscape.test(run)) this.#put(escapeChar(run))
        else this.#putRun(run)
        wasBlank = false
      }
    }
    this.#put('"')
    this.#afterBlank = false
    this.#inIndentation = false
  }

  *#literal(text: string): Steps<void> {
    this.#indicator(`|${blockHints(text)}`)
    this.#break()
    this.#inIndentation = true
    this.#afterBlank = true
    let wasBreak = true
    for (const [run] of text.matchAll(literalRuns)) {
      if (this.#isPause()) yield
      if (isBreakChar(run)) {
        this.#writeBreak(run)
        this.#inIndentation = true
        wasBreak = true
      } else {
        if (wasBreak) this.#newLine(step)
        this.#putRun(run)
        this.#inIndentation = false
        wasBreak = false
      }
    }
  }
}

/** What is written in one piece: blanks, breaks and what is escaped by themselves, all between them together. */
const foldedRuns = /[^ \n\r\u0085\u2028\u2029]+|./gsu
const literalRuns = /[^\n\r\u0085\u2028\u2029]+|./gsu
const doubleRuns = /[!#-[\]-~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]+|./gsu
const needsEscape = /[^!#-[\]-~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u

const hasBreak = (text: string): boolean => /[\n\r\u0085\u2028\u2029]/.test(text)
const isBreakChar = (char: string): boolean => hasBreak(char)

function blockHints(text: string): string {
  const indent = text.startsWith(' ') || isBreakChar(text.charAt(0)) ? String(step) : ''
  if (!isBreakChar(text.at(-1) ?? '')) return `${indent}-`
  return text.length === 1 || isBreakChar(text.at(-2) ?? '') ? `${indent}+` : indent
}

/** Characters that are only written in double quotes. All beyond the basic plane are. */
const unprintable = /[^\n -~\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u

const shortEscapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u00a0': '\\_',
  '\u2028': '\\L',
  '\u2029': '\\P',
}

function escapeChar(char: string): string {
  const short = shortEscapes[char]
  if (short !== undefined) return short
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** What a text allows, by the characters in it and where they are. */
function analyze(text: string): { plain: boolean; single: boolean; block: boolean } {
  if (text === '') return { plain: true, single: true, block: false }
  const special = unprintable.test(text)
  const blankThenBreak = / [\n\r\u0085\u2028\u2029]/.test(text)
  const breakThenBlank = /[\n\r\u0085\u2028\u2029] /.test(text)
  const none = special || blankThenBreak
  return {
    plain: !none && !hasBreak(text) && !text.startsWith(' ') && !text.endsWith(' ') && !hasIndicators(text),
    single: !none && !breakThenBlank,
    block: !none && !text.endsWith(' '),
  }
}

/** Characters that would mean something outside of quotes. */
function hasIndicators(text: string): boolean {
  if (text.startsWith('---') || text.startsWith('...')) return true
  return /^[#,[\]{}&*!|>'"%@`]|^[?:-](\s|$)|:(\s|$)|\s#/.test(text)
}

function chooseStyle(text: string, wanted: Style, key: boolean): Style {
  const { plain, single, block } = analyze(text)
  let style: Style = key && hasBreak(text) ? 'double' : wanted
  if (style === 'plain' && (!plain || (text === '' && key))) style = 'single'
  if (style === 'single' && !single) style = 'double'
  if (style === 'literal' && (!block || key)) style = 'double'
  return style
}

/** `1:30` was a number once, and other readers may still take it for one. */
const isBaseSixty = (text: string): boolean => /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text)

function formatScalar(value: boolean | number | bigint | null): string {
  if (typeof value !== 'number') return String(value)
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? String(value) : formatFloat(value)
}

/** The shortest digits, with an exponent below 1e-4 and from 1e6 on. */
function formatFloat(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e')
  return Number(exponent) >= -4 && Number(exponent) < 6 ? String(value) : exponential(digits, Number(exponent))
}

const exponential = (digits: string, exponent: number): string =>
  `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
