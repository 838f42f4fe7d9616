/** The standard library: operators, conversions, sizes, text, and the calendar in UTC unless a zone is given. */
import { typeOf } from '../equality.ts'
import type { Work } from '../evaluation.ts'
import { WORK } from '../evaluation.ts'
import type { FunctionDeclaration, Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { standardMacros } from '../macros.ts'
import {
  checkedInt,
  checkedUint,
  doubleToInt,
  doubleToUint,
  formatDouble,
  parseCelInt,
  parseDouble,
  parseUint64,
} from '../numbers.ts'
import { parsePattern } from '../patterns.ts'
import type { CalendarField } from '../time.ts'
import {
  calendarField,
  formatCelDuration,
  formatTimestamp,
  inRange,
  parseCelDuration,
  parseTimestamp,
  timestampOverflow,
} from '../time.ts'
import type { Type } from '../types.ts'
import {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  NULL,
  nullableType,
  STRING,
  TIMESTAMP,
  TYPE,
  typeParam,
  typeType,
  UINT,
} from '../types.ts'
import type { Int, Value } from '../values.ts'
import {
  Bytes,
  CelError,
  Double,
  type Duration,
  errorOr,
  sizeOf,
  Timestamp,
  TypeValue,
  toInt,
  Uint,
} from '../values.ts'
import type { Library } from './library.ts'
import { noOperator, operators } from './operators.ts'

const A = typeParam('A')
const LIST_A = listType(A)
const MAP_AB = mapType(A, typeParam('B'))

const cannotConvert = (from: Type, to: Type): CelError =>
  new CelError(`type conversion error from '${from.name}' to '${to.name}'`)

const identity: Implementation = (a) => a
/** A conversion of text that may fail. */
const fromText =
  (to: Type, read: (text: string) => Value | undefined): Implementation =>
  (a) =>
    read(a as string) ?? cannotConvert(STRING, to)

const BOOLEANS: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
])
const parseBoolean = (text: string): boolean | undefined => (Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : undefined)

function textToTimestamp(text: string): Value | undefined {
  const timestamp = parseTimestamp(text)
  return timestamp && !inRange(timestamp) ? timestampOverflow() : timestamp
}

