/**
 * The table of VolumeAttachment.
 * Mirrors pkg/printers/internalversion: printVolumeAttachment.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { at, defineTable, kindAgeColumn, kindNameColumn, textAt } from '../../../columns/cells.ts'

export const volumeAttachmentTable: TableDefinition = defineTable('VolumeAttachment', [
  kindNameColumn,
  { name: 'Attacher', cell: textAt('spec.attacher'), format: 'name' },
  { name: 'PV', cell: textAt('spec.source.persistentVolumeName') },
  { name: 'Node', cell: textAt('spec.nodeName') },
  { name: 'Attached', cell: (object) => at(object, 'status', 'attached') === true, type: 'boolean' },
  kindAgeColumn,
])
