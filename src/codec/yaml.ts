/**
 * YAML to JSON as the reference converts it: the first document only, YAML 1.1 booleans and octals, keys that are
 * numbers or booleans become texts, merge keys, aliases within bounds. Duplicate keys are found; the last one counts.
 */
import { quote } from '../api/field-error.ts'
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { compareTexts, listKeys } from '../api/key-lists.ts'
import { sortInSteps } from '../api/large-values.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { sortKeys } from '../schema/json-shape.ts'
import { fromTree, type JsonNode, ObjectNode } from '../schema/json-tree.ts'
import { DecodeError } from './decode-error.ts'
import { parseTreeInSteps } from './json-parser.ts'
import { scanJson } from './json-scan.ts'
import { yamlText } from './yaml-bytes.ts'
import { type MappingNode, parseYaml, type ScalarNode, type YamlNode } from './yaml-parser.ts'
import { limitlessKey, resolvePlain, resolveTagged } from './yaml-scalars.ts'
import { tooDeep, YamlError } from './yaml-token.ts'

export interface DecodedYaml {
  /** `null` when there is no document. Keys are sorted. */
  readonly value: JsonValue
  /** `line 7: key "a" already set in map`, in the order of the text. */
  readonly duplicates: readonly string[]
}

/** Throws a `DecodeError` whose text begins with `yaml: `. */
export const decodeYaml = (bytes: Buffer): DecodedYaml => runToEnd(decodeYamlInSteps(bytes))

/** The same for bodies, which may be large. */
export function* decodeYamlInSteps(bytes: Buffer): Steps<DecodedYaml> {
  const json = yield* lineOfJson(bytes)
  if (json !== undefined) return { value: json, duplicates: [] }
  try {
    const root = yield* parseYaml(textOf(bytes))
    const builder = new ValueBuilder()
    const value = root === undefined ? null : yield* builder.value(root)
    return { value, duplicates: builder.duplicates }
  } catch (error) {
    if (error instanceof YamlError) throw new DecodeError(error.message)
    if (isStackOverflow(error)) throw new DecodeError(tooDeep().message)
    throw error
  }
}

/** What nests takes several frames of the stack a level: how many levels there is room for depends on who called. */
const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes('Maximum call stack')

/**
 * The value of JSON on one line, which most programs send as their YAML. It means the same in both as long as there are
 * only plain characters without escapes, whole numbers of usual size, and keys that YAML takes as they are. Undefined
 * when the text must be read as YAML.
 */
function* lineOfJson(bytes: Buffer): Steps<JsonValue | undefined> {
  const line = bytes.at(-1) === lineFeed ? bytes.subarray(0, -1) : bytes
  if (line[0] !== openBrace || !areAllPlain(line)) return undefined
  yield
  const { plain, keys, commas, depth } = scanJson(line)
  if (!plain) return undefined
  yield
  if (Math.max(keys, commas) > manyValues && depth < maxLineDepth) return yield* largeLine(line)
  try {
    const value = JSON.parse(line.toString('latin1')) as JsonValue
    return countPlainKeys(value) === keys ? sortKeys(value) : undefined
  } catch {
    return undefined
  }
}

const lineFeed = 0x0a
const openBrace = 0x7b

function areAllPlain(bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    if (byte < 0x20 || byte >= 0x7f || byte === 0x5c) return false
  }
  return true
}

/** Lines with more values are read in steps. */
const manyValues = 20_000
const maxLineDepth = 1_000

