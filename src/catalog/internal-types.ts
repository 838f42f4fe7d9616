/**
 * The reference's internal types, as far as its messages print them: structs in Go's own syntax and reports of
 * differences show their names, the order of their fields, and what is a pointer.
 *
 * The text (facts/internal-types.txt) has a line a type. `name=type` names a type; a struct is its name and its fields: the
 * name in Go, behind a slash the key in JSON where that is not the name in lower case (none for a struct that is embedded), and
 * the type.
 */
import { isJsonObject, type JsonValue, ownValue } from '../api/json.ts'
import { internalTypesText } from './data/internal-types.ts'

export type GoType = GoStruct | GoPointer | GoSlice | GoMap | GoScalar

export interface GoStruct {
  readonly kind: 'struct'
  readonly name: string
  readonly fields: readonly GoField[]
}

export interface GoField {
  readonly name: string
  /** The key in JSON; undefined for an embedded struct, whose fields lie beside its siblings. */
  readonly key: string | undefined
  readonly type: GoType
  /** The value where JSON has another form: it is made from that of the struct. */
  readonly read?: (json: JsonValue | undefined) => JsonValue | undefined
}

export interface GoPointer {
  readonly kind: 'pointer'
  readonly name: string
  readonly to: GoType
}

export interface GoSlice {
  readonly kind: 'slice'
  readonly name: string
  readonly items: GoType
}

export interface GoMap {
  readonly kind: 'map'
  readonly name: string
  readonly keys: GoType
  readonly values: GoType
}

/** Types with a form of their own in JSON are known by their names. */
export interface GoScalar {
  readonly kind: 'string' | 'bool' | 'number' | 'quantity' | 'time' | 'raw' | 'json'
  readonly name: string
}

const known = new Map<string, GoType>()

const scalars: Readonly<Record<string, GoScalar['kind']>> = {
  string: 'string',
  'types.UID': 'string',
  bool: 'bool',
  int32: 'number',
  int64: 'number',
  float64: 'number',
  'resource.Quantity': 'quantity',
  'time.Time': 'time',
  'v1.FieldsV1': 'raw',
  'runtime.RawExtension': 'raw',
  'apiextensions.JSON': 'json',
}

/** Structs that are a single value in JSON. */
const shortStructs: Readonly<Record<string, () => readonly GoField[]>> = {
  'apiextensions.JSONSchemaPropsOrArray': () => [
    { name: 'Schema', key: undefined, type: internalType(schemaType), read: notList },
    { name: 'JSONSchemas', key: undefined, type: internalType('[]apiextensions.JSONSchemaProps'), read: onlyList },
  ],
  'apiextensions.JSONSchemaPropsOrStringArray': () => [
    { name: 'Schema', key: undefined, type: internalType(schemaType), read: notList },
    { name: 'Property', key: undefined, type: internalType('[]string'), read: onlyList },
  ],
  'v1.Time': () => [{ name: 'Time', key: undefined, type: internalType('time.Time') }],
  'intstr.IntOrString': () => [
    { name: 'Type', key: undefined, type: number('intstr.Type'), read: (json) => (typeof json === 'string' ? 1 : 0) },
    { name: 'IntVal', key: undefined, type: number('int32'), read: (json) => (typeof json === 'string' ? 0 : json) },
    {
      name: 'StrVal',
      key: undefined,
      type: internalType('string'),
      read: (json) => (typeof json === 'string' ? json : ''),
    },
  ],
}

const schemaType = '*apiextensions.JSONSchemaProps'
const notList = (json: JsonValue | undefined): JsonValue | undefined => (Array.isArray(json) ? undefined : json)
const onlyList = (json: JsonValue | undefined): JsonValue | undefined => (Array.isArray(json) ? json : undefined)

const number = (name: string): GoScalar => ({ kind: 'number', name })

/** `core.PodSpec`, `[]string`, `*int64`. */
/** Whether the facts have a type: those that no message prints in full are not among them. */
export const isInternalType = (name: string): boolean => scalars[name] !== undefined || definitions().has(name)

export function internalType(name: string): GoType {
  const found = known.get(name)
  if (found !== undefined) return found
  const made = parseType(name)
  known.set(name, made)
  return made
}

function parseType(name: string): GoType {
  const scalar = scalars[name]
  if (scalar !== undefined) return { kind: scalar, name }
  if (name.startsWith('*')) return { kind: 'pointer', name, to: internalType(name.slice(1)) }
  if (name.startsWith('[]')) return { kind: 'slice', name, items: internalType(name.slice(2)) }
  if (name.startsWith('map[')) {
    const end = name.indexOf(']')
    return { kind: 'map', name, keys: internalType(name.slice(4, end)), values: internalType(name.slice(end + 1)) }
  }
  const short = shortStructs[name]
  if (short !== undefined) return lazyStruct(name, short)
  const definition = definitions().get(name)
  if (definition === undefined) throw new Error(`the catalogue has no internal type ${name}`)
  if (typeof definition === 'string') return { ...parseType(definition), name }
  return lazyStruct(name, () => definition.map(parseField))
}

export const isNil = (json: JsonValue | undefined): json is null | undefined => json === undefined || json === null

/** The value of a field in the JSON of its struct. */
export function fieldJson({ key, read }: GoField, json: JsonValue | undefined): JsonValue | undefined {
  if (key === undefined) return read === undefined ? json : read(json)
  return isJsonObject(json) ? ownValue(json, key) : undefined
}

/** The zero value of a scalar is what nothing stands for. */
export function scalarOf({ kind }: GoType, json: JsonValue | undefined): JsonValue {
  if (!isNil(json)) return json
  return kind === 'bool' ? false : kind === 'number' ? 0 : kind === 'quantity' ? '0' : ''
}

/** Types may contain themselves: fields are looked at when they are first asked for. */
function lazyStruct(name: string, open: () => readonly GoField[]): GoStruct {
  let fields: readonly GoField[] | undefined
  return {
    kind: 'struct',
    name,
    get fields() {
      fields ??= open()
      return fields
    },
  }
}

function parseField(text: string): GoField {
  const colon = text.indexOf(':')
  const [name = '', key] = text.slice(0, colon).split('/')
  const type = internalType(text.slice(colon + 1))
  return { name, key: key === '' ? undefined : (key ?? name.charAt(0).toLowerCase() + name.slice(1)), type }
}

let parsed: ReadonlyMap<string, string | readonly string[]> | undefined

/** The type that a name stands for, or the fields of a struct. */
function definitions(): ReadonlyMap<string, string | readonly string[]> {
  parsed ??= new Map(
    internalTypesText
      .trim()
      .split('\n')
      .map((line): [string, string | readonly string[]] => {
        const equals = line.indexOf('=')
        if (equals > 0) return [line.slice(0, equals), line.slice(equals + 1)]
        const [name = '', ...fields] = line.split(' ')
        return [name, fields]
      }),
  )
  return parsed
}
