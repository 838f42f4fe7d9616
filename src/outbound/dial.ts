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

/** A proxy of the environment could not be reached. */
export class ProxyConnectError extends Error {
  readonly proxy: { readonly host: string; readonly port: number }

  constructor(cause: Error, { host, port }: { readonly host: string; readonly port: number }) {
    super(`proxyconnect tcp: ${cause.message}`, { cause })
    this.name = 'ProxyConnectError'
    this.proxy = { host, port }
  }
}

export const hostPort = (host: string, port: number | string): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
