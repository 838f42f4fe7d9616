/**
 * Tables of releases after the default one: those of new kinds, and those whose cells or columns changed.
 * Mirrors pkg/printers/internalversion: printPodCertificateRequest, printWorkload, printPodGroup, printResourcePoolStatusRequest,
 * printStorageVersionMigration.
 */
import { age } from '../../api/human-duration.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { hasChange, type NamedChange } from '../../api/release-changes.ts'
import type { TableDefinition } from '../../api/table.ts'
import { nodeTableWithArchitecture } from '../kinds/cluster/node/node-columns.ts'
import { ingressClassTableWithDefault } from '../kinds/network/ingress-class/ingress-class-columns.ts'
import { podTableWithFailures } from '../kinds/pods/pod-columns.ts'
import { plainAttributesClassTable } from '../kinds/storage/volume-attributes-class/volume-attributes-class-columns.ts'
import { jobTableWithCriteria } from '../kinds/workloads/job/job-columns.ts'
import {
  at,
  condition,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  labelsText,
  number,
  objects,
  textAt,
  textValue,
} from './cells.ts'

const isTrue = (item: JsonObject | undefined): boolean => item?.['status'] === 'True'

const serviceAccounts = defineTable('ServiceAccount', [kindNameColumn, kindAgeColumn])

/** The last of the conditions counts. */
function certificateState(request: JsonObject): string {
  const types = objects(at(request, 'status', 'conditions')).map(({ type }) => textValue(type))
  return types.findLast((type) => type === 'Issued' || type === 'Denied' || type === 'Failed') ?? 'Pending'
}

const certificateColumns = [
  kindNameColumn,
  { name: 'PodName', cell: textAt('spec.podName') },
  { name: 'ServiceAccountName', cell: textAt('spec.serviceAccountName') },
  { name: 'NodeName', cell: textAt('spec.nodeName') },
  { name: 'SignerName', cell: textAt('spec.signerName') },
  { name: 'State', cell: certificateState },
]

const podCertificates = defineTable('PodCertificateRequest', certificateColumns)

const annotatedPodCertificates = defineTable('PodCertificateRequest', [
  ...certificateColumns,
  {
    name: 'UnverifiedUserAnnotations',
    cell: (request) => labelsText(at(request, 'spec', 'unverifiedUserAnnotations')),
  },
])

function migrationStatus(migration: JsonObject): string {
  const types = objects(at(migration, 'status', 'conditions'))
    .filter(isTrue)
    .map(({ type }) => textValue(type))
  return types.findLast((type) => type === 'Running' || type === 'Failed' || type === 'Succeeded') ?? 'Unknown'
}

/** `resource.group`, or the resource alone in the core group. */
function groupResource(value: JsonValue | undefined): string {
  const group = textValue(at(value, 'group'))
  const resource = textValue(at(value, 'resource'))
  return group === '' ? resource : `${resource}.${group}`
}

const migrations = defineTable('StorageVersionMigration', [
  { ...kindNameColumn, format: '' },
  { name: 'Resource', cell: (object) => groupResource(at(object, 'spec', 'resource')) },
  { name: 'Status', cell: migrationStatus },
])

const workloads = defineTable('Workload', [kindNameColumn, kindAgeColumn])

function podGroupStatus(group: JsonObject): string {
  const disrupted = condition(group, 'DisruptionTarget')
  if (disrupted !== undefined) return textValue(disrupted['reason'])
  const scheduled = condition(group, 'PodGroupScheduled')
  return scheduled === undefined ? 'Pending' : isTrue(scheduled) ? 'Scheduled' : 'Unschedulable'
}

const podGroups = defineTable('PodGroup', [
  kindNameColumn,
  { name: 'Policy', cell: (group) => (at(group, 'spec', 'schedulingPolicy', 'gang') ? 'Gang' : 'Basic') },
  {
    name: 'Workload',
    cell: (group) =>
      at(group, 'spec', 'podGroupTemplateRef')
        ? textValue(at(group, 'spec', 'podGroupTemplateRef', 'workload', 'workloadName'))
        : '<none>',
  },
  { name: 'Status', cell: podGroupStatus },
  kindAgeColumn,
])

