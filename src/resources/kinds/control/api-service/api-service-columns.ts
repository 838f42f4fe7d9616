/** The table of APIService. */

import { isJsonObject, type JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { at, condition, defineTable, kindAgeColumn, kindNameColumn, textValue } from '../../../columns/cells.ts'

function backingService(apiService: JsonObject): string {
  const service = at(apiService, 'spec', 'service')
  return isJsonObject(service) ? `${textValue(service['namespace'])}/${textValue(service['name'])}` : 'Local'
}

function availability(apiService: JsonObject): string {
  const available = condition(apiService, 'Available')
  const status = textValue(available?.['status'], 'Unknown')
  const reason = textValue(available?.['reason'])
  return status !== 'True' && reason !== '' ? `${status} (${reason})` : status
}

export const apiServiceTable: TableDefinition = {
  ...defineTable('APIService', [
    kindNameColumn,
    { name: 'Service', cell: backingService },
    { name: 'Available', cell: availability },
    kindAgeColumn,
  ]),
  repeatsColumns: true,
}
