/** Requests to servers that a cluster's objects name: webhooks and aggregated API servers. */
import type { ClientRequest, IncomingHttpHeaders } from 'node:http'
import { type Agent, request as httpsRequest, type RequestOptions } from 'node:https'
import { type Dial, dialAgent, isLostWhileKept } from '../lib/dial.ts'

/** Where a service is reached. */
export interface ServiceAddress {
  readonly host: string
  readonly port: number
}

export interface ServiceName {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** Throws when the service does not exist or has no address. */
export type ResolveService = (service: ServiceName) => Promise<ServiceAddress>

export interface OutboundTarget {
  readonly host: string
  readonly port: number
  /** The name that the server's certificate must be for. */
  readonly serverName: string
  readonly path: string
}

export interface TrustOptions {
  /** PEM; absent: the authorities of the system. */
  readonly ca?: string
  readonly insecure?: boolean
  /** What this server shows of itself. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string }
  /** Another way there. */
  readonly dial?: Dial | undefined
}

export function outboundAgent({ ca, insecure, clientCertificate, dial }: TrustOptions): Agent {
  return dialAgent(dial, {
    keepAlive: true,
    maxSockets: 32,
    ...(ca === undefined ? {} : { ca }),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
    ...(clientCertificate ?? {}),
  })
}

function openRequest(agent: Agent, target: OutboundTarget, options: RequestOptions): ClientRequest {
  const { host, port, serverName, path } = target
  return httpsRequest({ agent, host, port, path, servername: isIp(serverName) ? '' : serverName, ...options })
}

const isIp = (host: string): boolean => /^[\d.]+$/.test(host) || host.includes(':')

export interface JsonAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const maxAnswerBytes = 64 * 1024 * 1024

export interface OutboundCall {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly timeoutMs: number
}

/** Sends a body and gathers the answer, within a time. */
export function exchange(agent: Agent, target: OutboundTarget, call: OutboundCall): Promise<JsonAnswer> {
  return attempt(agent, target, call, AbortSignal.timeout(call.timeoutMs))
}

function attempt(
  agent: Agent,
  target: OutboundTarget,
  call: Omit<OutboundCall, 'timeoutMs'>,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  return new Promise((resolve, reject) => {
    const { method, headers, body } = call
    const request = openRequest(agent, target, { method, headers, signal })
    request.on('error', (error) => {
      if (isLostWhileKept(request, error)) resolve(attempt(agent, target, call, signal))
      else reject(error)
    })
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxAnswerBytes) request.destroy(new Error('the answer is too large'))
        else chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    request.end(body)
  })
}
