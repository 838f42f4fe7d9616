/**
 * Makes answers comparable: values that differ from run to run become symbols, numbered by first sight, so that equality
 * between them still counts: two equal uids stay equal.
 */
import type { JsonObject, JsonValue } from '../api/json.ts'

const uidPattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g
const timePattern = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g
const versionPattern = /resourceVersion:?\s+\d+/g
const addressPattern = /^\d+\.|:/

export class Normaliser {
  readonly #uids = new Map<string, string>()
  readonly #versions = new Map<string, string>()
  readonly #literals = new Map<string, string>()

  /** Every occurrence of `text` becomes `symbol` from now on. */
  replace(text: string, symbol: string): void {
    this.#literals.set(text, symbol)
  }

  text(given: string): string {
    let out = given
    for (const [text, symbol] of this.#literals) out = out.replaceAll(text, symbol)
    for (const [uid, symbol] of this.#uids) out = out.replaceAll(uid, symbol)
    return out
      .replaceAll(uidPattern, (uid) => symbolOf(this.#uids, 'uid', uid))
      .replaceAll(timePattern, '<time>')
      .replaceAll(versionPattern, 'resourceVersion <rv>')
  }

  /** `isDocument`: an OpenAPI document, whose descriptions are prose. */
  value(given: unknown, isDocument = false): JsonValue | undefined {
    return this.#value(given, '', isDocument)
  }

  #value(given: unknown, key: string, isDocument: boolean): JsonValue | undefined {
    if (typeof given === 'string') return this.#string(given, key)
    if (typeof given === 'number' && key === 'nodePort' && given !== 0) return '<nodePort>'
    if (Array.isArray(given)) return this.#list(given, key, isDocument)
    if (given === null || typeof given !== 'object') return given as JsonValue | undefined
    return this.#object(given as JsonObject, isDocument)
  }

  #string(given: string, key: string): string | undefined {
    switch (key) {
      case 'resourceVersion':
        return given === '' || given === '0' ? given : symbolOf(this.#versions, 'rv', given)
      case 'continue':
        // An empty token and none are the same.
        return given === '' ? undefined : '<continue>'
      case 'uid':
        return given === '' ? '' : symbolOf(this.#uids, 'uid', given)
      case 'clusterIP':
        return addressPattern.test(given) ? '<ip>' : this.text(given)
      case 'token':
        return given.length > 40 ? '<token>' : this.text(given)
      default:
        return this.text(given)
    }
  }

  #list(given: readonly unknown[], key: string, isDocument: boolean): JsonValue {
    if (key === 'clusterIPs') return given.map((ip) => (addressPattern.test(String(ip)) ? '<ip>' : (ip as JsonValue)))
    const hasProse = isDocument || key === 'columnDefinitions'
    return given.map((item) => this.#value(hasProse ? withoutProse(item) : item, '', isDocument) as JsonValue)
  }

  #object(given: JsonObject, isDocument: boolean): JsonObject {
    this.#learnGeneratedName(given)
    const object = isDocument ? (withoutProse(given) as JsonObject) : comparableBookmark(given)
    return Object.fromEntries(
      Object.keys(object)
        .sort()
        .map((key) => [key, this.#value(object[key], key, isDocument)])
        .filter(([, value]) => value !== undefined),
    ) as JsonObject
  }

  #learnGeneratedName({ generateName, name }: JsonObject): void {
    if (typeof generateName !== 'string' || typeof name !== 'string' || generateName === '') return
    if (!name.startsWith(generateName) || name.length === generateName.length) return
    this.replace(name, `${generateName}<random${name.length - generateName.length}>`)
  }
}

function symbolOf(symbols: Map<string, string>, kind: string, value: string): string {
  const known = symbols.get(value)
  if (known !== undefined) return known
  const symbol = `<${kind}:${symbols.size + 1}>`
  symbols.set(value, symbol)
  return symbol
}

/** Descriptions for people must be there; their words are each server's own. */
function withoutProse(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const { description } = value as JsonObject
  return typeof description === 'string' && description !== '' ? { ...value, description: '<prose>' } : value
}

/** A bookmark is compared by what a bookmark may hold: the reference sends empty fields of the kind along. */
function comparableBookmark(value: JsonObject): JsonObject {
  const object = value['object'] as JsonObject | undefined
  const metadata = object?.['metadata'] as JsonObject | undefined
  if (value['type'] !== 'BOOKMARK' || object === undefined || metadata === undefined) return value
  const { resourceVersion, annotations } = metadata
  return {
    ...value,
    object: { kind: object['kind'], apiVersion: object['apiVersion'], metadata: { resourceVersion, annotations } },
  } as JsonObject
}
