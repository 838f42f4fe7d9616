/**
 * Kinds by which the API itself is run: access, admission, flow control, registration.
 * Mirrors pkg/printers/internalversion: printCertificateSigningRequest, printClusterRoleBinding, printRoleBinding,
 * printFlowSchema, printPriorityLevelConfiguration, printMutatingWebhook, printValidatingWebhook,
 * printValidatingAdmissionPolicy, printStorageVersion.
 */
import { humanDuration } from '../../api/human-duration.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { TableDefinition } from '../../api/table.ts'
import {
  ageColumn,
  at,
  type Column,
  condition,
  defineTable,
  list,
  listed,
  type MakeCell,
  nameColumn,
  number,
  numberAt,
  objects,
  sizeAt,
  text,
  textAt,
} from './cells.ts'

const subjects =
  (kind: string): MakeCell =>
  (binding) =>
    objects(binding['subjects'])
      .filter((subject) => subject['kind'] === kind)
      .map(({ name, namespace }) => (kind === 'ServiceAccount' ? `${text(namespace)}/${text(name)}` : text(name)))
      .join(', ')

const bindingColumns: readonly Column[] = [
  nameColumn,
  {
    name: 'Role',
    cell: (binding) => `${text(at(binding, 'roleRef', 'kind'))}/${text(at(binding, 'roleRef', 'name'))}`,
  },
  ageColumn,
  { name: 'Users', cell: subjects('User'), wide: true },
  { name: 'Groups', cell: subjects('Group'), wide: true },
  { name: 'ServiceAccounts', cell: subjects('ServiceAccount'), wide: true },
]

export const roleBindingTable: TableDefinition = defineTable('RoleBinding', bindingColumns)
export const clusterRoleBindingTable: TableDefinition = defineTable('ClusterRoleBinding', bindingColumns)

function requestCondition(request: JsonObject): string {
  const has = (type: string): boolean => condition(request, type) !== undefined
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'
  const failed = has('Failed') ? ',Failed' : ''
  const issued = text(at(request, 'status', 'certificate')) === '' ? '' : ',Issued'
  return `${decision}${failed}${issued}`
}

function requestedDuration(request: JsonObject): string {
  const seconds = at(request, 'spec', 'expirationSeconds')
  return typeof seconds === 'number' ? humanDuration(seconds * 1000) : '<none>'
}

export const certificateSigningRequestTable: TableDefinition = defineTable('CertificateSigningRequest', [
  nameColumn,
  ageColumn,
  { name: 'SignerName', cell: textAt('spec.signerName', '<none>') },
  { name: 'Requestor', cell: textAt('spec.username') },
  { name: 'RequestedDuration', cell: requestedDuration },
  { name: 'Condition', cell: requestCondition },
])

export const clusterTrustBundleTable: TableDefinition = defineTable('ClusterTrustBundle', [
  nameColumn,
  { name: 'SignerName', cell: textAt('spec.signerName', '<none>') },
])

const webhookColumns: readonly Column[] = [
  nameColumn,
  { name: 'Webhooks', cell: sizeAt('webhooks'), type: 'integer' },
  ageColumn,
]

export const mutatingWebhookConfigurationTable: TableDefinition = defineTable(
  'MutatingWebhookConfiguration',
  webhookColumns,
)
export const validatingWebhookConfigurationTable: TableDefinition = defineTable(
  'ValidatingWebhookConfiguration',
  webhookColumns,
)

function paramKind(policy: JsonObject): string {
  const kind = at(policy, 'spec', 'paramKind')
  return isJsonObject(kind) ? `${text(kind['apiVersion'])}/${text(kind['kind'])}` : '<unset>'
}

function paramRef(binding: JsonObject): string {
  const ref = at(binding, 'spec', 'paramRef')
  if (!isJsonObject(ref)) return '<unset>'
  const name = text(ref['name'])
  if (name !== '') return `${text(ref['namespace'], '*')}/${name}`
  return isJsonObject(ref['selector']) ? selectorDump(ref['selector']) : '<unset>'
}

/** A selector as the reference prints the structure, not as a selector's text. */
function selectorDump({ matchLabels, matchExpressions }: JsonObject): string {
  const labels = isJsonObject(matchLabels) ? matchLabels : {}
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}: ${labels[key]},`)
  const requirements = objects(matchExpressions).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${text(key)},Operator:${text(operator)},Values:[${list(values).join(' ')}],},`,
  )
  return `&LabelSelector{MatchLabels:map[string]string{${pairs.join('')}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`
}

