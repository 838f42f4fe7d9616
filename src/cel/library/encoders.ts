/** Base64. */

import { trimTrailing } from '../../lib/trim-trailing.ts'
import { declareFunction } from '../functions.ts'
import { BYTES, STRING } from '../types.ts'
import type { Value } from '../values.ts'
import { Bytes, CelError } from '../values.ts'
import type { Library } from './library.ts'

/** Padding may be left out. */
function decode(a: Value): Value {
  const text = a as string
  const digits = trimTrailing(text, '=')
  const wrong = /[^A-Za-z0-9+/]/.exec(digits)
  if (wrong || digits.length % 4 === 1 || text.length - digits.length > 2) {
    return new CelError(`illegal base64 data at input byte ${wrong?.index ?? digits.length}`)
  }
  return new Bytes(Buffer.from(digits, 'base64'))
}

export const encodersLibrary: Library = {
  functions: [
    declareFunction('base64.decode', { overloads: [['base64_decode_string', [STRING], BYTES, decode]] }),
    declareFunction('base64.encode', {
      overloads: [['base64_encode_bytes', [BYTES], STRING, (a) => Buffer.from((a as Bytes).data).toString('base64')]],
    }),
  ],
}
