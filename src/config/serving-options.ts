/** Where the server listens, and with which TLS. */
import { availableParallelism } from 'node:os'
import path from 'node:path'
import type { SecureVersion } from 'node:tls'
import { ConfigError } from './config-error.ts'
import type { FlagValues } from './flags.ts'
import { tlsCipherList, tlsCurveList, tlsMinVersion } from './tls-options.ts'

export interface ServingOptions {
  readonly bindAddress: string
  /** 0 lets the system choose a free port; the command line does not allow it. */
  readonly securePort: number
  /** Plain HTTP on the loopback address, if asked for. */
  readonly insecurePort: number | undefined
  readonly advertiseAddress: string | undefined
  readonly externalHostname: string | undefined
  readonly certDir: string
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  readonly sniCertKeys: readonly SniCertKey[]
  readonly minTlsVersion: SecureVersion
  readonly ciphers: string | undefined
  readonly curves: string | undefined
  readonly http2: boolean
  /** 0 for the default. */
  readonly http2MaxStreams: number
  /** How many processes answer requests, this one included. */
  readonly requestWorkers: number
  /** Undefined: there is no bound. */
  readonly maxConnections: number | undefined
  /** The chance that an answer over HTTP/2 asks the client to connect anew. */
  readonly goAwayChance: number
  /** Regular expressions of the origins that browsers may call from. */
  readonly corsOrigins: readonly string[]
  readonly hstsDirectives: readonly string[]
  /** Other processes may listen on the same port. */
  readonly sharePort: boolean
}

export interface SniCertKey {
  readonly certFile: string
  readonly keyFile: string
  /** The host names; those of the certificate if empty. */
  readonly names: readonly string[]
}

export function servingOptions(flags: FlagValues): ServingOptions {
  const certFile = flags.optional('tls-cert-file')
  const keyFile = flags.optional('tls-private-key-file')
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new ConfigError('--tls-cert-file and --tls-private-key-file must be given together')
  }
  const insecurePort = portOf(flags, 'insecure-port')
  return {
    bindAddress: flags.string('bind-address'),
    securePort: securePort(flags),
    insecurePort: insecurePort === 0 ? undefined : insecurePort,
    advertiseAddress: flags.optional('advertise-address'),
    externalHostname: flags.optional('external-hostname'),
    certDir: flags.string('cert-dir') || path.join(flags.string('data-dir'), 'pki'),
    certFile,
    keyFile,
    sniCertKeys: flags.list('tls-sni-cert-key').map(parseSniCertKey),
    minTlsVersion: tlsMinVersion(flags.string('tls-min-version')),
    ciphers: tlsCipherList(flags.list('tls-cipher-suites')),
    curves: tlsCurveList(flags.list('tls-curve-preferences')),
    http2: !flags.bool('disable-http2-serving'),
    http2MaxStreams: http2MaxStreams(flags),
    requestWorkers: requestWorkers(flags),
    maxConnections: maxConnections(flags),
    goAwayChance: goAwayChance(flags),
    corsOrigins: flags.list('cors-allowed-origins'),
    hstsDirectives: hstsDirectives(flags),
    sharePort: flags.bool('permit-port-sharing'),
  }
}

function securePort(flags: FlagValues): number {
  const port = flags.number('secure-port')
  if (port >= 1 && port <= 65535) return port
  throw new ConfigError(`--secure-port ${port} must be between 1 and 65535, inclusive. It cannot be turned off with 0`)
}

function portOf(flags: FlagValues, name: string): number {
  const port = flags.number(name)
  if (port >= 0 && port <= 65535) return port
  throw new ConfigError(`--${name} ${port} must be between 0 and 65535, inclusive`)
}

function http2MaxStreams(flags: FlagValues): number {
  const streams = flags.number('http2-max-streams-per-connection')
  if (streams >= 0 && streams < 2 ** 31) return streams
  throw new ConfigError(`--http2-max-streams-per-connection ${streams} must be between 0 and 2147483647`)
}

const maxRequestWorkers = 256

function requestWorkers(flags: FlagValues): number {
  const text = flags.string('request-workers')
  const count = text === 'auto' ? availableParallelism() : /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(count >= 1 && count <= maxRequestWorkers)) {
    throw new ConfigError(
      `--request-workers ${JSON.stringify(text)} must be auto, or between 1 and ${maxRequestWorkers}`,
    )
  }
  const single = ofOneProcess(flags)
  if (single === undefined || count === 1 || text === 'auto') return single === undefined ? count : 1
  throw new ConfigError(`--${single} is served by one process: leave --request-workers out, or set it to 1 or auto`)
}

/** What lives in the memory of the process that is asked, and not in the store. */
function ofOneProcess(flags: FlagValues): string | undefined {
  if (flags.bool('console')) return 'console'
  return ['simulate', 'test-endpoint'].find((name) => flags.isSet(name))
}

function maxConnections(flags: FlagValues): number | undefined {
  const connections = flags.number('max-connections')
  if (connections < 0) throw new ConfigError(`--max-connections ${connections} must not be negative`)
  return connections === 0 ? undefined : connections
}

function goAwayChance(flags: FlagValues): number {
  const chance = flags.number('goaway-chance')
  if (chance >= 0 && chance <= 0.02) return chance
  throw new ConfigError('--goaway-chance can not be less than 0 or greater than 0.02')
}

const hstsDirective = /^(includeSubDomains|preload|max-age=\d+)$/

function hstsDirectives(flags: FlagValues): readonly string[] {
  const directives = flags.list('strict-transport-security-directives')
  if (directives.every((directive) => hstsDirective.test(directive))) return directives
  throw new ConfigError(
    '--strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information',
  )
}

function parseSniCertKey(text: string): SniCertKey {
  const [files = '', names = ''] = text.split(':')
  const [certFile, keyFile, ...more] = files.split(',')
  if (!certFile || !keyFile || more.length > 0)
    throw new ConfigError('expected comma separated certificate and key file paths')
  return { certFile, keyFile, names: names === '' ? [] : names.split(',') }
}
