/**
 * The plain kinds of the core group and their like.
 * Mirrors pkg/printers/internalversion: printEvent, printNamespace, printNode, printSecret, printServiceAccount,
 * printConfigMap, printResourceQuota, printLease, printPriorityClass.
 */
import { age } from '../../api/human-duration.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { TableDefinition } from '../../api/table.ts'
import {
  ageColumn,
  at,
  condition,
  defineTable,
  nameColumn,
  number,
  numberAt,
  objects,
  size,
  sizeAt,
  sortedUnique,
  text,
  textAt,
} from './cells.ts'

export const namespaceTable: TableDefinition = defineTable('Namespace', [
  nameColumn,
  { name: 'Status', cell: textAt('status.phase') },
  ageColumn,
])

export const secretTable: TableDefinition = defineTable('Secret', [
  nameColumn,
  { name: 'Type', cell: textAt('type') },
  { name: 'Data', cell: sizeAt('data') },
  ageColumn,
])

export const configMapTable: TableDefinition = defineTable('ConfigMap', [
  nameColumn,
  { name: 'Data', cell: ({ data, binaryData }) => size(data) + size(binaryData) },
  ageColumn,
])

export const serviceAccountTable: TableDefinition = defineTable('ServiceAccount', [
  nameColumn,
  { name: 'Secrets', cell: sizeAt('secrets') },
  ageColumn,
])

function nodeStatus(node: JsonObject): string {
  const ready = condition(node, 'Ready')
  const status = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady'
  return at(node, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status
}

const rolePrefix = 'node-role.kubernetes.io/'

function nodeRoles(node: JsonObject): string {
  const labels = at(node, 'metadata', 'labels')
  if (!isJsonObject(labels)) return '<none>'
  const roles = Object.entries(labels).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length)
    return key === 'kubernetes.io/role' ? text(value) : ''
  })
  return sortedUnique(roles).join(',') || '<none>'
}

const nodeAddress =
  (type: string) =>
  (node: JsonObject): string =>
    text(objects(at(node, 'status', 'addresses')).find((address) => address['type'] === type)?.['address'], '<none>')

const nodeInfo = (key: string) => textAt(`status.nodeInfo.${key}`, '<unknown>')

export const nodeTable: TableDefinition = defineTable('Node', [
  nameColumn,
  { name: 'Status', cell: nodeStatus },
  { name: 'Roles', cell: nodeRoles },
  ageColumn,
  { name: 'Version', cell: textAt('status.nodeInfo.kubeletVersion') },
  { name: 'Internal-IP', cell: nodeAddress('InternalIP'), wide: true },
  { name: 'External-IP', cell: nodeAddress('ExternalIP'), wide: true },
  { name: 'OS-Image', cell: nodeInfo('osImage'), wide: true },
  { name: 'Kernel-Version', cell: nodeInfo('kernelVersion'), wide: true },
  { name: 'Container-Runtime', cell: nodeInfo('containerRuntimeVersion'), wide: true },
])

const firstSeen = ({ firstTimestamp, eventTime }: JsonObject, now: number): string =>
  age(text(firstTimestamp) || eventTime, now)

function lastSeen(event: JsonObject, now: number): string {
  if (isJsonObject(event['series'])) return age(event['series']['lastObservedTime'], now)
  const last = text(event['lastTimestamp'])
  return last === '' ? firstSeen(event, now) : age(last, now)
}

function involved(event: JsonObject): string {
  const kind = text(at(event, 'involvedObject', 'kind')).toLowerCase()
  const name = text(at(event, 'involvedObject', 'name'))
  return name === '' ? kind : `${kind}/${name}`
}

function source(event: JsonObject): string {
  const component = text(at(event, 'source', 'component')) || text(event['reportingComponent'])
  const instance = text(at(event, 'source', 'host')) || text(event['reportingInstance'])
  return instance === '' ? component : `${component}, ${instance}`
}

const eventCount = ({ series, count }: JsonObject): JsonValue =>
  isJsonObject(series) ? number(series['count']) : number(count) || 1

/** Of core/v1; other versions are converted to it first. */
export const eventTable: TableDefinition = defineTable('Event', [
  { name: 'Last Seen', cell: lastSeen },
  { name: 'Type', cell: textAt('type') },
  { name: 'Reason', cell: textAt('reason') },
  { name: 'Object', cell: involved },
  { name: 'Subobject', cell: textAt('involvedObject.fieldPath'), wide: true },
  { name: 'Source', cell: source, wide: true },
  { name: 'Message', cell: ({ message }) => text(message).trim() },
  { name: 'First Seen', cell: firstSeen, wide: true },
  { name: 'Count', cell: eventCount, wide: true },
  { ...nameColumn, wide: true },
])

/** `name: used/hard` of the names that are limits, or of those that are not. */
const quotaCell =
  (limits: boolean) =>
  (quota: JsonObject): string => {
    const hard = at(quota, 'status', 'hard')
    if (!isJsonObject(hard)) return ''
    return Object.keys(hard)
      .filter((name) => name.startsWith('limits.') === limits)
      .sort()
      .map((name) => `${name}: ${text(at(quota, 'status', 'used', name), '0')}/${text(hard[name], '0')}`)
      .join(', ')
  }

export const resourceQuotaTable: TableDefinition = defineTable('ResourceQuota', [
  nameColumn,
  { name: 'Request', cell: quotaCell(false) },
  { name: 'Limit', cell: quotaCell(true) },
  ageColumn,
])

const healthy = ({ conditions }: JsonObject): JsonObject | undefined =>
  objects(conditions).find((item) => item['type'] === 'Healthy')

function healthStatus(component: JsonObject): string {
  const found = healthy(component)
  return found === undefined ? 'Unknown' : found['status'] === 'True' ? 'Healthy' : 'Unhealthy'
}

export const componentStatusTable: TableDefinition = defineTable('ComponentStatus', [
  nameColumn,
  { name: 'Status', cell: healthStatus },
  { name: 'Message', cell: (component) => text(healthy(component)?.['message']) },
  { name: 'Error', cell: (component) => text(healthy(component)?.['error']) },
])

export const priorityClassTable: TableDefinition = defineTable('PriorityClass', [
  nameColumn,
  { name: 'Value', cell: numberAt('value'), type: 'integer' },
  { name: 'Global-Default', cell: ({ globalDefault }) => globalDefault === true, type: 'boolean' },
  ageColumn,
  { name: 'PreemptionPolicy', cell: textAt('preemptionPolicy') },
])

export const runtimeClassTable: TableDefinition = defineTable('RuntimeClass', [
  nameColumn,
  { name: 'Handler', cell: textAt('handler') },
  ageColumn,
])

export const leaseTable: TableDefinition = defineTable('Lease', [
  nameColumn,
  { name: 'Holder', cell: textAt('spec.holderIdentity') },
  ageColumn,
])

export const leaseCandidateTable: TableDefinition = defineTable('LeaseCandidate', [
  nameColumn,
  { name: 'LeaseName', cell: textAt('spec.leaseName') },
  { name: 'BinaryVersion', cell: textAt('spec.binaryVersion') },
  { name: 'EmulationVersion', cell: textAt('spec.emulationVersion') },
  ageColumn,
])

export const statusTable: TableDefinition = defineTable('Status', [
  { name: 'Status', cell: textAt('status') },
  { name: 'Reason', cell: textAt('reason') },
  { name: 'Message', cell: textAt('message') },
])