function intToTimestamp(seconds: Value): Value {
  const timestamp = new Timestamp(Number(seconds as Int), 0)
  return inRange(timestamp) ? timestamp : timestampOverflow()
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const written =
  (write: (a: Value) => string): Implementation =>
  (a, _b, _c, _d, e) => {
    e.work(WORK.formattedItem)
    return write(a)
  }

const stringToBytes: Implementation = (a, _b, _c, _d, e) => {
  e.work((a as string).length * 2 * WORK.copied)
  return new Bytes(Buffer.from(a as string, 'utf8'))
}

const bytesToString: Implementation = (a, _b, _c, _d, e) => {
  e.work((a as Bytes).data.length * 2 * WORK.copied)
  try {
    return utf8.decode((a as Bytes).data)
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string')
  }
}

function parseDoubleText(text: string): Value | undefined {
  const value = parseDouble(text)
  return value === undefined ? undefined : new Double(value)
}

const toDouble = (value: Value): Value => new Double(Number(value instanceof Uint ? value.value : (value as Int)))
const shown: Implementation = (a) => String(a)

const conversions: readonly FunctionDeclaration[] = [
  declareFunction('type', {
    overloads: [['type', [A], typeType(A)]],
    operator: (a) => new TypeValue(typeOf(a)),
  }),
  declareFunction('dyn', { overloads: [['to_dyn', [A], DYN]], operator: identity }),
  declareFunction('bool', {
    overloads: [
      ['bool_to_bool', [BOOL], BOOL, identity],
      ['string_to_bool', [STRING], BOOL, fromText(BOOL, parseBoolean)],
    ],
  }),
  declareFunction('bytes', {
    overloads: [
      ['bytes_to_bytes', [BYTES], BYTES, identity],
      ['string_to_bytes', [STRING], BYTES, stringToBytes],
    ],
  }),
  declareFunction('double', {
    overloads: [
      ['double_to_double', [DOUBLE], DOUBLE, identity],
      ['int64_to_double', [INT], DOUBLE, toDouble],
      ['string_to_double', [STRING], DOUBLE, fromText(DOUBLE, parseDoubleText)],
      ['uint64_to_double', [UINT], DOUBLE, toDouble],
    ],
  }),
  declareFunction('duration', {
    overloads: [
      ['duration_to_duration', [DURATION], DURATION, identity],
      ['int64_to_duration', [INT], DURATION, () => cannotConvert(INT, DURATION)],
      ['string_to_duration', [STRING], DURATION, fromText(DURATION, parseCelDuration)],
    ],
  }),
  declareFunction('int', {
    overloads: [
      ['int64_to_int64', [INT], INT, identity],
      ['double_to_int64', [DOUBLE], INT, (a) => doubleToInt((a as Double).value)],
      ['duration_to_int64', [DURATION], INT, (a) => toInt((a as Duration).nanos)],
      ['string_to_int64', [STRING], INT, fromText(INT, parseCelInt)],
      ['timestamp_to_int64', [TIMESTAMP], INT, (a) => (a as Timestamp).seconds],
      ['uint64_to_int64', [UINT], INT, (a) => checkedInt((a as Uint).value)],
    ],
  }),
  declareFunction('string', {
    overloads: [
      ['string_to_string', [STRING], STRING, identity],
      ['bool_to_string', [BOOL], STRING, shown],
      ['bytes_to_string', [BYTES], STRING, bytesToString],
      ['double_to_string', [DOUBLE], STRING, written((a) => formatDouble((a as Double).value))],
      ['duration_to_string', [DURATION], STRING, written((a) => formatCelDuration(a as Duration))],
      ['int64_to_string', [INT], STRING, shown],
      ['timestamp_to_string', [TIMESTAMP], STRING, written((a) => formatTimestamp(a as Timestamp))],
      ['uint64_to_string', [UINT], STRING, (a) => (a as Uint).value.toString()],
    ],
  }),
  declareFunction('timestamp', {
    overloads: [
      ['timestamp_to_timestamp', [TIMESTAMP], TIMESTAMP, identity],
      ['int64_to_timestamp', [INT], TIMESTAMP, intToTimestamp],
      ['string_to_timestamp', [STRING], TIMESTAMP, fromText(TIMESTAMP, textToTimestamp)],
    ],
  }),
  declareFunction('uint', {
    overloads: [
      ['uint64_to_uint64', [UINT], UINT, identity],
      ['double_to_uint64', [DOUBLE], UINT, (a) => doubleToUint((a as Double).value)],
      ['int64_to_uint64', [INT], UINT, (a) => checkedUint(BigInt(a as Int))],
      ['string_to_uint64', [STRING], UINT, fromText(UINT, parseUint64)],
    ],
  }),
]

/** Counting a long text has no price. */
const size: Implementation = (a, _b, _c, _d, e) => {
  if (typeof a === 'string') e.work(a.length * WORK.character)
  return sizeOf(a) ?? (a instanceof CelError ? a : new CelError('no such overload: size'))
}

/** These check their operands themselves, and do not name the call if those are no texts. */
const ofTexts =
  (test: (a: string, b: string) => boolean): Implementation =>
  (a, b) =>
    typeof a !== 'string' ? errorOr(a) : typeof b !== 'string' ? errorOr(b) : test(a, b)

const text: readonly FunctionDeclaration[] = [
  declareFunction('size', {
    overloads: [
      ['size_bytes', [BYTES], INT],
      ['size_list', [LIST_A], INT],
      ['size_map', [MAP_AB], INT],
      ['size_string', [STRING], INT],
    ],
    members: [
      ['bytes_size', [BYTES], INT],
      ['list_size', [LIST_A], INT],
      ['map_size', [MAP_AB], INT],
      ['string_size', [STRING], INT],
    ],
    operator: size,
  }),
  declareFunction('contains', {
    members: [['contains_string', [STRING, STRING], BOOL]],
    operator: ofTexts((a, b) => a.includes(b)),
  }),
  declareFunction('endsWith', {
    members: [['ends_with_string', [STRING, STRING], BOOL]],
    operator: ofTexts((a, b) => a.endsWith(b)),
  }),
  declareFunction('startsWith', {
    members: [['starts_with_string', [STRING, STRING], BOOL]],
    operator: ofTexts((a, b) => a.startsWith(b)),
  }),
  declareFunction('matches', {
    overloads: [['matches', [STRING, STRING], BOOL]],
    members: [['matches_string', [STRING, STRING], BOOL]],
    operator: (a, b, _c, _d, e) => {
      if (typeof a !== 'string') return a instanceof CelError ? a : noOperator('matches', a)
      if (typeof b !== 'string') return errorOr(b)
      const pattern = parsePattern(b)
      return pattern instanceof CelError ? pattern : e.matches(pattern, a)
    },
  }),
]

const NANOS_PER: Readonly<Record<string, bigint>> = {
  hours: 3_600_000_000_000n,
  minutes: 60_000_000_000n,
  seconds: 1_000_000_000n,
  milliseconds: 1_000_000n,
}

/** Zones with a name have to be looked up. */
function calendarIn(time: Timestamp, zone: string, { field, e }: { field: CalendarField; e: Work }): Value {
  e.work(WORK.zone)
  return calendarField(time, field, zone)
}

/** A part of a timestamp in UTC or a zone; of a duration the whole of it in that unit. */
function calendar(name: string, id: string, field: CalendarField): FunctionDeclaration {
  const unit = NANOS_PER[field]
  const zoned = field === 'seconds' ? `timestamp_to_${id}_tz` : `timestamp_to_${id}_with_tz`
  return declareFunction(name, {
    members: [
      [`timestamp_to_${id}`, [TIMESTAMP], INT, (a) => calendarField(a as Timestamp, field, 'UTC')],
      [zoned, [TIMESTAMP, STRING], INT, (a, b, _c, _d, e) => calendarIn(a as Timestamp, b as string, { field, e })],
      ...(unit === undefined
        ? []
        : [[`duration_to_${id}`, [DURATION], INT, (a: Value) => toInt((a as Duration).nanos / unit)] as const]),
    ],
  })
}

const time: readonly FunctionDeclaration[] = [
  calendar('getFullYear', 'year', 'year'),
  calendar('getMonth', 'month', 'month'),
  calendar('getDayOfYear', 'day_of_year', 'dayOfYear'),
  calendar('getDayOfMonth', 'day_of_month', 'dayOfMonth'),
  calendar('getDate', 'day_of_month_1_based', 'date'),
  calendar('getDayOfWeek', 'day_of_week', 'dayOfWeek'),
  calendar('getHours', 'hours', 'hours'),
  calendar('getMinutes', 'minutes', 'minutes'),
  calendar('getSeconds', 'seconds', 'seconds'),
  calendar('getMilliseconds', 'milliseconds', 'milliseconds'),
]

export const standardLibrary: Library = {
  functions: [...operators, ...conversions, ...text, ...time],
  macros: standardMacros,
  types: [BOOL, BYTES, DOUBLE, DURATION, INT, LIST_A, MAP_AB, NULL, STRING, TIMESTAMP, TYPE, UINT],
  namesOfTypes: [
    ['duration', DURATION],
    ['timestamp', TIMESTAMP],
    ['google.protobuf.Any', ANY],
    ['google.protobuf.ListValue', listType(DYN)],
    ['google.protobuf.Struct', mapType(STRING, DYN)],
    ['google.protobuf.Value', DYN],
    ['google.protobuf.BoolValue', nullableType(BOOL)],
    ['google.protobuf.BytesValue', nullableType(BYTES)],
    ['google.protobuf.DoubleValue', nullableType(DOUBLE)],
    ['google.protobuf.Int64Value', nullableType(INT)],
    ['google.protobuf.StringValue', nullableType(STRING)],
    ['google.protobuf.UInt64Value', nullableType(UINT)],
  ],
}
