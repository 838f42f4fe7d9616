/**
 * The table of CronJob.
 * Mirrors pkg/printers/internalversion: printCronJob.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  ageAt,
  at,
  containerColumns,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  selectorCell,
  sizeAt,
  textAt,
} from '../../../columns/cells.ts'

function suspended(cronJob: JsonObject): string {
  const suspend = at(cronJob, 'spec', 'suspend')
  return suspend === undefined || suspend === null ? '<unset>' : suspend ? 'True' : 'False'
}

export const cronJobTable: TableDefinition = defineTable('CronJob', [
  kindNameColumn,
  { name: 'Schedule', cell: textAt('spec.schedule') },
  { name: 'Timezone', cell: textAt('spec.timeZone', '<none>') },
  { name: 'Suspend', cell: suspended, type: 'boolean' },
  { name: 'Active', cell: sizeAt('status.active'), type: 'integer' },
  { name: 'Last Schedule', cell: ageAt('status.lastScheduleTime', '<none>') },
  kindAgeColumn,
  ...containerColumns('spec.jobTemplate.spec.template'),
  {
    name: 'Selector',
    cell: (object) => selectorCell(at(object, 'spec', 'jobTemplate', 'spec', 'selector')),
    wide: true,
  },
])
