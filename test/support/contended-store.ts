/**
 * A store in which a rival is faster: before a write that was chosen, another one commits to the same key, so that the
 * compare-and-write loses. What the rival does is up to the test; by default it changes nothing but the revision.
 */
import type { Store, WriteOperation, WriteResult } from '../../src/store/store.ts'

/** Commits ahead of the write, to the store behind. */
export type Rival = (operation: WriteOperation, store: Store) => Promise<unknown>

interface Contention {
  readonly matches: (operation: WriteOperation) => boolean
  readonly rival: Rival
  left: number
}

export interface ContendedStore {
  readonly store: Store
  /** The next `times` writes that match lose to the rival. */
  lose(matches: (operation: WriteOperation) => boolean, times?: number, rival?: Rival): void
  /** From now on every first attempt at a key loses; `false` ends it. */
  loseFirstAttempts(on: boolean): void
  /** Lost races so far; what was to be lost and was not, is forgotten. */
  settle(): number
}

export function contendedStore(inner: Store): ContendedStore {
  let contentions: Contention[] = []
  let lostKeys: Set<string> | undefined
  let lost = 0

  const rivalOf = (operation: WriteOperation): Rival | undefined => {
    const found = contentions.find(({ matches, left }) => left > 0 && matches(operation))
    if (found !== undefined) {
      found.left--
      return found.rival
    }
    if (lostKeys === undefined) return undefined
    if (lostKeys.delete(operation.key)) return undefined
    lostKeys.add(operation.key)
    return operation.type === 'create' ? undefined : touch
  }

  const write = async (operation: WriteOperation): Promise<WriteResult> => {
    const rival = rivalOf(operation)
    if (rival === undefined) return inner.write(operation)
    await rival(operation, inner)
    const result = await inner.write(operation)
    if (!result.ok) lost++
    return result
  }

  return {
    store: decorated(inner, { write }),
    lose(matches, times = 1, rival = touch) {
      contentions.push({ matches, rival, left: times })
    },
    loseFirstAttempts(on) {
      lostKeys = on ? new Set() : undefined
    },
    settle() {
      const count = lost
      lost = 0
      contentions = []
      return count
    },
  }
}

/** The same value once more, or, before a create, the very object that was to be created. */
export const touch: Rival = async (operation, store) => {
  if (operation.type === 'create') return store.write({ ...operation, value: Buffer.from(operation.value) })
  return overwrite((value) => Buffer.from(value))(operation, store)
}

/** Replaces the text of the value that is there. */
export const rewrite = (change: (text: string) => string): Rival =>
  overwrite((value) => Buffer.from(change(Buffer.from(value).toString())))

const overwrite =
  (change: (value: Uint8Array) => Uint8Array): Rival =>
  async ({ key }, store) => {
    const found = await store.get(key)
    if (found.status !== 'ok' || found.entry === undefined) return
    const { value, revision } = found.entry
    await store.write({ type: 'replace', key, value: change(value), expectedRevision: revision })
  }

export const erase: Rival = async ({ key }, store) => {
  const found = await store.get(key)
  if (found.status !== 'ok' || found.entry === undefined) return
  await store.write({ type: 'delete', key, expectedRevision: found.entry.revision })
}

/** Every member of a store, bound to it, but for those that are replaced. */
export function decorated(inner: Store, replaced: Partial<Store>): Store {
  return {
    name: inner.name,
    readsOwnWrites: inner.readsOwnWrites,
    shared: inner.shared,
    maxValueBytes: inner.maxValueBytes,
    currentRevision: () => inner.currentRevision(),
    get: (key, options) => inner.get(key, options),
    range: (prefix, options) => inner.range(prefix, options),
    write: (operation) => inner.write(operation),
    watch: (prefix, options) => inner.watch(prefix, options),
    compact: (revision) => inner.compact(revision),
    health: (signal) => inner.health(signal),
    size: () => inner.size(),
    close: () => inner.close(),
    ...replaced,
  }
}