function* largeLine(line: Buffer): Steps<JsonValue | undefined> {
  try {
    return yield* sortedValue(yield* parseTreeInSteps(line))
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** Undefined where a key is one that YAML treats in its own way, or is there twice. */
function* sortedValue(node: JsonNode): Steps<JsonValue | undefined> {
  if (Array.isArray(node)) {
    const items: JsonValue[] = []
    for (const item of node) {
      if (items.length % valuesPerStep === 0) yield
      const value = isInner(item) ? yield* sortedValue(item) : fromTree(item)
      if (value === undefined) return undefined
      items.push(value)
    }
    return items
  }
  if (!(node instanceof ObjectNode)) return fromTree(node)
  const places = yield* sortInSteps([...node.keys.keys()], (a, b) =>
    compareTexts(node.keys[a] as string, node.keys[b] as string),
  )
  const out: JsonObject = {}
  const keys: string[] = []
  for (const i of places) {
    if (keys.length % valuesPerStep === 0) yield
    const key = node.keys[i] as string
    if (key === '<<' || key.length > maxKeyLength || key === keys.at(-1)) return undefined
    const item = node.values[i] ?? null
    const value = isInner(item) ? yield* sortedValue(item) : fromTree(item)
    if (value === undefined) return undefined
    keys.push(key)
    setKey(out, key, value)
  }
  return listKeys(out, keys)
}

const isInner = (node: JsonNode): boolean => Array.isArray(node) || node instanceof ObjectNode

/** YAML looks for the end of a key no further than this. */
const maxKeyLength = 1_000

/** Not a number where there is a key that YAML treats in its own way. */
function countPlainKeys(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += countPlainKeys(item)
    return count
  }
  for (const key of Object.keys(value)) {
    if (key === '<<' || key.length > maxKeyLength) return Number.NaN
    count += 1 + countPlainKeys(value[key] as JsonValue)
  }
  return count
}

/** Duplicate keys as one strict error. */
export const yamlStrictError = (duplicates: readonly string[]): string =>
  `yaml: unmarshal errors:\n${duplicates.map((line) => `  ${line}`).join('\n')}`

function textOf(bytes: Buffer): string {
  const read = yamlText(bytes)
  if ('problem' in read) throw new YamlError(`yaml: ${read.problem}`)
  return read.text
}

/** Below this many values, nearly all of them may come from aliases; far above it, few. */
const lenientCount = 400_000
const strictCount = 4_000_000

function allowedAliasShare(count: number): number {
  if (count <= lenientCount) return 0.99
  if (count >= strictCount) return 0.1
  return 0.99 - (0.89 * (count - lenientCount)) / (strictCount - lenientCount)
}

/** A step goes through all values that are open. */
const valuesPerStep = 256

class ValueBuilder {
  readonly duplicates: string[] = []
  readonly #anchors = new Map<string, YamlNode>()
  /** Anchors whose value is being made. */
  readonly #open = new Set<YamlNode>()
  #count = 0
  #aliasCount = 0
  #aliasDepth = 0;

  *value(node: YamlNode): Steps<JsonValue> {
    this.#tally()
    if (this.#count % valuesPerStep === 0) yield
    if (node.kind === 'alias') return yield* this.#alias(node.name)
    if (node.anchor === '') return yield* this.#content(node)
    this.#anchors.set(node.anchor, node)
    this.#open.add(node)
    const value = yield* this.#content(node)
    this.#open.delete(node)
    return value
  }

  *#content(node: Exclude<YamlNode, { kind: 'alias' }>): Steps<JsonValue> {
    if (node.kind === 'scalar') return scalarValue(node)
    if (node.kind === 'mapping') return yield* this.#mapping(node)
    const items: JsonValue[] = []
    for (const item of node.items) items.push(yield* this.value(item))
    return items
  }

  #tally(): void {
    this.#count++
    if (this.#aliasDepth > 0) this.#aliasCount++
    if (this.#aliasCount <= 100 || this.#count <= 1000) return
    if (this.#aliasCount / this.#count > allowedAliasShare(this.#count)) {
      throw new YamlError('yaml: document contains excessive aliasing')
    }
  }

  *#alias(name: string): Steps<JsonValue> {
    const target = this.#target(name)
    this.#aliasDepth++
    const value = yield* this.value(target)
    this.#aliasDepth--
    return value
  }

  #target(name: string): YamlNode {
    const target = this.#anchors.get(name) as YamlNode
    if (this.#open.has(target)) throw new YamlError(`yaml: anchor '${name}' value contains itself`)
    return target
  }

  *#mapping(node: MappingNode): Steps<JsonObject> {
    const entries = new Map<string, JsonValue>()
    for (const [keyNode, valueNode] of node.pairs) {
      if (isMergeKey(keyNode)) {
        yield* this.#merge(valueNode, entries)
        continue
      }
      const key = yield* this.#key(keyNode)
      const value = yield* this.value(valueNode)
      if (key === null) {
        const shown = value === null ? '<nil>' : goSyntax(value)
        throw new YamlError(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${shown}`)
      }
      if (entries.has(String(key))) {
        const shown = typeof key === 'string' ? quote(key) : String(key)
        this.duplicates.push(`line ${valueNode.line + 1}: key ${shown} already set in map`)
      }
      entries.set(String(key), value)
    }
    const keys = yield* sortInSteps([...entries.keys()], compareTexts)
    const object: JsonObject = {}
    let written = 0
    for (const key of keys) {
      setKey(object, key, entries.get(key))
      if (++written % valuesPerStep === 0) yield
    }
    return listKeys(object, keys)
  }

  *#key(node: YamlNode): Steps<string | number | bigint | boolean | null> {
    const limitless = node.kind === 'scalar' && node.plain && node.tag === '' ? limitlessKey(node.text) : undefined
    if (limitless !== undefined) return limitless
    const value = yield* this.value(node)
    if (typeof value !== 'object') return value
    if (value === null) return null
    throw new YamlError(`yaml: invalid map key: ${goSyntax(value)}`)
  }

  /** Keys of the merged mappings come in where there are none yet. */
  *#merge(node: YamlNode, entries: Map<string, JsonValue>): Steps<void> {
    const parts = node.kind === 'sequence' ? node.items.toReversed() : [node]
    for (const part of parts) {
      const target = part.kind === 'alias' ? this.#target(part.name) : part
      const value = target.kind === 'mapping' ? yield* this.value(part) : undefined
      if (!isJsonObject(value)) {
        throw new YamlError('yaml: map merge requires map or sequence of maps as the value')
      }
      for (const key of Object.keys(value)) entries.set(key, value[key] ?? null)
    }
  }
}

/** As Go prints a value that it decoded from YAML. */
function goSyntax(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (typeof value !== 'object') return String(value)
  const members = Object.keys(value).map((key) => `${quote(key)}:${goSyntax(value[key] ?? null)}`)
  return `map[interface {}]interface {}{${members.join(', ')}}`
}

const isMergeKey = (node: YamlNode): boolean =>
  node.kind === 'scalar' &&
  node.text === '<<' &&
  node.plain &&
  (node.tag === '' || node.tag === '!' || node.tag === '!!merge')

const coreTag = 'tag:yaml.org,2002:'

function scalarValue({ text, plain, tag }: ScalarNode): JsonValue {
  if (tag === '') return plain ? resolvePlain(text) : text
  const name = tag.startsWith(`!<${coreTag}`)
    ? tag.slice(coreTag.length + 2, -1)
    : tag.startsWith('!!')
      ? tag.slice(2)
      : undefined
  return name === undefined ? text : resolveTagged(name, text)
}
