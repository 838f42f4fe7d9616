/**
 * Connections to HTTPS servers through a proxy that speaks HTTP CONNECT, over TCP, TLS or a unix socket. The proxy sees
 * only where the connection goes; TLS to the server is spoken through it, end to end.
 */
import { type RequestOptions as HttpRequestOptions, request as httpRequest } from 'node:http'
import { Agent, type AgentOptions, request as httpsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls'

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

/** A raw connection to `host:port` behind the proxy. */
function dialThrough(proxy: ConnectProxy, host: string, port: number): Promise<Duplex> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const { timeoutMs = defaultTimeoutMs } = proxy
  return new Promise((resolve, reject) => {
    const request = connectRequest(proxy, { method: 'CONNECT', path: target, headers: { host: target } })
    request.setTimeout(timeoutMs, () => request.destroy(new Error(`the proxy did not answer within ${timeoutMs} ms`)))
    request.on('error', reject)
    request.on('response', (response) => {
      response.resume()
      reject(new Error(`the proxy refused to connect to ${target}: status ${response.statusCode}`))
    })
    request.on('connect', (response, socket, head) => {
      request.setTimeout(0)
      if (response.statusCode !== 200) {
        socket.destroy()
        reject(new Error(`the proxy refused to connect to ${target}: status ${response.statusCode}`))
        return
      }
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    request.end()
  })
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

/** An agent for HTTPS requests whose connections all go through the proxy. */
export function proxyAgent(proxy: ConnectProxy, options: AgentOptions): Agent {
  const agent = new Agent(options)
  const open = async (target: ConnectionOptions): Promise<Duplex> => {
    const socket = await dialThrough(proxy, target.host ?? '', Number(target.port ?? 443))
    return tlsConnect({ ...options, ...target, socket })
  }
  agent.createConnection = (target, callback) => {
    open(target as ConnectionOptions).then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    )
    return undefined
  }
  return agent
}
