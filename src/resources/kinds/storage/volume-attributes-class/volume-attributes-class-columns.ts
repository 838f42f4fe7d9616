/**
 * The table of VolumeAttributesClass.
 * Mirrors pkg/printers/internalversion: printVolumeAttributesClass.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, defineTable, textAt } from '../../../columns/cells.ts'
import { classNameColumn } from '../storage-cells.ts'

export const volumeAttributesClassTable: TableDefinition = defineTable('VolumeAttributesClass', [
  classNameColumn('volumeattributesclass.alpha.kubernetes.io/is-default-class'),
  { name: 'DriverName', cell: textAt('driverName') },
  ageColumn,
])
