/**
 * An apply configuration of a mutating policy. Values that JSON does not have stay Go's, and refuse the request where the schema does
 * not let anything be. Mirrors k8s.io/apiserver/pkg/cel/mutation/dynamic: ObjectVal.Value.
 */
import { formatDuration } from '../api/duration.ts'
import { GoNative } from '../api/golang/native.ts'
import { quote } from '../api/golang/quote.ts'
import { goDate, goTime } from '../api/golang/time.ts'
import { type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { display } from './display.ts'
import { toJson } from './json-values.ts'
import { misplacedTypes, StructValue } from './mutation-types.ts'
import { formatDouble } from './numbers.ts'
import { formatTimestamp } from './time.ts'
import {
  ConcatList,
  Double,
  JoinedList,
  type List,
  type MapValue,
  StringList,
  Timestamp,
  Uint,
  type Value,
} from './values.ts'

/** Throws an Error that says why a value is no configuration. */
export function configurationOf(value: Value): JsonObject {
  if (!(value instanceof StructValue)) throw new Error('unsupported return type from ApplyConfiguration expression')
  const [wrong] = misplacedTypes(value)
  if (wrong !== undefined) throw new Error(`type mismatch: ${wrong}`)
  try {
    return fieldsOf(value)
  } catch (error) {
    if (!(error instanceof KeyError)) throw error
    throw new Error('invalid return type: *dynamic.ObjectVal')
  }
}

type Native = JsonValue | GoNative

/** A key of a map that is no text. */
class KeyError extends Error {
  override readonly name = 'KeyError'
}

function fieldsOf(value: StructValue): JsonObject {
  const object: JsonObject = {}
  for (const [name, field] of value.fields) {
    try {
      setKey(object, name, fieldValue(field) as JsonValue)
    } catch (error) {
      if (!(error instanceof KeyError)) throw error
      throw new KeyError(`fail to convert field ${quote(name)}: ${error.message}`)
    }
  }
  return object
}

/** Lists and maps right under a field become JSON; those further in stay what the expression made. */
function fieldValue(value: Value): Native {
  if (isMade(value) && value.kind === 'list' && !(value instanceof StringList)) return itemsOf(value)
  return isMade(value) && value.kind === 'map' && !(value instanceof StructValue)
    ? entriesOf(value)
    : nativeValue(value)
}

const isMade = (value: Value): value is List | MapValue =>
  typeof value === 'object' && value !== null && (value.kind === 'list' || value.kind === 'map') && !('json' in value)

const itemsOf = (list: List): JsonValue => arrayOf(list).map((item) => nativeValue(item) as JsonValue)

const arrayOf = (list: List): Value[] => Array.from({ length: list.length }, (_, i) => list.at(i))

function entriesOf(map: MapValue): JsonValue {
  const object: JsonObject = {}
  for (const key of map.keys()) {
    if (typeof key !== 'string') throw new KeyError(`map key ${quotedKey(key)} is of type ${typeName(key)}, not string`)
    setKey(object, key, nativeValue(map.find(key)!) as JsonValue)
  }
  return object
}

/** `%q`, which quotes a number as the character that it stands for. */
function quotedKey(key: Value): string {
  const code = key instanceof Uint ? Number(key.value) : Number(key)
  if (typeof key === 'boolean' || key instanceof Double) return `%!q(${typeName(key)}=${display(key)})`
  const character = code >= 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : '\ufffd'
  return character === '"' ? `'"'` : character === "'" ? `'\\''` : `'${quote(character).slice(1, -1)}'`
}

function typeName(key: Value): string {
  if (typeof key === 'boolean') return 'types.Bool'
  return key instanceof Double ? 'types.Double' : key instanceof Uint ? 'types.Uint' : 'types.Int'
}

/** Mirrors cel-go's `ref.Val.Value`. */
function nativeValue(value: Value): Native {
  if (value === null) return new GoNative('structpb.NullValue', 'NULL_VALUE', '0')
  if (typeof value !== 'object' || 'json' in value) return toJson(value)
  switch (value.kind) {
    case 'uint':
      return new GoNative('uint64', display(value), syntaxOf(value))
    case 'bytes':
      return new GoNative('[]uint8', display(value), `[]uint8${bytesSyntax(value.data)}`)
    case 'duration':
      return new GoNative('time.Duration', formatDuration(value.nanos), String(value.nanos))
    case 'timestamp':
      return new GoNative('time.Time', textOf(value), dateOf(value))
    case 'type':
      return value.type.name
    case 'optional':
      return value.value === undefined ? null : nativeValue(value.value)
    case 'list':
      return listValue(value)
    case 'map':
      return value instanceof StructValue ? structValue(value) : mapValue(value)
    case 'opaque':
      return value.native?.() ?? GoNative.pointer(`*${value.type.name}`, value.type.name)
    default:
      return toJson(value)
  }
}

function structValue(value: StructValue): Native {
  try {
    return fieldsOf(value)
  } catch (error) {
    if (error instanceof KeyError) return GoNative.pointer('*types.Err', error.message)
    throw error
  }
}

function listValue(list: List): Native {
  if (list instanceof ConcatList || list instanceof JoinedList) return itemsOf(list)
  const items = arrayOf(list)
  const text = `[${items.map(textOf).join(' ')}]`
  const type = list instanceof StringList ? '[]string' : '[]ref.Val'
  return new GoNative(type, text, `${type}{${items.map(syntaxOf).join(', ')}}`)
}

function mapValue(map: MapValue): Native {
  const entries = map.keys().map((key) => [key, map.find(key)!] as const)
  const print = (of: (value: Value) => string) => entries.map(([key, value]) => `${of(key)}:${of(value)}`).sort()
  const type = 'map[ref.Val]ref.Val'
  return new GoNative(type, `map[${print(textOf).join(' ')}]`, `${type}{${print(syntaxOf).join(', ')}}`)
}

const bytesSyntax = (data: Uint8Array): string => `{${Array.from(data, (byte) => `0x${byte.toString(16)}`).join(', ')}}`

const dateOf = (time: Timestamp): string =>
  goDate(formatTimestamp(time), undefined, time.offset === 0 ? 'time.UTC' : 'time.Location("")')

/** `%v` of a value within another. */
function textOf(value: Value): string {
  if (value === null) return '0'
  if (typeof value !== 'object') return display(value)
  if (value.kind === 'duration') return formatDuration(value.nanos)
  if (value.kind === 'timestamp') return goTime(formatTimestamp(new Timestamp(value.seconds, value.nanos)))
  return value instanceof StructValue ? '0xc000000000' : display(value)
}

/** `%#v` of a value within another. */
function syntaxOf(value: Value): string {
  if (typeof value === 'string') return quote(value)
  if (value === null) return '0'
  if (typeof value !== 'object') return display(value)
  switch (value.kind) {
    case 'double':
      return formatDouble(value.value)
    case 'uint':
      return `0x${value.value.toString(16)}`
    case 'bytes':
      return `types.Bytes${bytesSyntax(value.data)}`
    case 'duration':
      return `types.Duration{Duration:${value.nanos}}`
    case 'timestamp':
      return `types.Timestamp{Time:${dateOf(value)}}`
    default:
      return `(*types.${value.kind})(0xc000000000)`
  }
}
