/** The address of an etcd server: `https://host:port`, or without the scheme for plain connections. */
import { parseGoUrl } from '../../api/golang/url.ts'
import { StoreError } from '../store.ts'

export interface EtcdAddress {
  /** Without the brackets of an IPv6 address. */
  readonly host: string
  readonly port: number
  readonly secure: boolean
}

const defaultPort = 2379

export function parseServer(server: string): EtcdAddress {
  const url = parseGoUrl(server.includes('://') ? server : `http://${server}`)
  if (url === undefined) {
    throw new StoreError('invalid', `${JSON.stringify(server)} is not the address of an etcd server`)
  }
  const { host, port, authority, scheme } = url
  return { host, port: /:\d+$/.test(authority) ? port : defaultPort, secure: scheme === 'https' }
}
