/** Objects in files, folders and the standard input: YAML or JSON, many documents, lists taken apart, in their order. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import { DecodeError } from '../codec/decode-error.ts'
import { decodeYaml } from '../codec/yaml.ts'
import { ConfigError } from '../config/config-error.ts'
import { argumentError } from './tool.ts'

/** One document of a file, as it stands there. */
export interface FoundDocument {
  /** Where it is: a path, or `stdin`. */
  readonly file: string
  /** Counts from 1, as do lines. */
  readonly document: number
  readonly line: number
  readonly text: string
}

export interface FoundObject {
  /** Where it is: a path, or `stdin`. */
  readonly file: string
  /** The places in the lists that it was in: empty for an object that is a document of its own. */
  readonly at: readonly number[]
  readonly apiVersion: string
  readonly kind: string
  readonly object: JsonObject
}

/** The flags that name files, together with those of the command. */
export function readFileArguments<
  O extends Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly short?: string }>>,
>(
  args: readonly string[],
  own: O,
): {
  readonly files: readonly string[]
  readonly recursive: boolean
  readonly values: { [K in keyof O]?: string | boolean }
} {
  const options = {
    ...own,
    filename: { type: 'string', short: 'f', multiple: true },
    recursive: { type: 'boolean', short: 'R' },
  } as const
  try {
    const { values } = parseArgs({ args: [...args], options, allowPositionals: false })
    const { filename, recursive, ...rest } = values as Record<string, unknown>
    const files = ((filename ?? []) as string[]).flatMap((name) => name.split(','))
    return { files, recursive: recursive === true, values: rest as { [K in keyof O]?: string | boolean } }
  } catch (error) {
    throw argumentError(error, Object.keys(options))
  }
}

const endings = /\.(json|ya?ml)$/

/** The objects of all files. A file that cannot be read or understood is an error with the name of the file. */
export function* findObjects(names: readonly string[], recursive: boolean): Generator<FoundObject> {
  for (const found of findDocuments(names, recursive)) yield* fileObjects(found)
}

/** The documents of all files, those without content left out. */
export function* findDocuments(names: readonly string[], recursive: boolean): Generator<FoundDocument> {
  for (const name of names) {
    if (name === '-') {
      yield* documentsIn('stdin', readFileSync(0, 'utf8'))
      continue
    }
    for (const file of statSync(name).isDirectory() ? filesIn(name, recursive) : [name]) {
      yield* documentsIn(file, readFileSync(file, 'utf8'))
    }
  }
}

function* filesIn(folder: string, recursive: boolean): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (recursive) yield* filesIn(path, recursive)
    } else if (endings.test(entry.name)) yield path
  }
}

/** The objects of a document, in order. Throws a `ConfigError`. */
export function* fileObjects({ file, text }: FoundDocument): Generator<FoundObject> {
  const value = parse(file, text)
  if (value !== null) yield* flatten(file, value, [])
}

function parse(file: string, text: string): JsonValue {
  try {
    return decodeYaml(Buffer.from(text)).value
  } catch (error) {
    if (error instanceof DecodeError) throw new ConfigError(`${file}: ${error.message}`)
    throw error
  }
}

/** Documents of YAML end at a line of dashes; objects of JSON where their last brace is. */
function* documentsIn(file: string, text: string): Generator<FoundDocument> {
  let document = 0
  let line = 1
  let counted = 0
  for (const [start, part] of /^\s*\{/.test(text) ? jsonObjects(text) : yamlDocuments(text)) {
    for (; counted < start; counted++) if (text[counted] === '\n') line++
    yield { file, document: ++document, line, text: part }
  }
}

type DocumentSlice = readonly [start: number, text: string]

function yamlDocuments(text: string): DocumentSlice[] {
  const found: DocumentSlice[] = []
  let start = 0
  for (const { 0: mark, index } of text.matchAll(/^---(?=\s|$).*$/gm)) {
    found.push([start, text.slice(start, index)])
    start = index + mark.length
  }
  found.push([start, text.slice(start)])
  return found.filter(([, document]) => /^[^#\s]/m.test(document.replace(/^\s+/gm, ''))).map(withoutBlankStart)
}

/** Lines are counted from where the document has any content. */
function withoutBlankStart([start, text]: DocumentSlice): DocumentSlice {
  const blank = /^(?:[^\S\n]*\n)*/.exec(text)?.[0].length ?? 0
  return [start + blank, text.slice(blank)]
}

function jsonObjects(text: string): DocumentSlice[] {
  const found: DocumentSlice[] = []
  let depth = 0
  let start = 0
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token === '{' && depth++ === 0) start = index
    if (token === '}' && --depth === 0) found.push([start, text.slice(start, index + 1)])
  }
  // Unterminated scalars are reported by the parser.
  if (depth > 0) found.push([start, text.slice(start)])
  return found
}

function* flatten(file: string, value: JsonValue, at: readonly number[]): Generator<FoundObject> {
  if (!isJsonObject(value)) throw new ConfigError(`${file}: a document is no object`)
  const { apiVersion, kind, items } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || apiVersion === '' || kind === '') {
    throw new ConfigError(
      `${file}: an object has no ${typeof kind === 'string' && kind !== '' ? 'apiVersion' : 'kind'}`,
    )
  }
  if (!kind.endsWith('List') || !Array.isArray(items)) {
    yield { file, at, apiVersion, kind, object: value }
    return
  }
  for (const [i, item] of items.entries()) {
    // The items of a typed list need not say what they are.
    const own = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) }
    yield* flatten(file, isJsonObject(item) ? { ...own, ...item } : item, [...at, i])
  }
}

/** `default/web` or `web`. */
export function shownName({ object }: FoundObject): string {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {}
  const name = String(metadata['name'] ?? metadata['generateName'] ?? '')
  return typeof metadata['namespace'] === 'string' ? `${metadata['namespace']}/${name}` : name
}
