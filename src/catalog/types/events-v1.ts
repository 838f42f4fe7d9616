// Made by scripts/catalog.mjs. Do not edit.
import type { EventSource, ObjectReference } from './core-v1.ts'
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type Event = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  eventTime: string | null
  series?: EventSeries
  reportingController?: string
  reportingInstance?: string
  action?: string
  reason?: string
  regarding: ObjectReference
  related?: ObjectReference
  note?: string
  type?: string
  deprecatedSource: EventSource
  deprecatedFirstTimestamp: string | null
  deprecatedLastTimestamp: string | null
  deprecatedCount?: number
}

export type EventList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: Event[] | null
}

export type EventSeries = {
  count: number
  lastObservedTime: string | null
}
