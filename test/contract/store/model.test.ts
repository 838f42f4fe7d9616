// Random sequences of operations on each store and on a plain model of it: every answer and every watched event must be the same.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Entry, Store } from '../../../src/store/store.ts'
import { bytes, type FreshStore, openFresh, Recorder, type TestedStore, testedStores } from './fixtures.ts'

const keys = ['a', 'a/1', 'a/2', 'b/1', 'b/2', 'é/1']
const prefixes = ['', 'a', 'a/', 'b/', 'é', 'x']
/** A revision, counted back from the newest one; negative for the future. */
const back = fc.integer({ min: -2, max: 12 })
const key = fc.constantFrom(...keys)
const prefix = fc.constantFrom(...prefixes)

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), key }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('replace' as const, 'delete' as const),
      key,
      stale: fc.nat({ max: 9 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('get' as const), key, back: fc.option(back) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('range' as const),
      prefix,
      back: fc.option(back),
      limit: fc.nat({ max: 4 }),
      start: fc.option(key),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('watch' as const), prefix, back }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), back }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface ModelEvent {
  readonly revision: number
  readonly key: string
  readonly entry: Entry | undefined
  readonly previous: Entry | undefined
}

/** The store as a list of whole states. */
class Model {
  readonly states = new Map<number, ReadonlyMap<string, Entry>>()
  readonly events: ModelEvent[] = []
  revision: number
  compacted: number

  constructor(base: number) {
    this.revision = base
    this.compacted = base + 1
    this.states.set(base, new Map())
  }

  now(): ReadonlyMap<string, Entry> {
    return this.states.get(this.revision)!
  }

  put(key: string, value: Buffer | undefined): number {
    const state = new Map(this.now())
    const previous = state.get(key)
    const revision = ++this.revision
    const entry = value && { key, value, revision, createRevision: previous?.createRevision ?? revision }
    if (entry === undefined) state.delete(key)
    else state.set(key, entry)
    this.states.set(revision, state)
    this.events.push({ revision, key, entry, previous })
    return revision
  }

  refusal(revision: number): object | undefined {
    if (revision > this.revision) return { status: 'future', currentRevision: this.revision }
    return revision < this.compacted && revision < this.revision ? { status: 'compacted' } : undefined
  }

  range(prefix: string, options: { revision: number; limit: number; startKey: string }): object {
    const sorted = [...this.states.get(options.revision)!.values()].sort((a, b) =>
      Buffer.compare(bytes(a.key), bytes(b.key)),
    )
    const all = sorted.filter(
      (entry) => entry.key.startsWith(prefix) && Buffer.compare(bytes(entry.key), bytes(options.startKey)) >= 0,
    )
    const items = options.limit === 0 ? all : all.slice(0, options.limit)
    const remaining = all.length - items.length
    return { status: 'ok', revision: options.revision, items, more: remaining > 0, remaining }
  }
}

interface OpenWatch {
  readonly recorder: Recorder
  readonly prefix: string
  readonly after: number
  readonly isCompacted: boolean
}

/** One sequence on one store, under keys of its own. */
class Run {
  readonly #root: string
  readonly #name: TestedStore
  readonly #model: Model
  #fresh: FreshStore
  #watches: OpenWatch[] = []
  #values = 0

  constructor(name: TestedStore, fresh: FreshStore, root: string, base: number) {
    this.#name = name
    this.#fresh = fresh
    this.#root = root
    this.#model = new Model(base)
  }

