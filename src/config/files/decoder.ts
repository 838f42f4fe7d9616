/**
 * Typed decoding of configuration files. A decoder knows one type: its name in messages, its value when it is absent, and
 * how a JSON value becomes it. A wrong type ends the decoding with an error; unknown fields are gathered.
 */
import { DurationError, type Nanoseconds, parseDuration } from '../../api/duration.ts'
import { isJsonObject, type JsonObject, type JsonValue, jsonTypeName } from '../../api/json.ts'

export interface ConfigurationDecoder<T> {
  /** As messages name it: `string`, `[]v1beta1.JWTAuthenticator`. */
  readonly type: string
  readonly absent: T
  decode(value: JsonValue, place: DocumentPosition): T
}

/** Where in the document a value stands, and what was found to be unknown so far. */
export interface DocumentPosition {
  /** With indexes: `jwt[0].issuer`. */
  readonly path: string
  /** As Go names a field: the innermost struct, then the path without indexes. */
  readonly struct: string
  readonly field: string
  readonly unknown: string[]
}

/** The document does not have the shape of its kind. */
export class ConfigurationDecodeError extends Error {
  override readonly name = 'DecodeError'
}

function mismatch(value: JsonValue, place: DocumentPosition, type: string): never {
  const where = place.field === '' ? 'Go value' : `Go struct field ${place.struct}.${place.field}`
  throw new ConfigurationDecodeError(`json: cannot unmarshal ${jsonTypeName(value)} into ${where} of type ${type}`)
}

function primitive<T extends string | boolean>(type: string, absent: T): ConfigurationDecoder<T> {
  const wanted = typeof absent
  return {
    type,
    absent,
    decode: (value, place) => (typeof value === wanted ? (value as T) : mismatch(value, place, type)),
  }
}

export const stringDecoder: ConfigurationDecoder<string> = primitive<string>('string', '')
export const booleanDecoder: ConfigurationDecoder<boolean> = primitive<boolean>('bool', false)

export const int32: ConfigurationDecoder<number> = {
  type: 'int32',
  absent: 0,
  decode(value, place) {
    if (typeof value !== 'number') return mismatch(value, place, 'int32')
    if (!Number.isInteger(value) || Math.abs(value) > 2 ** 31) {
      throw new ConfigurationDecodeError(
        `json: cannot unmarshal number ${value} into Go struct field ${place.struct}.${place.field} of type int32`,
      )
    }
    return value
  },
}

export const duration: ConfigurationDecoder<Nanoseconds> = {
  type: 'string',
  absent: 0n,
  decode(value, place) {
    const text = stringDecoder.decode(value, place)
    try {
      return parseDuration(text)
    } catch (error) {
      if (error instanceof DurationError) throw new ConfigurationDecodeError(error.message)
      throw error
    }
  },
}

/** Any JSON value, as it is. */
export const raw: ConfigurationDecoder<JsonValue | undefined> = {
  type: 'runtime.Unknown',
  absent: undefined,
  decode: (value) => value,
}

export const optional = <T>(decoder: ConfigurationDecoder<T>): ConfigurationDecoder<T | undefined> => ({
  type: decoder.type,
  absent: undefined,
  decode: (value, place) => decoder.decode(value, place),
})

export const listDecoder = <T>(item: ConfigurationDecoder<T>): ConfigurationDecoder<readonly T[]> => ({
  type: `[]${item.type}`,
  absent: [],
  decode(value, place) {
    if (!Array.isArray(value)) return mismatch(value, place, `[]${item.type}`)
    return value.map((element, i) =>
      element === null ? item.absent : item.decode(element, { ...place, path: `${place.path}[${i}]` }),
    )
  },
})

type Fields = Readonly<Record<string, ConfigurationDecoder<unknown>>>
type Decoded<F extends Fields> = { readonly [K in keyof F]: F[K] extends ConfigurationDecoder<infer T> ? T : never }

/** An object with these fields. Its absent value has the absent value of each. */
export function struct<F extends Fields>(name: string, fields: F): ConfigurationDecoder<Decoded<F>> {
  const absent = Object.fromEntries(
    Object.entries(fields).map(([key, { absent: value }]) => [key, value]),
  ) as Decoded<F>
  return {
    type: name,
    absent,
    decode(value, place) {
      if (!isJsonObject(value)) return mismatch(value, place, name)
      const inside = fieldDecoder(name.slice(name.indexOf('.') + 1), place)
      return { ...absent, ...inside(value, fields) } as Decoded<F>
    },
  }
}

function fieldDecoder(structName: string, place: DocumentPosition) {
  return (value: JsonObject, fields: Fields): Record<string, unknown> => {
    const decoded: Record<string, unknown> = {}
    for (const [key, item] of Object.entries(value)) {
      const path = place.path === '' ? key : `${place.path}.${key}`
      const decoder = Object.hasOwn(fields, key) ? fields[key] : undefined
      if (decoder === undefined) place.unknown.push(path)
      else if (item !== null && item !== undefined) {
        const field = place.field === '' ? key : `${place.field}.${key}`
        decoded[key] = decoder.decode(item, { ...place, path, struct: structName, field })
      }
    }
    return decoded
  }
}
