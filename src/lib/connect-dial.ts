/**
 * Dials through a proxy that speaks HTTP CONNECT, over TCP, TLS or a unix socket. The proxy sees only where the
 * connection goes; what is spoken through it, it does not.
 */
import { type RequestOptions as HttpRequestOptions, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type Dial, DialError, hostPort } from './dial.ts'

export interface ConnectProxy {
  /** `http://host:port` or `https://host:port`; or else a unix socket. */
  readonly url?: string
  readonly socketPath?: string
  /** For `https://` proxies. PEM. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 30_000

export function connectDial(proxy: ConnectProxy): Dial {
  const address = proxy.url === undefined ? (proxy.socketPath ?? '') : new URL(proxy.url).host
  const { timeoutMs = defaultTimeoutMs } = proxy
  return (host, port) => {
    const target = hostPort(host, port)
    return new Promise((resolve, reject) => {
      const request = connectRequest(proxy, { method: 'CONNECT', path: target, headers: { host: '127.0.0.1' } })
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

function connectRequest({ url, socketPath, ca, cert, key }: ConnectProxy, options: HttpRequestOptions) {
  const base = { ...options, agent: false as const }
  if (url === undefined) return httpRequest({ ...base, ...(socketPath === undefined ? {} : { socketPath }) })
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'https:') return httpRequest({ ...base, host, port: port === '' ? 80 : port })
  const tls = { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) }
  return httpsRequest({ ...base, host, port: port === '' ? 443 : port, ...tls })
}
