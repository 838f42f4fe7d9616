/** Ways to another machine. A dial opens a raw connection; what is spoken over it, and TLS, is the caller's. */
import { type AgentOptions, type ClientRequest, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent, type AgentOptions as HttpsAgentOptions } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls'

export type Dial = (host: string, port: number) => Promise<Duplex>

/** Where a dial through a proxy failed: on the way to the proxy, or behind it. */
export class DialError extends Error {
  readonly stage: 'connect' | 'proxy'

  constructor(stage: 'connect' | 'proxy', message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DialError'
    this.stage = stage
  }
}

export const hostPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** An agent for HTTPS requests whose connections are all dialled; without a dial they go the usual way. */
export function dialAgent(dial: Dial | undefined, options: HttpsAgentOptions): HttpsAgent {
  const agent = new HttpsAgent(options)
  if (dial === undefined) return agent
  return dialling(agent, async (target) => {
    const { host = '', port = 443 } = target as { host?: string; port?: number | string }
    const socket = await dial(host, Number(port))
    const { servername } = target
    const name = servername === undefined && isIP(host) === 0 ? { servername: host } : {}
    return tlsConnect({ ...options, ...target, ...name, host, socket } as ConnectionOptions)
  })
}

/** The same for HTTP. */
export function plainDialAgent(dial: Dial | undefined, options: AgentOptions): HttpAgent {
  const agent = new HttpAgent(options)
  if (dial === undefined) return agent
  return dialling(agent, (target) => {
    const { host = '', port = 80 } = target as { host?: string; port?: number | string }
    return dial(host, Number(port))
  })
}

/** A kept connection was closed by the other side just when it was used again: the request can go over another one. */
export const isLostWhileKept = ({ reusedSocket, res }: ClientRequest & { res?: unknown }, error: unknown): boolean =>
  reusedSocket && res == null && (error as NodeJS.ErrnoException).code === 'ECONNRESET'

function dialling<T extends HttpAgent>(agent: T, open: (target: ConnectionOptions) => Promise<Duplex>): T {
  agent.createConnection = (target, callback) => {
    open(target as ConnectionOptions).then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    )
    return undefined
  }
  return agent
}
