// The rows of a list: indexed by uid, kept in the order that the user asked for. A batch of changes costs a binary search and a move
// of array elements for each row that comes, goes or changes its place; a row that keeps its place is replaced where it stands.

export type Cell = string | number | boolean | null | readonly unknown[] | object

export interface Row {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly created: string
  readonly deleting: boolean
  readonly cells: readonly Cell[]
}

export interface RowChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly item: Row
}

export interface Order {
  /** A column, or -1: by namespace and name. */
  readonly column: number
  readonly descending: boolean
}

const byName: Order = { column: -1, descending: false }

type Compare = (a: Row, b: Row) => number

export class TableStore {
  readonly #byUid = new Map<string, Row>()
  /** Uids that the list in progress has named; what is not among them is dropped at its end. */
  #listed: Set<string> | undefined
  #rows: Row[] = []
  #shown: Row[] = []
  #order: Order = byName
  #compare: Compare = compareNames
  #filter = ''

  /** In order, those that pass the filter. The array is a new one after a change. */
  get shown(): readonly Row[] {
    return this.#shown
  }

  get size(): number {
    return this.#byUid.size
  }

  get(uid: string): Row | undefined {
    return this.#byUid.get(uid)
  }

  begin(): void {
    this.#listed = new Set()
  }

  /** A page of a list. Pages come in the order of names, so this mostly appends. */
  page(rows: readonly Row[]): void {
    for (const row of rows) {
      this.#listed?.add(row.uid)
      this.#put(row)
    }
    this.#show()
  }

  end(): void {
    const listed = this.#listed
    this.#listed = undefined
    if (listed === undefined || listed.size === this.#byUid.size) return
    for (const uid of [...this.#byUid.keys()]) if (!listed.has(uid)) this.#byUid.delete(uid)
    this.#rows = this.#rows.filter(({ uid }) => listed.has(uid))
    this.#show()
  }

  changes(batch: readonly RowChange[]): void {
    // Only the last change of an object in a batch can be seen.
    const last = new Map(batch.map((change) => [change.item.uid, change]))
    for (const { type, item } of last.values()) {
      if (type === 'DELETED') this.#remove(item.uid)
      else this.#put(item)
    }
    this.#show()
  }

  sort(order: Order): void {
    this.#order = order
    this.#compare = comparator(order)
    this.#rows.sort(this.#compare)
    this.#show()
  }

  get order(): Order {
    return this.#order
  }

  filter(text: string): void {
    this.#filter = text.trim().toLowerCase()
    this.#show()
  }

  #put(row: Row): void {
    const before = this.#byUid.get(row.uid)
    this.#byUid.set(row.uid, row)
    if (before === undefined) this.#rows.splice(this.#place(row), 0, row)
    else if (this.#compare(before, row) === 0) this.#rows[this.#indexOf(before)] = row
    else {
      this.#rows.splice(this.#indexOf(before), 1)
      this.#rows.splice(this.#place(row), 0, row)
    }
  }

  #remove(uid: string): void {
    const before = this.#byUid.get(uid)
    if (before === undefined) return
    this.#byUid.delete(uid)
    this.#rows.splice(this.#indexOf(before), 1)
  }

  /** Where a row belongs: before the first that is greater. */
  #place(row: Row): number {
    const last = this.#rows.at(-1)
    if (last === undefined || this.#compare(last, row) <= 0) return this.#rows.length
    let low = 0
    let high = this.#rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(this.#rows[middle]!, row) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #indexOf(row: Row): number {
    // Comparing ends with the uid, so the place is exact.
    const index = this.#place(row) - 1
    return this.#rows[index]?.uid === row.uid ? index : this.#rows.findIndex(({ uid }) => uid === row.uid)
  }

  #show(): void {
    this.#shown = this.#filter === '' ? this.#rows.slice() : this.#rows.filter((row) => matches(row, this.#filter))
  }
}

/** Whether any name, cell or label has every word of the filter. */
export function matches(row: Row, filter: string): boolean {
  const text = textOf(row)
  return filter
    .split(/\s+/)
    .every((word) => (word.startsWith('!') ? !text.includes(word.slice(1)) : text.includes(word)))
}

function textOf(row: Row): string {
  const labels = Object.entries(row.labels).map(([key, value]) => `${key}=${value}`)
  return [row.namespace, row.name, ...row.cells.map(cellText), ...labels].join('\n').toLowerCase()
}

export function cellText(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}

function comparator({ column, descending }: Order): Compare {
  const sign = descending ? -1 : 1
  if (column < 0) return (a, b) => sign * compareNames(a, b)
  return (a, b) => sign * compareCells(a.cells[column], b.cells[column]) || compareNames(a, b)
}

function compareNames(a: Row, b: Row): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name) || compareText(a.uid, b.uid)
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Numbers and ages by size, the rest as text. */
export function compareCells(a: Cell | undefined, b: Cell | undefined): number {
  const [x, y] = [sortValue(a), sortValue(b)]
  if (typeof x === 'number' && typeof y === 'number') return x - y
  if (typeof x === 'number') return -1
  if (typeof y === 'number') return 1
  return compareText(x, y)
}

const units: Readonly<Record<string, number>> = { y: 31_536_000, d: 86_400, h: 3600, m: 60, s: 1 }

function sortValue(cell: Cell | undefined): number | string {
  if (typeof cell === 'number') return cell
  const text = cellText(cell)
  if (/^(\d+[ydhms])+$/.test(text)) {
    return [...text.matchAll(/(\d+)([ydhms])/g)].reduce(
      (sum, [, count, unit]) => sum + Number(count) * units[unit!]!,
      0,
    )
  }
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (/^\d+\/\d+$/.test(text)) return Number(text.split('/')[0])
  return text
}
