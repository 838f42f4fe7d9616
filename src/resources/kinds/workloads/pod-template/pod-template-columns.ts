/**
 * The table of PodTemplate.
 * Mirrors pkg/printers/internalversion: printPodTemplate.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { at, containerColumns, defineTable, kindNameColumn, labelsText } from '../../../columns/cells.ts'

export const podTemplateTable: TableDefinition = defineTable('PodTemplate', [
  kindNameColumn,
  ...containerColumns('template', false),
  { name: 'Pod Labels', cell: (object) => labelsText(at(object, 'template', 'metadata', 'labels')) },
])
