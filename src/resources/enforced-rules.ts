/**
 * Declared rules that count: the markers of a release's types (`declared-validation.txt` of its facts), for kinds whose strategy
 * enforces them. What an update leaves as it was is not looked at again. Markers that are on trial (`alpha`) never count.
 * Mirrors k8s.io/apimachinery/pkg/api/validate: Union, EachSliceVal, Unique, Immutable, Enum, RequiredValue, Minimum, MaxItems.
 */

import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { equalSemantic, isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import { jsonText } from '../api/json-text.ts'
import type { KubeObject } from '../api/object.ts'
import { enforcesDeclared } from '../api/release-changes.ts'
import { pushAll } from '../lib/push-all.ts'
import type { Strategy, WriteContext } from '../registry/strategy.ts'
import type { Field, ListSchema, ObjectSchema } from '../schema/schema.ts'
import { immutableMessage } from './checks/checks.ts'
import { checkFormat } from './declared-formats.ts'
import { type FieldMarkers, markersOf, type TypeMarkers } from './declared-markers.ts'
import { type DeclaredRuleReports, evaluateSafely, identifierOf } from './declared-strategy.ts'

interface Services {
  /** Absent in tests of rules alone. */
  readonly release?: number
  readonly declaredRules: DeclaredRuleReports
  gate(name: string): boolean
}

/** The strategy with the declared rules behind its own; the strategy itself where none count. */
export function withEnforcedRules(
  strategy: Strategy,
  { kind, schema }: { readonly kind: string; readonly schema: ObjectSchema },
  { release, declaredRules: reports, gate }: Services,
): Strategy {
  if (release === undefined || !enforcesDeclared(release, kind)) return strategy
  const markers = markersOf(release, gate)
  const declared = (object: KubeObject, old: KubeObject | undefined, { subresource }: WriteContext): FieldError[] =>
    evaluateSafely(() => evaluateMarkers(object, old, { schema, markers }), {
      decides: true,
      failed: (detail) =>
        reports.failure(detail, identifierOf(object, old === undefined ? 'create' : 'update', subresource)),
    })
  return {
    ...strategy,
    validateMetadata: (metadata, object) =>
      distinct(strategy.validateMetadata?.(metadata, object) ?? metadata.validate()),
    validateMetadataUpdate: (metadata, object) =>
      distinct(strategy.validateMetadataUpdate?.(metadata, object) ?? metadata.validateUpdate()),
    validate: (object, context) => [
      ...distinct(strategy.validate?.(object, context) ?? []),
      ...declared(object, undefined, context),
    ],
    validateUpdate: (object, old, context) => [
      ...distinct(strategy.validateUpdate?.(object, old, context) ?? []),
      ...declared(object, old, context),
    ],
  }
}

/** The same error once. Mirrors registry/rest: filterHandwrittenErrors. */
function distinct(errors: FieldError[]): FieldError[] {
  const seen = new Set<string>()
  return errors.filter(({ field, message }) => {
    const text = `${field}: ${message}`
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
}

interface DeclaredType {
  readonly schema: ObjectSchema
  readonly markers: TypeMarkers
}

/** All that the markers of a type find wrong with an object, or with what became of an old one. */
function evaluateMarkers(
  object: KubeObject,
  old: KubeObject | undefined,
  { schema, markers }: DeclaredType,
): FieldError[] {
  const walk = { markers, isUpdate: old !== undefined, errors: [] }
  checkStruct({ at: FieldPath.root, value: object, old }, schema, walk)
  return walk.errors
}

interface Walk {
  readonly markers: TypeMarkers
  readonly isUpdate: boolean
  readonly errors: FieldError[]
}

/** A value, and what it was where there is one to compare it with. */
interface CheckedValue<T> {
  readonly at: FieldPath
  readonly value: T
  readonly old: T | undefined
}

function checkStruct(place: CheckedValue<JsonObject>, schema: ObjectSchema, walk: Walk): void {
  const { at, value, old } = place
  const markers = walk.markers.get(schema.name ?? '')
  checkUnion(place, markers, walk)
  for (const field of schema.fields.values()) {
    const [now, before] = [value[field.name], old?.[field.name]]
    if (walk.isUpdate && old !== undefined && equalSemantic(now, before)) continue
    checkField({ at: at.child(field.name), value: now, old: before }, field, markers?.get(field.name), walk)
  }
}

/** One member of a union must be there. Which one is checked when that changes. */
function checkUnion(
  { at, value, old }: CheckedValue<JsonObject>,
  markers: ReadonlyMap<string, FieldMarkers> | undefined,
  { isUpdate, errors }: Walk,
): void {
  const members = [...(markers ?? [])].filter(([, { unionMember }]) => unionMember === true).map(([name]) => name)
  if (members.length === 0) return
  const given = members.filter((name) => isGiven(value[name]))
  const before = members.filter((name) => isGiven(old?.[name]))
  if (isUpdate && old !== undefined && equalSemantic(given, before)) return
  const all = members.map((name) => `\`${name}\``).join(', ')
  if (given.length === 0) errors.push(invalid(at, '', `must specify one of: ${all}`))
  else if (given.length > 1) errors.push(invalid(at, `{${given.join(', ')}}`, `must specify exactly one of: ${all}`))
}

const isGiven = (value: JsonValue | undefined): boolean => value !== undefined && value !== null

/** Whether Go sees more than the zero value of the field's type. */
function isSet(value: JsonValue | undefined, { pointer }: Field): boolean {
  if (!isGiven(value)) return false
  if (Array.isArray(value)) return value.length > 0
  return pointer || (value !== '' && value !== 0 && value !== false)
}

type AnyPlace = CheckedValue<JsonValue | undefined>

function checkField(place: AnyPlace, field: Field, markers: FieldMarkers | undefined, walk: Walk): void {
  if (markers !== undefined && !passesFirst(place, field, markers, walk)) return
  checkScalar(place, field, markers, walk)
  const { value, old, at } = place
  const { schema } = field
  if (schema.kind === 'list' && Array.isArray(value)) {
    const before = Array.isArray(old) ? old : undefined
    checkItems({ at, value, old: before }, schema, markers?.keys, walk)
  } else if (schema.kind === 'object' && (isJsonObject(value) || !field.pointer)) {
    const before = isJsonObject(old) ? old : undefined
    checkStruct({ at, value: isJsonObject(value) ? value : {}, old: before }, schema, walk)
  }
}

/** The rules after which nothing else is said of a field, and whether there is more to look at. */
function passesFirst(
  { at, value }: AnyPlace,
  field: Field,
  markers: FieldMarkers,
  { isUpdate, errors }: Walk,
): boolean {
  const known = errors.length
  if (markers.immutable === true && isUpdate) errors.push(invalid(at, null, immutableMessage))
  const { maxItems } = markers
  if (maxItems !== undefined && Array.isArray(value) && value.length > maxItems) {
    errors.push(tooMany(at, value.length, maxItems))
  }
  const set = isSet(value, field)
  if (markers.forbidden === true && set) errors.push(forbidden(at, ''))
  if (markers.required === true && !set) errors.push(required(at))
  const isOptional = markers.optional === true || markers.forbidden === true
  return errors.length === known && (set || !isOptional)
}

function checkScalar(
  { at, value }: AnyPlace,
  { schema }: Field,
  markers: FieldMarkers | undefined,
  { errors }: Walk,
): void {
  if (typeof value === 'string') {
    const { format, maxBytes } = markers ?? {}
    if (format !== undefined) pushAll(errors, checkFormat(format, value, at))
    if (maxBytes !== undefined && Buffer.byteLength(value) > maxBytes) errors.push(tooLong(at, maxBytes))
    const allowed = schema.kind === 'string' ? (schema.enum as readonly string[] | undefined) : undefined
    if (allowed !== undefined && !allowed.includes(value)) errors.push(notSupported(at, value, allowed.toSorted()))
  } else if (typeof value === 'number') {
    const { minimum, maximum } = markers ?? {}
    if (maximum !== undefined && value > maximum) {
      errors.push(invalid(at, value, `must be less than or equal to ${maximum}`))
    }
    if (minimum !== undefined && value < minimum) {
      errors.push(invalid(at, value, `must be greater than or equal to ${minimum}`))
    }
  }
}

/** Items of a list with keys are compared with those of the same keys; all others are new in an update. */
function checkItems(
  { at, value, old }: CheckedValue<JsonValue[]>,
  { items }: ListSchema,
  keys: readonly string[] | undefined,
  walk: Walk,
): void {
  const keyOf = (item: JsonValue): string =>
    jsonText((keys ?? []).map((key) => (isJsonObject(item) ? (item[key] ?? '') : '')))
  const before = new Map(keys === undefined ? [] : old?.map((item) => [keyOf(item), item]))
  const seen = new Set<string>()
  value.forEach((item, i) => {
    if (keys === undefined) return
    if (seen.has(keyOf(item))) walk.errors.push(duplicate(at.index(i), item))
    seen.add(keyOf(item))
  })
  if (items.kind !== 'object') return
  value.forEach((item, i) => {
    const same = keys === undefined ? undefined : before.get(keyOf(item))
    if (!isJsonObject(item) || (walk.isUpdate && same !== undefined && equalSemantic(item, same))) return
    checkStruct({ at: at.index(i), value: item, old: isJsonObject(same) ? same : undefined }, items, walk)
  })
}
