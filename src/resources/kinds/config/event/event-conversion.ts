/**
 * `events.k8s.io/v1` and the core Event: the same facts under other names. The hub is the core Event.
 * Mirrors pkg/apis/events/v1: Convert_v1_Event_To_core_Event, Convert_core_Event_To_v1_Event.
 */
import { renameWritings } from '../../../../api/given-writing.ts'
import type { JsonObject, JsonValue } from '../../../../api/json.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { withoutAbsent } from '../../../conversions/wire-order.ts'

/** A count that is not zero, or nothing: counts are left out when they are zero. */
const counted = (value: JsonValue | undefined): JsonValue | undefined => (value === 0 ? undefined : value)

export function eventToHub(event: KubeObject): KubeObject {
  const fields = withoutAbsent({
    involvedObject: event['regarding'] ?? {},
    reason: event['reason'],
    message: event['note'],
    source: event['deprecatedSource'] ?? {},
    firstTimestamp: event['deprecatedFirstTimestamp'] ?? null,
    lastTimestamp: event['deprecatedLastTimestamp'] ?? null,
    count: counted(event['deprecatedCount']),
    type: event['type'],
    eventTime: event['eventTime'] ?? null,
    series: seriesToHub(event['series']),
    action: event['action'],
    related: event['related'],
    reportingComponent: event['reportingController'] ?? '',
    reportingInstance: event['reportingInstance'] ?? '',
  })
  const hub = { kind: 'Event', apiVersion: 'v1', metadata: event.metadata, ...fields }
  renameWritings(hub, event, { deprecatedFirstTimestamp: 'firstTimestamp', deprecatedLastTimestamp: 'lastTimestamp' })
  return hub
}

export function eventFromHub(event: KubeObject): KubeObject {
  const fields = withoutAbsent({
    eventTime: event['eventTime'] ?? null,
    series: seriesFromHub(event['series']),
    reportingController: filled(event['reportingComponent']),
    reportingInstance: filled(event['reportingInstance']),
    action: event['action'],
    reason: event['reason'],
    regarding: event['involvedObject'] ?? {},
    related: event['related'],
    note: event['message'],
    type: event['type'],
    deprecatedSource: event['source'] ?? {},
    deprecatedFirstTimestamp: event['firstTimestamp'] ?? null,
    deprecatedLastTimestamp: event['lastTimestamp'] ?? null,
    deprecatedCount: counted(event['count']),
  })
  return { kind: 'Event', apiVersion: 'events.k8s.io/v1', metadata: event.metadata, ...fields }
}

const filled = (value: JsonValue | undefined): JsonValue | undefined => (value === '' ? undefined : value)

/** The count of a series is always written in one version, and only when it is not zero in the other. */
function seriesToHub(series: JsonValue | undefined): JsonValue | undefined {
  if (series === undefined || series === null) return undefined
  const { count, lastObservedTime = null } = series as JsonObject
  return withoutAbsent({ count: counted(count), lastObservedTime })
}

function seriesFromHub(series: JsonValue | undefined): JsonValue | undefined {
  if (series === undefined || series === null) return undefined
  const { count = 0, lastObservedTime = null } = series as JsonObject
  return { count, lastObservedTime }
}
