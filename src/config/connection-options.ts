/** Whom the server connects to for its clients, which way, and as whom. Files are read when the connection is set up. */
import type { ServiceRouting } from '../api/webhook-client-config.ts'
import type { FlagValues } from './flags.ts'
import { simulateOptions } from './simulate-options.ts'

export interface ConnectionOptions {
  /** How services of webhooks, conversions and aggregated servers are reached. */
  readonly serviceRouting: ServiceRouting
  /** What this server shows of itself to aggregated servers. */
  readonly proxyCertFile: string | undefined
  readonly proxyKeyFile: string | undefined
  /** Aggregated servers may not send clients elsewhere. */
  readonly refusesRedirects: boolean
  readonly egressConfigFile: string | undefined
  readonly tracingConfigFile: string | undefined
  readonly kubelets: KubeletOptions
}

export interface KubeletOptions {
  readonly caFile: string | undefined
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  /** Which address of a node is dialled, the best first. */
  readonly addressTypes: readonly string[]
}

export const connectionOptions = (flags: FlagValues): ConnectionOptions => ({
  serviceRouting: serviceRouting(flags),
  proxyCertFile: flags.optional('proxy-client-cert-file'),
  proxyKeyFile: flags.optional('proxy-client-key-file'),
  refusesRedirects: flags.bool('aggregator-reject-forwarding-redirect'),
  egressConfigFile: flags.optional('egress-selector-config-file'),
  tracingConfigFile: flags.optional('tracing-config-file'),
  kubelets: {
    caFile: flags.optional('kubelet-certificate-authority'),
    certFile: flags.optional('kubelet-client-certificate'),
    keyFile: flags.optional('kubelet-client-key'),
    addressTypes: kubeletAddressTypes(flags),
  },
})

function serviceRouting(flags: FlagValues): ServiceRouting {
  if (!flags.isSet('enable-aggregator-routing')) return 'endpoints first'
  return flags.bool('enable-aggregator-routing') ? 'endpoints' : 'cluster address'
}

/** Names of simulated nodes do not resolve: by default their addresses come first. */
function kubeletAddressTypes(flags: FlagValues): readonly string[] {
  const types = flags.list('kubelet-preferred-address-types')
  const isSimulated = simulateOptions(flags) !== undefined
  return isSimulated && !flags.isSet('kubelet-preferred-address-types') ? ['InternalIP', ...types] : types
}
