/** Functions of sprig on lists, dictionaries and JSON. Nothing is changed in place: `set` gives a new dictionary. */
import { equalJson, isJsonObject, type JsonObject, type JsonValue, setKey } from '../../../api/json.ts'
import { TemplateError } from './template-error.ts'
import type { TemplateFunction } from './template-execute.ts'
import { isTemplateTrue, kindOf, ownTemplateValue, templateNumber, templateText } from './template-values.ts'

const maxLength = 10_000

const listOf = (value: JsonValue): JsonValue[] => {
  if (Array.isArray(value)) return value
  if (value === null) return []
  throw new TemplateError(`a ${kindOf(value)} is no list`)
}

const dictOf = (value: JsonValue): JsonObject => {
  if (isJsonObject(value)) return value
  if (value === null) return {}
  throw new TemplateError(`a ${kindOf(value)} is no dictionary`)
}

const list =
  (change: (value: JsonValue[], ...more: JsonValue[]) => JsonValue): TemplateFunction =>
  ([value = null, ...more]) =>
    change(listOf(value), ...more)

function dict(args: readonly JsonValue[]): JsonObject {
  const made: JsonObject = {}
  for (let i = 0; i < args.length; i += 2) setKey(made, templateText(args[i] ?? null), args[i + 1] ?? '')
  return made
}

function merged(...all: JsonObject[]): JsonObject {
  const made: JsonObject = {}
  for (const each of all.reverse()) {
    for (const [key, value] of Object.entries(each)) {
      const before = ownTemplateValue(made, key)
      setKey(made, key, isJsonObject(before) && isJsonObject(value) ? merged(value, before) : value)
    }
  }
  return made
}

const picked = (object: JsonObject, holds: (key: string) => boolean): JsonObject => {
  const made: JsonObject = {}
  for (const [key, value] of Object.entries(object)) if (holds(key)) setKey(made, key, value)
  return made
}

function count(from: number, to: number, step: number): JsonValue {
  const length = step === 0 ? 0 : Math.max(Math.ceil((to - from) / step), 0)
  if (length > maxLength) throw new TemplateError(`a list has at most ${maxLength} items`)
  return Array.from({ length }, (_, i) => from + i * step)
}

const json = (value: JsonValue, indent?: number): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each), indent) ?? 'null'

function fromJson(value: JsonValue): JsonValue {
  try {
    return JSON.parse(templateText(value)) as JsonValue
  } catch {
    return ''
  }
}

function splitDict([separator = null, value = null]: readonly JsonValue[]): JsonObject {
  const made: JsonObject = {}
  for (const [i, part] of templateText(value).split(templateText(separator)).entries()) made[`_${i}`] = part
  return made
}

const joined = ([separator = null, value = null]: readonly JsonValue[]): string =>
  (Array.isArray(value) ? value : [value])
    .filter((each) => each !== null)
    .map(templateText)
    .join(templateText(separator))

const uniq = (values: readonly JsonValue[]): JsonValue[] =>
  values.filter((value, i) => values.findIndex((other) => equalJson(other, value)) === i)

function dig(args: readonly JsonValue[]): JsonValue {
  const [otherwise = null, object = null] = args.slice(-2)
  let value: JsonValue = object
  for (const key of args.slice(0, -2)) {
    if (!isJsonObject(value) || !Object.hasOwn(value, templateText(key))) return otherwise
    value = ownTemplateValue(value, templateText(key))
  }
  return value
}

export const dataFunctions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['default', ([otherwise = null, value = null]) => (isTemplateTrue(value) ? value : otherwise)],
  ['empty', ([value = null]) => !isTemplateTrue(value)],
  ['coalesce', (args) => args.find(isTemplateTrue) ?? null],
  ['ternary', ([yes = null, no = null, test = null]) => (isTemplateTrue(test) ? yes : no)],
  ['all', (args) => args.every(isTemplateTrue)],
  ['any', (args) => args.some(isTemplateTrue)],
  [
    'fail',
    ([message = null]) => {
      throw new TemplateError(templateText(message))
    },
  ],
  ['kindOf', ([value = null]) => kindOf(value)],
  ['kindIs', ([kind = null, value = null]) => kindOf(value) === kind],
  ['typeOf', ([value = null]) => kindOf(value)],
  ['deepEqual', ([a = null, b = null]) => equalJson(a, b)],
  ['list', (args) => [...args]],
  ['tuple', (args) => [...args]],
  ['first', list(([first = null]) => first)],
  ['last', list((values) => values.at(-1) ?? null)],
  ['rest', list((values) => values.slice(1))],
  ['initial', list((values) => values.slice(0, -1))],
  ['append', list((values, ...more) => [...values, ...more])],
  ['push', list((values, ...more) => [...values, ...more])],
  ['prepend', list((values, ...more) => [...more, ...values])],
  ['concat', (args) => args.flatMap(listOf)],
  ['reverse', list((values) => [...values].reverse())],
  ['uniq', list(uniq)],
  ['compact', list((values) => values.filter(isTemplateTrue))],
  ['without', list((values, ...more) => values.filter((each) => !more.some((other) => equalJson(other, each))))],
  ['has', ([item = null, value = null]) => listOf(value).some((each) => equalJson(each, item))],
  ['sortAlpha', list((values) => values.map(templateText).sort())],
  ['toStrings', list((values) => values.map(templateText))],
  ['join', joined],
  ['splitList', ([separator = null, value = null]) => templateText(value).split(templateText(separator))],
  ['split', splitDict],
  ['until', ([to = 0]) => count(0, templateNumber(to), 1)],
  [
    'untilStep',
    ([from = 0, to = 0, step = 1]) => count(templateNumber(from), templateNumber(to), templateNumber(step)),
  ],
  ['dict', dict],
  ['get', ([object = null, key = null]) => ownTemplateValue(dictOf(object), templateText(key)) ?? ''],
  ['set', ([object = null, key = null, value = null]) => ({ ...dictOf(object), ...dict([key, value]) })],
  ['unset', ([object = null, key = null]) => picked(dictOf(object), (each) => each !== key)],
  ['hasKey', ([object = null, key = null]) => Object.hasOwn(dictOf(object), templateText(key))],
  ['keys', (args) => args.flatMap((each) => Object.keys(dictOf(each)))],
  ['values', (args) => args.flatMap((each) => Object.values(dictOf(each)) as JsonValue[])],
  [
    'pluck',
    ([key = null, ...objects]) =>
      objects.map((each) => ownTemplateValue(dictOf(each), templateText(key))).filter((each) => each !== null),
  ],
  ['pick', ([object = null, ...names]) => picked(dictOf(object), (key) => names.includes(key))],
  ['omit', ([object = null, ...names]) => picked(dictOf(object), (key) => !names.includes(key))],
  ['merge', (args) => merged(...args.map(dictOf))],
  ['mergeOverwrite', (args) => merged(...args.map(dictOf).reverse())],
  ['dig', dig],
  ['toJson', ([value = null]) => json(value)],
  ['toRawJson', ([value = null]) => json(value)],
  ['toPrettyJson', ([value = null]) => json(value, 2)],
  ['fromJson', ([value = null]) => fromJson(value)],
])
