/**
 * The tables of MutatingWebhookConfiguration, ValidatingWebhookConfiguration.
 * Mirrors pkg/printers/internalversion: printMutatingWebhook, printValidatingWebhook.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, type Column, defineTable, nameColumn, sizeAt } from '../../../columns/cells.ts'

const webhookColumns: readonly Column[] = [
  nameColumn,
  { name: 'Webhooks', cell: sizeAt('webhooks'), type: 'integer' },
  ageColumn,
]

export const mutatingWebhookConfigurationTable: TableDefinition = defineTable(
  'MutatingWebhookConfiguration',
  webhookColumns,
)

export const validatingWebhookConfigurationTable: TableDefinition = defineTable(
  'ValidatingWebhookConfiguration',
  webhookColumns,
)
