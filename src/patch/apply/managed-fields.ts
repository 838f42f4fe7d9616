/**
 * `metadata.managedFields`: its entries as managers, and back. A manager is identified by name, operation and
 * subresource, an updater by its version, too; the identity is a JSON text so that it also gives the order of messages.
 *
 * Entries and managers are immutable, so what was made of the one stays known for as long as the other lives: a manager
 * that a write leaves alone keeps the very entry that it came from.
 */

import { equalInSteps } from '../../api/equal-in-steps.ts'
import { quote } from '../../api/field-error.ts'
import { copyObject, equalJson, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../api/json.ts'
import { isHeavy, materialize } from '../../api/large-values.ts'
import type { ManagedFieldsEntry } from '../../api/object.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { SideTable } from '../../lib/memo.ts'
import type { FieldSet } from './field-set.ts'
import { decodeFieldsV1, decodeFieldsV1InSteps, encodeFieldsV1 } from './fields-v1.ts'
import { PathElementError } from './path-element.ts'
import type { VersionedSet } from './versioned-type.ts'

type Operation = 'Apply' | 'Update'

export interface FieldManager extends VersionedSet {
  readonly manager: string
  readonly operation: Operation
  readonly subresource: string
  /** Absent until the manager changes a value. */
  readonly time: string | undefined
}

/** By identity. */
export type ManagedFields = ReadonlyMap<string, FieldManager>

/** Entries that mean nothing; the message is the reference's. */
export class ManagedFieldsError extends Error {
  override readonly name = 'ManagedFieldsError'
}

export type ManagerKey = Pick<FieldManager, 'manager' | 'operation' | 'apiVersion' | 'subresource'>

export function managerIdentity({ manager, operation, apiVersion, subresource }: ManagerKey): string {
  const version = operation === 'Update' ? `,"apiVersion":${JSON.stringify(apiVersion)}` : ''
  const part = subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`
  return `{"manager":${JSON.stringify(manager)},"operation":"${operation}"${version}${part}}`
}

export const noManagers: ManagedFields = new Map()

const managersOf = new SideTable<JsonArray, ManagedFields>()
/** The entry that a manager is written as. */
const entryOf = new SideTable<FieldManager, ManagedFieldsEntry>()

/** Throws a ManagedFieldsError. */
export function decodeManagedFields(entries: JsonValue | undefined): ManagedFields {
  if (entries === undefined || entries === null) return noManagers
  if (!Array.isArray(entries)) throw new ManagedFieldsError('managedFields must be a list')
  const known = managersOf.get(entries)
  if (known !== undefined) return known
  const managers = new Map<string, FieldManager>()
  for (const [index, entry] of entries.entries()) {
    const given: ManagedFieldsEntry = isJsonObject(entry) ? entry : {}
    const owner = withSet(decodeHead(given, index), decodeSet(given.fieldsV1))
    // Not everybody writes entries as they are written here.
    if (equalJson(writeEntry(owner), entry)) entryOf.set(owner, entry as ManagedFieldsEntry)
    managers.set(managerIdentity(owner), owner)
  }
  managersOf.set(entries, managers)
  return managers
}

const entriesPerStep = 128

/** The same, of entries that take more than one turn. */
export function* decodeManagedFieldsInSteps(entries: JsonValue | undefined): Steps<ManagedFields> {
  if (!Array.isArray(entries) || managersOf.has(entries) || !isHeavy(entries)) return decodeManagedFields(entries)
  const managers = new Map<string, FieldManager>()
  for (const [index, entry] of entries.entries()) {
    if (index % entriesPerStep === 0) yield
    const given: ManagedFieldsEntry = isJsonObject(entry) ? entry : {}
    const owner = withSet(decodeHead(given, index), yield* decodeSetInSteps(given.fieldsV1))
    const written = writeEntry(owner)
    if (isJsonObject(written.fieldsV1)) yield* materialize(written.fieldsV1)
    if (yield* equalInSteps(written, entry)) entryOf.set(owner, entry as ManagedFieldsEntry)
    managers.set(managerIdentity(owner), owner)
  }
  managersOf.set(entries, managers)
  return managers
}

/** What is wrong with the entries, or undefined. */
export function* managedFieldsProblem(entries: JsonValue | undefined): Steps<string | undefined> {
  try {
    yield* decodeManagedFieldsInSteps(entries)
    return undefined
  } catch (error) {
    if (error instanceof ManagedFieldsError) return error.message
    throw error
  }
}

/** An entry without its set. */
function decodeHead(entry: ManagedFieldsEntry, index: number): Omit<FieldManager, 'set'> {
  const { manager = '', operation, apiVersion, time, fieldsType, subresource = '' } = entry
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new ManagedFieldsError('operation must be `Apply` or `Update`')
  }
  if (!apiVersion) throw new ManagedFieldsError('apiVersion must not be empty')
  if (!fieldsType) throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`)
  if (fieldsType !== 'FieldsV1') {
    throw new ManagedFieldsError(`invalid fieldsType ${quote(fieldsType)} in managed fields entry ${index}`)
  }
  return { manager, operation, apiVersion, time: time ?? undefined, subresource, applied: operation === 'Apply' }
}

