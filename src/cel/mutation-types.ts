/** What expressions of mutating policies make: parts of objects, and operations of a JSON patch. */
import type { JsonObject, JsonValue } from '../api/json.ts'
import { setKey } from '../api/json.ts'
import type { StructTypes } from './environment.ts'
import { equal, typeOf } from './equality.ts'
import { toJson } from './json-values.ts'
import { formatCelDuration, formatTimestamp } from './time.ts'
import type { Type } from './types.ts'
import { DYN, STRING, structType } from './types.ts'
import type { MapValue, Value } from './values.ts'
import { CelError, Duration, Optional, Timestamp, TypeValue } from './values.ts'

const PATCH_FIELDS: Readonly<Record<string, Type>> = { op: STRING, path: STRING, from: STRING, value: DYN }
const JSON_PATCH = structType('JSONPatch', (name) =>
  Object.hasOwn(PATCH_FIELDS, name) ? PATCH_FIELDS[name] : undefined,
)

/** A value of `Object{…}`, `Object.spec{…}` or `JSONPatch{…}`. */
export class StructValue implements MapValue {
  readonly kind = 'map'
  readonly typeName: string
  readonly fields: ReadonlyMap<string, Value>

  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    this.typeName = typeName
    this.fields = fields
  }

  get size(): number {
    return this.fields.size
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' ? this.fields.get(key) : undefined
  }

  isSet(field: string): boolean {
    return this.fields.has(field)
  }

  keys(): readonly Value[] {
    return [...this.fields.keys()]
  }

  equals(other: Value): Value {
    if (!(other instanceof StructValue) || other.typeName !== this.typeName || other.size !== this.size) return false
    for (const [name, value] of this.fields) {
      const opposite = other.fields.get(name)
      if (opposite === undefined || equal(value, opposite) !== true) return false
    }
    return true
  }
}

const TEXT_FIELDS = ['op', 'path', 'from']

export const mutationTypes: StructTypes = {
  find: (name) => {
    if (name === 'JSONPatch') return JSON_PATCH
    return name === 'Object' || name.startsWith('Object.') ? structType(name, () => DYN) : undefined
  },
  make: (name, fields) => {
    for (const field of name === 'JSONPatch' ? TEXT_FIELDS : []) {
      const value = fields.get(field)
      if (value !== undefined && typeof value !== 'string') {
        return new CelError(`unexpected type ${typeOf(value).name} for JSONPatchType '${field}' field`)
      }
    }
    return new StructValue(name, fields)
  },
}

/** Messages about parts whose type names do not say where in the object they lie. */
export function misplacedTypes(value: Value, path = 'Object'): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (value instanceof StructValue) {
    const wrong = `unexpected type name ${JSON.stringify(value.typeName)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`
    const below = Array.from(value.fields, ([name, field]) => misplacedTypes(field, `${path}.${name}`)).flat()
    return value.typeName === path ? below : [wrong, ...below]
  }
  if (value.kind === 'list') {
    return Array.from({ length: value.length }, (_, i) => misplacedTypes(value.at(i), path)).flat()
  }
  return value.kind === 'map' ? value.keys().flatMap((key) => misplacedTypes(value.find(key)!, path)) : []
}

/** The JSON of a made patch: times are texts. Throws an Error for what JSON does not have. */
export function patchToJson(value: Value): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if ('json' in value) return toJson(value)
  if (value instanceof Optional && value.value !== undefined) return patchToJson(value.value)
  if (value.kind === 'list') return Array.from({ length: value.length }, (_, i) => patchToJson(value.at(i)))
  if (value.kind !== 'map') return leafOfPatch(value)
  const object: JsonObject = {}
  for (const key of value.keys()) setKey(object, String(key), patchToJson(value.find(key)!))
  return object
}

function leafOfPatch(value: Value): JsonValue {
  const why = 'JSONPath valueExpression evaluated to a type that could not marshal to JSON'
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatCelDuration(value)
  if (value instanceof TypeValue) throw new Error(`${why}: type conversion not supported for 'type'`)
  if (value instanceof Optional) throw new Error(`${why}: optional.none() dereference`)
  if (typeof value !== 'object' || value?.kind !== 'opaque') return toJson(value)
  const name = value.type.name.slice(value.type.name.lastIndexOf('.') + 1)
  throw new Error(`${why}: type conversion error from '${name}' to '*structpb.Value'`)
}
