/** `pilothouse console`: a new link to the console of a running server, or the console in front of any other cluster. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { ConfigError } from '../config/config-error.ts'
import { parseServerOptions } from '../config/server-options.ts'
import type { ConsoleLink } from '../console/session-authenticator.ts'
import { systemClock } from '../lib/clock.ts'
import { readKubeconfig, type WebhookConnection } from '../outbound/kubeconfig.ts'
import { temporaryCredentials } from '../pki/data-folder.ts'
import { readArguments, type Tool } from './tool.ts'

const usage = `Opens the console: prints a link that signs in once.

Usage:
  pilothouse console [--kubeconfig FILE] [--context NAME] [--port PORT] [--tls] [--read-only] [--proxy]

  --kubeconfig FILE  how to reach the cluster (default $KUBECONFIG, ./pilothouse-data/admin.kubeconfig, or ~/.kube/config)
  --context NAME     another context than the current one
  --port PORT        where the local server listens, on 127.0.0.1 (default: any free port)
  --tls              HTTPS with a certificate of its own, which browsers warn of: HTTP/2, so that any number of views can be live
  --read-only        let nothing pass that changes something
  --proxy            a local server even in front of a Pilothouse

A running Pilothouse whose console is on makes the link itself, and the command ends. In front of any other cluster a small server on
this machine serves the same page, until Ctrl-C; what it shows comes from the API of the cluster, with the kubeconfig's credentials.
`

const options = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  port: { type: 'string' },
  tls: { type: 'boolean' },
  'read-only': { type: 'boolean' },
  proxy: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export const openConsole: Tool = async (args, output) => {
  const { values, positionals } = readArguments(args, options)
  if (values.help === true) {
    output.print(usage)
    return 0
  }
  if (positionals.length > 0)
    throw new ConfigError(`console does not take the argument ${JSON.stringify(positionals[0])}`)
  const port = portOf(values.port)
  const connection = connectionOf(values.kubeconfig, values.context)
  const loaded = await import('../console/cluster-link.ts')
  const isProxy = values.proxy === true || values['read-only'] === true
  const link = isProxy ? undefined : await asked(() => loaded.linkOfServer(connection))
  if (link !== undefined) {
    output.print(`${link.url}\n`)
    return 0
  }
  const { openClusterProxy } = await import('../console/cluster-proxy.ts')
  const isReadOnly = values['read-only'] === true
  const tls = values.tls === true ? ownCertificate() : undefined
  const front = await asked(() => openClusterProxy({ connection, clock: systemClock, port, isReadOnly, tls }))
  const shown: ConsoleLink = front.link()
  output.print(`${shown.url}\n`)
  output.note(
    `The console of ${connection.url}, until Ctrl-C. The link is good once, for two minutes; Enter makes another.\n`,
  )
  await untilEnd(() => output.print(`${front.link().url}\n`))
  await front.close()
  return 0
}

/** Made for this run. */
function ownCertificate(): { readonly key: string; readonly cert: string } {
  const { serving } = temporaryCredentials(parseServerOptions(['--bind-address=127.0.0.1']), systemClock)
  return { key: serving.keyPem, cert: serving.certPem }
}

function portOf(text = '0'): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new ConfigError(`--port must be a port, not ${JSON.stringify(text)}`)
  return port
}

function connectionOf(given: string | undefined, context: string | undefined): WebhookConnection {
  const places = [path.join('pilothouse-data', 'admin.kubeconfig'), path.join(homedir(), '.kube', 'config')]
  const file = given ?? process.env['KUBECONFIG'] ?? places.find((place) => existsSync(place)) ?? places[1] ?? ''
  try {
    return readKubeconfig(file, context)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

/** What goes wrong on the way to the cluster is one plain line. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

/** Until a signal comes. A line of input makes another link. */
async function untilEnd(onLine: () => void): Promise<void> {
  if (process.stdin.isTTY) process.stdin.on('data', onLine)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
  process.stdin.pause()
}
