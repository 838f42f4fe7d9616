/**
 * What later releases say in other words: of the errors of single fields, whose rules stayed the same. One table, applied when an
 * answer is written; a rule says what the default release says.
 */
import { type FieldError, type FieldErrorReason, fieldErrorWith } from './field-error.ts'
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
const labelValues =
  /(^|\.)((labels|matchLabels|nodeSelector|selector|values)(\[[^\]]*\])?|taint\.value|(taints|tolerations)\[\d+\]\.(value|operator)|forZones\[\d+\]\.name)$/

/** How the message about a value with a wrong character ends. */
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

/** How the message about a key with two slashes ends. */
const labelKey =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') " +
  "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"

const labelRewordings: readonly Rewording[] = [
  reworded(35, /./, ': name part must be no more than 63 characters', ': name part must be no more than 63 bytes'),
  reworded(35, labelValues, ': must be no more than 63 characters', ': must be no more than 63 bytes'),
  reworded(
    35,
    labelValues,
    `: must be no more than 63 characters;${labelValue}`,
    `: must be no more than 63 bytes;${labelValue}`,
  ),
  reworded(35, /./, `: a qualified name ${labelKey}`, `: a valid label key ${labelKey}`),
]

/** Of the files of --authentication-config and --egress-selector-config-file. Mirrors apiserver/pkg/apis/apiserver/validation and egressselector. */
const configurationRewordings: readonly Rewording[] = [
  plain(34, /\.url$/, 'URL is required'),
  plain(34, /\.audiences\[\d+\]$/, "audience can't be empty"),
  plain(34, /\.valueExpression$/, 'valueExpression is required'),
  plain(34, /\.userValidationRules\[\d+\]\.expression$/, 'expression is required'),
  reworded(34, /\.message$/, ": message can't be set when claim is set", ': may not be specified when claim is set'),
  reworded(
    34,
    /\.requiredValue$/,
    ": requiredValue can't be set when expression is set",
    ': may not be specified when expression is set',
  ),
  reworded(
    34,
    /\.prefix$/,
    ": prefix can't be set when expression is set",
    ': may not be specified when expression is set',
  ),
  reworded(34, /\.key$/, ': key must be lowercase', ': must be lowercase'),
  reworded(
    34,
    /^anonymous$/,
    ': --anonynous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
    ': --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
  ),
  reworded(
    34,
    /^service\.connection\.transport$/,
    ': Transport config should be absent for direct connect',
    ': config must be absent for direct connect',
  ),
  reworded(
    34,
    /^service\.connection\.udsName$/,
    ': UDSName should be present for UDS connections',
    ': must be present for UDS connections',
  ),
  reworded(
    34,
    /^service\.connection\.tlsConfig$/,
    ': TLSConfig config should not be present when using HTTP',
    ': config must not be present when using HTTP',
  ),
]

const dnsLabel = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const relaxedDnsLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
/** How the message about a search path with underscores ends. */
const relaxedSubdomain = (label: string): string =>
  `characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${label}(\\.${label})*')`

const rewordings: readonly Rewording[] = [
  reworded(34, /\.searches\[\d+\]$/, relaxedSubdomain(dnsLabel), relaxedSubdomain(relaxedDnsLabel)),
  reworded(34, /./, ': must have at most 1 items', ': must have at most 1 item'),
  reworded(34, /./, ': may not be more than 1 bytes', ': may not be more than 1 byte'),
  plain(34, /\.(reason|lastTransitionTime)$/, 'must be set'),
  plain(34, /\.os\.name$/, 'cannot be empty'),
  plain(34, /\.reason$/, 'reason cannot be empty'),
  plain(34, /\.message$/, 'message cannot be empty'),
  plain(34, /^spec\.versions\[\d+\]\.schema\.openAPIV3Schema$/, 'schemas are required'),
  plain(34, /\.(apiVersion|kind)$/, 'must not be empty'),
  plain(34, /\.conditions\[\d+\]\.type$/, 'must not be empty'),
  plain(34, /(^|\.)name$/, 'name is required'),
  plain(34, /\.kind$/, 'kind is required'),
  reworded(
    34,
    /^(.*\.)?spec\.(hostNetwork|HostPID|HostIPC)$/,
    ': when `pod.Spec.HostUsers` is false',
    ': when `hostUsers` is false',
  ),
  reworded(
    34,
    /(^|\.)spec\.resources\.claims$/,
    ': claims cannot be set for Resources at pod-level',
    ': claims may not be set for Resources at pod-level',
  ),
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
  reworded(34, /\.(parameters|data)$/, ': parameters must be a valid JSON object', ': must be a valid JSON object'),
  reworded(
    35,
    /\.(match|distinct)Attribute$/,
    ': must include a domain',
    ': a fully qualified name must be a domain and a name separated by a slash',
  ),
  reworded(
    34,
    /^status\.completionTime$/,
    ': completionTime cannot be set before startTime',
    ': must be equal to or after `startTime`',
  ),
  reworded(34, /^status\.completionTime$/, ': completionTime cannot be mutated', ': field is immutable'),
  reworded(
    34,
    /^status\.uncountedTerminatedPods$/,
    ': uncountedTerminatedPods needs to be empty for finished job',
    ': must be empty for finished job',
  ),
  reworded(34, /^status\.resourceVersion$/, ': resourceVersion cannot be updated', ': field is immutable'),
  ...labelRewordings,
  ...configurationRewordings,
  reworded(
    36,
    /\.resizePolicy$/,
    ": must be 'NotRequired' when `restartPolicy` is 'Never'",
    ": must be 'NotRequired' when pod `restartPolicy` is 'Never'",
  ),
  reworded(
    34,
    /^spec\.type$/,
    ": type must be 'Exempt' if and only if name is 'exempt'",
    ": must be 'Exempt' if and only if `name` is 'exempt'",
  ),
]

