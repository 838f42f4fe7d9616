/**
 * Annotations that users give a signer: their keys have a domain, and there is a limit to all of them together.
 * Mirrors pkg/apis/core/validation: ValidateUserAnnotations.
 */
import { type FieldError, invalid, required, tooLong } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { checkQualifiedName } from '../../api/names.ts'
import { addMessages } from './checks.ts'

const maxBytes = 256 * 1024

export function checkUserAnnotations(
  errors: FieldError[],
  annotations: Readonly<Record<string, string>>,
  at: FieldPath,
): void {
  let bytes = 0
  for (const [given, value] of Object.entries(annotations)) {
    const key = given.toLowerCase()
    const messages = checkQualifiedName(key)
    bytes += Buffer.byteLength(given) + Buffer.byteLength(value)
    if (key === '') errors.push(required(at))
    else if (messages.length > 0) addMessages(errors, at, key, messages)
    else if (!key.includes('/')) errors.push(invalid(at, key, 'must be a domain-prefixed key (such as "acme.io/foo")'))
  }
  if (bytes > maxBytes) errors.push(tooLong(at, maxBytes))
}
