/** The ports that the server listens on: the secure one, and a plain one on the loopback address when asked. */

import type { AuthenticationOptions } from '../config/authentication-options.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { canSharePorts, type Listener, type ListenerOptions, listen } from '../http/listener.ts'
import { readGivenFile } from '../lib/given-file.ts'
import { hostPort } from '../outbound/dial.ts'
import { followCertificates, NamedCertificates } from '../pki/serving-certificates.ts'
import type { ServerDependencies } from './running-server.ts'

/** The secure listener is the first. */
export async function openListeners(
  { serving, authentication }: ServerOptions,
  { credentials, clock, logger, seams, embedding, role }: ServerDependencies,
  { handler, onHandshakeError }: Pick<ListenerOptions, 'handler' | 'onHandshakeError'>,
): Promise<readonly [Listener, ...Listener[]]> {
  const { serving: certificate } = credentials
  const { http2, http2MaxStreams: maxStreams } = serving
  const isBackground = seams?.isBackground ?? embedding?.isBackground ?? false
  const clientAuthorities = authoritiesReader(authentication, credentials.ca.certPem)
  const named = new NamedCertificates(serving, clientAuthorities)
  if (serving.sharePort && !canSharePorts(process.versions.node)) {
    logger.warn(
      { node: process.versions.node },
      '--permit-port-sharing needs Node.js 22.12 or newer: no other process can listen on this port',
    )
  }
  const { bindAddress, securePort, sharePort, maxConnections, insecurePort } = serving
  const secure = await listenAs('--secure-port', {
    host: bindAddress,
    port: securePort,
    sharePort,
    source: role?.connections('secure', { host: bindAddress, port: securePort, sharePort, maxConnections }),
    tls: {
      key: certificate.keyPem,
      cert: certificate.certPem,
      clientAuthorities: clientAuthorities(),
      minVersion: serving.minTlsVersion,
      ticketKeys: role?.ticketKeys,
      ...(serving.ciphers === undefined ? {} : { ciphers: serving.ciphers }),
      ...(serving.curves === undefined ? {} : { curves: serving.curves }),
      ...(serving.sniCertKeys.length > 0 ? { byName: named.find } : {}),
    },
    http2,
    maxStreams,
    isBackground,
    ...(maxConnections === undefined ? {} : { maxConnections }),
    handler,
    ...(onHandshakeError === undefined ? {} : { onHandshakeError }),
  })
  let shown = { key: certificate.keyPem, cert: certificate.certPem }
  const replaceDefault = (key: string, cert: string): void => {
    secure.replaceCertificate({ key, cert, clientAuthorities: clientAuthorities() })
    shown = { key, cert }
  }
  const replaceAuthorities = (): void => replaceDefault(shown.key, shown.cert)
  const clientCaFiles = caFiles(authentication)
  const unfollow = followCertificates(
    { serving, clientCaFiles, clock, logger, replaceDefault, replaceAuthorities },
    named,
  )
  const following: Listener = { ...secure, finish: (ms) => secure.finish(ms).finally(unfollow) }
  if (insecurePort === undefined) return [following]
  const local = { host: '127.0.0.1', port: insecurePort, sharePort: false, maxConnections: undefined }
  const plain = {
    host: local.host,
    port: local.port,
    source: role?.connections('insecure', local),
    tls: undefined,
    http2,
    maxStreams,
    isBackground,
    handler,
  }
  return [following, await listenAs('--insecure-port', plain)]
}

/** A port that cannot be had is a mistake in a flag, or taken by another server. */
async function listenAs(flag: string, options: ListenerOptions): Promise<Listener> {
  const { host, port } = options
  try {
    return await listen(options)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    switch (code) {
      case 'EADDRINUSE':
        throw new ConfigError(
          `another program listens on ${hostPort(host, port)}; stop it, or choose another port with ${flag}`,
        )
      case 'EACCES':
        throw new ConfigError(
          `port ${port} is for privileged programs alone; choose one from 1024 on with ${flag}, or grant the right (AmbientCapabilities=CAP_NET_BIND_SERVICE in a systemd unit)`,
        )
      case 'EADDRNOTAVAIL':
        throw new ConfigError(
          `${host} is no address of this machine; choose one that is with --bind-address (0.0.0.0 for all, 127.0.0.1 for this machine alone)`,
        )
      case 'ENOTFOUND':
        throw new ConfigError(`the host ${host} is not known; give --bind-address an IP address of this machine`)
    }
    throw error
  }
}

const caFiles = ({ clientCaFile, requestHeader }: AuthenticationOptions): readonly string[] =>
  [clientCaFile, requestHeader?.clientCaFile].filter((file) => file !== undefined)

/** The authorities of clients and of front proxies, as their files are now, and the server's own. */
function authoritiesReader(options: AuthenticationOptions, own: string): () => string {
  return () => [own, ...caFiles(options).map((file) => readGivenFile(file))].join('\n')
}

/** The base URL by which a client on this machine reaches a listener. */
export const addressOf = ({ host, port }: Listener, scheme: 'http' | 'https'): string =>
  `${scheme}://${urlHost(host)}:${port}`

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
