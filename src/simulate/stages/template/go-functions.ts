/** The functions of Go's text/template. Mirrors text/template: builtinFuncs. */
import { isJsonObject, type JsonValue } from '../../../api/json.ts'
import { TemplateError } from './template-error.ts'
import type { TemplateFunction } from './template-execute.ts'
import {
  equalTemplateValues,
  isTemplateTrue,
  kindOf,
  less,
  ownTemplateValue,
  printed,
  templateText,
} from './template-values.ts'

const maxWidth = 1000

function lengthOf(value: JsonValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.length
  if (isJsonObject(value)) return Object.keys(value).length
  throw new TemplateError(`len of a ${kindOf(value)}`)
}

function index(value: JsonValue, key: JsonValue): JsonValue {
  if (value === null) throw new TemplateError('index of nil')
  if (isJsonObject(value)) return ownTemplateValue(value, String(key))
  if (!Array.isArray(value)) throw new TemplateError(`can't index a ${kindOf(value)}`)
  const at = Number(key)
  if (!Number.isInteger(at) || at < 0 || at >= value.length)
    throw new TemplateError(`index out of range: ${String(key)}`)
  return value[at] as JsonValue
}

function slice([value = null, from = 0, to]: readonly JsonValue[]): JsonValue {
  if (typeof value === 'string' || Array.isArray(value)) {
    return value.slice(Number(from), to === undefined ? undefined : Number(to))
  }
  throw new TemplateError(`can't slice a ${kindOf(value)}`)
}

/** Blanks between values that are no strings. */
const print = (args: readonly JsonValue[]): string =>
  args
    .map((arg, i) => {
      const isApart = i > 0 && typeof arg !== 'string' && typeof args[i - 1] !== 'string'
      return `${isApart ? ' ' : ''}${printed(arg)}`
    })
    .join('')

/** The verbs that stages use: v s d q t f x, with flags, width and precision. */
function printf([format = '', ...args]: readonly JsonValue[]): string {
  let next = 0
  const text = templateText(format).replace(
    /%([-+ 0#]{0,5})([1-9]\d{0,8})?(?:\.(\d{1,9}))?([a-zA-Z%])/g,
    (all, flags: string, width: string | undefined, precision: string | undefined, verb: string) => {
      if (verb === '%') return '%'
      if (next >= args.length) return `%!${verb}(MISSING)`
      const value = formatted(verb, args[next++] ?? null, precision)
      if (value === undefined) throw new TemplateError(`printf: the verb ${all} is not offered`)
      const size = Math.min(Number(width ?? 0), maxWidth)
      if (flags.includes('-')) return value.padEnd(size)
      return value.padStart(size, flags.includes('0') ? '0' : ' ')
    },
  )
  return next < args.length ? `${text}%!(EXTRA ${args.slice(next).map(printed).join(', ')})` : text
}

function formatted(verb: string, value: JsonValue, precision: string | undefined): string | undefined {
  switch (verb) {
    case 'v':
    case 's':
      return value === null ? '<nil>' : printed(value)
    case 'd':
      return String(Math.trunc(Number(value)))
    case 'q':
      return JSON.stringify(templateText(value))
    case 't':
      return String(value)
    case 'f':
      return Number(value).toFixed(Number(precision ?? 6))
    case 'x':
      return typeof value === 'string' ? Buffer.from(value).toString('hex') : Number(value).toString(16)
    default:
      return undefined
  }
}

const compared =
  (test: (a: JsonValue, b: JsonValue) => boolean): TemplateFunction =>
  ([a = null, b = null]) =>
    test(a, b)

const markup: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&#34;', "'": '&#39;' }

export const goFunctions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['not', ([value = null]) => !isTemplateTrue(value)],
  ['len', ([value = null]) => lengthOf(value)],
  ['index', ([value = null, ...keys]) => keys.reduce(index, value)],
  ['slice', slice],
  ['print', print],
  ['println', (args) => `${args.map(printed).join(' ')}\n`],
  ['printf', printf],
  ['eq', ([first = null, ...others]) => others.some((other) => equalTemplateValues(first, other))],
  ['ne', compared((a, b) => !equalTemplateValues(a, b))],
  ['lt', compared(less)],
  ['le', compared((a, b) => !less(b, a))],
  ['gt', compared((a, b) => less(b, a))],
  ['ge', compared((a, b) => !less(a, b))],
  ['html', ([value = null]) => templateText(value).replace(/[<>&"']/g, (char) => markup[char] ?? char)],
  ['urlquery', ([value = null]) => encodeURIComponent(templateText(value)).replaceAll('%20', '+')],
])
