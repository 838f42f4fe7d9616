/**
 * The table of Event.
 * Mirrors pkg/printers/internalversion: printEvent.
 */

import { age } from '../../../../api/human-duration.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { at, defineTable, kindNameColumn, number, textAt, textValue } from '../../../columns/cells.ts'

const firstSeen = ({ firstTimestamp, eventTime }: JsonObject, now: number): string =>
  age(textValue(firstTimestamp) || eventTime, now)

function lastSeen(event: JsonObject, now: number): string {
  if (isJsonObject(event['series'])) return age(event['series']['lastObservedTime'], now)
  const last = textValue(event['lastTimestamp'])
  return last === '' ? firstSeen(event, now) : age(last, now)
}

function involved(event: JsonObject): string {
  const kind = textValue(at(event, 'involvedObject', 'kind')).toLowerCase()
  const name = textValue(at(event, 'involvedObject', 'name'))
  return name === '' ? kind : `${kind}/${name}`
}

function source(event: JsonObject): string {
  const component = textValue(at(event, 'source', 'component')) || textValue(event['reportingComponent'])
  const instance = textValue(at(event, 'source', 'host')) || textValue(event['reportingInstance'])
  return instance === '' ? component : `${component}, ${instance}`
}

const eventCount = ({ series, count }: JsonObject): JsonValue =>
  isJsonObject(series) ? number(series['count']) : number(count) || 1

/** Of core/v1; other versions are converted to it first. */
export const eventTable: TableDefinition = defineTable('Event', [
  { name: 'Last Seen', cell: lastSeen },
  { name: 'Type', cell: textAt('type') },
  { name: 'Reason', cell: textAt('reason') },
  { name: 'Object', cell: involved },
  { name: 'Subobject', cell: textAt('involvedObject.fieldPath'), wide: true },
  { name: 'Source', cell: source, wide: true },
  { name: 'Message', cell: ({ message }) => textValue(message).trim() },
  { name: 'First Seen', cell: firstSeen, wide: true },
  { name: 'Count', cell: eventCount, wide: true },
  { ...kindNameColumn, wide: true },
])
