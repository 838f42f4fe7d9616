/**
 * The table of ConfigMap.
 * Mirrors pkg/printers/internalversion: printConfigMap.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, defineTable, nameColumn, size } from '../../../columns/cells.ts'

export const configMapTable: TableDefinition = defineTable('ConfigMap', [
  nameColumn,
  { name: 'Data', cell: ({ data, binaryData }) => size(data) + size(binaryData) },
  ageColumn,
])
