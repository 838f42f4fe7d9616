/**
 * What containers may learn about their pod: fields and resources, in variables and in files.
 * Mirrors pkg/apis/core/validation: validateObjectFieldSelector, validateContainerResourceFieldSelector.
 */
import { type FieldError, invalid, notSupported, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { Quantity } from '../../../api/quantity.ts'
import type {
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '../../../catalog/types/core-v1.ts'
import {
  checkFileMode,
  checkLocalPath,
  checkQualified,
  type Errors,
  isUnset,
  requireText,
} from '../../checks/checks.ts'

export const envFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]

const volumeFields = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid']

const knownFields: ReadonlySet<string> = new Set([
  ...envFields,
  ...volumeFields,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
])

/** `metadata.labels['key']` in its two parts. */
function splitSubscript(path: string): readonly [path: string, subscript: string] | undefined {
  const open = path.indexOf("['")
  return path.endsWith("']") && open > 0 ? [path.slice(0, open), path.slice(open + 2, -2)] : undefined
}

export function validateFieldRef(
  errors: Errors,
  reference: ObjectFieldSelector,
  supported: readonly string[],
  at: FieldPath,
): void {
  const { apiVersion = '', fieldPath } = reference
  if (apiVersion === '') errors.push(required(at.child('apiVersion')))
  else if (isUnset(fieldPath)) errors.push(required(at.child('fieldPath')))
  else if (apiVersion !== 'v1') errors.push(unconvertible(fieldPath, `unsupported pod version: ${apiVersion}`, at))
  else validateFieldPath(errors, fieldPath, supported, at)
}

const unconvertible = (path: string, why: string, at: FieldPath): FieldError =>
  invalid(at.child('fieldPath'), path, `error converting fieldPath: ${why}`)

function validateFieldPath(errors: Errors, path: string, supported: readonly string[], at: FieldPath): void {
  const [map, subscript] = splitSubscript(path) ?? []
  if (map !== undefined && subscript !== undefined) {
    if (map === 'metadata.annotations') checkQualified(errors, subscript.toLowerCase(), at)
    else if (map === 'metadata.labels') checkQualified(errors, subscript, at)
    else errors.push(unconvertible(path, `field label does not support subscript: ${path}`, at))
    return
  }
  const converted = path === 'spec.host' ? 'spec.nodeName' : path
  if (!knownFields.has(converted)) errors.push(unconvertible(path, `field label not supported: ${path}`, at))
  else if (!supported.includes(converted)) errors.push(notSupported(at.child('fieldPath'), converted, supported))
}

const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]

const isHugePages = (resource: string): boolean => /^(requests|limits)\.hugepages-/.test(resource)

export function validateResourceFieldRef(
  errors: Errors,
  reference: ResourceFieldSelector,
  at: FieldPath,
  needsContainer: boolean,
): void {
  const { containerName = '', resource, divisor } = reference
  if (needsContainer && containerName === '') errors.push(required(at.child('containerName')))
  else if (isUnset(resource)) errors.push(required(at.child('resource')))
  else if (!resourceFields.includes(resource) && !isHugePages(resource)) {
    errors.push(notSupported(at.child('resource'), resource, resourceFields))
  }
  validateDivisor(errors, resource, divisor, at)
}

const sizes = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei'

interface Divisors {
  readonly valid: readonly string[]
  readonly message: string
}

const bySize = (what: string): Divisors => ({
  valid: sizes.split(', '),
  message: `only divisor's values ${sizes} are supported with the ${what} resource`,
})

const divisors: Readonly<Record<string, Divisors>> = {
  cpu: { valid: ['1m', '1'], message: "only divisor's values 1m and 1 are supported with the cpu resource" },
  memory: bySize('memory'),
  'ephemeral-storage': bySize('local ephemeral storage'),
  hugepages: bySize('hugepages'),
}

function validateDivisor(errors: Errors, resource: string, divisor: string | undefined, at: FieldPath): void {
  if (divisor === undefined || divisor === '0') return
  const quantity = Quantity.parse(divisor)
  if (quantity.isZero()) return
  const name = isHugePages(resource) ? 'hugepages' : resource.replace(/^(limits|requests)\./, '')
  const rule = isHugePages(resource) || resourceFields.includes(resource) ? divisors[name] : undefined
  if (rule === undefined || rule.valid.includes(quantity.toString())) return
  errors.push(invalid(at.child('divisor'), resource, rule.message))
}

/** A file of a downward API volume. Its errors are reported at the volume, without the position in the list. */
export function validateDownwardFile(errors: Errors, file: DownwardAPIVolumeFile, at: FieldPath): void {
  requireText(errors, file.path, at, 'path')
  checkLocalPath(errors, file.path, at.child('path'))
  if (file.fieldRef !== undefined) {
    validateFieldRef(errors, file.fieldRef, volumeFields, at.child('fieldRef'))
    if (file.resourceFieldRef !== undefined) {
      errors.push(invalid(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'))
    }
  } else if (file.resourceFieldRef !== undefined) {
    validateResourceFieldRef(errors, file.resourceFieldRef, at.child('resourceFieldRef'), true)
  } else errors.push(required(at, 'one of fieldRef and resourceFieldRef is required'))
  checkFileMode(errors, file.mode, at, 'mode')
}

export function validateDownwardVolume(errors: Errors, source: DownwardAPIVolumeSource, at: FieldPath): void {
  checkFileMode(errors, source.defaultMode, at, 'defaultMode')
  for (const file of source.items ?? []) validateDownwardFile(errors, file, at)
}
