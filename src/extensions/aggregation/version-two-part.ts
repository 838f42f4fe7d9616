/** The part of an OpenAPI document of version 2 that is about one group version: its paths, and what they refer to. */
import { isJsonObject, type JsonObject, type JsonValue, ownValue, setKey } from '../../api/json.ts'

export interface VersionTwoPart {
  readonly paths: JsonObject
  readonly definitions: JsonObject
  readonly parameters: JsonObject
}

/** Undefined when no path of the document lies under the root. */
export function versionTwoPart(document: JsonObject, root: string): VersionTwoPart | undefined {
  const isOwn = (path: string): boolean => path === root || path.startsWith(`${root}/`)
  const entries = Object.entries(objectOf(document['paths'])).filter(([path]) => isOwn(path))
  if (entries.length === 0) return undefined
  const paths = Object.fromEntries(entries) as JsonObject
  const part = { paths, definitions: {} as JsonObject, parameters: {} as JsonObject }
  const sources = { definitions: objectOf(document['definitions']), parameters: objectOf(document['parameters']) }
  const pending: JsonValue[] = [paths]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    for (const [place, name] of referencesIn(value)) {
      const found = ownValue(sources[place], name)
      if (found === undefined || Object.hasOwn(part[place], name)) continue
      setKey(part[place], name, found)
      pending.push(found)
    }
  }
  return part
}

const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {})

const reference = /"\$ref":"#\/(definitions|parameters)\/([^"]+)"/g

function* referencesIn(value: JsonValue): Generator<readonly ['definitions' | 'parameters', string]> {
  for (const [, place, name] of JSON.stringify(value).matchAll(reference)) {
    yield [place as 'definitions' | 'parameters', name ?? '']
  }
}
