/** Cells that workloads share. */
import type { JsonObject } from '../../../api/json.ts'
import {
  ageColumn,
  at,
  type Column,
  containerColumns,
  nameColumn,
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
  nameColumn,
  { name: 'Desired', cell: numberAt('spec.replicas'), type: 'integer' },
  { name: 'Current', cell: numberAt('status.replicas'), type: 'integer' },
  { name: 'Ready', cell: numberAt('status.readyReplicas'), type: 'integer' },
  ageColumn,
  ...containerColumns('spec.template'),
]

export const readyOfDesired = (object: JsonObject): string =>
  `${number(at(object, 'status', 'readyReplicas'))}/${number(at(object, 'spec', 'replicas'))}`
