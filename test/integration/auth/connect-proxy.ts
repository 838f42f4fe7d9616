/** A real HTTP CONNECT proxy for tests, over TCP, TLS or a unix socket; it remembers where connections went. */
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { KeyAndCertificate } from './certificates.ts'

export class ConnectProxyServer {
  readonly targets: string[] = []
  /** Refuses everybody while true. */
  refusing = false
  readonly #server: Server
  readonly #secure: boolean

  constructor(serving?: KeyAndCertificate) {
    this.#secure = serving !== undefined
    this.#server = serving ? createTlsServer({ key: serving.key, cert: serving.certificate }) : createServer()
    this.#server.on('connect', (request, socket: Duplex) => {
      const target = request.url ?? ''
      this.targets.push(target)
      if (this.refusing) {
        socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
        return
      }
      const [host = '', port = ''] = target.split(':')
      const upstream = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        upstream.pipe(socket).pipe(upstream)
      })
      upstream.on('error', () => socket.destroy())
      socket.on('error', () => upstream.destroy())
    })
  }

  start(socketPath?: string): Promise<void> {
    return new Promise((resolve) => {
      if (socketPath === undefined) this.#server.listen(0, '127.0.0.1', resolve)
      else this.#server.listen(socketPath, resolve)
    })
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  get url(): string {
    return `${this.#secure ? 'https' : 'http'}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }
}
