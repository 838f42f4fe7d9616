/** Events of the cluster, of either group, in one form. */
import type { StoredObject } from './api/objects.ts'
import type { EventMatch, RecordedEvent } from './api/server.ts'

export function matchingEvents(events: readonly StoredObject[], match: EventMatch): RecordedEvent[] {
  return events.map(recordedEvent).filter(({ type, reason, object }) => {
    const { kind, name } = object['involvedObject'] ?? {}
    const facts: Record<string, unknown> = { kind, name, type, reason }
    return Object.entries(match).every(([key, wanted]) => key === 'namespace' || facts[key] === wanted)
  })
}

function recordedEvent(object: StoredObject): RecordedEvent {
  const { type = '', reason = '', message = '', series, involvedObject } = object
  // Events of events.k8s.io/v1 are counted in a series.
  const count = series?.count ?? object['count'] ?? 1
  const { kind = '', namespace, name = '' } = involvedObject ?? {}
  const about = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
  return { type, reason, message, count, about, object }
}
