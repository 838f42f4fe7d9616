/**
 * Values of the reference's internal types in Go's own syntax (`%#v`), as field errors show structs. Pointers inside are
 * addresses there, which mean nothing: they all have the same one here.
 */

import { writingOf } from '../../api/given-writing.ts'
import { goJson } from '../../api/golang/json-text.ts'
import { GoLiteral } from '../../api/golang/literal.ts'
import { goQuantity } from '../../api/golang/quantity.ts'
import { quote } from '../../api/golang/quote.ts'
import { firstItems, quotedItems } from '../../api/golang/quoted-items.ts'
import { goPointer, isRequiredMember } from '../../api/golang/struct.ts'
import { goDate } from '../../api/golang/time.ts'
import { goRawExtension, goValue } from '../../api/golang/value.ts'
import { isJsonObject, type JsonValue } from '../../api/json.ts'
import { sortedKeysOf } from '../../api/key-lists.ts'
import {
  fieldJson,
  type GoField,
  type GoStruct,
  type GoType,
  internalType,
  isNil,
  scalarOf,
} from '../internal-types.ts'

/** Longer texts are truncated: they are costly and unreadable. */
const maxLength = 64 * 1024

export function goDump(type: string, value: unknown): GoLiteral {
  const budget = { left: maxLength }
  const json = value as JsonValue | undefined
  const go = dump(internalType(type), json, budget)
  return new GoLiteral(go, (release) => internalJson(internalType(type, release), json))
}

/** Of a type that came after the releases that show Go's syntax. */
export const goJsonOnly = (type: string, value: unknown): GoLiteral =>
  new GoLiteral('', (release) => internalJson(internalType(type, release), value as JsonValue | undefined))

/** What Go's JSON encoder makes of a value of an internal type. */
function internalJson(type: GoType, json: JsonValue | undefined): string {
  switch (type.kind) {
    case 'struct':
      if (type.name === 'intstr.IntOrString') return goJson(json ?? 0)
      return type.name === 'v1.Time' ? goJson(json ?? null) : `{${structMembers(type, json).join(',')}}`
    case 'pointer':
      return isNil(json) ? 'null' : internalJson(type.to, json)
    case 'slice':
      return Array.isArray(json)
        ? `[${firstItems(json)
            .map((item) => internalJson(type.items, item))
            .join(',')}]`
        : 'null'
    case 'map': {
      if (!isJsonObject(json)) return 'null'
      const keys = sortedKeysOf(json)
      const members = firstItems(keys).map((key) => `${goJson(key)}:${internalJson(type.values, json[key])}`)
      return `{${members.join(',')}}`
    }
    case 'time':
    case 'json':
    case 'raw':
      return goJson(json ?? null)
    default:
      return goJson(scalarOf(type, json) as JsonValue)
  }
}

/** Metadata is embedded in structs of internal types, though it has a key in JSON of a version. */
const isEmbedded = ({ name, key, type }: GoField): boolean =>
  key === undefined || (name === 'ObjectMeta' && type.name === 'v1.ObjectMeta')

/** Internal types have no tags: all fields, under their names in Go; those of an embedded struct lie beside its siblings. */
function structMembers(type: GoStruct, json: JsonValue | undefined): string[] {
  const isTagged = type.name.startsWith('v1.')
  return type.fields.flatMap((field) => {
    const value = fieldJson(field, json)
    if (field.type.kind === 'struct' && isEmbedded(field)) return structMembers(field.type, value)
    const text = internalJson(field.type, value)
    if (!isTagged) return [`"${field.name}":${text}`]
    const isOmitted = isEmpty(field.type, value) && !isRequiredMember(type.name, field.key ?? '')
    return isOmitted ? [] : [`"${field.key ?? field.name}":${text}`]
  })
}

/** What `omitempty` leaves out. */
function isEmpty({ kind }: GoType, json: JsonValue | undefined): boolean {
  if (isNil(json)) return true
  if (kind === 'slice') return Array.isArray(json) && json.length === 0
  if (kind === 'map') return isJsonObject(json) && sortedKeysOf(json).length === 0
  return kind !== 'pointer' && (json === '' || json === 0 || json === false)
}

interface TextBudget {
  left: number
}

function dump(type: GoType, json: JsonValue | undefined, budget: TextBudget): string {
  if (budget.left <= 0) return '...'
  const text = shown(type, json, budget)
  if (type.kind !== 'struct' && type.kind !== 'slice' && type.kind !== 'map') budget.left -= text.length
  return text
}

function shown(type: GoType, json: JsonValue | undefined, budget: TextBudget): string {
  switch (type.kind) {
    case 'struct': {
      if (type.name === 'v1.Time') return time(json)
      const fields = type.fields.map((field) => `${field.name}:${dumpField(field, json, budget)}`)
      return `${type.name}{${fields.join(', ')}}`
    }
    case 'pointer':
      return type.to.name === 'v1.Time' ? (isNil(json) ? '<nil>' : time(json)) : goPointer(type.to.name, json).go
    case 'slice':
      if (!Array.isArray(json)) return `${type.name}(nil)`
      return `${type.name}{${quotedItems(json, (item) => dump(type.items, item, budget))}}`
    case 'map': {
      if (!isJsonObject(json)) return `${type.name}(nil)`
      const keys = sortedKeysOf(json)
      const member = (key: string): string => {
        if (type.values.kind !== 'quantity') return dump(type.values, json[key], budget)
        return goQuantity(String(scalarOf(type.values, json[key])), { written: writingOf(json, key) }).go
      }
      return `${type.name}{${quotedItems(keys, (key) => `${quote(key)}:${member(key)}`)}}`
    }
    case 'quantity':
      return goQuantity(String(scalarOf(type, json))).go
    case 'time':
      return time(json)
    case 'json':
      return isNil(json) ? `${type.name}(nil)` : goValue(json)
    case 'raw':
      return goRawExtension(json).go
    case 'string':
      return quote(String(scalarOf(type, json)))
    default:
      return String(scalarOf(type, json))
  }
}

/** A time shows the fraction of a second with which it was given. */
function dumpField(field: GoField, json: JsonValue | undefined, budget: TextBudget): string {
  const value = fieldJson(field, json)
  const written = isJsonObject(json) && typeof value === 'string' ? writingOf(json, field.key ?? '') : undefined
  if (written === undefined || !isTime(field.type)) return dump(field.type, value, budget)
  const text = goDate(String(value), written)
  budget.left -= text.length
  return text
}

const isTime = (type: GoType): boolean =>
  type.kind === 'time' ||
  (type.kind === 'struct' && type.name === 'v1.Time') ||
  (type.kind === 'pointer' && type.to.name === 'v1.Time')

const time = (json: JsonValue | undefined): string => goDate(isNil(json) ? undefined : String(json))
