/** Objects in files, folders and the standard input: YAML or JSON, many documents, lists taken apart, in their order. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import { DecodeError } from '../codec/decode-error.ts'
import { decodeYaml } from '../codec/yaml.ts'
import { ConfigError } from '../config/config-error.ts'

export interface FoundObject {
  /** Where it is: a path, or `stdin`. */
  readonly file: string
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
  try {
    const options = {
      ...own,
      filename: { type: 'string', short: 'f', multiple: true },
      recursive: { type: 'boolean', short: 'R' },
    } as const
    const { values } = parseArgs({ args: [...args], options, allowPositionals: false })
    const { filename, recursive, ...rest } = values as Record<string, unknown>
    const files = ((filename ?? []) as string[]).flatMap((name) => name.split(','))
    return { files, recursive: recursive === true, values: rest as { [K in keyof O]?: string | boolean } }
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

const endings = /\.(json|ya?ml)$/

/** The objects of all files. A file that cannot be read or understood is a mistake, told with its name. */
export function* findObjects(names: readonly string[], recursive: boolean): Generator<FoundObject> {
  for (const name of names) {
    if (name === '-') {
      yield* objectsIn('stdin', readFileSync(0, 'utf8'))
      continue
    }
    for (const file of statSync(name).isDirectory() ? filesIn(name, recursive) : [name]) {
      yield* objectsIn(file, readFileSync(file, 'utf8'))
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

function* objectsIn(file: string, text: string): Generator<FoundObject> {
  for (const document of documentsIn(text)) {
    const value = parse(file, document)
    if (value !== null) yield* flatten(file, value)
  }
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
function documentsIn(text: string): string[] {
  if (/^\s*\{/.test(text)) return jsonObjects(text)
  return text.split(/^---(?=\s|$).*$/m).filter((document) => /^[^#\s]/m.test(document.replace(/^\s+/gm, '')))
}

function jsonObjects(text: string): string[] {
  const found: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token === '{' && depth++ === 0) start = index
    if (token === '}' && --depth === 0) found.push(text.slice(start, index + 1))
  }
  // What is not closed is told by the parser.
  if (depth > 0) found.push(text.slice(start))
  return found
}

function* flatten(file: string, value: JsonValue): Generator<FoundObject> {
  if (!isJsonObject(value)) throw new ConfigError(`${file}: a document is no object`)
  const { apiVersion, kind, items } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || apiVersion === '' || kind === '') {
    throw new ConfigError(
      `${file}: an object has no ${typeof kind === 'string' && kind !== '' ? 'apiVersion' : 'kind'}`,
    )
  }
  if (!kind.endsWith('List') || !Array.isArray(items)) {
    yield { file, apiVersion, kind, object: value }
    return
  }
  for (const item of items) {
    // The items of a typed list need not say what they are.
    const own = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) }
    yield* flatten(file, isJsonObject(item) ? { ...own, ...item } : item)
  }
}

/** `default/web` or `web`. */
export function nameOf({ object }: FoundObject): string {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {}
  const name = String(metadata['name'] ?? metadata['generateName'] ?? '')
  return typeof metadata['namespace'] === 'string' ? `${metadata['namespace']}/${name}` : name
}
