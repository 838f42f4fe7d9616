/** A link between the server and its store that can be cut, stalled, or fill with garbage. */
import net from 'node:net'

export type LinkFault = 'stalled' | 'refused' | 'cut' | 'garbage'

export interface FaultyLink {
  readonly port: number
  /** Undefined: everything passes. */
  fault(kind: LinkFault | undefined): void
  close(): Promise<void>
}

export async function startFaultyLink(to: number): Promise<FaultyLink> {
  const sockets = new Set<net.Socket>()
  let current: LinkFault | undefined
  const server = net.createServer((client) => {
    if (current === 'refused' || current === 'cut') {
      client.destroy()
      return
    }
    const upstream = net.connect(to, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk: Buffer) => current !== 'stalled' && upstream.write(chunk))
    upstream.on(
      'data',
      (chunk: Buffer) =>
        current !== 'stalled' && client.write(current === 'garbage' ? chunk.map((byte) => byte ^ 0x55) : chunk),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as net.AddressInfo).port,
    fault(kind) {
      current = kind
      // What a stalled link swallowed never comes: the connections that missed it are of no use any more.
      if (kind !== 'stalled') for (const socket of sockets) socket.destroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}
