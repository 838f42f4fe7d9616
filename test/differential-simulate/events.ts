/** Events as a multiset of what they say; how often is told coarsely, since retries and batches are a matter of time. */
import { isMap, type JsonMap, valueAt } from '../differential/json.ts'
import { maskValue } from '../differential/normalise.ts'
import { maskedText } from './masking.ts'

/** What an event says, to once or several times. */
export function eventTally(events: readonly JsonMap[]): Record<string, string> {
  const counts = new Map<string, number>()
  for (const event of events) {
    const key = keyOf(event)
    counts.set(key, (counts.get(key) ?? 0) + countOf(event))
  }
  const entries = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, count]) => [key, count === 1 ? 'once' : 'several times']))
}

function keyOf(event: JsonMap): string {
  const about = event['involvedObject']
  const source = valueAt(event, ['source', 'component']) ?? event['reportingComponent'] ?? ''
  const [kind, name, path] = isMap(about) ? [about['kind'], about['name'], about['fieldPath'] ?? ''] : []
  const said = [event['type'], event['reason'], kind, name, path, source, event['action'] ?? '', event['message'] ?? '']
  return maskedText(String(maskValue(said.join(' | '))))
}

function countOf(event: JsonMap): number {
  const count = valueAt(event, ['series', 'count']) ?? event['count']
  return typeof count === 'number' && count > 0 ? count : 1
}