/** By a literal: what is added to a spread has a hidden class of its own, and every walk over managers stays slow. */
function withSet(head: Omit<FieldManager, 'set'>, set: FieldSet): FieldManager {
  const { manager, operation, apiVersion, time, subresource, applied } = head
  return { manager, operation, apiVersion, time, subresource, applied, set }
}

function decodeSet(fieldsV1: JsonValue | undefined): FieldSet {
  try {
    return decodeFieldsV1(fieldsV1)
  } catch (error) {
    throw asManagedFieldsError(error)
  }
}

function* decodeSetInSteps(fieldsV1: JsonValue | undefined): Steps<FieldSet> {
  try {
    return yield* decodeFieldsV1InSteps(fieldsV1)
  } catch (error) {
    throw asManagedFieldsError(error)
  }
}

const asManagedFieldsError = (error: unknown): unknown =>
  error instanceof PathElementError ? new ManagedFieldsError(`error decoding set: ${error.message}`) : error

/** In order: appliers before updaters, the untimed and the oldest first. Undefined when nothing is owned. */
export function encodeManagedFields(managers: ManagedFields): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined
  return [...managers.values()].sort(compareManagers).map((owner) => entryOf.get(owner) ?? writeEntry(owner))
}

/** As `encodeManagedFields`, for a change of entries that were decoded: what did not change is the same object. */
export function changeManagedFields(
  before: JsonValue | undefined,
  managers: ManagedFields,
): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined
  const known = Array.isArray(before) ? managersOf.get(before) : undefined
  const owners = [...managers].sort(([, a], [, b]) => compareManagers(a, b))
  const entries: ManagedFieldsEntry[] = []
  let same = Array.isArray(before) && before.length === owners.length
  for (const [identity, owner] of owners) {
    const entry = entryOf.get(owner) ?? rememberEntry(owner, known?.get(identity))
    if (same && (before as JsonArray)[entries.length] !== entry) same = false
    entries.push(entry)
  }
  if (same) return before as ManagedFieldsEntry[]
  managersOf.set(entries, new Map(owners))
  return entries
}

/** `before`: what the same manager was. */
function rememberEntry(owner: FieldManager, before: FieldManager | undefined): ManagedFieldsEntry {
  const entry = writeEntry(owner)
  // Many sets are equal, and each has one form that it is written in: mostly the fields were another's of these.
  const fields = before?.set === owner.set ? entryOf.get(before)?.fieldsV1 : undefined
  if (fields !== undefined) entry.fieldsV1 = fields
  entryOf.set(owner, entry)
  return entry
}

function writeEntry({ manager, apiVersion, time, set, subresource, operation }: FieldManager): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {}
  if (manager !== '') entry.manager = manager
  entry.operation = operation
  entry.apiVersion = apiVersion
  if (time !== undefined) entry.time = time
  entry.fieldsType = 'FieldsV1'
  entry.fieldsV1 = encodeFieldsV1(set)
  if (subresource !== '') entry.subresource = subresource
  return entry
}

function compareManagers(a: FieldManager, b: FieldManager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareTimes(a.time, b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  )
}

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** By whole seconds; no time is the beginning of time. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  if (a !== undefined && b !== undefined && isPlainTime(a) && isPlainTime(b)) return compareText(a, b)
  return seconds(a) - seconds(b)
}

/** `2026-01-31T00:00:00Z`, which sorts as text. */
const isPlainTime = (time: string): boolean => time.length === 20 && time.endsWith('Z')

const seconds = (time: string | undefined): number =>
  time === undefined ? 0 : Math.floor(Date.parse(time) / 1_000) || 0

/** The metadata of an object; an empty one when there is none. */
export const metadataOf = (object: JsonObject): JsonObject =>
  isJsonObject(object['metadata']) ? object['metadata'] : {}

/** The object with these entries, or without any; shares everything else. */
export function withManagedFields(object: JsonObject, entries: ManagedFieldsEntry[] | undefined): JsonObject {
  const metadata = metadataOf(object)
  if (entries !== undefined) {
    if (metadata['managedFields'] === entries) return object
    const changed = copyObject(metadata)
    changed['managedFields'] = entries
    return { ...object, metadata: changed }
  }
  if (!Object.hasOwn(metadata, 'managedFields')) return object
  const { managedFields: _, ...rest } = metadata
  return { ...object, metadata: rest }
}

/** The object as ownership sees it: `undefined` is absent, and cheaper than a copy without the key. */
export function hideManagedFields(object: JsonObject): JsonObject {
  const metadata = metadataOf(object)
  if (metadata['managedFields'] === undefined) return object
  return { ...object, metadata: { ...metadata, managedFields: undefined } }
}
