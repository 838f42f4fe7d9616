/** JSON text inside other encodings. */
import type { JsonValue } from '../api/json.ts'
import { DecodeError } from './decode-error.ts'

export function parseJson(bytes: Buffer): JsonValue {
  try {
    return JSON.parse(bytes.toString()) as JsonValue
  } catch (error) {
    throw new DecodeError(`json: ${(error as Error).message}`)
  }
}

export const stringifyJson = (value: JsonValue): string => JSON.stringify(value)
