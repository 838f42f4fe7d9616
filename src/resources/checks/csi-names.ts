/**
 * The names of drivers, as volumes, nodes and attachments refer to them.
 * Mirrors pkg/apis/core/validation: ValidateCSIDriverName.
 */
import { required, tooLong } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { checkDns1123Subdomain, isLongerThan } from '../../api/names.ts'
import { addMessages, type Errors } from './checks.ts'

const maxLength = 63

export function validateDriverName(errors: Errors, name: string, at: FieldPath): void {
  if (name === '') errors.push(required(at))
  if (isLongerThan(name, maxLength)) errors.push(tooLong(at, maxLength))
  addMessages(errors, at, name, checkDns1123Subdomain(name.toLowerCase()))
}
