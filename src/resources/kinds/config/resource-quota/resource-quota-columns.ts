/**
 * The table of ResourceQuota.
 * Mirrors pkg/printers/internalversion: printResourceQuota.
 */

import { isJsonObject, type JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { at, defineTable, kindAgeColumn, kindNameColumn, textValue } from '../../../columns/cells.ts'

/** `name: used/hard` of the names that are limits, or of those that are not. */
const quotaCell =
  (limits: boolean) =>
  (quota: JsonObject): string => {
    const hard = at(quota, 'status', 'hard')
    if (!isJsonObject(hard)) return ''
    return Object.keys(hard)
      .filter((name) => name.startsWith('limits.') === limits)
      .sort()
      .map((name) => `${name}: ${textValue(at(quota, 'status', 'used', name), '0')}/${textValue(hard[name], '0')}`)
      .join(', ')
  }

export const resourceQuotaTable: TableDefinition = defineTable('ResourceQuota', [
  kindNameColumn,
  { name: 'Request', cell: quotaCell(false) },
  { name: 'Limit', cell: quotaCell(true) },
  kindAgeColumn,
])
