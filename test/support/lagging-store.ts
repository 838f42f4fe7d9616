/**
 * A store whose watch lags, as that of etcd does, only reliably: while it is held, events arrive when somebody asks for
 * progress (a consistent read does), and not before.
 */
import type { EventBatch, Store, WatchOptions } from '../../src/store/store.ts'
import { decorated } from './contended-store.ts'

export interface LaggingStore {
  readonly store: Store
  /** From now on nothing arrives by itself. */
  hold(): void
  release(): void
}

export function laggingStore(inner: Store): LaggingStore {
  const flushes = new Set<() => void>()
  let isHeld = false

  const watch = (prefix: string, options: WatchOptions) => {
    const held: EventBatch[] = []
    const flush = (): void => {
      for (const batch of held.splice(0)) options.onEvents(batch)
    }
    flushes.add(flush)
    const opened = inner.watch(prefix, {
      ...options,
      onEvents: (batch) => {
        held.push(batch)
        if (!isHeld) flush()
      },
      onProgress: (revision) => {
        flush()
        options.onProgress?.(revision)
      },
      onEnd: (end) => {
        flushes.delete(flush)
        options.onEnd(end)
      },
    })
    return {
      requestProgress: () => {
        flush()
        opened.requestProgress()
      },
      close: () => opened.close(),
    }
  }

  return {
    store: decorated(inner, { watch, shared: true, readsOwnWrites: false }),
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      for (const flush of flushes) flush()
    },
  }
}
