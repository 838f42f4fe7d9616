/**
 * Controllers of pods: what is wanted, what is there, and what the pods are made of.
 * Mirrors pkg/printers/internalversion: printDeployment, printReplicaSet, printReplicationController, printDaemonSet,
 * printStatefulSet, printJob, printCronJob, printHorizontalPodAutoscaler, printPodDisruptionBudget,
 * printControllerRevision, printScale.
 */
import { age, humanDuration } from '../../api/human-duration.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { TableDefinition } from '../../api/table.ts'
import {
  ageAt,
  ageColumn,
  at,
  type Column,
  condition,
  containerColumns,
  defineTable,
  isDeleting,
  labelsText,
  listed,
  nameColumn,
  number,
  numberAt,
  objects,
  selectorCell,
  selectorText,
  sizeAt,
  text,
  textAt,
} from './cells.ts'

const selectorColumn: Column = {
  name: 'Selector',
  cell: (object) => selectorCell(at(object, 'spec', 'selector')),
  wide: true,
}

const replicaColumns: readonly Column[] = [
  nameColumn,
  { name: 'Desired', cell: numberAt('spec.replicas'), type: 'integer' },
  { name: 'Current', cell: numberAt('status.replicas'), type: 'integer' },
  { name: 'Ready', cell: numberAt('status.readyReplicas'), type: 'integer' },
  ageColumn,
  ...containerColumns('spec.template'),
]

export const replicationControllerTable: TableDefinition = defineTable('ReplicationController', [
  ...replicaColumns,
  { name: 'Selector', cell: (object) => labelsText(at(object, 'spec', 'selector')), wide: true },
])

export const replicaSetTable: TableDefinition = defineTable('ReplicaSet', [...replicaColumns, selectorColumn])

export const daemonSetTable: TableDefinition = defineTable('DaemonSet', [
  nameColumn,
  { name: 'Desired', cell: numberAt('status.desiredNumberScheduled'), type: 'integer' },
  { name: 'Current', cell: numberAt('status.currentNumberScheduled'), type: 'integer' },
  { name: 'Ready', cell: numberAt('status.numberReady'), type: 'integer' },
  { name: 'Up-to-date', cell: numberAt('status.updatedNumberScheduled'), type: 'integer' },
  { name: 'Available', cell: numberAt('status.numberAvailable'), type: 'integer' },
  { name: 'Node Selector', cell: (object) => labelsText(at(object, 'spec', 'template', 'spec', 'nodeSelector')) },
  ageColumn,
  ...containerColumns('spec.template'),
  selectorColumn,
])

const readyOfDesired = (object: JsonObject): string =>
  `${number(at(object, 'status', 'readyReplicas'))}/${number(at(object, 'spec', 'replicas'))}`

export const deploymentTable: TableDefinition = defineTable('Deployment', [
  nameColumn,
  { name: 'Ready', cell: readyOfDesired },
  { name: 'Up-to-date', cell: numberAt('status.updatedReplicas') },
  { name: 'Available', cell: numberAt('status.availableReplicas') },
  ageColumn,
  ...containerColumns('spec.template'),
  { name: 'Selector', cell: (object) => selectorText(at(object, 'spec', 'selector')) ?? '<invalid>', wide: true },
])

export const statefulSetTable: TableDefinition = defineTable('StatefulSet', [
  nameColumn,
  { name: 'Ready', cell: readyOfDesired },
  ageColumn,
  ...containerColumns('spec.template'),
])

function controllerName(object: JsonObject): string {
  const owners = objects(at(object, 'metadata', 'ownerReferences'))
  const controller = owners.find((owner) => owner['controller'] === true)
  if (controller === undefined) return '<none>'
  const [version = '', group] = text(controller['apiVersion']).split('/').toReversed()
  const kind = text(controller['kind'])
  return `${(group === undefined || version === '' ? kind : `${kind}.${group}`).toLowerCase()}/${text(controller['name'])}`
}

export const controllerRevisionTable: TableDefinition = defineTable('ControllerRevision', [
  nameColumn,
  { name: 'Controller', cell: controllerName },
  { name: 'Revision', cell: numberAt('revision') },
  ageColumn,
])

