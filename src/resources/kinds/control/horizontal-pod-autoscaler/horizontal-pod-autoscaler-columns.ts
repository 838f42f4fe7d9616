/**
 * The table of HorizontalPodAutoscaler.
 * Mirrors pkg/printers/internalversion: printHorizontalPodAutoscaler.
 */
import type { JsonObject, JsonValue } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  listed,
  numberAt,
  objects,
  textAt,
  textValue,
} from '../../../columns/cells.ts'

const amount = (value: JsonValue | undefined): string => textValue(value, '<nil>')

/** `current/target` of one source; the metric is named where it is a resource of the pods. */
function resourceMetric(source: JsonValue | undefined, status: JsonValue | undefined): string {
  const name = textValue(at(source, 'name'))
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
  if (average !== undefined) return `${textValue(at(status, 'current', 'averageValue'), '<unknown>')}/${average} (avg)`
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
  kindNameColumn,
  {
    name: 'Reference',
    cell: (object) =>
      `${textValue(at(object, 'spec', 'scaleTargetRef', 'kind'))}/${textValue(at(object, 'spec', 'scaleTargetRef', 'name'))}`,
  },
  { name: 'Targets', cell: metricsCell },
  { name: 'MinPods', cell: textAt('spec.minReplicas', '<unset>') },
  { name: 'MaxPods', cell: numberAt('spec.maxReplicas') },
  { name: 'Replicas', cell: numberAt('status.currentReplicas') },
  kindAgeColumn,
])