const policyColumns = (counted: string, path: string): readonly Column[] => [
  nameColumn,
  { name: counted, cell: sizeAt(path), type: 'integer' },
  { name: 'ParamKind', cell: paramKind },
  ageColumn,
]

const policyBindingColumns: readonly Column[] = [
  nameColumn,
  { name: 'PolicyName', cell: textAt('spec.policyName') },
  { name: 'ParamRef', cell: paramRef },
  ageColumn,
]

export const validatingAdmissionPolicyTable: TableDefinition = defineTable(
  'ValidatingAdmissionPolicy',
  policyColumns('Validations', 'spec.validations'),
)
export const validatingAdmissionPolicyBindingTable: TableDefinition = defineTable(
  'ValidatingAdmissionPolicyBinding',
  policyBindingColumns,
)
export const mutatingAdmissionPolicyTable: TableDefinition = defineTable(
  'MutatingAdmissionPolicy',
  policyColumns('Mutations', 'spec.mutations'),
)
export const mutatingAdmissionPolicyBindingTable: TableDefinition = defineTable(
  'MutatingAdmissionPolicyBinding',
  policyBindingColumns,
)

const precedence = (schema: JsonObject): number => Number(number(at(schema, 'spec', 'matchingPrecedence')))
const nameOf = (object: JsonObject): string => text(at(object, 'metadata', 'name'))

export const flowSchemaTable: TableDefinition = defineTable(
  'FlowSchema',
  [
    nameColumn,
    { name: 'PriorityLevel', cell: textAt('spec.priorityLevelConfiguration.name') },
    { name: 'MatchingPrecedence', cell: numberAt('spec.matchingPrecedence') },
    { name: 'DistinguisherMethod', cell: textAt('spec.distinguisherMethod.type', '<none>') },
    ageColumn,
    { name: 'MissingPL', cell: (schema) => text(condition(schema, 'Dangling')?.['status'], '?') },
  ],
  {
    compare: (a, b) => precedence(a) - precedence(b) || (nameOf(a) < nameOf(b) ? -1 : 1),
  },
)

/** A number inside a part that only some levels have. */
const limitedNumber =
  (...path: string[]): MakeCell =>
  (level) => {
    const parent = at(level, 'spec', 'limited', ...path.slice(0, -1))
    const value = at(level, 'spec', 'limited', ...path)
    return isJsonObject(parent) ? number(value) : '<none>'
  }

export const priorityLevelConfigurationTable: TableDefinition = defineTable('PriorityLevelConfiguration', [
  nameColumn,
  { name: 'Type', cell: textAt('spec.type') },
  { name: 'NominalConcurrencyShares', cell: limitedNumber('nominalConcurrencyShares') },
  { name: 'Queues', cell: limitedNumber('limitResponse', 'queuing', 'queues') },
  { name: 'HandSize', cell: limitedNumber('limitResponse', 'queuing', 'handSize') },
  { name: 'QueueLengthLimit', cell: limitedNumber('limitResponse', 'queuing', 'queueLengthLimit') },
  ageColumn,
])

function storedVersions(object: JsonObject): string {
  const versions = objects(at(object, 'status', 'storageVersions')).map(
    ({ apiServerID, encodingVersion }) => `${text(apiServerID)}=${text(encodingVersion)}`,
  )
  return listed(versions, 3) || '<unset>'
}

export const storageVersionTable: TableDefinition = defineTable('StorageVersion', [
  nameColumn,
  { name: 'CommonEncodingVersion', cell: textAt('status.commonEncodingVersion', '<unset>') },
  { name: 'StorageVersions', cell: storedVersions },
  ageColumn,
])

const resourceName = (resource: JsonValue | undefined): string =>
  ['resource', 'version', 'group'].map((key) => text(at(resource, key))).join('.')

export const storageVersionMigrationTable: TableDefinition = defineTable('StorageVersionMigration', [
  { ...nameColumn, format: '' },
  { name: 'Resource', cell: (object) => resourceName(at(object, 'spec', 'resource')) },
])

function backingService(apiService: JsonObject): string {
  const service = at(apiService, 'spec', 'service')
  return isJsonObject(service) ? `${text(service['namespace'])}/${text(service['name'])}` : 'Local'
}

function availability(apiService: JsonObject): string {
  const available = condition(apiService, 'Available')
  const status = text(available?.['status'], 'Unknown')
  const reason = text(available?.['reason'])
  return status !== 'True' && reason !== '' ? `${status} (${reason})` : status
}

export const apiServiceTable: TableDefinition = defineTable('APIService', [
  nameColumn,
  { name: 'Service', cell: backingService },
  { name: 'Available', cell: availability },
  ageColumn,
])
