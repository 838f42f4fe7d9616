/** Keys inside JSON pointers, for expressions that make patches. */
import { declareFunction } from '../functions.ts'
import { STRING } from '../types.ts'
import type { Library } from './library.ts'

const ESCAPES: Readonly<Record<string, string>> = { '/': '~1', '~': '~0' }

export const jsonPatchLibrary: Library = {
  functions: [
    declareFunction('jsonpatch.escapeKey', {
      overloads: [
        [
          'string_jsonpatch_escapeKey_string',
          [STRING],
          STRING,
          (a) => (a as string).replace(/[/~]/g, (char) => ESCAPES[char]!),
        ],
      ],
    }),
  ],
}
