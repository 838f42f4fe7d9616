// Keeps a view in step with a collection: lists it page by page, then watches; on 410, or when the watch cannot go on, lists again
// without emptying what is shown. Events reach the sink once an animation frame.
import { tryConnection } from '../lib/connections.ts'
import { FrameBatch } from '../lib/frames.ts'
import { jsonLines } from '../lib/json-lines.ts'
import { get, isAborted, open, Refusal } from './http.ts'

export type Freshness =
  | { readonly phase: 'loading'; readonly loaded: number }
  | { readonly phase: 'live' }
  /** Listed again now and then, for want of a connection for a watch. */
  | { readonly phase: 'polled'; readonly everyMs: number }
  | { readonly phase: 'reconnecting'; readonly since: number; readonly why: string }
  | { readonly phase: 'refused'; readonly why: string; readonly code: number }

export interface Source {
  readonly path: string
  readonly query: Readonly<Record<string, string | undefined>>
  readonly accept: string
  readonly pageSize: number
}

export interface Change<Item> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly item: Item
}

export interface Sink<Item> {
  /** The items of a list, a table or an event's object. */
  itemsOf(body: never): readonly Item[]
  /** A list begins: what it does not name is gone when it ends. */
  begin(): void
  page(items: readonly Item[]): void
  end(): void
  changes(batch: readonly Change<Item>[]): void
  freshness(now: Freshness): void
}

interface ListBody {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: Readonly<Record<string, never>> & { readonly metadata?: { readonly resourceVersion?: string } }
}

/** Runs until the signal ends it or the server refuses the list for good. */
export async function reflect<Item>(source: Source, sink: Sink<Item>, signal: AbortSignal): Promise<void> {
  const state: State<Item> = { source, sink, signal, version: '', failures: 0 }
  while (!signal.aborted) {
    try {
      if (state.version === '') await list(state)
      const release = tryConnection()
      if (release === undefined) {
        await poll(state)
        continue
      }
      const opened = Date.now()
      await watch(state).finally(release)
      // A watch that ends at once, again and again, must not become a tight loop.
      if (Date.now() - opened < 1000) await delay(500, signal)
    } catch (error) {
      if (signal.aborted || isAborted(error)) return
      if (error instanceof Refusal && isFinal(error)) {
        sink.freshness({ phase: 'refused', why: error.message, code: error.code })
        return
      }
      await pause(state, error)
    }
  }
}

interface State<Item> {
  readonly source: Source
  readonly sink: Sink<Item>
  readonly signal: AbortSignal
  /** The version that the watch goes on from; empty: list again. */
  version: string
  failures: number
}

const isFinal = ({ code }: Refusal): boolean => [400, 401, 403, 404, 405, 406, 422].includes(code)

async function list<Item>(state: State<Item>): Promise<void> {
  const { source, sink, signal } = state
  let token: string | undefined
  let loaded = 0
  sink.begin()
  do {
    const query = { ...source.query, limit: String(source.pageSize), continue: token }
    const body = await get<ListBody>(source.path, { query, accept: source.accept, signal })
    const items = sink.itemsOf(body as never)
    loaded += items.length
    sink.page(items)
    token = body.metadata.continue || undefined
    state.version = body.metadata.resourceVersion
    if (token !== undefined) sink.freshness({ phase: 'loading', loaded })
  } while (token !== undefined)
  sink.end()
}

const pollMs = 5000

async function poll<Item>(state: State<Item>): Promise<void> {
  state.sink.freshness({ phase: 'polled', everyMs: pollMs })
  await delay(pollMs, state.signal)
  state.version = ''
}

async function watch<Item>(state: State<Item>): Promise<void> {
  const { source, sink, signal } = state
  const query = { ...source.query, watch: 'true', resourceVersion: state.version, allowWatchBookmarks: 'true' }
  const answer = await open(source.path, { query, accept: source.accept, signal }).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 410) state.version = ''
    throw error
  })
  sink.freshness({ phase: 'live' })
  state.failures = 0
  const batch = new FrameBatch<Change<Item>>((changes) => {
    if (!signal.aborted) sink.changes(changes)
  })
  try {
    for await (const events of jsonLines<WatchEvent>(answer.body as ReadableStream<Uint8Array>)) {
      batch.add(events.flatMap((event) => received(state, event)))
    }
  } finally {
    batch.flush()
  }
}

function received<Item>(state: State<Item>, event: WatchEvent): Change<Item>[] {
  if (event.type === 'ERROR') {
    const { code = 500, message } = event.object as { code?: number; message?: string }
    if (code === 410) state.version = ''
    throw new Refusal(code === 403 ? 403 : 410, message === undefined ? {} : { message })
  }
  const version = versionOf(event)
  if (version !== undefined) state.version = version
  if (event.type === 'BOOKMARK') return []
  const { type } = event
  return state.sink.itemsOf(event.object as never).map((item) => ({ type, item }))
}

function versionOf({ object }: WatchEvent): string | undefined {
  return object.metadata?.resourceVersion || undefined
}

async function pause<Item>(state: State<Item>, error: unknown): Promise<void> {
  state.failures += 1
  const why = error instanceof Error ? error.message : String(error)
  if (state.failures > 1 || !(error instanceof Refusal)) {
    state.sink.freshness({ phase: 'reconnecting', since: Date.now(), why })
  }
  // A server that is up again but not ready must not be asked in a tight loop.
  const wait = Math.min(10_000, 250 * 2 ** Math.min(state.failures - 1, 6)) * (0.75 + Math.random() / 2)
  await delay(wait, state.signal)
}

const delay = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const ended = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', ended, { once: true })
  })
