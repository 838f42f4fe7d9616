/** Functions of sprig on texts and numbers. */
import { createHash } from 'node:crypto'
import type { JsonValue } from '../../../api/json.ts'
import { runToEnd } from '../../../lib/in-turns.ts'
import { Pattern, patternAtOnce } from '../../../lib/regexp/pattern.ts'
import { TemplateError } from './template-error.ts'
import type { TemplateFunction } from './template-execute.ts'
import { printed, templateNumber, templateText } from './template-values.ts'

const maxRepeats = 100_000

const text =
  (change: (value: string) => JsonValue): TemplateFunction =>
  ([value = null]) =>
    change(templateText(value))

/** The text is the last argument, so that it can be piped. */
const text2 =
  (change: (first: string, value: string) => JsonValue): TemplateFunction =>
  ([first = null, value = null]) =>
    change(templateText(first), templateText(value))

const indented = (count: JsonValue, value: JsonValue): string =>
  templateText(value)
    .split('\n')
    .map((line) => `${' '.repeat(Math.min(Number(count), 1000))}${line}`)
    .join('\n')

function compiled(source: string): Pattern {
  const pattern = patternAtOnce(source)
  if (pattern instanceof Pattern) return pattern
  throw new TemplateError(pattern.message)
}

function replaceAll(source: string, value: string, replacement: string): string {
  const pattern = compiled(source)
  let result = ''
  let at = 0
  for (let steps = 0; steps < maxRepeats; steps++) {
    const found = runToEnd(pattern.find(value, at))
    if (found === undefined) break
    result += value.slice(at, found.start) + replacement
    at = found.end > found.start ? found.end : found.end + 1
    if (found.end === found.start) result += value.slice(found.end, at)
    if (at > value.length) break
  }
  return result + value.slice(at)
}

function found(source: string, value: string): string {
  const match = runToEnd(compiled(source).find(value))
  return match === undefined ? '' : value.slice(match.start, match.end)
}

const hash = (algorithm: string): TemplateFunction => text((value) => createHash(algorithm).update(value).digest('hex'))

const sum =
  (combine: (a: number, b: number) => number): TemplateFunction =>
  (args) =>
    args.map(templateNumber).reduce((a, b) => combine(a, b))

/** Of whole numbers. */
const whole =
  (combine: (a: number, b: number) => number): TemplateFunction =>
  ([a = 0, b = 0]) => {
    if (templateNumber(b) === 0) throw new TemplateError('division by zero')
    return Math.trunc(combine(Math.trunc(templateNumber(a)), Math.trunc(templateNumber(b))))
  }

function trimmed(chars: string, value: string): string {
  let [from, to] = [0, value.length]
  while (from < to && chars.includes(value[from] ?? '')) from++
  while (to > from && chars.includes(value[to - 1] ?? '')) to--
  return value.slice(from, to)
}

function substring([from = 0, to = 0, value = null]: readonly JsonValue[]): string {
  const whole = templateText(value)
  const [start, end] = [Number(from), Number(to)]
  if (start < 0) return whole.slice(0, end)
  return end < 0 || end > whole.length ? whole.slice(start) : whole.slice(start, end)
}

export const textFunctions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['upper', text((value) => value.toUpperCase())],
  ['lower', text((value) => value.toLowerCase())],
  ['title', text((value) => value.replace(/(^|\s)\S/g, (each) => each.toUpperCase()))],
  ['trim', text((value) => value.trim())],
  ['nospace', text((value) => value.replace(/\s/g, ''))],
  ['trimAll', text2(trimmed)],
  ['trimPrefix', text2((part, value) => (value.startsWith(part) ? value.slice(part.length) : value))],
  ['trimSuffix', text2((part, value) => (part !== '' && value.endsWith(part) ? value.slice(0, -part.length) : value))],
  ['hasPrefix', text2((part, value) => value.startsWith(part))],
  ['hasSuffix', text2((part, value) => value.endsWith(part))],
  ['contains', text2((part, value) => value.includes(part))],
  [
    'replace',
    ([from = null, to = null, value = null]) =>
      templateText(value).replaceAll(templateText(from), () => templateText(to)),
  ],
  ['repeat', ([count = 0, value = null]) => templateText(value).repeat(Math.min(Math.max(Number(count), 0), 10_000))],
  ['substr', substring],
  [
    'trunc',
    ([size = 0, value = null]) =>
      Number(size) < 0 ? templateText(value).slice(Number(size)) : templateText(value).slice(0, Number(size)),
  ],
  ['indent', ([count = 0, value = null]) => indented(count, value)],
  ['nindent', ([count = 0, value = null]) => `\n${indented(count, value)}`],
  [
    'quote',
    (args) =>
      args
        .filter((each) => each !== null)
        .map((each) => JSON.stringify(templateText(each)))
        .join(' '),
  ],
  [
    'squote',
    (args) =>
      args
        .filter((each) => each !== null)
        .map((each) => `'${templateText(each)}'`)
        .join(' '),
  ],
  [
    'cat',
    (args) =>
      args
        .filter((each) => each !== null)
        .map(printed)
        .join(' '),
  ],
  ['b64enc', text((value) => Buffer.from(value).toString('base64'))],
  ['b64dec', text((value) => Buffer.from(value, 'base64').toString('utf8'))],
  ['sha256sum', hash('sha256')],
  ['sha1sum', hash('sha1')],
  ['sha512sum', hash('sha512')],
  ['toString', text((value) => value)],
  ['regexMatch', text2((source, value) => runToEnd(compiled(source).test(value)))],
  ['regexFind', text2(found)],
  [
    'regexReplaceAll',
    ([source = null, value = null, to = null]) =>
      replaceAll(templateText(source), templateText(value), templateText(to)),
  ],
  ['int', ([value = null]) => Math.trunc(templateNumber(value))],
  ['int64', ([value = null]) => Math.trunc(templateNumber(value))],
  ['float64', ([value = null]) => templateNumber(value)],
  ['atoi', ([value = null]) => Math.trunc(templateNumber(value))],
  ['add', sum((a, b) => a + b)],
  ['addf', sum((a, b) => a + b)],
  ['add1', ([value = 0]) => templateNumber(value) + 1],
  ['sub', sum((a, b) => a - b)],
  ['mul', sum((a, b) => a * b)],
  ['mulf', sum((a, b) => a * b)],
  ['div', whole((a, b) => a / b)],
  ['mod', whole((a, b) => a % b)],
  ['max', sum(Math.max)],
  ['min', sum(Math.min)],
  ['floor', ([value = 0]) => Math.floor(templateNumber(value))],
  ['ceil', ([value = 0]) => Math.ceil(templateNumber(value))],
  ['round', ([value = 0, places = 0]) => Number(templateNumber(value).toFixed(Math.min(Number(places), 20)))],
])
