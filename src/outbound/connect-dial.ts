/**
 * Dials through a proxy that speaks HTTP CONNECT, over TCP, TLS or a unix socket. The proxy sees only where the
 * connection goes; what is spoken through it, it does not.
 */
import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http'
import { type GoUrl, parseGoUrl } from '../api/golang/url.ts'
import { type Dial, DialError, hostPort } from './dial.ts'
import { Transport } from './transport.ts'

export interface ConnectProxy {
  /** `http://host:port` or `https://host:port`; or else a unix socket. */
  readonly url?: string
  readonly socketPath?: string
  /** For `https://` proxies. PEM. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** What its certificate must be for; its host by default. */
  readonly serverName?: string
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 30_000

export function connectDial(proxy: ConnectProxy): Dial {
  const open = requester(proxy)
  const address = proxy.url === undefined ? (proxy.socketPath ?? '') : (parseGoUrl(proxy.url)?.authority ?? proxy.url)
  const { timeoutMs = defaultTimeoutMs } = proxy
  return (host, port) => {
    const target = hostPort(host, port)
    return new Promise((resolve, reject) => {
      const request = open(target)
      const refused = (code: number | undefined, said: string | undefined): DialError =>
        new DialError('proxy', `proxy error from ${address} while dialing ${target}, code ${code}: ${code} ${said}`)
      request.setTimeout(timeoutMs, () => request.destroy(new Error(`the proxy did not answer within ${timeoutMs} ms`)))
      request.on('error', (error) => reject(new DialError('connect', error.message, { cause: error })))
      request.on('response', (response) => {
        response.resume()
        reject(refused(response.statusCode, response.statusMessage))
      })
      request.on('connect', (response, socket, head) => {
        request.setTimeout(0)
        if (response.statusCode !== 200) {
          socket.destroy()
          reject(refused(response.statusCode, response.statusMessage))
          return
        }
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
      })
      request.end()
    })
  }
}

/** Makes the request to connect to a target. */
function requester({ url, socketPath, ca, cert, key, serverName }: ConnectProxy): (target: string) => ClientRequest {
  const method = 'CONNECT'
  const headers = { host: '127.0.0.1' }
  if (url === undefined) {
    const options: RequestOptions = {
      method,
      headers,
      agent: false,
      ...(socketPath === undefined ? {} : { socketPath }),
    }
    return (path) => httpRequest({ ...options, path })
  }
  const proxy = parseGoUrl(url)
  if (proxy === undefined) throw new Error(`invalid proxy URL ${JSON.stringify(url)}`)
  const transport = new Transport({ tls: { ca, cert, key, serverName }, keepAlive: false, proxy: 'none' })
  const { scheme, host, port }: GoUrl = proxy
  return (path) => transport.request({ scheme, host, port, path }, { method, headers })
}
