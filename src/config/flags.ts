/**
 * Command-line flags as Go's pflag reads them, over the table of flags: `--flag=value`, `--flag value`, `--bool`,
 * `--bool=false`, `-v=2`, `-v 2`, `-v2`, underscores for dashes, lists by commas and by repetition. Reading stops at
 * the first mistake, with pflag's own words; an unknown flag also gets the nearest names.
 */

import { isIP } from 'node:net'
import { quoteAscii } from '../api/golang/quote-ascii.ts'
import { pushAll } from '../lib/push-all.ts'
import { ConfigError } from './config-error.ts'
import { flagTable } from './flag-table.ts'
import { parseGoBool, parseGoDuration, parseGoFloat, parseGoInt } from './go-values.ts'
import { nearestNames } from './nearest-names.ts'
import { readVersionFlag } from './version-flag.ts'

export type FlagType =
  | 'string'
  | 'bool'
  | 'version'
  | 'int'
  | 'float'
  | 'duration'
  | 'ip'
  | 'strings'
  | 'stringArray'
  | 'gates'
  | 'pairs'
  | 'settings'

export interface FlagDefinition {
  readonly name: string
  readonly type: FlagType
  readonly defaultText: string
  readonly section: string
  readonly description: string
  /** Whether the flag has an effect; those without are accepted with a warning. */
  readonly supported: boolean
  readonly deprecated: boolean
  /** The minor number of the release that brought the flag, if it is not the default one. */
  readonly since?: number
  /** The default of a later release and of those after it. */
  readonly laterDefault?: { readonly since: number; readonly text: string }
}

/** What was given on the command line, with the defaults for the rest. */
export interface FlagValues {
  isSet(name: string): boolean
  string(name: string): string
  /** A text, or nothing where it is empty. */
  optional(name: string): string | undefined
  bool(name: string): boolean
  /** Integers, floats, and durations in milliseconds. */
  number(name: string): number
  list(name: string): readonly string[]
  /** The flags that were given, in the order of the table. */
  readonly given: readonly FlagDefinition[]
  /** The flags that there are, with their defaults. */
  readonly definitions: readonly FlagDefinition[]
  /** The same with the defaults of a release. Throws where a flag was given that the release does not have. */
  atRelease(release: number): FlagValues
  readonly arguments: readonly string[]
}

type FlagValue = string | boolean | number | readonly string[]
type FlagDefinitions = ReadonlyMap<string, FlagDefinition>

let definitions: FlagDefinitions | undefined

/** The flags of all releases, with the defaults of the default one. */
export function flagDefinitions(): FlagDefinitions {
  definitions ??= parseTable(flagTable)
  return definitions
}

function definitionsAt(release: number): FlagDefinitions {
  const served = new Map<string, FlagDefinition>()
  for (const [name, flag] of flagDefinitions()) {
    const { since = 0, laterDefault } = flag
    if (since > release) continue
    const isLater = laterDefault !== undefined && laterDefault.since <= release
    served.set(name, isLater ? { ...flag, defaultText: laterDefault.text } : flag)
  }
  return served
}

function parseTable(table: string): FlagDefinitions {
  const parsed = new Map<string, FlagDefinition>()
  let section = ''
  for (const line of table.split('\n')) {
    const [, title] = /^\[(.*)\]$/.exec(line) ?? []
    if (title !== undefined) section = title
    else if (line !== '') {
      const flag = parseRow(line, section)
      parsed.set(flag.name, flag)
    }
  }
  return parsed
}

function parseRow(line: string, section: string): FlagDefinition {
  const [, marks = '', since, name = '', type = '', defaultText = '', laterSince, laterText = '', description = ''] =
    /^([~!]*)(?:@(\d+) )? ?([a-z0-9-]+) \| (\w+) \| (?:(.*?)(?: @(\d+) (\S+))? )?\| (.*)$/.exec(line) ?? []
  return {
    name,
    type: type as FlagType,
    defaultText,
    section,
    description,
    supported: !marks.includes('~'),
    deprecated: marks.includes('!'),
    ...(since === undefined ? {} : { since: Number(since) }),
    ...(laterSince === undefined ? {} : { laterDefault: { since: Number(laterSince), text: laterText } }),
  }
}

export function parseFlags(args: readonly string[]): FlagValues {
  const values = new Map<string, FlagValue>()
  const rest: string[] = []
  for (let i = 0; i < args.length; ) {
    const arg = args[i] ?? ''
    if (arg === '--') {
      pushAll(rest, args.slice(i + 1))
      break
    }
    if (!arg.startsWith('-') || arg === '-') {
      rest.push(arg)
      i++
      continue
    }
    i += 1 + readFlag(values, arg, args[i + 1])
  }
  return flagValues(values, rest, flagDefinitions())
}

const needsNoValue = ({ type }: FlagDefinition): boolean => type === 'bool' || type === 'version' || type === 'settings'

/** Reads one flag and returns how many further arguments it took. */
function readFlag(values: Map<string, FlagValue>, arg: string, next: string | undefined): 0 | 1 {
  const { flag, shown, inline } = arg.startsWith('--') ? splitLong(arg) : splitShort(arg)
  const text = inline ?? (needsNoValue(flag) ? 'true' : next)
  if (text === undefined) throw new ConfigError(`flag needs an argument: ${shown}`)
  try {
    values.set(flag.name, readValue(flag, text, values.get(flag.name)))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const known = flag.name === 'v' ? `"-v, --v"` : `"--${flag.name}"`
    throw new ConfigError(`invalid argument ${quoteAscii(text)} for ${known} flag: ${error.message}`)
  }
  return inline === undefined && !needsNoValue(flag) ? 1 : 0
}

