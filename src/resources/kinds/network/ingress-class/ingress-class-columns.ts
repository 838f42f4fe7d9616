/**
 * The table of IngressClass.
 * Mirrors pkg/printers/internalversion: printIngressClass.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  type Column,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  markedNameColumn,
  textAt,
  textValue,
} from '../../../columns/cells.ts'

function parametersCell(ingressClass: JsonObject): string {
  const parameters = at(ingressClass, 'spec', 'parameters')
  if (parameters === undefined || parameters === null) return '<none>'
  const group = at(parameters, 'apiGroup')
  const kind = textValue(at(parameters, 'kind'))
  return `${typeof group === 'string' ? `${kind}.${group}` : kind}/${textValue(at(parameters, 'name'))}`
}

const ingressClassColumns: readonly Column[] = [
  { name: 'Controller', cell: textAt('spec.controller') },
  { name: 'Parameters', cell: parametersCell },
  kindAgeColumn,
]

export const ingressClassTable: TableDefinition = defineTable('IngressClass', [kindNameColumn, ...ingressClassColumns])

export const ingressClassTableWithDefault: TableDefinition = defineTable('IngressClass', [
  markedNameColumn('ingressclass.kubernetes.io/is-default-class'),
  ...ingressClassColumns,
])
