/** The address of an etcd server: `https://host:port`, or without the scheme for plain connections. */
import { StoreError } from '../store.ts'

export interface EtcdAddress {
  /** Without the brackets of an IPv6 address. */
  readonly host: string
  readonly port: number
  readonly secure: boolean
}

const defaultPort = 2379

export function parseServer(server: string): EtcdAddress {
  const text = server.includes('://') ? server : `http://${server}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.hostname === '' || !['http:', 'https:'].includes(url.protocol)) {
    throw new StoreError('invalid', `${JSON.stringify(server)} is not the address of an etcd server`)
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort : Number(url.port),
    secure: url.protocol === 'https:',
  }
}
