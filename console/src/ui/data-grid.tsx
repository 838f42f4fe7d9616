// A table of which only the rows in sight are in the document. Rows have one height; the keyboard moves a selection.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { register } from '../lib/keys.ts'
import { scrollFor, windowOf } from '../lib/virtual.ts'

export interface GridColumn<Item> {
  readonly title: string
  readonly width: string
  readonly hint?: string | undefined
  readonly name?: boolean
  readonly cell: (item: Item) => ComponentChildren
}

interface GridProps<Item> {
  readonly label: string
  readonly columns: readonly GridColumn<Item>[]
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  readonly onOpen: (item: Item) => void
  readonly sort?: { readonly column: number; readonly descending: boolean }
  readonly onSort?: (column: number) => void
  readonly rowClass?: (item: Item) => string
  readonly mark?: (item: Item) => number | undefined
  /** Follows the first row, as a log that grows at the top does. */
  readonly empty: ComponentChildren
}

const rowHeight = 28

export function DataGrid<Item>(props: GridProps<Item>) {
  const { label, columns, items, keyOf, onOpen } = props
  const element = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const [selected, setSelected] = useState<string | undefined>(undefined)
  const latest = useRef(props)
  latest.current = props
  useLayoutEffect(() => {
    const grid = element.current as HTMLDivElement
    const measure = () => setView({ top: grid.scrollTop, height: grid.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(grid)
    measure()
    return () => observer.disconnect()
  }, [])
  useGridKeys(element, latest, setSelected)
  const [first, last] = windowOf({ ...view, rowHeight, count: items.length })
  const template = columns.map(({ width }) => width).join(' ')
  // Narrower than its columns it scrolls sideways; what is in a cell makes it no wider.
  const minWidth = `${columns.reduce((sum, { width }) => sum + Number(/(\d+)px/.exec(width)?.[1] ?? 0), 0)}px`
  return (
    <div
      class="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={items.length + 1}
      tabIndex={0}
      ref={element}
      onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
    >
      <Head {...props} template={template} minWidth={minWidth} />
      <div class="grid-rows" style={{ height: `${items.length * rowHeight}px`, minWidth }}>
        {items.slice(first, last).map((item, index) => (
          <GridRow
            key={keyOf(item)}
            item={item}
            index={first + index}
            columns={columns}
            template={template}
            selected={keyOf(item) === selected}
            rowClass={props.rowClass?.(item) ?? ''}
            mark={props.mark?.(item)}
            onOpen={onOpen}
          />
        ))}
      </div>
      {items.length === 0 && props.empty}
    </div>
  )
}

interface HeadProps<Item> extends GridProps<Item> {
  readonly template: string
  readonly minWidth: string
}

function Head<Item>({ columns, sort, onSort, template, minWidth }: HeadProps<Item>) {
  return (
    <div
      class="grid-head"
      role="row"
      aria-rowindex={1}
      tabIndex={-1}
      style={{ gridTemplateColumns: template, minWidth }}
    >
      {columns.map(({ title, hint }, index) => {
        const sorted = sort?.column === index
        return (
          <div
            key={title}
            role="columnheader"
            tabIndex={-1}
            aria-sort={sorted ? (sort.descending ? 'descending' : 'ascending') : undefined}
          >
            <button type="button" title={hint} onClick={() => onSort?.(index)} disabled={onSort === undefined}>
              {title}
              {sorted && <span aria-hidden="true">{sort.descending ? '↓' : '↑'}</span>}
            </button>
          </div>
        )
      })}
    </div>
  )
}

interface GridRowProps<Item> {
  readonly item: Item
  readonly index: number
  readonly columns: readonly GridColumn<Item>[]
  readonly template: string
  readonly selected: boolean
  readonly rowClass: string
  readonly mark: number | undefined
  readonly onOpen: (item: Item) => void
}

function GridRow<Item>({ item, index, columns, template, selected, rowClass, mark, onOpen }: GridRowProps<Item>) {
  const open = (event: MouseEvent) => {
    // Links within a row are followed by themselves.
    if ((event.target as Element).closest('a, button') === null) onOpen(item)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid's own keys open the selected row
    <div
      class={`grid-row ${rowClass}`}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={selected}
      style={{ gridTemplateColumns: template, transform: `translateY(${index * rowHeight}px)` }}
      onClick={open}
    >
      {columns.map((column) => (
        <div key={column.title} role="gridcell" tabIndex={-1} class={column.name ? 'name' : ''}>
          {column.cell(item)}
        </div>
      ))}
      {mark !== undefined && <span key={mark} class="fresh" aria-hidden="true" />}
    </div>
  )
}

/** Keys that come before the last one's selection is drawn go on from it. */
function useGridKeys<Item>(
  element: { readonly current: HTMLDivElement | null },
  latest: { readonly current: GridProps<Item> },
  draw: (key: string) => void,
): void {
  const selected = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    const indexNow = () => latest.current.items.findIndex((item) => latest.current.keyOf(item) === selected.current)
    const moveTo = (index: number) => {
      const { items, keyOf } = latest.current
      const item = items[Math.max(0, Math.min(items.length - 1, index))]
      if (item === undefined) return
      selected.current = keyOf(item)
      draw(selected.current)
      const grid = element.current as HTMLDivElement
      const at = { top: grid.scrollTop, height: grid.clientHeight, rowHeight, count: items.length }
      const to = scrollFor(items.indexOf(item), at, rowHeight)
      if (to !== undefined) grid.scrollTop = to
    }
    const page = () => Math.floor((element.current?.clientHeight ?? 400) / rowHeight) - 2
    const open = () => {
      const item = latest.current.items[indexNow()]
      if (item !== undefined) latest.current.onOpen(item)
    }
    const keys = [
      { keys: 'j', title: 'Next row', run: () => moveTo(indexNow() + 1) },
      { keys: 'k', title: 'Previous row', run: () => moveTo(Math.max(0, indexNow() - 1)) },
      { keys: 'ArrowDown', title: 'Next row', run: () => moveTo(indexNow() + 1) },
      { keys: 'ArrowUp', title: 'Previous row', run: () => moveTo(Math.max(0, indexNow() - 1)) },
      { keys: 'PageDown', title: 'A page further', run: () => moveTo(indexNow() + page()) },
      { keys: 'PageUp', title: 'A page back', run: () => moveTo(indexNow() - page()) },
      { keys: 'Home', title: 'First row', run: () => moveTo(0) },
      { keys: 'End', title: 'Last row', run: () => moveTo(Number.MAX_SAFE_INTEGER) },
      { keys: 'Enter', title: 'Open the row', run: open },
      { keys: 'o', title: 'Open the row', run: open },
    ]
    return register(keys)
  }, [element, latest, draw])
}
