/**
 * The metadata of custom objects and of objects embedded in them: typed like everybody's, whatever the schema says.
 * Bodies with malformed metadata are refused; what was stored so loses the malformed parts.
 */

import { type FieldError, invalid, invalidAs, required } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { shownValue } from '../../api/golang/value.ts'
import { parseGroupVersion } from '../../api/group-version.ts'
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import { jsonText } from '../../api/json-text.ts'
import { keysOf } from '../../api/key-lists.ts'
import { isHeavy } from '../../api/large-values.ts'
import { checkDns1035Label, checkPathSegmentName } from '../../api/names.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { errorAtRelease } from '../../api/release-wordings.ts'
import { typeSchema } from '../../catalog/catalog.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import { memoize } from '../../lib/memo.ts'
import { pushAll } from '../../lib/push-all.ts'
import { validateObjectMeta } from '../../registry/object-meta.ts'
import { decodeValue, decodeValueInSteps } from '../../schema/canonicalize.ts'
import { sortKeys } from '../../schema/json-shape.ts'
import { innerSchema } from '../../schema/prune.ts'
import type { Schema } from '../../schema/schema.ts'

export type Malformed = 'refuse' | 'drop'

export interface Coerced {
  readonly value: JsonValue
  /** Paths of unknown fields inside of metadata, such as `metadata.colour`. */
  readonly unknown: readonly string[]
  /** What is malformed, in the words of the reference's decoder. */
  readonly error?: string
}

interface CoercedEmbedded extends Coerced {
  /** The same, with the path below the value. */
  readonly fault?: FieldError
}

const metaSchema = () => typeSchema('meta.v1.ObjectMeta')

/** `prefix` is the path of the object that the metadata belongs to; empty for the object itself. Null is a struct without fields. */
export function coerceMetadata(metadata: JsonValue, malformed: Malformed, prefix = ''): Coerced {
  const result = decodeValue(metadata ?? {}, metaSchema(), { empties: 'written' })
  const at = prefix === '' ? 'metadata' : `${prefix}.metadata`
  if (result.error === undefined) {
    return { value: result.object, unknown: result.strict.map(({ path }) => `${at}.${path}`) }
  }
  if (malformed === 'refuse' || !isJsonObject(metadata)) {
    // The reference writes it as JSON, with its keys in order, and reads that.
    const { error } = decodeValue(sortKeys(metadata), metaSchema())
    return { value: metadata, unknown: [], error: error ?? result.error }
  }
  const kept: JsonObject = {}
  for (const key of Object.keys(metadata)) {
    const one: JsonObject = {}
    setKey(one, key, metadata[key])
    if (decodeValue(one, metaSchema()).error === undefined) setKey(kept, key, metadata[key])
  }
  return coerceMetadata(kept, 'refuse', prefix)
}

/** The same of metadata that may be large. */
export function* coerceMetadataInSteps(metadata: JsonValue, malformed: Malformed): Steps<Coerced> {
  if (!isHeavy(metadata)) return coerceMetadata(metadata, malformed)
  const result = yield* decodeValueInSteps(metadata, metaSchema(), { empties: 'written' })
  if (result.error !== undefined) return coerceMetadata(metadata, malformed)
  return { value: result.object, unknown: result.strict.map(({ path }) => `metadata.${path}`) }
}

const invalidGo = (at: FieldPath | string, value: JsonValue, text: string): FieldError =>
  invalidAs(at, () => shownValue(value), text)

const isEmbedded = (schema: Schema): boolean =>
  (schema.kind === 'object' || schema.kind === 'any') && schema.embedded === true

/** Whether an embedded object lies anywhere below, so that the rest need not be walked. */
export const hasEmbedded = (schema: Schema | undefined): boolean => schema !== undefined && findEmbedded(schema)

const findEmbedded = memoize(
  'has-embedded',
  (schema: Schema): boolean =>
    isEmbedded(schema) ||
    (schema.kind === 'list' && hasEmbedded(schema.items)) ||
    (schema.kind === 'map' && hasEmbedded(schema.values)) ||
    (schema.kind === 'object' && [...schema.fields.values()].some((field) => hasEmbedded(field.schema))),
)

/** Types the metadata of embedded objects. Objects are not changed; what stays as it is is shared. */
export const coerceEmbedded = (value: JsonValue, schema: Schema, malformed: Malformed): CoercedEmbedded =>
  runToEnd(coerceEmbeddedInSteps(value, schema, malformed))

export function* coerceEmbeddedInSteps(value: JsonValue, schema: Schema, malformed: Malformed): Steps<CoercedEmbedded> {
  const typing = new EmbeddedTyping(malformed)
  const result = yield* typing.visit(value, schema, '')
  const { fault, unknown } = typing
  if (fault === undefined) return { value: result, unknown: unknown.sort() }
  const release = schema.kind === 'object' ? schema.release : undefined
  const { field, message } = release === undefined ? fault : errorAtRelease(fault, release)
  return { value, unknown: [], error: `${field}: ${message}`, fault }
}

class EmbeddedTyping {
  readonly unknown: string[] = []
  fault: FieldError | undefined
  readonly #malformed: Malformed

  constructor(malformed: Malformed) {
    this.#malformed = malformed
  }

  *visit(item: JsonValue, schema: Schema | undefined, path: string): Steps<JsonValue> {
    if (schema === undefined || !hasEmbedded(schema)) return item
    yield
    if (Array.isArray(item)) return yield* this.#visitList(item, schema, path)
    return isJsonObject(item) ? yield* this.#visitObject(item, schema, path) : item
  }

