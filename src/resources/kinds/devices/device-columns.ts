/**
 * The tables of DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice, DeviceTaintRule.
 * Mirrors pkg/printers/internalversion: printDeviceClass, printResourceClaim, printResourceClaimTemplate, printResourceSlice.
 */
import type { JsonObject } from '../../../api/json.ts'
import type { TableDefinition } from '../../../api/table.ts'
import { ageAt, ageColumn, at, defineTable, isDeleting, nameColumn, size, textAt } from '../../columns/cells.ts'

export const deviceClassTable: TableDefinition = defineTable('DeviceClass', [nameColumn, ageColumn])

function claimState(claim: JsonObject): string {
  const states: string[] = []
  const allocated = at(claim, 'status', 'allocation')
  if (isDeleting(claim)) states.push('deleted')
  else if (allocated === undefined || allocated === null) states.push('pending')
  if (allocated !== undefined && allocated !== null) states.push('allocated')
  if (size(at(claim, 'status', 'reservedFor')) > 0) states.push('reserved')
  return states.join(',')
}

export const resourceClaimTable: TableDefinition = defineTable('ResourceClaim', [
  nameColumn,
  { name: 'State', cell: claimState },
  ageColumn,
])

export const resourceClaimTemplateTable: TableDefinition = defineTable('ResourceClaimTemplate', [nameColumn, ageColumn])

export const resourceSliceTable: TableDefinition = defineTable('ResourceSlice', [
  nameColumn,
  { name: 'Node', cell: textAt('spec.nodeName') },
  { name: 'Driver', cell: textAt('spec.driver') },
  { name: 'Pool', cell: textAt('spec.pool.name') },
  ageColumn,
])

export const deviceTaintRuleTable: TableDefinition = defineTable('DeviceTaintRule', [
  nameColumn,
  { name: 'Key', cell: textAt('spec.taint.key') },
  { name: 'Value', cell: textAt('spec.taint.value') },
  { name: 'Effect', cell: textAt('spec.taint.effect') },
  { name: 'TimeAdded', cell: ageAt('spec.taint.timeAdded', '') },
  ageColumn,
])