function completions(job: JsonObject): string {
  const succeeded = number(at(job, 'status', 'succeeded'))
  const wanted = at(job, 'spec', 'completions')
  if (wanted !== undefined && wanted !== null) return `${succeeded}/${wanted}`
  const parallelism = number(at(job, 'spec', 'parallelism'))
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobStatus(job: JsonObject): string {
  const holds = (type: string): boolean => condition(job, type)?.['status'] === 'True'
  const ended = ['Complete', 'Failed'].find(holds)
  if (ended !== undefined) return ended
  if (isDeleting(job)) return 'Terminating'
  return ['Suspended', 'FailureTarget'].find(holds) ?? 'Running'
}

function jobDuration(job: JsonObject, now: number): string {
  const start = text(at(job, 'status', 'startTime'))
  const end = text(at(job, 'status', 'completionTime'))
  if (start === '') return ''
  return end === '' ? age(start, now) : humanDuration(Date.parse(end) - Date.parse(start))
}

export const jobTable: TableDefinition = defineTable('Job', [
  nameColumn,
  { name: 'Status', cell: jobStatus },
  { name: 'Completions', cell: completions },
  { name: 'Duration', cell: jobDuration },
  ageColumn,
  ...containerColumns('spec.template'),
  selectorColumn,
])

function suspended(cronJob: JsonObject): string {
  const suspend = at(cronJob, 'spec', 'suspend')
  return suspend === undefined || suspend === null ? '<unset>' : suspend ? 'True' : 'False'
}

export const cronJobTable: TableDefinition = defineTable('CronJob', [
  nameColumn,
  { name: 'Schedule', cell: textAt('spec.schedule') },
  { name: 'Timezone', cell: textAt('spec.timeZone', '<none>') },
  { name: 'Suspend', cell: suspended, type: 'boolean' },
  { name: 'Active', cell: sizeAt('status.active'), type: 'integer' },
  { name: 'Last Schedule', cell: ageAt('status.lastScheduleTime', '<none>') },
  ageColumn,
  ...containerColumns('spec.jobTemplate.spec.template'),
  {
    name: 'Selector',
    cell: (object) => selectorCell(at(object, 'spec', 'jobTemplate', 'spec', 'selector')),
    wide: true,
  },
])

export const podDisruptionBudgetTable: TableDefinition = defineTable('PodDisruptionBudget', [
  nameColumn,
  { name: 'Min Available', cell: textAt('spec.minAvailable', 'N/A') },
  { name: 'Max Unavailable', cell: textAt('spec.maxUnavailable', 'N/A') },
  { name: 'Allowed Disruptions', cell: numberAt('status.disruptionsAllowed'), type: 'integer' },
  ageColumn,
])

export const scaleTable: TableDefinition = defineTable('Scale', [
  { ...nameColumn, format: '' },
  { name: 'Desired', cell: numberAt('spec.replicas'), type: 'integer' },
  { name: 'Available', cell: numberAt('status.replicas'), type: 'integer' },
  ageColumn,
])

const amount = (value: JsonValue | undefined): string => text(value, '<nil>')

/** `current/target` of one source; the metric is named where it is a resource of the pods. */
function resourceMetric(source: JsonValue | undefined, status: JsonValue | undefined): string {
  const name = text(at(source, 'name'))
  const average = at(source, 'target', 'averageValue')
  if (average !== undefined) {
    const current = status === undefined ? '<unknown>' : amount(at(status, 'current', 'averageValue'))
    return `${name}: ${current}/${average}`
  }
  const percent = (value: JsonValue | undefined, otherwise: string): string =>
    value === undefined || value === null ? otherwise : `${value}%`
  const current = percent(at(status, 'current', 'averageUtilization'), '<unknown>')
  return `${name}: ${current}/${percent(at(source, 'target', 'averageUtilization'), '<auto>')}`
}

function valueMetric(source: JsonValue | undefined, status: JsonValue | undefined): string {
  const average = at(source, 'target', 'averageValue')
  if (average !== undefined) return `${text(at(status, 'current', 'averageValue'), '<unknown>')}/${average} (avg)`
  const current = status === undefined ? '<unknown>' : amount(at(status, 'current', 'value'))
  return `${current}/${amount(at(source, 'target', 'value'))}`
}

function metricText(spec: JsonObject, status: JsonObject | undefined): string {
  switch (spec['type']) {
    case 'External':
      return valueMetric(spec['external'], status?.['external'])
    case 'Object':
      return valueMetric(spec['object'], status?.['object'])
    case 'Pods': {
      const pods = status?.['pods']
      const current = pods === undefined ? '<unknown>' : amount(at(pods, 'current', 'averageValue'))
      return `${current}/${amount(at(spec['pods'], 'target', 'averageValue'))}`
    }
    case 'Resource':
      return resourceMetric(spec['resource'], status?.['resource'])
    case 'ContainerResource':
      return resourceMetric(spec['containerResource'], status?.['containerResource'])
    default:
      return '<unknown type>'
  }
}

function metricsCell(autoscaler: JsonObject): string {
  const specs = objects(at(autoscaler, 'spec', 'metrics'))
  const statuses = objects(at(autoscaler, 'status', 'currentMetrics'))
  return specs.length === 0
    ? '<none>'
    : listed(
        specs.map((spec, i) => metricText(spec, statuses[i])),
        2,
        ', ',
      )
}

/** Of autoscaling/v2; other versions are converted to it first. */
export const horizontalPodAutoscalerTable: TableDefinition = defineTable('HorizontalPodAutoscaler', [
  nameColumn,
  {
    name: 'Reference',
    cell: (object) =>
      `${text(at(object, 'spec', 'scaleTargetRef', 'kind'))}/${text(at(object, 'spec', 'scaleTargetRef', 'name'))}`,
  },
  { name: 'Targets', cell: metricsCell },
  { name: 'MinPods', cell: textAt('spec.minReplicas', '<unset>') },
  { name: 'MaxPods', cell: numberAt('spec.maxReplicas') },
  { name: 'Replicas', cell: numberAt('status.currentReplicas') },
  ageColumn,
])
