/**
 * Which way the server's own connections take: to nodes, services and what else is in the cluster; to the control
 * plane's own helpers; to etcd. Without a configuration all go straight.
 */

import { ConfigError } from '../config/config-error.ts'
import {
  type EgressConnection,
  type EgressTransport,
  readEgressSelectorConfiguration,
} from '../config/files/egress-selector-configuration.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { readGivenFile } from '../lib/given-file.ts'
import type { MetricSet } from '../lib/metrics.ts'
import { type ConnectProxy, connectDial } from './connect-dial.ts'
import { type Dial, DialError } from './dial.ts'

export type EgressName = 'cluster' | 'controlplane' | 'etcd'

/** Undefined: straight. */
export type Egress = Readonly<Record<EgressName, Dial | undefined>> & {
  /** Those that the configuration names; absent without one. */
  readonly named?: ReadonlySet<string>
}

export async function makeEgress({ connections, version }: ServerOptions, metrics: MetricSet): Promise<Egress> {
  const file = connections.egressConfigFile
  const dials: Record<EgressName, Dial | undefined> = { cluster: undefined, controlplane: undefined, etcd: undefined }
  if (file === undefined) return dials
  const { egressSelections } = readConfiguration(file, version.emulation.minor)
  for (const { name, connection } of egressSelections) {
    dials[name as EgressName] = await dialOf(connection, metrics)
  }
  return { ...dials, named: new Set(egressSelections.map(({ name }) => name)) }
}

function readConfiguration(file: string, release: number) {
  try {
    return readEgressSelectorConfiguration(readGivenFile(file), file, release)
  } catch (error) {
    throw error instanceof Error ? new ConfigError(error.message) : error
  }
}

async function dialOf({ proxyProtocol, transport }: EgressConnection, metrics: MetricSet): Promise<Dial | undefined> {
  const over = transport?.uds === undefined ? 'tcp' : 'uds'
  switch (proxyProtocol) {
    case 'HTTPConnect':
      return measured(connectDial(connectProxy(transport)), metrics, ['http_connect', over])
    case 'GRPC': {
      const { konnectivityDial } = await import('./konnectivity-dial.ts')
      return measured(konnectivityDial(transport?.uds?.udsName ?? ''), metrics, ['grpc', over])
    }
    default:
      return undefined
  }
}

function connectProxy(transport: EgressTransport | undefined): ConnectProxy {
  const { tcp, uds } = transport ?? {}
  if (uds !== undefined) return { socketPath: uds.udsName }
  const { caBundle = '', clientCert = '', clientKey = '', tlsServerName = '' } = tcp?.tlsConfig ?? {}
  const read = (file: string): string => readGivenFile(file)
  return {
    url: tcp?.url ?? '',
    ...(caBundle === '' ? {} : { ca: read(caBundle) }),
    ...(tlsServerName === '' ? {} : { serverName: tlsServerName }),
    ...(clientCert === '' ? {} : { cert: read(clientCert), key: read(clientKey) }),
  }
}

function measured(dial: Dial, metrics: MetricSet, labels: readonly [protocol: string, transport: string]): Dial {
  const starts = metrics.counter('apiserver_egress_dialer_dial_start_total')
  const failures = metrics.counter('apiserver_egress_dialer_dial_failure_count')
  const durations = metrics.histogram('apiserver_egress_dialer_dial_duration_seconds')
  return async (host, port) => {
    const begin = performance.now()
    starts.add(1, ...labels)
    try {
      const socket = await dial(host, port)
      durations.observe((performance.now() - begin) / 1000, ...labels)
      return socket
    } catch (error) {
      failures.add(1, labels[0], error instanceof DialError ? error.stage : 'connect', labels[1])
      throw error
    }
  }
}