  *#visitList(list: JsonValue[], schema: Schema, path: string): Steps<JsonValue[]> {
    const items = schema.kind === 'list' ? schema.items : undefined
    let out = list
    for (let i = 0; i < list.length; i++) {
      const item = list[i] as JsonValue
      const typed = yield* this.visit(item, items, `${path}[${i}]`)
      if (typed === item) continue
      if (out === list) out = list.slice()
      out[i] = typed
    }
    return out
  }

  *#visitObject(object: JsonObject, schema: Schema, path: string): Steps<JsonObject> {
    let out = object
    for (const key of keysOf(object)) {
      const at = path === '' ? key : schema.kind === 'map' ? `${path}[${key}]` : `${path}.${key}`
      const before = object[key] as JsonValue
      const typed = isEmbedded(schema) ? this.#typeField(key, before, path) : before
      const after = typed === undefined ? undefined : yield* this.visit(typed, innerSchema(schema, key), at)
      if (after === before) continue
      if (out === object) out = yield* copyInSteps(object)
      if (after === undefined) delete out[key]
      else setKey(out, key, after)
    }
    return out
  }

  #fail(path: string, shown: JsonValue, text: string): void {
    this.fault ??= invalidGo(path, shown, text)
  }

  /** Undefined when the field is dropped. */
  #typeField(key: string, before: JsonValue, path: string): JsonValue | undefined {
    if (key === 'apiVersion' || key === 'kind') {
      if (typeof before === 'string') return before
      if (this.#malformed === 'drop') return undefined
      this.#fail(`${path}.${key}`, before, 'must be a string')
      return before
    }
    if (key !== 'metadata') return before
    const coerced = coerceMetadata(before, this.#malformed, path)
    if (coerced.error !== undefined) {
      if (this.#malformed === 'refuse') this.#fail(`${path}.metadata`, before, coerced.error)
      return before
    }
    pushAll(this.unknown, coerced.unknown)
    const typed = coerced.value as JsonObject
    if (typed['creationTimestamp'] === null) {
      const { creationTimestamp: _, ...rest } = typed
      return sameText(rest, before) ? before : rest
    }
    return sameText(typed, before) ? before : typed
  }
}

const sameText = (a: JsonValue, b: JsonValue): boolean => jsonText(a) === jsonText(b)

/** A copy that may be changed. */
function* copyInSteps(object: JsonObject): Steps<JsonObject> {
  const copy: JsonObject = {}
  let count = 0
  for (const key of keysOf(object)) {
    if (++count % keysPerStep === 0) yield
    setKey(copy, key, object[key])
  }
  return copy
}

const keysPerStep = 256

/** Embedded objects must say what they are, and have valid metadata. */
export function* validateEmbedded(value: JsonValue, schema: Schema | undefined, at: FieldPath): Steps<FieldError[]> {
  if (schema === undefined || !hasEmbedded(schema)) return []
  yield
  const errors: FieldError[] = []
  if (Array.isArray(value)) {
    const items = schema.kind === 'list' ? schema.items : undefined
    for (const [i, item] of value.entries()) pushAll(errors, yield* validateEmbedded(item, items, at.index(i)))
    return errors
  }
  if (!isJsonObject(value)) return errors
  if (isEmbedded(schema)) pushAll(errors, validateWhole(value, at))
  for (const key of keysOf(value)) {
    const place = schema.kind === 'map' ? at.key(key) : at.child(key)
    pushAll(errors, yield* validateEmbedded(value[key] as JsonValue, innerSchema(schema, key), place))
  }
  return errors
}

/** An object that stands for itself: it has a kind, a version and metadata. */
export function validateWhole(object: JsonObject, at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const key of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(object, key)) errors.push(required(at.child(key), 'must not be empty'))
  }
  for (const key of Object.keys(object)) {
    const value = object[key] as JsonValue
    if (key === 'apiVersion' || key === 'kind') pushAll(errors, validateTypeField(key, value, at.child(key)))
    else if (key === 'metadata') pushAll(errors, validateEmbeddedMeta(value, at.child('metadata')))
  }
  return errors
}

function validateTypeField(key: 'apiVersion' | 'kind', value: JsonValue, at: FieldPath): FieldError[] {
  if (typeof value !== 'string') return [invalidGo(at, value, 'must be a string')]
  if (value === '') return [invalid(at, value, 'must not be empty')]
  if (key === 'apiVersion') {
    return parseGroupVersion(value) === undefined
      ? [invalid(at, value, `unexpected GroupVersion string: ${value}`)]
      : []
  }
  const problems = checkDns1035Label(value.toLowerCase())
  if (problems.length === 0) return []
  return [invalid(at, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`)]
}

function validateEmbeddedMeta(metadata: JsonValue, at: FieldPath): FieldError[] {
  const coerced = coerceMetadata(metadata, 'refuse')
  if (coerced.error !== undefined) return [invalidGo(at, metadata, coerced.error)]
  const meta = coerced.value as ObjectMeta
  const named = (meta.name ?? '') === '' ? { ...meta, name: 'fakename' } : meta
  const namespaced = (meta.namespace ?? '') !== ''
  return validateObjectMeta(named, { namespaced, validateName: checkPathSegmentName, anyFinalizer: true }, at)
}
