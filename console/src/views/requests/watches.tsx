// The watches that are open: by whom, on what, how far behind.

import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { Freshness } from '../../api/reflector.ts'
import { follow, type StreamLine } from '../../api/stream.ts'
import { ageOf, bytes } from '../../lib/time.ts'
import { DataGrid, type GridColumn } from '../../ui/data-grid.tsx'
import { FreshnessBadge } from '../../ui/freshness.tsx'
import { Badge, Empty } from '../../ui/parts.tsx'

interface OpenWatch {
  readonly id: number
  readonly since: string
  readonly user: string
  readonly agent?: string
  readonly group: string
  readonly resource: string
  readonly namespace?: string
  readonly name?: string
  readonly path: string
  readonly query?: string
  readonly events: number
  readonly revision?: number
  readonly newest?: number
  readonly behind?: number
  readonly bufferedBytes?: number
}

interface WatchesLine extends StreamLine {
  readonly items?: readonly OpenWatch[]
}

export function Watches() {
  const [watches, setWatches] = useState<readonly OpenWatch[]>([])
  const state = useSignal<Freshness>({ phase: 'loading', loaded: 0 })
  useEffect(() => {
    const following = follow<WatchesLine>('/console/v1/watches', {}, (lines) => {
      state.value = following.state.value
      for (const { items } of lines) if (items !== undefined) setWatches(items)
    })
    return () => following.stop()
  }, [])
  const late = watches.filter(({ behind = 0 }) => behind > 0).length
  return (
    <>
      <div class="filters">
        <FreshnessBadge state={state.value} />
        <span class="quiet" role="status">
          {watches.length} open, {late} behind
        </span>
      </div>
      <DataGrid
        label="Open watches"
        columns={columns}
        items={watches}
        keyOf={({ id }) => String(id)}
        onOpen={() => {}}
        empty={<Empty>No watch is open.</Empty>}
      />
    </>
  )
}

const columns: readonly GridColumn<OpenWatch>[] = [
  { title: 'Open for', width: '84px', cell: ({ since }) => ageOf(since) },
  {
    title: 'What',
    width: '300px',
    cell: (watch) => <span title={`${watch.path}?${watch.query ?? ''}`}>{whatOf(watch)}</span>,
  },
  { title: 'User', width: '240px', cell: ({ user }) => <span title={user}>{user}</span> },
  { title: 'Agent', width: '220px', cell: ({ agent }) => <span title={agent}>{agent}</span> },
  { title: 'Events', width: '80px', cell: ({ events }) => events.toLocaleString('en') },
  {
    title: 'Behind',
    width: '90px',
    cell: ({ behind = 0 }) => (behind > 0 ? <Badge tone="warn">{behind}</Badge> : <Badge tone="ok">none</Badge>),
  },
  { title: 'At revision', width: '110px', cell: ({ revision }) => revision },
  {
    title: 'Not taken yet',
    width: 'minmax(110px, 1fr)',
    cell: ({ bufferedBytes = 0 }) => (bufferedBytes === 0 ? '' : bytes(bufferedBytes)),
  },
]

const whatOf = ({ group, resource, namespace, name }: OpenWatch): string =>
  [group === '' ? resource : `${resource}.${group}`, [namespace, name].filter(Boolean).join('/')]
    .filter(Boolean)
    .join(' ')
