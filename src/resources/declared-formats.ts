/**
 * The formats of texts that markers name. Limits count bytes in their words.
 * Mirrors k8s.io/apimachinery/pkg/api/validate: ShortName, LongName.
 */
import { type FieldError, invalid, tooLong } from '../api/field-error.ts'
import type { FieldPath } from '../api/field-path.ts'
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkQualifiedName,
  isLongerThan,
  type Messages,
  type NameCheck,
  patternMessage,
} from '../api/names.ts'

const maxPoolName = 253
/** Of a name that is longer, and refused anyhow, so many segments are looked at. */
const maxSegments = 10_000
const subdomainPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'
const caselessMessage = patternMessage(
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomainPattern,
  'Example.com',
)

/** The one message of a pattern is in other words where capitals are allowed. */
const checkCaseless = (value: string): Messages =>
  checkDns1123Subdomain(value.toLowerCase()).map((message) =>
    message.startsWith('a lowercase') ? caselessMessage : message,
  )

const formats: Readonly<Record<string, (value: string) => Messages>> = {
  'k8s-short-name': checkDns1123Label,
  'k8s-long-name': checkDns1123Subdomain,
  'k8s-long-name-caseless': checkCaseless,
  'k8s-label-key': checkQualifiedName,
  'k8s-path-segment-name': checkPathSegmentName,
}

const inBytes = (message: string): string => message.replace(/(no more than \d+) characters$/, '$1 bytes')

/** A name of its whole length; what it is generated from may be anything. Mirrors k8s.io/apimachinery/pkg/api/validate: LongName. */
export const checkLongName: NameCheck = (name, prefix = false) =>
  prefix ? [] : checkDns1123Subdomain(name).map(inBytes)

/** What is wrong with a text that must have a format. */
export function checkFormat(format: string, value: string, at: FieldPath): FieldError[] {
  if (format === 'k8s-resource-pool-name') return checkPoolName(value, at)
  const check = formats[format]
  if (check === undefined) throw new Error(`no rule is known for the format ${format}`)
  return check(value).map((message) => invalid(at, value, inBytes(message)))
}

/** Mirrors k8s.io/apimachinery/pkg/api/validate: ResourcePoolName. */
function checkPoolName(value: string, at: FieldPath): FieldError[] {
  const errors = isLongerThan(value, maxPoolName) ? [tooLong(at, maxPoolName)] : []
  value.split('/', maxSegments).forEach((part, i) => {
    if (part === '') errors.push(invalid(at, value, `segment ${i}: must not be empty`))
    else {
      for (const message of checkDns1123Subdomain(part)) {
        errors.push(invalid(at, part, `segment ${i}: ${inBytes(message)}`))
      }
    }
  })
  return errors
}
