/** Where objects are kept, and how. */
import { ConfigError } from './config-error.ts'
import type { FlagValues } from './flags.ts'

export type StoreKind = 'memory' | 'lmdb' | 'etcd'

export interface StorageOptions {
  readonly kind: StoreKind
  /** What every key begins with, without a slash at the end. */
  readonly prefix: string
  /** How long old revisions can be read from the embedded stores. */
  readonly historyDuration: number
  readonly etcd: EtcdOptions
  readonly encryptionConfigFile: string | undefined
  readonly eventTtl: number
}

export interface EtcdOptions {
  readonly servers: readonly string[]
  readonly caFile: string | undefined
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  /** 0 for no compaction by this server. */
  readonly compactionInterval: number
  readonly healthcheckTimeout: number
  readonly readycheckTimeout: number
}

export function storageOptions(flags: FlagValues): StorageOptions {
  const kind = storeKind(flags)
  const servers = flags.list('etcd-servers')
  if (kind === 'etcd' && servers.length === 0) throw new ConfigError('--etcd-servers must be specified')
  const backend = flags.string('storage-backend')
  if (backend !== '' && backend !== 'etcd3') {
    throw new ConfigError(
      "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
    )
  }
  return {
    kind,
    prefix: `/${flags.string('etcd-prefix').replace(/^\/+|\/+$/g, '')}`,
    historyDuration: flags.number('history-duration'),
    etcd: {
      servers,
      caFile: flags.optional('etcd-cafile'),
      certFile: flags.optional('etcd-certfile'),
      keyFile: flags.optional('etcd-keyfile'),
      compactionInterval: flags.number('etcd-compaction-interval'),
      healthcheckTimeout: flags.number('etcd-healthcheck-timeout'),
      readycheckTimeout: flags.number('etcd-readycheck-timeout'),
    },
    encryptionConfigFile: flags.optional('encryption-provider-config'),
    eventTtl: flags.number('event-ttl'),
  }
}

function storeKind(flags: FlagValues): StoreKind {
  const kind = flags.string('store')
  const named = flags.isSet('etcd-servers')
  if (kind !== 'memory' && kind !== 'lmdb' && kind !== 'etcd') {
    throw new ConfigError(`--store must be memory, lmdb or etcd, not ${JSON.stringify(kind)}`)
  }
  if (named && flags.isSet('store') && kind !== 'etcd') {
    throw new ConfigError(`--store=${kind} and --etcd-servers exclude each other`)
  }
  return named ? 'etcd' : kind
}
