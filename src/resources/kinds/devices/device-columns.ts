/**
 * The tables of DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice, DeviceTaintRule.
 * Mirrors pkg/printers/internalversion: printDeviceClass, printResourceClaim, printResourceClaimTemplate, printResourceSlice.
 */
import type { JsonObject } from '../../../api/json.ts'
import type { TableDefinition } from '../../../api/table.ts'
import { ageAt, at, defineTable, isDeleting, kindAgeColumn, kindNameColumn, size, textAt } from '../../columns/cells.ts'

export const deviceClassTable: TableDefinition = defineTable('DeviceClass', [kindNameColumn, kindAgeColumn])

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
  kindNameColumn,
  { name: 'State', cell: claimState },
  kindAgeColumn,
])

export const resourceClaimTemplateTable: TableDefinition = defineTable('ResourceClaimTemplate', [
  kindNameColumn,
  kindAgeColumn,
])

export const resourceSliceTable: TableDefinition = defineTable('ResourceSlice', [
  kindNameColumn,
  { name: 'Node', cell: textAt('spec.nodeName') },
  { name: 'Driver', cell: textAt('spec.driver') },
  { name: 'Pool', cell: textAt('spec.pool.name') },
  kindAgeColumn,
])

export const deviceTaintRuleTable: TableDefinition = defineTable('DeviceTaintRule', [
  kindNameColumn,
  { name: 'Key', cell: textAt('spec.taint.key') },
  { name: 'Value', cell: textAt('spec.taint.value') },
  { name: 'Effect', cell: textAt('spec.taint.effect') },
  { name: 'TimeAdded', cell: ageAt('spec.taint.timeAdded', '') },
  kindAgeColumn,
])