  get #store(): Store {
    return this.#fresh.store
  }

  async play(steps: readonly Step[]): Promise<FreshStore> {
    await this.#play({ do: 'create', key: 'a' })
    expect(await this.#store.compact(this.#model.compacted)).toEqual({ status: 'ok' })
    for (const next of steps) await this.#play(next)
    await this.#checkWatches()
    return this.#fresh
  }

  async #play(next: Step): Promise<void> {
    const model = this.#model
    switch (next.do) {
      case 'create':
      case 'replace':
      case 'delete':
        return this.#write(next)
      case 'get': {
        const key = this.#root + next.key
        const revision = next.back === null ? undefined : model.revision - next.back
        const at = revision ?? model.revision
        const expected = model.refusal(at) ?? { status: 'ok', revision: at, entry: model.states.get(at)?.get(key) }
        expect(await this.#store.get(key, { revision })).toEqual(expected)
        return
      }
      case 'range':
        return this.#range(next)
      case 'watch': {
        const prefix = this.#root + next.prefix
        const after = model.revision - next.back
        const isCompacted = model.refusal(after) !== undefined && after < model.revision
        this.#watches.push({ recorder: new Recorder(this.#store, prefix, after), prefix, after, isCompacted })
        return
      }
      case 'compact': {
        const revision = model.revision - next.back
        if (revision < model.compacted) return
        const result = await this.#store.compact(revision)
        if (revision > model.revision) expect(result).toEqual({ status: 'future', currentRevision: model.revision })
        // It is compacted, too, when a call that was repeated finds what its first attempt has done.
        else model.compacted = revision
        return
      }
      case 'reopen':
        if (this.#fresh.reopen === undefined) return
        await this.#checkWatches()
        this.#fresh = await this.#fresh.reopen()
        expect(await this.#store.currentRevision()).toBe(model.revision)
        return
    }
  }

  async #write(
    next: Extract<Step, { key: string }> & { do: 'create' | 'replace' | 'delete'; stale?: number },
  ): Promise<void> {
    const key = this.#root + next.key
    const current = this.#model.now().get(key)
    const value = bytes(`v${this.#values++}`)
    const expectedRevision =
      (current?.revision ?? this.#model.revision) - (next.stale ? Math.max(0, next.stale - 7) : 0)
    const wins = next.do === 'create' ? current === undefined : current?.revision === expectedRevision
    const result =
      next.do === 'delete'
        ? await this.#store.write({ type: 'delete', key, expectedRevision })
        : next.do === 'replace'
          ? await this.#store.write({ type: 'replace', key, value, expectedRevision })
          : await this.#store.write({ type: 'create', key, value })
    if (!wins) expect(result).toEqual({ ok: false, current })
    else {
      const revision = this.#model.put(key, next.do === 'delete' ? undefined : value)
      expect(result).toEqual({ ok: true, revision, ...(next.do === 'delete' ? { previous: current } : {}) })
    }
  }

  async #range(next: Extract<Step, { do: 'range' }>): Promise<void> {
    const prefix = this.#root + next.prefix
    const revision = next.back === null ? undefined : this.#model.revision - next.back
    const at = revision ?? this.#model.revision
    const startKey = next.start === null || !next.start.startsWith(next.prefix) ? prefix : this.#root + next.start
    const { limit } = next
    const expected = this.#model.refusal(at) ?? this.#model.range(prefix, { revision: at, limit, startKey })
    expect(await this.#store.range(prefix, { revision, limit, startKey, withRemaining: true })).toEqual(expected)
  }

  /** A last write under every prefix shows that each watch got everything. */
  async #checkWatches(): Promise<void> {
    const watches = this.#watches.splice(0)
    if (watches.length === 0) return
    for (const prefix of new Set(watches.map((watch) => watch.prefix))) {
      const key = `${prefix}/end`
      const current = this.#model.now().get(key)
      const value = bytes('end')
      const result = await this.#store.write(
        current ? { type: 'replace', key, value, expectedRevision: current.revision } : { type: 'create', key, value },
      )
      expect(result).toEqual({ ok: true, revision: this.#model.put(key, value) })
    }
    for (const watch of watches) await this.#checkWatch(watch)
  }

  async #checkWatch({ recorder, prefix, after, isCompacted }: OpenWatch): Promise<void> {
    const expected = this.#model.events.filter((event) => event.revision > after && event.key.startsWith(prefix))
    await recorder.until('all events', () => recorder.end !== undefined || recorder.events.length >= expected.length)
    const seen = recorder.events.map(({ revision, key, entry, previous }) => ({ revision, key, entry, previous }))
    // On etcd, and through a channel, a compaction may overtake a watch that was asked for before it.
    const isRemote = this.#name.startsWith('etcd') || this.#name.endsWith('by channel')
    const mayBeCompacted = isCompacted || (isRemote && after < this.#model.compacted)
    if (isCompacted || (mayBeCompacted && recorder.end !== undefined)) {
      expect(recorder.end).toEqual({ reason: 'compacted' })
      expect(seen).toEqual(expected.slice(0, isCompacted ? 0 : seen.length))
    } else {
      expect(seen.map((event) => `${event.key}@${event.revision}`)).toEqual(
        expected.map((event) => `${event.key}@${event.revision}`),
      )
      for (const [i, event] of seen.entries()) {
        // What was there before may have been compacted since.
        const forgot =
          event.previous === undefined && (expected[i]!.previous?.revision ?? Number.MAX_VALUE) < this.#model.compacted
        expect({ ...event, previous: undefined }).toEqual({ ...expected[i]!, previous: undefined })
        if (!forgot) expect(event.previous).toEqual(expected[i]!.previous)
      }
    }
    recorder.close()
  }
}

const runs: Record<TestedStore, number> = {
  memory: 300,
  lmdb: 60,
  'memory by channel': 100,
  'lmdb by channel': 20,
  'etcd-3.5': 30,
  'etcd-3.4': 10,
}

describe.each(testedStores)('%s', (name) => {
  let fresh: FreshStore
  let count = 0
  beforeAll(async () => {
    fresh = await openFresh(name)
  })
  afterAll(() => fresh.dispose())

  it('answers as the model does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const base = await fresh.store.currentRevision()
        fresh = await new Run(name, fresh, `/run${count++}/`, base).play(steps)
      }),
      { numRuns: runs[name], endOnFailure: true },
    )
  })
})
