/**
 * What later releases say in other words: of the errors of single fields, whose rules stayed the same. One table, applied when an
 * answer is written; a rule says what the default release says.
 */
import { type FieldError, restated } from './field-error.ts'
import { hasChange } from './release-changes.ts'

interface Rewording {
  /** The release that brought it. */
  readonly since: number
  /** The last member of the field's path. */
  readonly field: RegExp
  /** How the message ends, and how it ends since. */
  readonly from: string
  readonly to: string
}

const reworded = (since: number, field: RegExp, from: string, to: string): Rewording => ({ since, field, from, to })
/** A value that is required is said to be no more than that. */
const plain = (since: number, field: RegExp, from: string): Rewording =>
  reworded(since, field, `Required value: ${from}`, 'Required value')

/** Where label values are; names of objects have the same limit and other words. */
const labelValues = /(^|\.)(labels|matchLabels|nodeSelector|selector|values)(\[[^\]]*\])?$/

/** How the message about a key with two slashes ends. */
const labelKey =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') " +
  "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"

const rewordings: readonly Rewording[] = [
  plain(34, /\.(reason|lastTransitionTime)$/, 'must be set'),
  plain(34, /\.reason$/, 'reason cannot be empty'),
  plain(34, /\.message$/, 'message cannot be empty'),
  plain(34, /^spec\.versions\[\d+\]\.schema\.openAPIV3Schema$/, 'schemas are required'),
  plain(34, /\.(apiVersion|kind)$/, 'must not be empty'),
  plain(34, /\.conditions\[\d+\]\.type$/, 'must not be empty'),
  plain(34, /(^|\.)name$/, 'name is required'),
  plain(34, /\.kind$/, 'kind is required'),
  plain(34, /\.name$/, 'service name is required'),
  plain(34, /\.namespace$/, 'service namespace is required'),
  plain(34, /\.(uid|resourceVersion)$/, 'uid must be set in status'),
  plain(34, /\.resourceVersion$/, 'resourceVersion must be set in status'),
  plain(34, /\.namespace$/, 'namespace must be set'),
  plain(34, /\.name$/, 'name must be set'),
  plain(34, /\.kubeletConfigKey$/, 'kubeletConfigKey must be set'),
  reworded(34, /\.ownerReferences\.kind$/, ': kind must not be empty', ': must not be empty'),
  reworded(34, /\.ownerReferences\.name$/, ': name must not be empty', ': must not be empty'),
  reworded(34, /\.ownerReferences\.uid$/, ': uid must not be empty', ': must not be empty'),
  reworded(34, /\.name$/, ': name is not a valid CEL identifier', ': must be a valid CEL identifier'),
  reworded(34, /\.message$/, ': message must be non-empty if specified', ': must be non-empty if specified'),
  reworded(34, /\.message$/, ': message must not contain line breaks', ': must not contain line breaks'),
  reworded(34, /\.fieldPath$/, ': fieldPath must be non-empty if specified', ': must be non-empty if specified'),
  reworded(34, /\.fieldPath$/, ': fieldPath must not contain line breaks', ': must not contain line breaks'),
  reworded(34, /\.fieldPath$/, ': fieldPath must be a valid path', ': must be a valid path'),
  reworded(
    34,
    /\.selectableFields$/,
    ': selectableFields may only be set when version.schema.openAPIV3Schema is not included',
    ': may only be set when `version.schema.openAPIV3Schema` is not included',
  ),
  reworded(
    34,
    /\.selectableFields$/,
    ': selectableFields may only be set when validations.schema is included',
    ': may only be set when validations.schema is included',
  ),
  reworded(35, /./, ': name part must be no more than 63 characters', ': name part must be no more than 63 bytes'),
  reworded(35, labelValues, ': must be no more than 63 characters', ': must be no more than 63 bytes'),
  reworded(35, /./, `: a qualified name ${labelKey}`, `: a valid label key ${labelKey}`),
  reworded(
    34,
    /^spec\.type$/,
    ": type must be 'Exempt' if and only if name is 'exempt'",
    ": must be 'Exempt' if and only if `name` is 'exempt'",
  ),
]

/** The error as a release words it. */
export function wordedAt(error: FieldError, release: number): FieldError {
  const message = hasChange(release, 'quotesJson') ? (error.jsonMessage ?? error.message) : error.message
  const found = rewordings.find(
    ({ since, field, from }) => since <= release && message.endsWith(from) && field.test(error.field),
  )
  if (found !== undefined) return restated(error, { message: message.slice(0, -found.from.length) + found.to })
  return message === error.message ? error : restated(error, { message })
}
