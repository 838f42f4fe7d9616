/** The way to etcd through an egress proxy: one relay for each server, since a gRPC channel takes only an address. */
import type { ServerOptions } from '../../config/server-options.ts'
import type { Dial } from '../../outbound/dial.ts'
import { type DialRelay, openDialRelay } from '../../outbound/dial-relay.ts'
import { parseServer } from './etcd-address.ts'

export interface EtcdRelays {
  /** The gRPC target for the address of a server; undefined: that address itself. */
  readonly target: ((server: string) => string | undefined) | undefined
  close(): void
}

export async function etcdRelays({ storage }: ServerOptions, dial: Dial | undefined): Promise<EtcdRelays> {
  if (dial === undefined || storage.kind !== 'etcd') return { target: undefined, close: () => {} }
  const relays = new Map<string, DialRelay>()
  for (const server of storage.etcd.servers) {
    const { host, port } = parseServer(server)
    relays.set(server, await openDialRelay(dial, host, port))
  }
  return {
    target: (server) => {
      const relay = relays.get(server)
      return relay && `unix:${relay.socketPath}`
    },
    close: () => {
      for (const relay of relays.values()) relay.close()
    },
  }
}
