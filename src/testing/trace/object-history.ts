/** What became of each object, version by version, with what differs from one to the next. */
import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'

/** One write, as the store has it. */
export interface TracedWrite {
  readonly time: number
  readonly revision: number
  readonly key: string
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array | undefined
}

export interface Difference {
  readonly path: string
  readonly before?: JsonValue
  readonly after?: JsonValue
}

export interface ObjectVersion {
  readonly time: number
  readonly revision: number
  readonly what: 'created' | 'changed' | 'deleted'
  /** Who wrote it last, by its managed fields. */
  readonly manager: string
  readonly differences: readonly Difference[]
}

export interface TracedObject {
  readonly id: string
  readonly title: string
  readonly uid: string
  /** Of its owners. */
  readonly owners: readonly string[]
  readonly isDeleted: boolean
  readonly versions: readonly ObjectVersion[]
  /** The last state that was seen. */
  readonly object: JsonObject
}

/** Differences of one version that are shown. */
const maxDifferences = 200

export function objectHistories(changes: readonly TracedWrite[]): TracedObject[] {
  const byKey = new Map<string, TracedWrite[]>()
  for (const change of changes) {
    const known = byKey.get(change.key)
    if (known === undefined) byKey.set(change.key, [change])
    else known.push(change)
  }
  return [...byKey].flatMap(([key, own]) => historyOf(key, own) ?? [])
}

/** Undefined for what is no object: records of the server's own. */
function historyOf(key: string, changes: readonly TracedWrite[]): TracedObject | undefined {
  const last = changes.at(-1)
  const object = read(last?.after) ?? read(last?.before)
  if (object === undefined || !isJsonObject(object['metadata'])) return undefined
  const { metadata } = object
  return {
    id: key,
    title: titleOf(object),
    uid: String(metadata['uid'] ?? ''),
    owners: references(metadata['ownerReferences']),
    isDeleted: last?.after === undefined,
    versions: changes.map(versionOf),
    object: withoutManagedFields(object),
  }
}

export function titleOf(object: JsonObject): string {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {}
  const { namespace, name } = metadata
  return `${String(object['kind'])} ${namespace === undefined ? '' : `${String(namespace)}/`}${String(name)}`
}

const references = (owners: JsonValue | undefined): string[] =>
  Array.isArray(owners) ? owners.flatMap((owner) => (isJsonObject(owner) ? [String(owner['uid'])] : [])) : []

function versionOf({ time, revision, before, after }: TracedWrite): ObjectVersion {
  const [old, now] = [read(before), read(after)]
  const what = old === undefined ? 'created' : now === undefined ? 'deleted' : 'changed'
  const isWhole = old === undefined || now === undefined
  const differences = isWhole ? [] : differencesOf(withoutManagedFields(old), withoutManagedFields(now))
  return {
    time,
    revision,
    what,
    manager: managerOf(now ?? old ?? {}),
    differences: differences.slice(0, maxDifferences),
  }
}

export function read(value: Uint8Array | undefined): JsonObject | undefined {
  if (value === undefined) return undefined
  try {
    const parsed = JSON.parse(Buffer.from(value).toString('utf8')) as JsonValue
    return isJsonObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function withoutManagedFields(object: JsonObject): JsonObject {
  if (!isJsonObject(object['metadata'])) return object
  const { managedFields: _, ...metadata } = object['metadata']
  return { ...object, metadata }
}

function managerOf({ metadata }: JsonObject): string {
  const fields = isJsonObject(metadata) && Array.isArray(metadata['managedFields']) ? metadata['managedFields'] : []
  let newest: JsonObject = {}
  for (const each of fields) {
    if (isJsonObject(each) && String(each['time'] ?? '') >= String(newest['time'] ?? '')) newest = each
  }
  return String(newest['manager'] ?? '')
}

/** By members of objects and items of lists; what is only there before or after is shown as a whole. */
export function differencesOf(before: JsonValue, after: JsonValue, path = ''): Difference[] {
  if (equalJson(before, after)) return []
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return keys.flatMap((key) => memberDifferences(before[key], after[key], path === '' ? key : `${path}.${key}`))
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    return Array.from({ length }, (_, i) => memberDifferences(before[i], after[i], `${path}[${i}]`)).flat()
  }
  return [{ path, before, after }]
}

function memberDifferences(before: JsonValue | undefined, after: JsonValue | undefined, path: string): Difference[] {
  if (before === undefined) return after === undefined ? [] : [{ path, after }]
  return after === undefined ? [{ path, before }] : differencesOf(before, after, path)
}
