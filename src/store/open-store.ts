/** Opens the store that the options ask for. Only what is used is loaded. */
import path from 'node:path'
import { ConfigError } from '../config/config-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Clock } from '../lib/clock.ts'
import { readEtcdTls } from './etcd/etcd-tls.ts'
import type { Store } from './store.ts'

/** `etcdTarget`: another gRPC target for the address of an etcd server. */
export async function openStore(
  { storage, dataDir, serving }: ServerOptions,
  clock: Clock,
  etcdTarget?: (server: string) => string | undefined,
): Promise<Store> {
  const historyMs = storage.historyDuration
  const takesHints = serving.requestWorkers > 1
  switch (storage.kind) {
    case 'memory': {
      const { openMemoryStore } = await import('./memory.ts')
      return openMemoryStore({ clock, historyMs, takesHints })
    }
    case 'lmdb': {
      const { openLmdbStore } = await import('./lmdb/lmdb-store.ts').catch(explainMissingBinary)
      return openLmdbStore({
        folder: path.resolve(dataDir, 'store'),
        clock,
        historyMs,
        reserveBytes: storage.reserveBytes,
        takesHints,
      })
    }
    case 'etcd': {
      const { openEtcdStore } = await import('./etcd/etcd-store.ts')
      const { servers, caFile, certFile, keyFile, compactionInterval, leaseReuseSeconds } = storage.etcd
      const tls = readEtcdTls({ ca: caFile, cert: certFile, key: keyFile })
      return openEtcdStore({
        servers,
        tls,
        clock,
        compactionIntervalMs: compactionInterval,
        leaseReuseSeconds,
        target: etcdTarget,
      })
    }
  }
}

/** lmdb is native code, which npm installs as an optional package of the platform. */
function explainMissingBinary(error: unknown): never {
  if (!(error instanceof Error) || !error.message.startsWith('No native build was found')) throw error
  const { platform, arch } = process
  throw new ConfigError(
    `the embedded store has no binary for ${platform}-${arch}: install again with optional packages (npm install --include=optional), or choose --store=memory or etcd`,
  )
}
