// One kind: the server's own Table of it, live, narrowed by namespace, selectors and a filter that are all in the address.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { findKind, type Kind, kinds, pathOf } from '../api/discovery.ts'
import { type Column, type LiveTable, useObjects, useTable } from '../api/live.ts'
import { metadataOnly } from '../api/objects.ts'
import { register } from '../lib/keys.ts'
import { address, go, groupOfSegment, href, listHref, objectHref, setQuery } from '../lib/router.ts'
import { fieldSelectorError, labelSelectorError } from '../lib/selectors.ts'
import { cellText, type Order, type Row } from '../lib/table-store.ts'
import { ageOf } from '../lib/time.ts'
import { DataGrid, type GridColumn } from '../ui/data-grid.tsx'
import { FreshnessBadge } from '../ui/freshness.tsx'
import { lazy } from '../ui/lazy.tsx'
import { Button, Empty, Input, Notice } from '../ui/parts.tsx'

const CreateDialog = lazy(() => import('./create.tsx'), 'CreateDialog')

export function ListView() {
  const [, group = '', version = '', resource = '', namespace, name] = address.value.path
  const kind = findKind(groupOfSegment(group), version, resource)
  // The address of an object, by hand: its own view says whether it is there.
  useEffect(() => {
    if (namespace !== undefined && name !== undefined)
      go(href(['o', ...address.value.path.slice(1)]), { replace: true })
    else if (namespace !== undefined)
      go(listHref({ group: groupOfSegment(group), version, resource }, { ns: namespace }))
  }, [namespace, name])
  if (kinds.value.length === 0) return <Empty>Loading …</Empty>
  if (kind === undefined) {
    return (
      <Empty>
        The server has no kind “{resource}” in {group}/{version}.{' '}
        <a class="linked" href={href([])}>
          All kinds
        </a>
      </Empty>
    )
  }
  if (namespace !== undefined) return null
  return <KindList key={`${group}/${version}/${resource}`} kind={kind} />
}

function KindList({ kind }: { readonly kind: Kind }) {
  const { ns = '', labels = '', fields = '', q = '', wide, sort = '' } = address.value.query
  const table = useTable(pathOf(kind, { namespace: ns }), {
    labelSelector: labelSelectorError(labels) === undefined && labels !== '' ? labels : undefined,
    fieldSelector: fieldSelectorError(fields) === undefined && fields !== '' ? fields : undefined,
    includeObject: 'Metadata',
  })
  const [creating, setCreating] = useState(false)
  const columns = table.columns.value
  const order = useMemo(() => parseOrder(sort, columns), [sort, columns])
  useMemo(() => table.store.sort(order), [table, order])
  useMemo(() => table.store.filter(q), [table, q])
  useListKeys(() => setCreating(true))
  return (
    <div class="page full">
      <div class="page-head">
        <h1>{kind.kind}</h1>
        <span class="quiet">{kind.group === '' ? kind.version : `${kind.group}/${kind.version}`}</span>
        <FreshnessBadge state={table.state.value} />
        <Shown table={table} filtered={q !== ''} />
        <span class="grow" />
        {kind.verbs.includes('create') && <Button onClick={() => setCreating(true)}>Create</Button>}
      </div>
      <Filters kind={kind} wide={wide !== undefined} />
      {table.state.value.phase === 'refused' && <Refused kind={kind} why={table.state.value.why} />}
      <Rows table={table} kind={kind} wide={wide !== undefined} order={order} />
      {creating && <CreateDialog kind={kind} namespace={ns} onClose={() => setCreating(false)} />}
    </div>
  )
}

function Shown({ table, filtered }: { readonly table: LiveTable; readonly filtered: boolean }) {
  table.version.value
  const { shown, size } = table.store
  return (
    <span class="quiet" role="status">
      {filtered ? `${shown.length.toLocaleString('en')} of ` : ''}
      {size.toLocaleString('en')} {size === 1 ? 'object' : 'objects'}
    </span>
  )
}

