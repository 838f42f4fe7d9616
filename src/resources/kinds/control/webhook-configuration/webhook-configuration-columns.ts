/**
 * The tables of MutatingWebhookConfiguration, ValidatingWebhookConfiguration.
 * Mirrors pkg/printers/internalversion: printMutatingWebhook, printValidatingWebhook.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { type Column, defineTable, kindAgeColumn, kindNameColumn, sizeAt } from '../../../columns/cells.ts'

const webhookColumns: readonly Column[] = [
  kindNameColumn,
  { name: 'Webhooks', cell: sizeAt('webhooks'), type: 'integer' },
  kindAgeColumn,
]

export const mutatingWebhookConfigurationTable: TableDefinition = defineTable(
  'MutatingWebhookConfiguration',
  webhookColumns,
)

export const validatingWebhookConfigurationTable: TableDefinition = defineTable(
  'ValidatingWebhookConfiguration',
  webhookColumns,
)
