/** A connection through a proxy of the environment: HTTP CONNECT, as Go's http.Transport asks for it. */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import type { SecureContext } from 'node:tls'
import { ProxyConnectError } from './dial.ts'
import type { ProxyServer } from './environment-proxy.ts'

export interface Tunnel {
  readonly proxy: ProxyServer
  /** Host and port where it leads. */
  readonly target: string
  /** Whom to trust as the proxy, where it speaks TLS. */
  readonly secureContext?: SecureContext | undefined
}

const timeoutMs = 60_000

export const proxyAuthorization = ({ authorization }: ProxyServer): Record<string, string> =>
  authorization === undefined ? {} : { 'proxy-authorization': authorization }

export function openTunnel({ proxy, target, secureContext }: Tunnel): Promise<Duplex> {
  const { scheme, host, port } = proxy
  const options = {
    method: 'CONNECT',
    host,
    port,
    path: target,
    headers: { host: target, ...proxyAuthorization(proxy) },
    agent: false,
    timeout: timeoutMs,
    ...(secureContext === undefined ? {} : { secureContext }),
  } as const
  return new Promise((resolve, reject) => {
    const request = scheme === 'https' ? httpsRequest(options) : httpRequest(options)
    request.on('timeout', () => request.destroy(new Error('context deadline exceeded')))
    request.on('error', (error) => reject(new ProxyConnectError(error, proxy)))
    request.on('response', (response) => {
      response.resume()
      reject(new Error(response.statusMessage))
    })
    request.on('connect', (response, socket, head) => {
      request.setTimeout(0)
      if (response.statusCode !== 200) {
        socket.destroy()
        reject(new Error(response.statusMessage))
        return
      }
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    request.end()
  })
}
