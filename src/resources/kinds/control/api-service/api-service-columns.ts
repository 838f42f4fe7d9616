/** The table of APIService. */

import { isJsonObject, type JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, at, condition, defineTable, nameColumn, text } from '../../../columns/cells.ts'

function backingService(apiService: JsonObject): string {
  const service = at(apiService, 'spec', 'service')
  return isJsonObject(service) ? `${text(service['namespace'])}/${text(service['name'])}` : 'Local'
}

function availability(apiService: JsonObject): string {
  const available = condition(apiService, 'Available')
  const status = text(available?.['status'], 'Unknown')
  const reason = text(available?.['reason'])
  return status !== 'True' && reason !== '' ? `${status} (${reason})` : status
}

export const apiServiceTable: TableDefinition = {
  ...defineTable('APIService', [
    nameColumn,
    { name: 'Service', cell: backingService },
    { name: 'Available', cell: availability },
    ageColumn,
  ]),
  repeatsColumns: true,
}
