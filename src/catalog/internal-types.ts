/**
 * The reference's internal types, as far as its messages print them: structs in Go's own syntax and reports of
 * differences show their names, the order of their fields, and what is a pointer.
 *
 * The text (facts/internal-types.txt) has a line a type. `name=type` names a type; a struct is its name and its fields: the
 * name in Go, behind a slash the key in JSON where that is not the name in lower case (none for a struct that is embedded), and
 * the type.
 */
import { isJsonObject, type JsonValue, noSchemas, ownValue } from '../api/json.ts'
import { defaultRelease, factText } from '../api/release-facts.ts'
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

const scalars: Readonly<Record<string, GoScalar['kind']>> = {
  string: 'string',
  'types.UID': 'string',
  'types.NodeName': 'string',
  bool: 'bool',
  int32: 'number',
  int64: 'number',
  float64: 'number',
  'resource.Quantity': 'quantity',
  'time.Time': 'time',
  'v1.FieldsV1': 'raw',
  'runtime.RawExtension': 'raw',
  'apiextensions.JSON': 'json',
  '[]byte': 'raw',
}

/** Gives the types of one release by their names. */
type TypeNamed = (name: string) => GoType

/** Structs that are a single value in JSON. */
const shortStructs: Readonly<Record<string, (typeNamed: TypeNamed) => readonly GoField[]>> = {
  'apiextensions.JSONSchemaPropsOrArray': (typeNamed) => [
    { name: 'Schema', key: undefined, type: typeNamed(schemaType), read: notList },
    { name: 'JSONSchemas', key: undefined, type: typeNamed('[]apiextensions.JSONSchemaProps'), read: onlyList },
  ],
  'apiextensions.JSONSchemaPropsOrBool': (typeNamed) => [
    { name: 'Allows', key: undefined, type: typeNamed('bool'), read: (json) => json === true || isJsonObject(json) },
    {
      name: 'Schema',
      key: undefined,
      type: typeNamed(schemaType),
      read: (json) => (isJsonObject(json) ? json : undefined),
    },
  ],
  'apiextensions.JSONSchemaPropsOrStringArray': (typeNamed) => [
    { name: 'Schema', key: undefined, type: typeNamed(schemaType), read: notList },
    { name: 'Property', key: undefined, type: typeNamed('[]string'), read: onlyList },
  ],
  'v1.Time': (typeNamed) => [{ name: 'Time', key: undefined, type: typeNamed('time.Time') }],
  'intstr.IntOrString': (typeNamed) => [
    { name: 'Type', key: undefined, type: number('intstr.Type'), read: (json) => (typeof json === 'string' ? 1 : 0) },
    { name: 'IntVal', key: undefined, type: number('int32'), read: (json) => (typeof json === 'string' ? 0 : json) },
    {
      name: 'StrVal',
      key: undefined,
      type: typeNamed('string'),
      read: (json) => (typeof json === 'string' ? json : ''),
    },
  ],
}

const schemaType = '*apiextensions.JSONSchemaProps'
const notList = (json: JsonValue | undefined): JsonValue | undefined => (Array.isArray(json) ? undefined : json)
const onlyList = (json: JsonValue | undefined): JsonValue | undefined =>
  Array.isArray(json) && json !== noSchemas ? json : undefined

const number = (name: string): GoScalar => ({ kind: 'number', name })

/** Whether the facts of the default release have a type: those that no message prints in full are not among them. */
export const isInternalType = (name: string): boolean =>
  scalars[name] !== undefined || typesAt(defaultRelease).definitions.has(name)

/** `core.PodSpec`, `[]string`, `*int64`. */
export const internalType = (name: string, release: number = defaultRelease): GoType => typesAt(release).named(name)

type Definitions = ReadonlyMap<string, string | readonly string[]>

interface InternalTypes {
  /** The type that a name stands for, or the fields of a struct. */
  readonly definitions: Definitions
  readonly named: TypeNamed
}

/** Bounded by the number of releases. */
const byRelease = new Map<number, InternalTypes>()

function typesAt(release: number): InternalTypes {
  const known = byRelease.get(release)
  if (known !== undefined) return known
  const definitions = parseDefinitions(factText(release, 'internal-types.txt', internalTypesText))
  const made = { definitions, named: namedIn(definitions) }
  byRelease.set(release, made)
  return made
}

function namedIn(definitions: Definitions): TypeNamed {
  const known = new Map<string, GoType>()
  const typeNamed: TypeNamed = (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const made = parseType(name, definitions, typeNamed)
    known.set(name, made)
    return made
  }
  return typeNamed
}

function parseType(name: string, definitions: Definitions, typeNamed: TypeNamed): GoType {
  const scalar = scalars[name]
  if (scalar !== undefined) return { kind: scalar, name }
  if (name.startsWith('*')) return { kind: 'pointer', name, to: typeNamed(name.slice(1)) }
  if (name.startsWith('[]')) return { kind: 'slice', name, items: typeNamed(name.slice(2)) }
  if (name.startsWith('map[')) {
    const end = name.indexOf(']')
    return { kind: 'map', name, keys: typeNamed(name.slice(4, end)), values: typeNamed(name.slice(end + 1)) }
  }
  const short = shortStructs[name]
  if (short !== undefined) return lazyStruct(name, () => short(typeNamed))
  const definition = definitions.get(name)
  if (definition === undefined) throw new Error(`the catalogue has no internal type ${name}`)
  if (typeof definition === 'string') return { ...parseType(definition, definitions, typeNamed), name }
  return lazyStruct(name, () => definition.map((field) => parseField(field, typeNamed)))
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

function parseField(text: string, typeNamed: TypeNamed): GoField {
  const colon = text.indexOf(':')
  const [name = '', key] = text.slice(0, colon).split('/')
  const type = typeNamed(text.slice(colon + 1))
  return { name, key: key === '' ? undefined : (key ?? name.charAt(0).toLowerCase() + name.slice(1)), type }
}

function parseDefinitions(text: string): Definitions {
  return new Map(
    text
      .trim()
      .split('\n')
      .map((line): [string, string | readonly string[]] => {
        const equals = line.indexOf('=')
        if (equals > 0) return [line.slice(0, equals), line.slice(equals + 1)]
        const [name = '', ...fields] = line.split(' ')
        return [name, fields]
      }),
  )
}
