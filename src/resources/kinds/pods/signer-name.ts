/**
 * Names of signers: a domain and a path.
 * Mirrors pkg/apis/core/validation: ValidateSignerName.
 */
import { invalid, quote, required, tooLong } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { checkDns1123Label, checkDns1123Subdomain, type Messages } from '../../../api/names.ts'
import type { Errors } from '../../checks/checks.ts'

/** `domain.com/something`. */
export function validateSignerName(errors: Errors, name: string, at: FieldPath): void {
  if (name === '') {
    errors.push(required(at))
    return
  }
  const segments = name.split('/')
  const [domain = '', path = ''] = segments
  if (segments.length !== 2) {
    errors.push(invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"))
    return
  }
  if (Buffer.byteLength(domain) > 253) errors.push(tooLong(at, 253))
  validateParts(errors, domain, checkDns1123Label, at)
  if (!domain.includes('.')) {
    errors.push(invalid(at, domain, 'should be a domain with at least two segments separated by dots'))
  }
  validateParts(errors, path, checkDns1123Subdomain, at)
  if (Buffer.byteLength(name) > 571) errors.push(tooLong(at, 571))
}

/** Only the first bad part is reported. */
function validateParts(errors: Errors, text: string, check: (part: string) => Messages, at: FieldPath): void {
  for (const part of text.split('.')) {
    const messages = check(part)
    for (const message of messages) errors.push(invalid(at, text, `validating label ${quote(part)}: ${message}`))
    if (messages.length > 0) return
  }
}
