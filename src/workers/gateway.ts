/**
 * A port whose connections go to several processes. Sockets are accepted and sent on unread; those that are the primary's own
 * are handed to its listener.
 */
import net, { type AddressInfo, type Socket } from 'node:net'
import type { ConnectionSource } from '../http/listener.ts'
import type { PortAddress } from '../server/running-server.ts'

/** Sends a socket to another process. False: it is for this one. */
export type HandOff = (socket: Socket) => boolean

export interface GatewayOptions {
  readonly at: PortAddress
  readonly passOn: HandOff
  /** The connections of all processes, by this port. */
  readonly open: () => number
  /** A connection of the primary's own begins (1) and ends (-1). */
  readonly count: (by: 1 | -1) => void
}

export function gateway({ at, passOn, open, count }: GatewayOptions): ConnectionSource {
  const server = net.createServer({ pauseOnConnect: true })
  return {
    open(take) {
      server.on('connection', (socket: Socket) => {
        if (at.maxConnections !== undefined && open() >= at.maxConnections) {
          socket.destroy()
          return
        }
        if (passOn(socket)) return
        count(1)
        socket.once('close', () => count(-1))
        take(socket)
      })
      return new Promise((resolve, reject) => {
        server.once('error', reject)
        const shared = at.sharePort ? { reusePort: true } : {}
        server.listen({ host: at.host, port: at.port, backlog: 4096, ...shared }, () => {
          server.off('error', reject)
          server.on('error', () => {})
          const { address, port } = server.address() as AddressInfo
          resolve({ host: address, port })
        })
      })
    },
    close: () => void server.close(),
  }
}
