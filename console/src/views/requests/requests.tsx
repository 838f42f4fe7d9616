// Requests as they happen, each with what became of it; and the watches that are open.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { send } from '../../api/http.ts'
import { has, whyNot } from '../../api/session.ts'
import { register } from '../../lib/keys.ts'
import { address, go, href, setQuery } from '../../lib/router.ts'
import { clockTime, duration } from '../../lib/time.ts'
import { DataGrid, type GridColumn } from '../../ui/data-grid.tsx'
import { FreshnessBadge } from '../../ui/freshness.tsx'
import { Button, Empty, Input, Notice, Tabs } from '../../ui/parts.tsx'
import { RequestDetail } from './request-detail.tsx'
import { type LoggedRequest, matchesRequest, RequestLog } from './request-log.ts'
import { Code, what } from './request-parts.tsx'
import { Watches } from './watches.tsx'
import './requests.css'

export function RequestsView() {
  const [, second] = address.value.path
  if (!has('requests')) return <Empty>{whyNot('requests')}</Empty>
  if (second !== undefined && /^\d+$/.test(second)) return <RequestDetail key={second} id={second} />
  if (second !== undefined && second !== 'watches') return <Empty>There is no such page.</Empty>
  const current = second === 'watches' ? 'watches' : 'log'
  const tabs = [
    { id: 'log', title: 'Requests', href: href(['requests']) },
    { id: 'watches', title: 'Open watches', href: href(['requests', 'watches']) },
  ]
  return (
    <div class="page full">
      <div class="page-head">
        <h1>Requests</h1>
      </div>
      <Tabs label="Requests" tabs={tabs} current={current} />
      {current === 'log' ? <Log /> : <Watches />}
    </div>
  )
}

/** `Node` clients and this page ask all the time; what they do is seldom what one looks for. */
const ownAgent = 'Mozilla'

function Log() {
  const log = useMemo(() => new RequestLog(), [])
  useEffect(() => () => log.close(), [log])
  const { q = '', own } = address.value.query
  const [paused, setPaused] = useState(false)
  const items = log.items.value
  const shown = useMemo(
    () => items.filter((each) => (own !== undefined || !each.agent?.startsWith(ownAgent)) && matchesRequest(each, q)),
    [items, q, own],
  )
  const pause = () => {
    log.paused = !paused
    if (paused) log.resume()
    setPaused(!paused)
  }
  const forget = async () => {
    await send('/console/v1/requests', { method: 'DELETE' })
    log.clear()
  }
  useEffect(
    () => register([{ keys: '/', title: 'Filter requests', run: () => document.getElementById('filter')?.focus() }]),
    [],
  )
  return (
    <>
      <div class="filters">
        <Input
          label="Filter requests"
          hideLabel
          wide
          id="filter"
          placeholder="code:4xx verb:create pods"
          value={q}
          onInput={(value) => setQuery({ q: value })}
        />
        <Button pressed={paused} onClick={pause}>
          Hold
        </Button>
        <Button pressed={own !== undefined} onClick={() => setQuery({ own: own === undefined ? '1' : undefined })}>
          Those of browsers, too
        </Button>
        <Button onClick={() => void forget()}>Forget all</Button>
        <FreshnessBadge state={log.state.value} />
        <span class="quiet" role="status">
          {shown.length.toLocaleString('en')} of {items.length.toLocaleString('en')}
        </span>
      </div>
      {log.state.value.phase === 'refused' && <Notice tone="bad">{log.state.value.why}</Notice>}
      <DataGrid
        label="Requests"
        columns={columns}
        items={shown}
        keyOf={({ id }) => String(id)}
        onOpen={({ id }) => go(href(['requests', String(id)]))}
        empty={<Empty>No request yet. They are recorded while this page is open, and a minute longer.</Empty>}
      />
    </>
  )
}

const columns: readonly GridColumn<LoggedRequest>[] = [
  { title: 'Time', width: '122px', cell: ({ time }) => <span class="tabular">{clockTime(time)}</span> },
  { title: 'Code', width: '74px', cell: (request) => <Code request={request} /> },
  { title: 'Verb', width: '92px', cell: ({ verb }) => verb },
  {
    title: 'What',
    width: '220px',
    name: true,
    cell: (request) => <a href={href(['requests', String(request.id)])}>{what(request)}</a>,
  },
  { title: 'Took', width: '76px', cell: ({ durationMs }) => (durationMs === undefined ? '' : duration(durationMs)) },
  { title: 'User', width: '110px', cell: ({ user }) => <span title={user}>{user}</span> },
  { title: 'Agent', width: '110px', cell: ({ agent }) => <span title={agent}>{agent}</span> },
  {
    title: 'Refused',
    width: 'minmax(200px, 1fr)',
    cell: ({ refusedBy, message }) => <span title={message}>{[refusedBy, message].filter(Boolean).join(': ')}</span>,
  },
]