const poolsOf = (request: JsonObject): readonly JsonObject[] => objects(at(request, 'status', 'pools'))
const poolCount = (request: JsonObject): number | bigint => number(at(request, 'status', 'poolCount'))

/** The first condition that says how it ended. */
function poolOutcome(request: JsonObject): JsonObject | undefined {
  const conditions = objects(at(request, 'status', 'conditions'))
  return conditions.find((item) => isTrue(item) && (item['type'] === 'Complete' || item['type'] === 'Failed'))
}

function poolStatus(request: JsonObject): string {
  const type = textValue(poolOutcome(request)?.['type'], 'Pending')
  const shown = poolsOf(request).length
  return type === 'Complete' && poolCount(request) > shown ? `Complete (${shown}/${poolCount(request)} pools)` : type
}

const hasPools = (request: JsonObject): boolean =>
  at(request, 'status') !== undefined && poolOutcome(request)?.['type'] !== 'Failed'

const poolSum =
  (key: string) =>
  (request: JsonObject): string =>
    hasPools(request) ? `${poolsOf(request).reduce((sum, pool) => sum + Number(number(pool[key])), 0)}` : '-'

const poolErrors = (request: JsonObject): string =>
  hasPools(request) ? `${poolsOf(request).filter(({ validationError }) => validationError !== undefined).length}` : '-'

function poolCompletion(request: JsonObject, now: number): string {
  const outcome = poolOutcome(request)
  return outcome?.['type'] === 'Complete' ? age(outcome['lastTransitionTime'], now) : '<none>'
}

const resourcePools = defineTable('ResourcePoolStatusRequest', [
  kindNameColumn,
  { name: 'Driver', cell: textAt('spec.driver') },
  { name: 'Total', cell: poolSum('totalDevices') },
  { name: 'Available', cell: poolSum('availableDevices') },
  { name: 'Allocated', cell: poolSum('allocatedDevices') },
  { name: 'Unavailable', cell: poolSum('unavailableDevices') },
  { name: 'Errors', cell: poolErrors },
  { name: 'Pools', cell: poolCount, type: 'integer' },
  { name: 'Status', cell: poolStatus },
  { name: 'Completed', cell: poolCompletion },
])

/** By `group/Kind`, newest change first. */
const laterTables: Readonly<Record<string, readonly (readonly [since: NamedChange, table: TableDefinition])[]>> = {
  '/Node': [['nodeArchitectureColumn', nodeTableWithArchitecture]],
  '/Pod': [['failedContainerStatus', podTableWithFailures]],
  '/ServiceAccount': [['noSecretsColumn', serviceAccounts]],
  'batch/Job': [['jobCriteriaColumn', jobTableWithCriteria]],
  'certificates.k8s.io/PodCertificateRequest': [
    ['podCertificateAnnotations', annotatedPodCertificates],
    ['podCertificateTables', podCertificates],
  ],
  'networking.k8s.io/IngressClass': [['defaultIngressClassColumn', ingressClassTableWithDefault]],
  'resource.k8s.io/ResourcePoolStatusRequest': [['resourcePoolTables', resourcePools]],
  'scheduling.k8s.io/PodGroup': [['podGroupTables', podGroups]],
  'scheduling.k8s.io/Workload': [['workloadTables', workloads]],
  'storage.k8s.io/VolumeAttributesClass': [['noDefaultAttributesClass', plainAttributesClassTable]],
  'storagemigration.k8s.io/StorageVersionMigration': [['migrationStatusColumn', migrations]],
}

/** With the change that brought each. */
export const kindsWithLaterTables: readonly (readonly [kind: string, since: NamedChange])[] = Object.entries(
  laterTables,
).flatMap(([kind, tables]) => tables.map(([since]) => [kind, since] as const))

/** Undefined where the table is that of the default release. */
export const laterTable = (name: string, release: number): TableDefinition | undefined =>
  Object.hasOwn(laterTables, name) ? laterTables[name]?.find(([change]) => hasChange(release, change))?.[1] : undefined
