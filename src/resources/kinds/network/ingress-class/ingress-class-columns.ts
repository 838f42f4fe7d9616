/**
 * The table of IngressClass.
 * Mirrors pkg/printers/internalversion: printIngressClass.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  ageColumn,
  at,
  type Column,
  defineTable,
  markedNameColumn,
  nameColumn,
  text,
  textAt,
} from '../../../columns/cells.ts'

function parametersCell(ingressClass: JsonObject): string {
  const parameters = at(ingressClass, 'spec', 'parameters')
  if (parameters === undefined || parameters === null) return '<none>'
  const group = at(parameters, 'apiGroup')
  const kind = text(at(parameters, 'kind'))
  return `${typeof group === 'string' ? `${kind}.${group}` : kind}/${text(at(parameters, 'name'))}`
}

const ingressClassColumns: readonly Column[] = [
  { name: 'Controller', cell: textAt('spec.controller') },
  { name: 'Parameters', cell: parametersCell },
  ageColumn,
]

export const ingressClassTable: TableDefinition = defineTable('IngressClass', [nameColumn, ...ingressClassColumns])

export const ingressClassTableWithDefault: TableDefinition = defineTable('IngressClass', [
  markedNameColumn('ingressclass.kubernetes.io/is-default-class'),
  ...ingressClassColumns,
])
