/**
 * Storage versions: what the servers of a cluster can read and write of one resource. Only its status says anything.
 * Mirrors pkg/apis/apiserverinternal/validation: ValidateStorageVersion, ValidateStorageVersionUpdate,
 * ValidateStorageVersionStatusUpdate.
 * Mirrors pkg/registry/apiserverinternal/storageversion: storageVersionStrategy, storageVersionStatusStrategy.
 */

import { duplicate, type FieldError, fieldError, invalid, quote, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkQualifiedName,
  checkSubdomainName,
  type Messages,
  patternMessage,
} from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goNull, goStrings, invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type {
  ServerStorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '../../../../catalog/types/apiserverinternal-v1alpha1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { keepMetadataForStatus } from '../../../checks/status-metadata.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'

type StorageVersion = KubeObject & { status: StorageVersionStatus }

const statusPath = FieldPath.of('status')

export const storageVersionRules = (): KindRules<StorageVersion> => ({
  strategy: withStatus<StorageVersion>({
    validateMetadata: (metadata) => metadata.validate({ validateName: checkName }),
    validateMetadataUpdate: () => [],
  }),
  parts: {
    status: statusOnly<StorageVersion>({
      prepareForUpdate: keepMetadataForStatus,
      validateMetadataUpdate: () => [],
      validateUpdate: ({ status }) => validateStatus(status),
    }),
  },
})

/** A group and a resource. */
function checkName(name: string): Messages {
  const dot = name.lastIndexOf('.')
  if (dot < 0) return ['name must be in the form of <group>.<resource>']
  return [
    ...checkDns1123Subdomain(name.slice(0, dot)).map((message) => `the group segment ${message}`),
    ...checkDns1035Label(name.slice(dot + 1)).map((message) => `the resource segment ${message}`),
  ]
}

function validateStatus({
  storageVersions = [],
  commonEncodingVersion,
  conditions = [],
}: StorageVersionStatus): FieldError[] {
  const servers = new Set<string>()
  const errors = storageVersions.flatMap((version, i) => {
    const at = statusPath.child('storageVersions').index(i)
    const { apiServerID = '' } = version
    const repeated = servers.has(apiServerID) ? [duplicate(at.child('apiServerID'), apiServerID)] : []
    servers.add(apiServerID)
    return [...repeated, ...validateServer(version, at)]
  })
  return [...errors, ...validateCommon(storageVersions, commonEncodingVersion), ...validateConditions(conditions)]
}

function validateServer(version: ServerStorageVersion, at: FieldPath): FieldError[] {
  const { apiServerID = '', encodingVersion = '', decodableVersions, servedVersions = [] } = version
  const decodable = decodableVersions ?? []
  const known = new Set(decodable)
  const format = (where: FieldPath, text: string): FieldError[] => {
    const messages = checkApiVersion(text)
    return messages.length === 0 ? [] : [invalid(where, text, messages.join(','))]
  }
  const errors = [
    ...checkSubdomainName(apiServerID).map((message) => invalid(at.child('apiServerID'), apiServerID, message)),
    ...format(at.child('encodingVersion'), encodingVersion),
    ...decodable.flatMap((text, i) => format(at.child('decodableVersions').index(i), text)),
  ]
  if (!known.has(encodingVersion)) {
    const why = `decodableVersions must include encodingVersion ${encodingVersion}`
    errors.push(invalidAs(at.child('decodableVersions'), () => goStrings(decodableVersions), why))
  }
  for (const [i, text] of servedVersions.entries()) {
    const where = at.child('servedVersions').index(i)
    pushAll(errors, format(where, text))
    if (known.has(text)) continue
    const why = (): string =>
      `individual served version : ${text} must be included in decodableVersions : [${decodable.join(' ')}]`
    errors.push(fieldError('FieldValueInvalid', where, () => `Invalid value: ${quote(text)}: ${why()}`))
  }
  return errors
}

/** The version that all servers write, where they agree. */
function validateCommon(versions: readonly ServerStorageVersion[], given: string | undefined): FieldError[] {
  const at = statusPath.child('commonEncodingVersion')
  const written = new Set(versions.map(({ encodingVersion = '' }) => encodingVersion))
  const [common] = written.size === 1 ? written : []
  if (common === given) return []
  if (common === undefined) {
    const why =
      'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet'
    return [invalid(at, given, why)]
  }
  if (given === undefined) return [invalidAs(at, () => goNull, `the common encoding version is ${common}`)]
  return [invalid(at, given, `the actual common encoding version is ${common}`)]
}

/** The reference's errors name conditions without the step through their list. */
function validateConditions(conditions: readonly StorageVersionCondition[]): FieldError[] {
  const last = new Map<string, number>()
  return conditions.flatMap(({ type, status, reason, message = '' }, i) => {
    const at = statusPath.index(i)
    const errors: FieldError[] = []
    const other = last.get(type)
    last.set(type, i)
    if (other !== undefined) {
      const why = `the type of the condition is not unique, it also appears in conditions[${other}]`
      errors.push(invalid(at.child('type'), type, why))
    }
    for (const text of checkQualifiedName(type)) errors.push(invalid(at.child('type'), type, text))
    for (const text of checkQualifiedName(status)) errors.push(invalid(at.child('status'), status, text))
    if (reason === '') errors.push(required(at.child('reason'), 'reason cannot be empty'))
    if (message === '') errors.push(required(at.child('message'), 'message cannot be empty'))
    return errors
  })
}

const versionMessage = `an apiVersion is ${patternMessage(
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`

function checkApiVersion(text: string): Messages {
  const parts = text.split('/')
  if (parts.length > 2) return [versionMessage]
  const version = parts.at(-1) ?? ''
  const group = parts.length === 2 ? parts[0] : undefined
  const part = (name: string, value: string, check: (value: string) => Messages): string[] =>
    (value === '' ? ['must be non-empty'] : check(value)).map((message) => `${name} part: ${message}`)
  return [
    ...(group === undefined ? [] : part('group', group, checkDns1123Subdomain)),
    ...part('version', version, checkDns1035Label),
  ]
}