function Refused({ kind, why }: { readonly kind: Kind; readonly why: string }) {
  return (
    <Notice tone="bad">
      <p>{why}</p>
      {kind.namespaced && <p>You may be allowed to list them in a namespace: type its name above.</p>}
    </Notice>
  )
}

function useListKeys(create: () => void): void {
  useEffect(
    () =>
      register([
        { keys: '/', title: 'Filter rows', run: () => document.getElementById('filter')?.focus() },
        { keys: 'n', title: 'Narrow to a namespace', run: () => document.getElementById('namespace')?.focus() },
        { keys: 'l', title: 'Label selector', run: () => document.getElementById('labels')?.focus() },
        {
          keys: 'w',
          title: 'More columns',
          run: () => setQuery({ wide: address.value.query['wide'] ? undefined : '1' }),
        },
        { keys: 'c', title: 'Create', run: create },
      ]),
    [],
  )
}

function Filters({ kind, wide }: { readonly kind: Kind; readonly wide: boolean }) {
  const { ns = '', labels = '', fields = '', q = '' } = address.value.query
  const namespaces = useObjects(kind.namespaced ? '/api/v1/namespaces' : undefined, { accept: metadataOnly })
  return (
    <div class="filters">
      {kind.namespaced && (
        <Settled
          label="Namespace"
          id="namespace"
          placeholder="All namespaces"
          value={ns}
          list={namespaces.objects.map(({ metadata }) => metadata.name).sort()}
          set={(value) => setQuery({ ns: value.trim() })}
        />
      )}
      <Input
        label="Filter rows"
        hideLabel
        id="filter"
        placeholder="Filter  /"
        value={q}
        onInput={(value) => setQuery({ q: value })}
      />
      <Settled
        label="Label selector"
        id="labels"
        placeholder="Labels: app=web,tier!=db"
        value={labels}
        check={labelSelectorError}
        set={(value) => setQuery({ labels: value })}
      />
      <Settled
        label="Field selector"
        id="fields"
        placeholder="Fields: status.phase=Running"
        value={fields}
        check={fieldSelectorError}
        set={(value) => setQuery({ fields: value })}
      />
      <Button pressed={wide} onClick={() => setQuery({ wide: wide ? undefined : '1' })}>
        More columns
      </Button>
    </div>
  )
}

interface SettledProps {
  readonly label: string
  readonly id: string
  readonly placeholder: string
  readonly value: string
  readonly set: (value: string) => void
  readonly check?: (value: string) => string | undefined
  readonly list?: readonly string[]
}

/** A field whose value counts a moment after the last key, and not while it is wrong. */
function Settled({ label, id, placeholder, value, set, check, list }: SettledProps) {
  const [text, setText] = useState(value)
  const error = check?.(text)
  // What this field has set comes back while the user may have typed on: only what others set replaces the text.
  const settled = useRef(value)
  useEffect(() => {
    if (value !== settled.current) setText(value)
    settled.current = value
  }, [value])
  const settle = () => {
    settled.current = text
    set(text)
  }
  useEffect(() => {
    if (text === value || error !== undefined) return
    const timer = setTimeout(settle, 400)
    return () => clearTimeout(timer)
  }, [text, error])
  return (
    <Input
      {...{ label, id, placeholder, error }}
      hideLabel
      wide
      value={text}
      onInput={setText}
      onEnter={() => error === undefined && settle()}
      {...(list === undefined ? {} : { list })}
    />
  )
}

interface RowsProps {
  readonly table: LiveTable
  readonly kind: Kind
  readonly wide: boolean
  readonly order: Order
}

