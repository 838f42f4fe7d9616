// Conditions as a timeline, a lane each, and what was said about them.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { get } from '../../api/http.ts'
import type { ApiObject } from '../../api/objects.ts'
import { has } from '../../api/session.ts'
import { type Condition, conditionLanes, conditionsOf, type Lane, type Sight } from '../../lib/condition-lanes.ts'
import { ageOf, dateTime, serverNow } from '../../lib/time.ts'
import { Badge, Panel, type Tone } from '../../ui/parts.tsx'
import { isAggregated } from '../counts.ts'
import type { ObjectProps } from './object.tsx'

/** Conditions whose being true is the bad news. */
const unwanted = /Pressure|Unavailable|Failure|Failed|Stalled|Degraded|Terminating|NonStructural|Violat/

function toneOf(type: string, status: string | undefined): Tone {
  if (status === undefined) return 'plain'
  if (status !== 'True' && status !== 'False') return 'warn'
  return (status === 'True') === unwanted.test(type) ? 'bad' : 'ok'
}

export function Conditions({ kind, object }: ObjectProps) {
  const conditions = conditionsOf(object.status).sort((a, b) =>
    String(a.lastTransitionTime ?? '').localeCompare(String(b.lastTransitionTime ?? '')),
  )
  const earlier = useEarlier({ kind, object }, conditions.length > 0)
  if (conditions.length === 0) return null
  const from = Date.parse(object.metadata.creationTimestamp)
  const sight = { from, to: Math.max(from + 1000, serverNow()) }
  return (
    <Panel title="Conditions" flush>
      <Timeline lanes={conditionLanes([...earlier, conditions], sight)} sight={sight} />
      {conditions.map((each) => (
        <ConditionLine key={each.type} condition={each} />
      ))}
    </Panel>
  )
}

function ConditionLine({
  condition: { type, status, reason, message, lastTransitionTime },
}: {
  readonly condition: Condition
}) {
  return (
    <div class="condition-line">
      <strong class="wrap">{type}</strong>
      <span>
        <Badge tone={toneOf(type, status)}>{String(status)}</Badge>
      </span>
      <span class="wrap">
        {reason && <span>{String(reason)} </span>}
        {message && <span class="quiet">{String(message)} </span>}
        {lastTransitionTime && <span class="quiet">· {ageOf(String(lastTransitionTime))} ago</span>}
      </span>
    </div>
  )
}

function Timeline({ lanes, sight: { from, to } }: { readonly lanes: readonly Lane[]; readonly sight: Sight }) {
  const share = (at: number) => `${(Math.min(1, Math.max(0, (at - from) / (to - from))) * 100).toFixed(3)}%`
  return (
    <div class="timeline" role="group" aria-label="Conditions over time">
      {lanes.map(({ type, stretches }) => (
        <div key={type} class="lane">
          <span class="ellipsis" title={type}>
            {type}
          </span>
          <span
            class="track"
            role="img"
            aria-label={`${type}: ${stretches.map(({ status, from: since }) => `${status ?? 'unknown'} since ${dateTime(since)}`).join(', ')}`}
          >
            {stretches.map((stretch) => (
              <span
                key={stretch.from}
                class={`stretch ${toneOf(type, stretch.status)}`}
                title={[
                  stretch.status ?? 'not known',
                  stretch.reason,
                  `from ${dateTime(stretch.from)} to ${dateTime(stretch.to)}`,
                ]
                  .filter(Boolean)
                  .join(', ')}
                style={{ left: share(stretch.from), width: `calc(${share(stretch.to)} - ${share(stretch.from)})` }}
              />
            ))}
          </span>
        </div>
      ))}
      <div class="lane axis">
        <span />
        <span class="ends">
          <span>created {dateTime(from)}</span>
          <span>now</span>
        </span>
      </div>
    </div>
  )
}

const maxVersions = 50

/** The conditions of the versions that the server still has, oldest first. */
function useEarlier({ kind, object }: ObjectProps, wanted: boolean): readonly Condition[][] {
  const [versions, setVersions] = useState<readonly { readonly type: string; readonly object: ApiObject }[]>([])
  const { namespace, name, uid, resourceVersion } = object.metadata
  useEffect(() => {
    if (!wanted || !has('history') || isAggregated(kind)) return
    const abort = new AbortController()
    const query = {
      group: kind.group,
      version: kind.version,
      resource: kind.resource,
      namespace,
      name,
      limit: String(maxVersions),
    }
    get<{ items: typeof versions }>('/console/v1/history', { query, signal: abort.signal }).then(
      ({ items }) => setVersions(items),
      () => {},
    )
    return () => abort.abort()
  }, [resourceVersion, wanted])
  return useMemo(
    () =>
      versions
        .filter((each) => each.object.metadata.uid === uid)
        .map((each) => conditionsOf(each.object.status))
        .reverse(),
    [versions, uid],
  )
}
