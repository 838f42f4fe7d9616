/** The fast decoders of scalars, which give up at the first value that needs the exact decoder: that decoder says what is wrong. */
import type { JsonValue } from '../api/json.ts'
import { canonicalMicroTime, canonicalTime } from '../api/time.ts'
import { canonicalBase64, canonicalDuration, canonicalQuantity } from './scalars.ts'
import type { ScalarSchema } from './schema.ts'

/** Throws `exactDecoderNeeded` on anything that the exact decoder must look at. */
export type ScalarDecoder = (value: JsonValue) => JsonValue

/** Made once: it says no more than that the exact decoder must look. */
export const exactDecoderNeeded = new Error('the input needs the exact decoder')

export function compileScalar(schema: ScalarSchema): ScalarDecoder {
  switch (schema.kind) {
    case 'string':
      return decodeString
    case 'boolean':
      return decodeBoolean
    case 'integer':
      return schema.format === 'int32' ? decodeInt32 : decodeInt64
    case 'number':
      return decodeNumber
    case 'int-or-string':
      return (value) => (typeof value === 'string' ? value : decodeInt32(value))
    case 'quantity':
      return (value) => canonicalQuantity(typeof value === 'number' ? String(value) : text(value))
    case 'time':
      return (value) => canonicalTime(text(value))
    case 'micro-time':
      return (value) => canonicalMicroTime(text(value))
    case 'duration':
      return (value) => canonicalDuration(text(value))
    case 'bytes':
      return decodeBytes
  }
}

const decodeString: ScalarDecoder = (value) => text(value)

function text(value: JsonValue): string {
  if (typeof value !== 'string') throw exactDecoderNeeded
  return value
}

const decodeBoolean: ScalarDecoder = (value) => {
  if (typeof value !== 'boolean') throw exactDecoderNeeded
  return value
}

const decodeInt32: ScalarDecoder = (value) => {
  if (typeof value !== 'number' || (value | 0) !== value) throw exactDecoderNeeded
  return value
}

const decodeInt64: ScalarDecoder = (value) => {
  if (!Number.isSafeInteger(value) && typeof value !== 'bigint') throw exactDecoderNeeded
  return value
}

const decodeNumber: ScalarDecoder = (value) => {
  if (typeof value !== 'number') throw exactDecoderNeeded
  return value
}

const decodeBytes: ScalarDecoder = (value) => {
  const bytes = canonicalBase64(text(value))
  if (bytes === undefined) throw exactDecoderNeeded
  return bytes
}
