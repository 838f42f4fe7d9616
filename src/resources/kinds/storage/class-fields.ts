/** Fields that storage classes and volume attributes classes share: whose class it is, and its parameters. */

import { invalid, required, tooLong } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import { addMessages, type Errors } from '../../checks/checks.ts'

const maxCount = 512
const maxBytes = 256 * 1024

export function validateProvisioner(errors: Errors, name: string, at: FieldPath): void {
  const lower = name.toLowerCase()
  if (name === '') errors.push(required(at))
  else addMessages(errors, at, lower, checkQualifiedName(lower))
}

export type Parameters = Readonly<Record<string, string>> | undefined

export function validateParameters(errors: Errors, parameters: Parameters = {}, at: FieldPath): void {
  const keys = keysOf(parameters)
  if (keys.length > maxCount) {
    errors.push(tooLong(at, maxCount))
    return
  }
  let bytes = 0
  for (const key of keys) {
    if (key === '') errors.push(invalid(at, key, 'field can not be empty.'))
    bytes += Buffer.byteLength(key) + Buffer.byteLength(parameters[key] ?? '')
  }
  if (bytes > maxBytes) errors.push(tooLong(at, maxBytes))
}