function Rows({ table, kind, wide, order }: RowsProps) {
  table.version.value
  const now = useNow(10_000)
  const shownColumns = useMemo(
    () => [...table.columns.value.entries()].filter(([, column]) => wide || column.priority === 0),
    [table.columns.value, wide],
  )
  const hasNamespace = kind.namespaced && (address.value.query['ns'] ?? '') === ''
  const widths = useWidths(
    table,
    shownColumns.map(([index]) => index),
  )
  const columns = useMemo((): GridColumn<Row>[] => {
    const link = (row: Row) => <a href={objectHref(kind, row)}>{row.name}</a>
    const cells = shownColumns.map(([index, column], position): GridColumn<Row> => {
      const last = position === shownColumns.length - 1
      const width = last ? `minmax(${widths[position]}px, 1fr)` : `${widths[position]}px`
      if (column.format === 'name') return { title: column.name, width, name: true, cell: link }
      return { title: column.name, width, hint: column.description, cell: (row) => show(row, column, index) }
    })
    const namespace: GridColumn<Row> = { title: 'Namespace', width: '150px', cell: (row) => row.namespace }
    return hasNamespace ? [namespace, ...cells] : cells
  }, [shownColumns, hasNamespace, widths, now])
  const offset = hasNamespace ? 1 : 0
  const sortBy = (position: number) => {
    const column = position < offset ? undefined : shownColumns[position - offset]
    const name = column === undefined ? '' : column[1].name
    const same = column === undefined ? order.column < 0 : order.column === column[0]
    setQuery({ sort: same && !order.descending ? `-${name}` : name })
  }
  const sorted = order.column < 0 ? 0 : shownColumns.findIndex(([index]) => index === order.column) + offset
  return (
    <DataGrid
      label={kind.kind}
      columns={columns}
      items={table.store.shown}
      keyOf={(row) => row.uid}
      onOpen={(row) => go(objectHref(kind, row))}
      sort={{ column: sorted, descending: order.descending }}
      onSort={sortBy}
      rowClass={(row) => (row.deleting ? 'deleting' : '')}
      mark={(row) => table.touched.get(row.uid)}
      empty={table.state.value.phase === 'live' ? <Empty>There are none.</Empty> : <Empty>…</Empty>}
    />
  )
}

/** `name`, `-name`: a column, descending. */
function parseOrder(text: string, columns: readonly Column[]): Order {
  const descending = text.startsWith('-')
  const name = text.replace(/^-/, '')
  const column = columns.findIndex((each) => each.name === name && each.format !== 'name')
  return { column, descending }
}

const bad =
  /^(Failed|Error|CrashLoopBackOff|ImagePullBackOff|ErrImagePull|NotReady|Evicted|OOMKilled|Lost|False|Unknown)/
const waiting = /^(Pending|ContainerCreating|Terminating|Init:|PodInitializing|Released|SchedulingDisabled|Warning)/

function show(row: Row, column: Column, index: number) {
  if (column.name === 'Age') return <span title={row.created}>{ageOf(row.created)}</span>
  const text = cellText(row.cells[index])
  const tone = /^(Status|Ready|Phase|Type|Condition|Reason)$/.test(column.name) ? toneOf(text) : ''
  return (
    <span class={tone} title={text.length > 20 ? text : undefined}>
      {text}
    </span>
  )
}

const toneOf = (text: string): string => (bad.test(text) ? 'text-bad' : waiting.test(text) ? 'text-warn' : '')

const sampled = 200

/** Widths from what the first rows have, settled as soon as there are rows, so that columns do not jump. */
function useWidths(table: LiveTable, shown: readonly number[]): readonly number[] {
  const enough = Math.min(table.store.size, sampled)
  return useMemo(() => {
    const rows = table.store.shown.slice(0, sampled)
    return shown.map((index) => {
      const head = table.columns.value[index]?.name.length ?? 0
      const longest = rows.reduce((most, row) => Math.max(most, cellText(row.cells[index]).length), head)
      return Math.max(64, Math.min(420, Math.round(longest * 7.8) + 24))
    })
  }, [table, enough, shown.join()])
}

function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
