/**
 * The shape of every controller: changes become keys, keys wait in a queue, and `reconcile` makes true what the objects of
 * a key ask for, from what is there now. It throws to be called again for the key, later with every failure.
 */
import { ApiError } from '../../api/status-error.ts'
import { WorkQueue } from '../../lib/work-queue.ts'
import type { SimulationContext } from './context.ts'

export interface ReconcilerOptions {
  /** The queue's name in metrics. */
  readonly name: string
  /** Keys at a time: 5 unless given. */
  readonly concurrency?: number
  // biome-ignore lint/suspicious/noConfusingVoidType: most have nothing to return
  reconcile(key: string): Promise<{ readonly requeueAfter: number } | void>
}

export interface Reconciler {
  add(key: string): void
  /** Adds the key in so many milliseconds, unless it is added before. */
  addAfter(key: string, ms: number): void
  stop(): Promise<void>
}

const defaultConcurrency = 5

export function reconciler(context: SimulationContext, options: ReconcilerOptions): Reconciler {
  const { name, concurrency = defaultConcurrency } = options
  const queue: WorkQueue<string> = new WorkQueue<string>({
    name,
    clock: context.clock,
    concurrency,
    async process(key) {
      const syncing = context.synced()
      if (syncing !== undefined) await syncing
      const result = await options.reconcile(key)
      if (result !== undefined) queue.addAfter(key, result.requeueAfter)
    },
    onError(key, error) {
      const level = error instanceof ApiError ? 'debug' : 'error'
      context.logger[level]({ controller: name, key, err: error }, 'an object will be reconciled again')
    },
  })
  return queue
}

export const keyOf = ({
  metadata,
}: {
  readonly metadata: { readonly namespace?: string; readonly name?: string }
}): string =>
  metadata.namespace === undefined ? (metadata.name ?? '') : `${metadata.namespace}/${metadata.name ?? ''}`

/** The namespace, empty for what has none, and the name. */
export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const at = key.indexOf('/')
  return { namespace: at < 0 ? '' : key.slice(0, at), name: key.slice(at + 1) }
}
