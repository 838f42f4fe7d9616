/** The ports that the server listens on: the secure one, and a plain one on the loopback address when asked. */
import type { ServerOptions } from '../config/server-options.ts'
import { canSharePorts, type Listener, type ListenerOptions, listen } from '../http/listener.ts'
import type { ServerDependencies } from './running-server.ts'
import { followCertificates, NamedCertificates } from './serving-certificates.ts'

/** The secure listener is the first. */
export async function openListeners(
  { serving }: ServerOptions,
  { credentials, clock, logger }: ServerDependencies,
  { handler, onHandshakeError }: Pick<ListenerOptions, 'handler' | 'onHandshakeError'>,
): Promise<readonly [Listener, ...Listener[]]> {
  const { serving: certificate } = credentials
  const { http2, http2MaxStreams: maxStreams } = serving
  const named = new NamedCertificates(serving)
  if (serving.sharePort && !canSharePorts(process.versions.node)) {
    logger.warn(
      { node: process.versions.node },
      '--permit-port-sharing needs Node.js 22.12 or newer: no other process can listen on this port',
    )
  }
  const secure = await listen({
    host: serving.bindAddress,
    port: serving.securePort,
    sharePort: serving.sharePort,
    tls: {
      key: certificate.keyPem,
      cert: certificate.certPem,
      minVersion: serving.minTlsVersion,
      ...(serving.ciphers === undefined ? {} : { ciphers: serving.ciphers }),
      ...(serving.sniCertKeys.length > 0 ? { byName: named.find } : {}),
    },
    http2,
    maxStreams,
    handler,
    ...(onHandshakeError === undefined ? {} : { onHandshakeError }),
  })
  const replaceDefault = (key: string, cert: string): void => secure.replaceCertificate(key, cert)
  const unfollow = followCertificates({ serving, clock, logger, replaceDefault }, named)
  const following: Listener = { ...secure, finish: (ms) => secure.finish(ms).finally(unfollow) }
  if (serving.insecurePort === undefined) return [following]
  const plain = { host: '127.0.0.1', port: serving.insecurePort, tls: undefined, http2, maxStreams, handler }
  return [following, await listen(plain)]
}

/** The base URL by which a client on this machine reaches a listener. */
export const addressOf = ({ host, port }: Listener, scheme: 'http' | 'https'): string =>
  `${scheme}://${urlHost(host)}:${port}`

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
