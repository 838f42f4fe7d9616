/**
 * The table of VolumeAttributesClass.
 * Mirrors pkg/printers/internalversion: printVolumeAttributesClass.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import {
  type Column,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  markedNameColumn,
  textAt,
} from '../../../columns/cells.ts'

const attributesClassTable = (name: Column): TableDefinition =>
  defineTable('VolumeAttributesClass', [name, { name: 'DriverName', cell: textAt('driverName') }, kindAgeColumn])

export const volumeAttributesClassTable: TableDefinition = attributesClassTable(
  markedNameColumn('volumeattributesclass.alpha.kubernetes.io/is-default-class'),
)

export const plainAttributesClassTable: TableDefinition = attributesClassTable(kindNameColumn)
