/** Cells that workloads share. */
import type { JsonObject } from '../../../api/json.ts'
import {
  at,
  type Column,
  containerColumns,
  kindAgeColumn,
  kindNameColumn,
  number,
  numberAt,
  selectorCell,
} from '../../columns/cells.ts'

export const selectorColumn: Column = {
  name: 'Selector',
  cell: (object) => selectorCell(at(object, 'spec', 'selector')),
  wide: true,
}

export const replicaColumns: readonly Column[] = [
  kindNameColumn,
  { name: 'Desired', cell: numberAt('spec.replicas'), type: 'integer' },
  { name: 'Current', cell: numberAt('status.replicas'), type: 'integer' },
  { name: 'Ready', cell: numberAt('status.readyReplicas'), type: 'integer' },
  kindAgeColumn,
  ...containerColumns('spec.template'),
]

export const readyOfDesired = (object: JsonObject): string =>
  `${number(at(object, 'status', 'readyReplicas'))}/${number(at(object, 'spec', 'replicas'))}`
