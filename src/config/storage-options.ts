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
  /** With less than so many bytes free on the disk, the embedded store serves reads and deletes only. */
  readonly reserveBytes: number | undefined
  readonly etcd: EtcdOptions
  readonly encryptionConfigFile: string | undefined
  /** Follow changes of that file. */
  readonly reloadsEncryptionConfig: boolean
  readonly eventTtl: number
  /** How long the store may take to answer when the server starts. */
  readonly initializationTimeout: number
  /** How many events of a resource are kept for watches, by `resource` or `resource.group`. */
  readonly eventHistorySizes: ReadonlyMap<string, number>
  /** Reads that say that they may be old are of the newest state all the same. */
  readonly alwaysNewest: boolean
}

export interface EtcdOptions {
  readonly servers: readonly string[]
  readonly caFile: string | undefined
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  /** 0 for no compaction by this server. */
  readonly compactionInterval: number
  readonly leaseReuseSeconds: number
  /** Resources that are kept elsewhere. */
  readonly overrides: readonly EtcdOverride[]
  readonly healthcheckTimeout: number
  readonly readycheckTimeout: number
}

export interface EtcdOverride {
  readonly group: string
  readonly resource: string
  readonly servers: readonly string[]
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
    reserveBytes: flags.isSet('storage-reserve-megabytes')
      ? flags.number('storage-reserve-megabytes') * 1024 * 1024
      : undefined,
    etcd: {
      servers,
      caFile: flags.optional('etcd-cafile'),
      certFile: flags.optional('etcd-certfile'),
      keyFile: flags.optional('etcd-keyfile'),
      compactionInterval: flags.number('etcd-compaction-interval'),
      leaseReuseSeconds: leaseReuseSeconds(flags),
      overrides: flags.list('etcd-servers-overrides').map(etcdOverride),
      healthcheckTimeout: flags.number('etcd-healthcheck-timeout'),
      readycheckTimeout: flags.number('etcd-readycheck-timeout'),
    },
    encryptionConfigFile: flags.optional('encryption-provider-config'),
    reloadsEncryptionConfig: flags.bool('encryption-provider-config-automatic-reload'),
    eventTtl: flags.number('event-ttl'),
    initializationTimeout: flags.number('storage-initialization-timeout'),
    eventHistorySizes: new Map(flags.list('watch-cache-sizes').map(watchCacheSize)),
    alwaysNewest: !flags.bool('watch-cache'),
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

function leaseReuseSeconds(flags: FlagValues): number {
  const seconds = flags.number('lease-reuse-duration-seconds')
  if (seconds < 0) throw new ConfigError('--lease-reuse-duration-seconds can not be negative value')
  return seconds
}

/** `group/resource#server;server`; the group of core resources is empty: `/events#…`. */
function etcdOverride(text: string): EtcdOverride {
  const malformed = () =>
    new ConfigError(
      `--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated, not ${JSON.stringify(text)}`,
    )
  const [name = '', list = '', ...more] = text.split('#')
  const [group = '', resource = '', ...parts] = name.split('/')
  const servers = list.split(';')
  if (more.length > 0 || parts.length > 0 || resource === '' || servers.some((server) => !URL.canParse(server))) {
    throw malformed()
  }
  return { group, resource, servers }
}

/** `pods#1000`, `deployments.apps#1000`. 0 is as if it was not given: the cache is never off. */
function watchCacheSize(text: string): [string, number] {
  const [resource = '', size = '', ...more] = text.split('#')
  if (resource === '' || more.length > 0 || !text.includes('#')) {
    throw new ConfigError(`invalid value of watch cache size: ${text}`)
  }
  if (!/^-?\d+$/.test(size)) throw new ConfigError(`invalid size of watch cache size: ${text}`)
  if (Number(size) < 0) throw new ConfigError(`watch cache size cannot be negative: ${text}`)
  return [resource, Number(size)]
}
