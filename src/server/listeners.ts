/** The ports that the server listens on: the secure one, and a plain one on the loopback address when asked. */
import type { Exchange } from '../api/exchange.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { type Listener, listen } from '../http/listener.ts'
import type { Credentials } from './data-folder.ts'

/** The secure listener is the first. */
export async function openListeners(
  { serving }: ServerOptions,
  { serving: certificate }: Credentials,
  handler: (exchange: Exchange) => void,
): Promise<readonly [Listener, ...Listener[]]> {
  const maxStreams = serving.http2MaxStreams
  const secure = await listen({
    host: serving.bindAddress,
    port: serving.securePort,
    tls: {
      key: certificate.keyPem,
      cert: certificate.certPem,
      minVersion: serving.minTlsVersion,
      ...(serving.ciphers === undefined ? {} : { ciphers: serving.ciphers }),
    },
    maxStreams,
    handler,
  })
  if (serving.insecurePort === undefined) return [secure]
  return [secure, await listen({ host: '127.0.0.1', port: serving.insecurePort, tls: undefined, maxStreams, handler })]
}

/** The base URL by which a client on this machine reaches a listener. */
export const addressOf = ({ host, port }: Listener, scheme: 'http' | 'https'): string =>
  `${scheme}://${urlHost(host)}:${port}`

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
