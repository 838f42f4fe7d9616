/**
 * The table of PriorityLevelConfiguration.
 * Mirrors pkg/printers/internalversion: printPriorityLevelConfiguration.
 */

import { isJsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  type MakeCell,
  number,
  textAt,
} from '../../../columns/cells.ts'

/** A number inside a part that only some levels have. */
const limitedNumber =
  (...path: string[]): MakeCell =>
  (level) => {
    const parent = at(level, 'spec', 'limited', ...path.slice(0, -1))
    const value = at(level, 'spec', 'limited', ...path)
    return isJsonObject(parent) ? number(value) : '<none>'
  }

export const priorityLevelConfigurationTable: TableDefinition = defineTable('PriorityLevelConfiguration', [
  kindNameColumn,
  { name: 'Type', cell: textAt('spec.type') },
  { name: 'NominalConcurrencyShares', cell: limitedNumber('nominalConcurrencyShares') },
  { name: 'Queues', cell: limitedNumber('limitResponse', 'queuing', 'queues') },
  { name: 'HandSize', cell: limitedNumber('limitResponse', 'queuing', 'handSize') },
  { name: 'QueueLengthLimit', cell: limitedNumber('limitResponse', 'queuing', 'queueLengthLimit') },
  kindAgeColumn,
])
