/** The store addresses of commands: `etcd://host:port,host:port/prefix`, `etcds://…` and `lmdb://folder`. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { ConfigError } from '../config/config-error.ts'
import { trimTrailing } from '../lib/trim-trailing.ts'
import { withDeadline } from '../lib/with-deadline.ts'
import { type EtcdFiles, readEtcdTls } from '../store/etcd/etcd-tls.ts'
import type { Store } from '../store/store.ts'

export type StoreAddress =
  | { readonly kind: 'etcd'; readonly servers: readonly string[]; readonly prefix: string }
  | { readonly kind: 'lmdb'; readonly folder: string; readonly prefix: string }

const defaultPrefix = '/registry'
const connectMs = 3500

export function parseStoreAddress(text: string): StoreAddress {
  const [, scheme = '', rest = ''] = /^(etcds?|lmdb):\/\/(.+)$/s.exec(text) ?? []
  if (scheme === '') {
    throw new ConfigError(`${shownAddress(text)} names no store: use etcd://host:port/prefix or lmdb://folder`)
  }
  if (scheme === 'lmdb') return { kind: 'lmdb', folder: storeFolder(rest), prefix: defaultPrefix }
  const slash = rest.indexOf('/')
  const hosts = (slash < 0 ? rest : rest.slice(0, slash)).split(',')
  const prefix = slash < 0 ? '' : trimTrailing(rest.slice(slash), '/')
  if (hosts.some((host) => !/^[^\s@/]+$/.test(host))) throw new ConfigError(`${shownAddress(text)} names no host`)
  const protocol = scheme === 'etcds' ? 'https' : 'http'
  return {
    kind: 'etcd',
    servers: hosts.map((host) => `${protocol}://${host}`),
    prefix: prefix === '' ? defaultPrefix : prefix,
  }
}

/** An address may have been written with a password in it, which nobody must read in the output. */
const shownAddress = (text: string): string => JSON.stringify(text.replace(/:\/\/.*@/s, '://...@'))

/** The folder of the files: the data folder of a server has them in `store`. */
export function storeFolder(folder: string): string {
  const whole = path.resolve(folder)
  if (existsSync(path.join(whole, 'data.mdb')) || path.basename(whole) === 'store') return whole
  return path.join(whole, 'store')
}

/** Opens the store to read from or write to. One that must have something in it is never made. */
export async function openAddress(address: StoreAddress, files: EtcdFiles, mustExist: boolean): Promise<Store> {
  if (address.kind === 'lmdb') {
    if (mustExist && !existsSync(path.join(address.folder, 'data.mdb'))) {
      throw new ConfigError(`there is no store in ${address.folder}`)
    }
    const { openLmdbStore } = await import('../store/lmdb/lmdb-store.ts')
    return openLmdbStore({ folder: address.folder })
  }
  const { openEtcdStore } = await import('../store/etcd/etcd-store.ts')
  const tls = readEtcdTls(files)
  const store = openEtcdStore({ servers: address.servers, tls, compactionIntervalMs: 0 })
  try {
    await withDeadline(connectMs, (signal) => store.health(signal))
  } catch (error) {
    await store.close()
    const { servers } = address
    const schemes = { plain: 'etcd', secure: 'etcds' }
    const { explainUnusable } = await import('../store/etcd/etcd-probe.ts')
    const why = await explainUnusable({ servers, tls, schemes }, (error as Error).message)
    throw new ConfigError(`the etcd at ${servers.join(', ')} cannot be used: ${why}`)
  }
  return store
}