interface SplitFlag {
  readonly flag: FlagDefinition
  readonly shown: string
  readonly inline: string | undefined
}

function splitLong(arg: string): SplitFlag {
  const body = arg.slice(2)
  const at = body.indexOf('=')
  const written = at < 0 ? body : body.slice(0, at)
  if (written === '' || written.startsWith('-')) throw new ConfigError(`bad flag syntax: ${arg}`)
  const name = written.replaceAll('_', '-')
  const flag = flagDefinitions().get(name)
  if (flag === undefined) throw unknownFlag(name)
  return { flag, shown: `--${name}`, inline: at < 0 ? undefined : body.slice(at + 1) }
}

function unknownFlag(name: string): ConfigError {
  const near = nearestNames(name, flagDefinitions().keys()).filter((other) => other !== name)
  const hint = near.length === 0 ? '' : ` (did you mean ${near.map((other) => `--${other}`).join(' or ')}?)`
  return new ConfigError(`unknown flag: --${name}${hint}`)
}

const shorthands: ReadonlyMap<string, string> = new Map([
  ['v', 'v'],
  ['h', 'help'],
])

function splitShort(arg: string): SplitFlag {
  const letter = arg.charAt(1)
  const flag = flagDefinitions().get(shorthands.get(letter) ?? '')
  if (flag === undefined) throw new ConfigError(`unknown shorthand flag: '${letter}' in ${arg}`)
  const rest = arg.slice(2)
  const inline = rest === '' ? undefined : rest.startsWith('=') ? rest.slice(1) : rest
  return { flag, shown: `'${letter}' in ${arg}`, inline }
}

function readValue(flag: FlagDefinition, text: string, before: FlagValue | undefined): FlagValue {
  const earlier = Array.isArray(before) ? (before as readonly string[]) : []
  switch (flag.type) {
    case 'string':
      return text
    case 'bool':
      return parseGoBool(text)
    case 'version':
      return readVersionFlag(text)
    case 'int':
      return parseGoInt(text)
    case 'float':
      return parseGoFloat(text)
    case 'duration':
      return parseGoDuration(text)
    case 'ip':
      return readAddress(text)
    case 'strings':
    case 'settings':
      return [...earlier, ...splitCsv(text)]
    case 'stringArray':
    case 'gates':
    case 'pairs':
      return [...earlier, text]
  }
}

function readAddress(text: string): string {
  const address = text.trim()
  if (isIP(address) !== 0) return address
  throw new ConfigError(`failed to parse IP: ${quoteAscii(text)}`)
}

/** One record of comma-separated values, in which a field may be in double quotes. */
function splitCsv(text: string): string[] {
  if (text === '') return []
  const fields: string[] = []
  for (let rest = `,${text}`; rest !== ''; ) {
    const [all, quoted, plain = ''] = /^,(?:"((?:[^"]|"")*)"(?=,|$)|([^,"]*)(?=,|$))/.exec(rest) ?? []
    if (all === undefined) throw new ConfigError('parse error: bare " in non-quoted field')
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    rest = rest.slice(all.length)
  }
  return fields
}

function flagValues(
  values: ReadonlyMap<string, FlagValue>,
  rest: readonly string[],
  known: FlagDefinitions,
): FlagValues {
  const valueNamed = (name: string): FlagValue => {
    // What the release does not have keeps its default.
    const flag = known.get(name) ?? flagDefinitions().get(name)
    if (flag === undefined) throw new Error(`there is no flag --${name}`)
    return values.get(name) ?? defaultValue(flag)
  }
  return {
    isSet: (name) => values.has(name),
    string: (name) => expectType(name, valueNamed(name), 'string'),
    optional: (name) => expectType(name, valueNamed(name), 'string') || undefined,
    bool: (name) => expectType(name, valueNamed(name), 'boolean'),
    number: (name) => expectType(name, valueNamed(name), 'number'),
    list: (name) => expectType(name, valueNamed(name), 'object'),
    given: [...known.values()].filter(({ name }) => values.has(name)),
    definitions: [...known.values()],
    arguments: rest,
    atRelease(release) {
      const served = definitionsAt(release)
      for (const name of values.keys()) if (!served.has(name)) throw unknownFlag(name)
      return flagValues(values, rest, served)
    },
  }
}

function defaultValue(flag: FlagDefinition): FlagValue {
  const isList = ['strings', 'stringArray', 'gates', 'pairs', 'settings'].includes(flag.type)
  if (flag.defaultText === '') return isList ? [] : ''
  return readValue(flag, flag.defaultText, undefined)
}

interface ValueTypes {
  string: string
  boolean: boolean
  number: number
  object: readonly string[]
}

function expectType<T extends keyof ValueTypes>(name: string, value: FlagValue, type: T): ValueTypes[T] {
  if (typeof value !== type) throw new Error(`--${name} is not of the type that it is read as`)
  return value as ValueTypes[T]
}
