// Priority levels, their seats and queues, as they are now.
import { useEffect, useState } from 'preact/hooks'
import { has, whyNot } from '../../api/session.ts'
import { follow, type StreamLine } from '../../api/stream.ts'
import { duration } from '../../lib/time.ts'
import { Badge, Empty, Panel } from '../../ui/parts.tsx'

interface Level {
  readonly name: string
  readonly type: string
  readonly seats?: number
  readonly nominalSeats?: number
  readonly seatsInUse: number
  readonly executing: number
  readonly waiting: number
  readonly dispatched: number
  readonly rejected: number
  readonly timedOut: number
  readonly queues: readonly { readonly index: number; readonly waiting: number; readonly executing: number }[]
  readonly requests: readonly {
    readonly state: string
    readonly flowSchema: string
    readonly user: string
    readonly verb: string
    readonly path: string
    readonly ageMs: number
  }[]
}

interface FlowsLine extends StreamLine {
  readonly levels?: readonly Level[]
}

export function Flows() {
  const [levels, setLevels] = useState<readonly Level[] | undefined>(undefined)
  useEffect(() => {
    if (!has('flows')) return
    const following = follow<FlowsLine>('/console/v1/flows', {}, (lines) => {
      for (const line of lines) if (line.levels !== undefined) setLevels(line.levels)
    })
    return () => following.stop()
  }, [])
  if (!has('flows')) return <Empty>{whyNot('flows')}</Empty>
  if (levels === undefined) return <Empty>Loading …</Empty>
  if (levels.length === 0) return <Empty>Flow control is switched off.</Empty>
  return (
    <div class="levels">
      {levels.map((level) => (
        <LevelPanel key={level.name} level={level} />
      ))}
    </div>
  )
}

function LevelPanel({ level }: { readonly level: Level }) {
  const { name, type, seats = 0, seatsInUse, waiting, executing, dispatched, rejected, timedOut } = level
  const share = seats > 0 ? Math.min(1, seatsInUse / seats) : 0
  return (
    <Panel
      title={name}
      actions={
        type === 'Exempt' ? (
          <Badge>exempt</Badge>
        ) : (
          <span class="quiet tabular">{`${seatsInUse} of ${seats} seats`}</span>
        )
      }
    >
      <div class="stack tight">
        <div class="seats" aria-hidden="true">
          <span class={`used ${share > 0.9 ? 'full' : ''}`} style={{ width: `${share * 100}%` }} />
        </div>
        <p class="quiet tabular">
          {executing} running, {waiting} waiting · {dispatched.toLocaleString('en')} let through
          {rejected > 0 && <span class="text-bad">, {rejected} refused</span>}
          {timedOut > 0 && <span class="text-warn">, {timedOut} timed out</span>}
        </p>
        {level.queues.length > 0 && (
          <div class="row" role="img" aria-label={`${level.queues.length} queues with requests`}>
            {level.queues.map((queue) => (
              <span
                key={queue.index}
                class="queue"
                title={`queue ${queue.index}: ${queue.executing} running, ${queue.waiting} waiting`}
              >
                {'■'.repeat(Math.min(8, queue.executing))}
                <span class="text-warn">{'□'.repeat(Math.min(20, queue.waiting))}</span>
              </span>
            ))}
          </div>
        )}
        {level.requests.slice(0, 8).map((request, index) => (
          <p key={index} class="ellipsis" title={request.path}>
            <Badge tone={request.state === 'executing' ? 'ok' : 'warn'}>{request.state}</Badge> {request.verb}{' '}
            {request.path}{' '}
            <span class="quiet">
              {request.user}, {duration(request.ageMs)}
            </span>
          </p>
        ))}
      </div>
    </Panel>
  )
}