interface Move {
  /** The release that brought it. */
  readonly since: number
  /** Errors of all reasons where none is given. */
  readonly reason?: FieldErrorReason
  readonly field: RegExp
  readonly to: string
}

/** Errors that are told of another field since. */
const moves: readonly Move[] = [
  {
    since: 34,
    field: /^status\.allocatedResourceStatus$/,
    to: 'status.allocatedResourceStatuses',
  },
  {
    since: 35,
    reason: 'FieldValueDuplicate',
    field:
      /^(.*\.(?:requests|firstAvailable|devices|reservedFor|consumesCounters|sharedCounters)\[\d+\])\.(?:name|uid|counterSet|deviceID)$/,
    to: '$1',
  },
]

function movedAt(error: FieldError, release: number): FieldError {
  const found = moves.find(
    ({ since, reason, field }) =>
      since <= release && (reason ?? error.reason) === error.reason && field.test(error.field),
  )
  return found === undefined ? error : fieldErrorWith(error, { field: error.field.replace(found.field, found.to) })
}

/** That a name is no identifier is no matter of its type since. Mirrors pkg/apis/resource/validation: validateCIdentifier. */
function withReasonAt(error: FieldError, release: number): FieldError {
  const isTyped = error.reason === 'FieldValueTypeInvalid' && hasChange(release, 'untypedIdentifiers')
  return isTyped && error.message.includes(': a valid C identifier must ')
    ? fieldErrorWith(error, { reason: 'FieldValueInvalid' })
    : error
}

/** The error as a release words it. */
export function errorAtRelease(original: FieldError, release: number): FieldError {
  const error = withReasonAt(movedAt(original, release), release)
  const message = hasChange(release, 'quotesJson') ? (error.messageAt?.(release) ?? error.message) : error.message
  const found = rewordings.find(
    ({ since, field, from }) => since <= release && message.endsWith(from) && field.test(error.field),
  )
  if (found !== undefined) return fieldErrorWith(error, { message: message.slice(0, -found.from.length) + found.to })
  return message === error.message ? error : fieldErrorWith(error, { message })
}

/** A name of a driver that is missing is not also of a wrong form since. Mirrors pkg/apis/core/validation: ValidateCSIDriverName. */
const driverNames = /(^|\.)(driver|attacher|drivers\[\d+\]\.name)$/

const isSuperseded = ({ reason, field, message }: FieldError): boolean =>
  reason === 'FieldValueInvalid' &&
  message.startsWith('Invalid value: "": ') &&
  !message.endsWith(': field is immutable') &&
  driverNames.test(field)

/** The errors as a release words them, without those that it no longer has. */
export function errorsAtRelease(errors: readonly FieldError[], release: number): FieldError[] {
  const left = hasChange(release, 'requiredDriverAlone') ? errors.filter((error) => !isSuperseded(error)) : errors
  return left.map((error) => errorAtRelease(error, release))
}

/** What an unreadable selector is answered with quotes the rules of labels, in the words of the release. */
export function selectorErrorAtRelease(message: string, release: number): string {
  if (!message.startsWith('unable to parse requirement')) return message
  const found = labelRewordings.find(({ since, from }) => since <= release && message.endsWith(from))
  return found === undefined ? message : message.slice(0, -found.from.length) + found.to
}

const oddAddress =
  /^([^"]*: non-standard (?:IP address|CIDR value) "[^"]*") will be considered invalid in a future Kubernetes release(: use "[^"]*")$/

const longLabel = / is invalid, must be no more than 63 characters$/

type WarningChange = 'release:oddAddressesInvalid' | 'release:labelsInBytes'

/** A warning as a release words it. */
export function warningAtRelease(text: string, asks: (change: WarningChange) => boolean): string {
  const worded = asks('release:oddAddressesInvalid') ? text.replace(oddAddress, '$1 is invalid$2') : text
  return asks('release:labelsInBytes') && longLabel.test(worded)
    ? worded.replace(longLabel, ' is invalid, must be no more than 63 bytes')
    : worded
}
