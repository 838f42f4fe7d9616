/**
 * The table of ComponentStatus.
 * Mirrors pkg/printers/internalversion: printComponentStatus.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindNameColumn, objects, textValue } from '../../../columns/cells.ts'

const healthy = ({ conditions }: JsonObject): JsonObject | undefined =>
  objects(conditions).find((item) => item['type'] === 'Healthy')

function healthStatus(component: JsonObject): string {
  const found = healthy(component)
  return found === undefined ? 'Unknown' : found['status'] === 'True' ? 'Healthy' : 'Unhealthy'
}

export const componentStatusTable: TableDefinition = defineTable('ComponentStatus', [
  kindNameColumn,
  { name: 'Status', cell: healthStatus },
  { name: 'Message', cell: (component) => textValue(healthy(component)?.['message']) },
  { name: 'Error', cell: (component) => textValue(healthy(component)?.['error']) },
])
