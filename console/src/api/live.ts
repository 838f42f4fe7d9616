// Collections that views look at: each is listed and watched once, however many views look, and for some seconds after the last one.
import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type Row, TableStore } from '../lib/table-store.ts'
import { withQuery } from './http.ts'
import type { ApiList, ApiObject, Metadata } from './objects.ts'
import { asTable } from './objects.ts'
import { type Change, type Freshness, reflect, type Sink, type Source } from './reflector.ts'

const lingerMs = 4000

interface Shared<S> {
  readonly store: S
  readonly abort: AbortController
  users: number
  timer?: ReturnType<typeof setTimeout>
}

const open = new Map<string, Shared<unknown>>()

function acquire<Item, S extends Sink<Item>>(source: Source, make: () => S): { store: S; release: () => void } {
  const key = `${source.accept} ${withQuery(source.path, source.query)}`
  const known = open.get(key) as Shared<S> | undefined
  const entry = known ?? start<Item, S>(key, source, make)
  entry.users += 1
  clearTimeout(entry.timer)
  const release = () => {
    entry.users -= 1
    if (entry.users > 0) return
    entry.timer = setTimeout(() => {
      entry.abort.abort()
      open.delete(key)
    }, lingerMs)
  }
  return { store: entry.store, release }
}

function start<Item, S extends Sink<Item>>(key: string, source: Source, make: () => S): Shared<S> {
  const entry: Shared<S> = { store: make(), abort: new AbortController(), users: 0 }
  open.set(key, entry)
  void reflect<Item>(source, entry.store, entry.abort.signal)
  return entry
}

/** A store that nobody waits for: what a refused list is shown as. */
const loading: Freshness = { phase: 'loading', loaded: 0 }

/** Objects of a collection, by uid. */
class ObjectStore implements Sink<ApiObject> {
  readonly objects: Signal<readonly ApiObject[]> = signal([])
  readonly state: Signal<Freshness> = signal(loading)
  readonly #byUid = new Map<string, ApiObject>()
  #listed: Set<string> | undefined

  itemsOf(body: ApiList | ApiObject): readonly ApiObject[] {
    if (!('items' in body)) return [body as ApiObject]
    // The items of a list have no kind of their own.
    const list = body as unknown as { kind: string; apiVersion: string; items: ApiObject[] | null }
    const kind = list.kind.replace(/List$/, '')
    return (list.items ?? []).map((item) => Object.assign({ apiVersion: list.apiVersion, kind }, item))
  }

  begin(): void {
    this.#listed = new Set()
  }

  page(items: readonly ApiObject[]): void {
    for (const item of items) {
      this.#listed?.add(item.metadata.uid)
      this.#byUid.set(item.metadata.uid, item)
    }
    this.#publish()
  }

  end(): void {
    for (const uid of this.#byUid.keys()) if (this.#listed?.has(uid) === false) this.#byUid.delete(uid)
    this.#listed = undefined
    this.#publish()
  }

  changes(batch: readonly Change<ApiObject>[]): void {
    for (const { type, item } of batch) {
      if (type === 'DELETED') this.#byUid.delete(item.metadata.uid)
      else this.#byUid.set(item.metadata.uid, item)
    }
    this.#publish()
  }

  freshness(now: Freshness): void {
    this.state.value = now
  }

  #publish(): void {
    this.objects.value = [...this.#byUid.values()]
  }
}

export interface Live {
  readonly objects: readonly ApiObject[]
  readonly state: Freshness
}

const nothing: Live = { objects: [], state: loading }

/** Undefined: nothing is asked for. */
export function useObjects(path: string | undefined, ask: Partial<Source> = {}): Live {
  const query = JSON.stringify(ask.query ?? {})
  const held = useMemo(() => {
    if (path === undefined) return undefined
    const source = {
      path,
      query: JSON.parse(query),
      accept: ask.accept ?? 'application/json',
      pageSize: ask.pageSize ?? 500,
    }
    return acquire<ApiObject, ObjectStore>(source, () => new ObjectStore())
  }, [path, query, ask.accept])
  useEffect(() => held?.release, [held])
  return held === undefined ? nothing : { objects: held.store.objects.value, state: held.store.state.value }
}

export interface Column {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority: number
}

interface TableBody {
  readonly columnDefinitions?: readonly Column[] | null
  readonly rows?: readonly { readonly cells: Row['cells']; readonly object: { readonly metadata: Metadata } }[] | null
}

/** Rows of a collection as the server's own Table. */
export class LiveTable implements Sink<Row> {
  readonly store = new TableStore()
  readonly columns: Signal<readonly Column[]> = signal([])
  readonly state: Signal<Freshness> = signal(loading)
  /** Counts changes; views that read it are drawn again. */
  readonly version = signal(0)
  /** Uids that the last batches changed, with when, for a mark. */
  readonly touched = new Map<string, number>()

  itemsOf(body: TableBody): readonly Row[] {
    const columns = body.columnDefinitions ?? []
    if (columns.length > 0 && this.columns.value.length !== columns.length) this.columns.value = columns
    return (body.rows ?? []).map(toRow)
  }

  begin(): void {
    this.store.begin()
  }

  page(rows: readonly Row[]): void {
    this.store.page(rows)
    this.version.value += 1
  }

  end(): void {
    this.store.end()
    this.version.value += 1
  }

  changes(batch: readonly Change<Row>[]): void {
    this.store.changes(batch)
    const now = Date.now()
    for (const [uid, at] of this.touched) if (now - at > 2000) this.touched.delete(uid)
    for (const { item } of batch) this.touched.set(item.uid, now)
    this.version.value += 1
  }

  freshness(now: Freshness): void {
    this.state.value = now
  }
}

function toRow({ cells, object: { metadata } }: { cells: Row['cells']; object: { metadata: Metadata } }): Row {
  return {
    uid: metadata.uid,
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    labels: metadata.labels ?? {},
    created: metadata.creationTimestamp,
    deleting: metadata.deletionTimestamp !== undefined,
    cells,
  }
}

/** The first page is small, so that there are rows to look at soon. */
export function useTable(path: string, query: Readonly<Record<string, string | undefined>>): LiveTable {
  const text = JSON.stringify(query)
  const held = useMemo(
    () =>
      acquire<Row, LiveTable>({ path, query: JSON.parse(text), accept: asTable, pageSize: 500 }, () => new LiveTable()),
    [path, text],
  )
  useEffect(() => held.release, [held])
  return held.store
}
