/** Ways to another machine. A dial opens a raw connection; what is spoken over it, and TLS, is the caller's. */
import type { Duplex } from 'node:stream'

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

export const hostPort = (host: string, port: number | string): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
