/** The store and the one stream of its changes, from which everything that reads is kept current. */
import { Feed } from '../cache/feed.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Store } from '../store/store.ts'
import { etcdRelays } from './etcd-relays.ts'
import { measuredStore } from './metrics/measured-store.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import type { ServerParts } from './running-server.ts'
import { openStore } from './stores.ts'
import { tracedStore } from './traced.ts'

export interface StorageLayer {
  readonly store: Store
  readonly feed: Feed
  /** Why the stream of changes is broken; undefined while it is not. */
  feedFailure(): string | undefined
  close(): Promise<void>
}

export async function openStorage(
  options: ServerOptions,
  { clock, logger, seams, egress, tracer }: ServerParts,
  metrics: ServerMetrics,
): Promise<StorageLayer> {
  const { prefix } = options.storage
  const relays = await etcdRelays(options, egress.etcd)
  const opened = seams?.openStore() ?? (await openStore(options, clock, relays.target))
  const store = measuredStore(tracer === undefined ? opened : tracedStore(opened, tracer.trace), metrics.set, prefix)
  let failure: string | undefined
  const feed = new Feed({
    store,
    clock,
    prefix: `${prefix}/`,
    onLost: (why) => {
      failure = why
      logger.error({ why }, 'the stream of changes from the store was lost: reading everything anew')
    },
    onRecovered: () => {
      failure = undefined
    },
  })
  await feed.start()
  return {
    store,
    feed,
    feedFailure: () => failure,
    async close() {
      feed.close()
      await store.close()
      relays.close()
    },
  }
}
