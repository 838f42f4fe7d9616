/**
 * The state of a test server: taken, restored, reverted, and waited for until it rests.
 *
 * Invariant: nothing that was begun on one state is written to another. Before the state is restored, requests and controllers come to
 * rest; while it is, both wait.
 */
import type { KnownEntries } from '../cache/resource-reader.ts'
import type { ServerLayers } from '../server/test-seams.ts'
import type { MemorySnapshot, RestorableStore } from '../store/restorable-store.ts'
import type { RestoreOptions, Snapshot } from './api/server.ts'
import { type ControlledClock, turnOfLoop } from './controlled-clock.ts'
import type { Seams } from './seams.ts'
import type { ValueRecall } from './value-recall.ts'

/** How long the server's controllers may take to come to rest, in real time. */
export const settleMs = 60_000

/** A state to go back to, and where it came from. */
export class TakenSnapshot implements Snapshot {
  readonly name: string | undefined
  readonly state: MemorySnapshot
  readonly known: KnownEntries

  constructor(name: string | undefined, state: MemorySnapshot, known: KnownEntries) {
    this.name = name
    this.state = state
    this.known = known
  }
}

interface StateOptions {
  readonly store: RestorableStore
  readonly values: ValueRecall
  readonly clock: ControlledClock
  readonly seams: Seams
}

export class TestState {
  readonly #options: StateOptions
  readonly #named = new Map<string, TakenSnapshot>()

  constructor(options: StateOptions, named: ReadonlyMap<string, TakenSnapshot> | undefined) {
    this.#options = options
    for (const [name, snapshot] of named ?? []) this.#named.set(name, snapshot)
  }

  /** The snapshots that have a name. */
  get named(): ReadonlyMap<string, TakenSnapshot> {
    return this.#named
  }

  get #storage(): ServerLayers['storage'] {
    return this.#options.seams.layers.storage
  }

  /** One with a name can be found again by it. */
  take(name?: string): TakenSnapshot {
    const snapshot = new TakenSnapshot(name, this.#options.store.snapshot(), this.#storage.reflector.snapshot())
    if (name !== undefined) this.#named.set(name, snapshot)
    return snapshot
  }

  #find(to: Snapshot | string): TakenSnapshot {
    const found = typeof to === 'string' ? this.#named.get(to) : to
    if (found instanceof TakenSnapshot) return found
    throw new Error(typeof to === 'string' ? `there is no snapshot ${JSON.stringify(to)}` : 'this is no snapshot')
  }

  /** `restored` is called before anything goes on. */
  async restore(
    to: Snapshot | string,
    { watches = 'end' }: RestoreOptions,
    restored: () => void = () => undefined,
  ): Promise<void> {
    const { store, values, seams, clock } = this.#options
    const { state, known } = this.#find(to)
    await seams.hold()
    try {
      await Promise.all([...clock.queues].map((queue) => queue.pause()))
      const { reflector } = this.#storage
      if (watches === 'keep') await values.recalling(known, () => store.revert(state))
      else {
        for (const stream of seams.layers.requests.openWatches) stream.end()
        await reflector.restore(known, () => store.restore(state))
      }
    } finally {
      for (const queue of clock.queues) queue.resume()
      restored()
      await this.atRest()
      seams.release()
    }
  }

  /** `again` is called before every look. */
  async atRest(again = (): void => undefined): Promise<void> {
    const end = Date.now() + settleMs
    // What is idle may begin something in the next turn; what is idle for some turns, with no event left to deliver, rests.
    for (let quiet = 0; quiet < 3; quiet++) {
      again()
      await turnOfLoop()
      if ([...this.#options.clock.queues].every(({ isIdle }) => isIdle)) continue
      quiet = -1
      if (Date.now() > end) throw new Error(`the server's controllers are still busy after ${settleMs} ms`)
    }
  }

  async compact(): Promise<void> {
    const { store } = this.#options
    const { reflector } = this.#storage
    // The present state restored: all history is dropped.
    await reflector.restore(reflector.snapshot(), () => undefined)
    await store.compact(await store.currentRevision())
  }
}
