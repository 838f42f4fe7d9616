/**
 * The table of ConfigMap.
 * Mirrors pkg/printers/internalversion: printConfigMap.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindAgeColumn, kindNameColumn, size } from '../../../columns/cells.ts'

export const configMapTable: TableDefinition = defineTable('ConfigMap', [
  kindNameColumn,
  { name: 'Data', cell: ({ data, binaryData }) => size(data) + size(binaryData) },
  kindAgeColumn,
])
