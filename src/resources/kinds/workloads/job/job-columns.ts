/**
 * The table of Job.
 * Mirrors pkg/printers/internalversion: printJob.
 */

import { age, humanDuration } from '../../../../api/human-duration.ts'
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  condition,
  containerColumns,
  defineTable,
  isDeleting,
  kindAgeColumn,
  kindNameColumn,
  type MakeCell,
  number,
  textValue,
} from '../../../columns/cells.ts'
import { selectorColumn } from '../workload-cells.ts'

function completions(job: JsonObject): string {
  const succeeded = number(at(job, 'status', 'succeeded'))
  const wanted = at(job, 'spec', 'completions')
  if (wanted !== undefined && wanted !== null) return `${succeeded}/${wanted}`
  const parallelism = number(at(job, 'spec', 'parallelism'))
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobStatus(job: JsonObject, more: readonly string[] = []): string {
  const holds = (type: string): boolean => condition(job, type)?.['status'] === 'True'
  const ended = ['Complete', 'Failed'].find(holds)
  if (ended !== undefined) return ended
  if (isDeleting(job)) return 'Terminating'
  return ['Suspended', 'FailureTarget', ...more].find(holds) ?? 'Running'
}

function jobDuration(job: JsonObject, now: number): string {
  const start = textValue(at(job, 'status', 'startTime'))
  const end = textValue(at(job, 'status', 'completionTime'))
  if (start === '') return ''
  return end === '' ? age(start, now) : humanDuration(Date.parse(end) - Date.parse(start))
}

const jobTableWith = (status: MakeCell): TableDefinition =>
  defineTable('Job', [
    kindNameColumn,
    { name: 'Status', cell: status },
    { name: 'Completions', cell: completions },
    { name: 'Duration', cell: jobDuration },
    kindAgeColumn,
    ...containerColumns('spec.template'),
    selectorColumn,
  ])

export const jobTable: TableDefinition = jobTableWith((job) => jobStatus(job))

export const jobTableWithCriteria: TableDefinition = jobTableWith((job) => jobStatus(job, ['SuccessCriteriaMet']))
