/**
 * Reads a configuration file of a known kind: YAML or JSON, with `apiVersion` and `kind`, strictly. An unknown field, a
 * key that is there twice, another kind or version is an error in the words of the reference.
 */
import { isScalar, type Pair, type ParsedNode, parseDocument, visit } from 'yaml'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { ConfigError } from '../config-error.ts'
import { ConfigurationDecodeError, type ConfigurationDecoder } from './decoder.ts'
import { yamlProblem } from './yaml-problem.ts'

/** A configuration file that is not taken. The message is the reference's; `file` says which file it is about. */
export class ConfigFileError extends ConfigError {
  readonly file: string

  constructor(file: string, message: string) {
    super(message)
    this.file = file
  }
}

export interface DocumentKind<T> {
  readonly kind: string
  readonly apiVersions: readonly string[]
  /** Another name under which it is taken. */
  readonly alias?: { readonly apiVersion: string; readonly kind: string }
  /** The fields beside `apiVersion` and `kind`. */
  readonly decoder: ConfigurationDecoder<T>
}

/** Decodes the text; throws a DecodeError. */
export function decodeDocument<T>(text: string, { kind, apiVersions, alias, decoder }: DocumentKind<T>): T {
  const { value, duplicates } = parse(text)
  const isAlias = alias !== undefined && value['kind'] === alias.kind && value['apiVersion'] === alias.apiVersion
  if (!isAlias) checkVersion(value, kind, apiVersions)
  const { apiVersion: _version, kind: _kind, ...fields } = value
  const unknown: string[] = []
  const decoded = decoder.decode(fields, { path: '', struct: '', field: '', unknown })
  const problems = [...duplicates, ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)]
  if (problems.length > 0) throw new ConfigurationDecodeError(`strict decoding error: ${problems.join(', ')}`)
  return decoded
}

interface Parsed {
  readonly value: JsonObject
  readonly duplicates: readonly string[]
}

function parse(text: string): Parsed {
  // Version 1.1, as the reference reads it: `on` and `yes` are true there.
  const document = parseDocument(text, { version: '1.1', uniqueKeys: false, logLevel: 'silent', stringKeys: true })
  const [error] = document.errors
  if (error)
    throw new ConfigurationDecodeError(`couldn't get version/kind; json parse error: yaml: ${yamlProblem(error)}`)
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 })
    if (isJsonObject(value)) return { value, duplicates: duplicateKeys(document.contents, text) }
  } catch (failure) {
    throw new ConfigurationDecodeError(`couldn't get version/kind; json parse error: yaml: ${yamlProblem(failure)}`)
  }
  throw new ConfigurationDecodeError("couldn't get version/kind; json parse error: the document is not an object")
}

/** Keys that are in one map twice; the last one would win, which is never meant. */
function duplicateKeys(contents: ParsedNode | null, text: string): string[] {
  const isJson = text.trimStart().startsWith('{')
  const found: string[] = []
  visit(contents, {
    Map(_, map) {
      const seen = new Set<unknown>()
      for (const { key } of map.items as Pair<ParsedNode>[]) {
        if (!isScalar(key)) continue
        if (seen.has(key.value))
          found.push(isJson ? `duplicate field ${JSON.stringify(key.value)}` : keyLine(text, key))
        seen.add(key.value)
      }
    },
  })
  if (isJson || found.length === 0) return found
  return [`yaml: unmarshal errors:\n${found.join('\n')}`]
}

function keyLine(text: string, key: { value: unknown; range?: readonly number[] | null }): string {
  const line = text.slice(0, key.range?.[0] ?? 0).split('\n').length
  return `  line ${line}: key ${JSON.stringify(key.value)} already set in map`
}

function checkVersion({ apiVersion, kind }: JsonObject, wanted: string, versions: readonly string[]): void {
  const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')
  if (text(kind) === '') throw new ConfigurationDecodeError("Object 'Kind' is missing in the configuration file")
  if (text(apiVersion) === '')
    throw new ConfigurationDecodeError("Object 'apiVersion' is missing in the configuration file")
  if (kind === wanted && versions.includes(text(apiVersion))) return
  throw new ConfigurationDecodeError(
    `no kind ${JSON.stringify(text(kind))} is registered for version ${JSON.stringify(text(apiVersion))} in scheme "pilothouse"`,
  )
}
