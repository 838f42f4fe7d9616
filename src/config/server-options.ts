/**
 * What the flags mean: one typed object, checked as a whole and never changed afterwards. Paths are as given, times
 * are in milliseconds unless the name says otherwise, and `undefined` stands for what was not asked for.
 *
 * The defaults differ from the reference only where it would refuse to start without a flag, or would let everybody do
 * everything: the store, the certificates, the service account issuer and key, the service range and the
 * authorization mode.
 */
import path from 'node:path'
import type { SecureVersion } from 'node:tls'
import { enabledAdmissionPlugins, validateAdmissionPlugins } from './admission-plugins.ts'
import { ConfigError, throwConfigErrors } from './config-error.ts'
import { type EffectiveVersion, formatVersion, resolveEffectiveVersion } from './emulated-version.ts'
import { type FeatureGates, parseFeatureGates, resolveFeatureGates } from './feature-gates.ts'
import { type FlagValues, parseFlags } from './flags.ts'
import { parseRuntimeConfig, type RuntimeConfig, validateRuntimeConfig } from './runtime-config.ts'
import { type PortRange, parsePortRange, parseServiceRanges } from './service-ranges.ts'
import { tlsCipherList, tlsMinVersion } from './tls-options.ts'

export type StoreKind = 'memory' | 'lmdb' | 'etcd'
export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny' | 'ABAC' | 'Webhook' | 'RBAC' | 'Node'

export interface ServerOptions {
  readonly dataDir: string
  readonly serving: ServingOptions
  readonly storage: StorageOptions
  readonly authentication: AuthenticationOptions
  readonly authorization: AuthorizationOptions
  readonly admission: AdmissionOptions
  readonly services: ServiceOptions
  readonly limits: LimitOptions
  readonly shutdownDelay: number
  readonly version: EffectiveVersion
  readonly featureGates: FeatureGates
  readonly runtimeConfig: RuntimeConfig
  readonly priorityAndFairness: boolean
  readonly allowPrivileged: boolean
  /** The values of `--controllers`, for `isControllerEnabled`. */
  readonly controllers: readonly string[]
  readonly garbageCollector: boolean
  readonly showHiddenMetrics: boolean
  readonly logging: LoggingOptions
  /** What the user should be told about the flags. */
  readonly warnings: readonly string[]
  /** Every flag as it was given, for what has no place of its own above. */
  readonly flags: FlagValues
}

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
  readonly http2: boolean
  /** 0 for the default. */
  readonly http2MaxStreams: number
}

export interface SniCertKey {
  readonly certFile: string
  readonly keyFile: string
  /** The host names; those of the certificate if empty. */
  readonly names: readonly string[]
}

export interface StorageOptions {
  readonly kind: StoreKind
  /** What every key begins with, without a slash at the end. */
  readonly prefix: string
  /** How long old revisions can be read from the embedded stores. */
  readonly historyDuration: number
  readonly etcd: EtcdOptions
  readonly encryptionConfigFile: string | undefined
  readonly eventTtl: number
}

export interface EtcdOptions {
  readonly servers: readonly string[]
  readonly caFile: string | undefined
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  /** 0 for no compaction by this server. */
  readonly compactionInterval: number
  readonly healthcheckTimeout: number
  readonly readycheckTimeout: number
}

export interface AuthenticationOptions {
  readonly anonymous: boolean
  readonly configFile: string | undefined
  readonly clientCaFile: string | undefined
  readonly tokenFile: string | undefined
  readonly serviceAccounts: ServiceAccountOptions
}

export interface ServiceAccountOptions {
  /** The first one signs. */
  readonly issuers: readonly string[]
  readonly audiences: readonly string[]
  readonly keyFiles: readonly string[]
  readonly signingKeyFile: string | undefined
  readonly jwksUri: string | undefined
  readonly lookup: boolean
  readonly extendExpiration: boolean
  /** 0 for no limit. */
  readonly maxExpiration: number
}

export interface AuthorizationOptions {
  readonly configFile: string | undefined
  readonly modes: readonly AuthorizationMode[]
  readonly policyFile: string | undefined
  readonly webhookConfigFile: string | undefined
  readonly webhookVersion: string
  readonly webhookAuthorizedTtl: number
  readonly webhookUnauthorizedTtl: number
}

export interface AdmissionOptions {
  /** The plugins that are on, in the order in which they run. */
  readonly plugins: readonly string[]
  readonly configFile: string | undefined
  readonly notReadyTolerationSeconds: number
  readonly unreachableTolerationSeconds: number
}

export interface ServiceOptions {
  readonly clusterIpRanges: readonly string[]
  readonly nodePorts: PortRange
}

export interface LimitOptions {
  /** 0 for no limit, here and below. */
  readonly maxRequestsInflight: number
  readonly maxMutatingRequestsInflight: number
  readonly requestTimeout: number
  readonly minRequestTimeoutSeconds: number
}

export interface LoggingOptions {
  readonly verbosity: number
  readonly format: 'text' | 'json'
}

const defaultIssuer = 'https://kubernetes.default.svc.cluster.local'

/** Reads command-line arguments. Throws a `ConfigError` that says all that is wrong with them. */
export function parseServerOptions(args: readonly string[]): ServerOptions {
  return resolveServerOptions(parseFlags(args))
}

export function resolveServerOptions(flags: FlagValues): ServerOptions {
  const gates = parseFeatureGates(flags.list('feature-gates'))
  const version = resolveEffectiveVersion(flags.list('emulated-version'))
  const featureGates = resolveFeatureGates(gates, version.emulation)
  const runtimeConfig = parseRuntimeConfig(flags.list('runtime-config'))
  const collect = errorCollector()
  collect.add(negativeNumbers(flags))
  const storage = collect.run(() => storageOptions(flags))
  collect.add(validateRuntimeConfig(runtimeConfig, flags.bool('enable-priority-and-fairness')))
  const serving = collect.run(() => servingOptions(flags))
  const authorization = collect.run(() => authorizationOptions(flags))
  const admission = collect.run(() => admissionOptions(flags))
  const services = collect.run(() => serviceOptions(flags))
  const showHiddenMetrics = collect.run(() => hiddenMetrics(flags, version))
  const logging = collect.run(() => loggingOptions(flags))
  collect.throwIfAny()
  return deepFreeze({
    dataDir: flags.string('data-dir'),
    serving: serving as ServingOptions,
    storage: storage as StorageOptions,
    authentication: authenticationOptions(flags),
    authorization: authorization as AuthorizationOptions,
    admission: admission as AdmissionOptions,
    services: services as ServiceOptions,
    limits: limitOptions(flags),
    shutdownDelay: flags.number('shutdown-delay-duration'),
    version,
    featureGates,
    runtimeConfig,
    priorityAndFairness: flags.bool('enable-priority-and-fairness'),
    allowPrivileged: flags.bool('allow-privileged'),
    controllers: flags.list('controllers'),
    garbageCollector: flags.bool('enable-garbage-collector'),
    showHiddenMetrics: showHiddenMetrics as boolean,
    logging: logging as LoggingOptions,
    warnings: [...flagWarnings(flags), ...featureGates.warnings],
    flags,
  })
}

/** Runs all checks before it gives up, so that one start shows everything that is wrong. */
function errorCollector() {
  const messages: string[] = []
  return {
    add: (found: readonly string[]) => messages.push(...found),
    run<T>(check: () => T): T | undefined {
      try {
        return check()
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        messages.push(error.message)
        return undefined
      }
    },
    throwIfAny: () => throwConfigErrors(messages),
  }
}

function flagWarnings(flags: FlagValues): string[] {
  const deprecated = flags.given
    .filter((flag) => flag.deprecated)
    .map(({ name }) => `Flag --${name} has been deprecated`)
  const idle = flags.given
    .filter((flag) => !flag.supported)
    .map(({ name }) => `Flag --${name} is accepted but has no effect yet`)
  return [...deprecated, ...idle]
}

function negativeNumbers(flags: FlagValues): string[] {
  const names = [
    'max-requests-inflight',
    'max-mutating-requests-inflight',
    'request-timeout',
    'min-request-timeout',
    'shutdown-delay-duration',
  ]
  return names.filter((name) => flags.number(name) < 0).map((name) => `--${name} can not be negative value`)
}

function optional(flags: FlagValues, name: string): string | undefined {
  return flags.string(name) || undefined
}

function storageOptions(flags: FlagValues): StorageOptions {
  const kind = storeKind(flags)
  const servers = flags.list('etcd-servers')
  if (kind === 'etcd' && servers.length === 0) throw new ConfigError('--etcd-servers must be specified')
  const backend = flags.string('storage-backend')
  if (backend !== '' && backend !== 'etcd3') {
    throw new ConfigError(
      "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
    )
  }
  return {
    kind,
    prefix: `/${flags.string('etcd-prefix').replace(/^\/+|\/+$/g, '')}`,
    historyDuration: flags.number('history-duration'),
    etcd: {
      servers,
      caFile: optional(flags, 'etcd-cafile'),
      certFile: optional(flags, 'etcd-certfile'),
      keyFile: optional(flags, 'etcd-keyfile'),
      compactionInterval: flags.number('etcd-compaction-interval'),
      healthcheckTimeout: flags.number('etcd-healthcheck-timeout'),
      readycheckTimeout: flags.number('etcd-readycheck-timeout'),
    },
    encryptionConfigFile: optional(flags, 'encryption-provider-config'),
    eventTtl: flags.number('event-ttl'),
  }
}

function storeKind(flags: FlagValues): StoreKind {
  const kind = flags.string('store')
  const named = flags.isSet('etcd-servers')
  if (kind !== 'memory' && kind !== 'lmdb' && kind !== 'etcd') {
    throw new ConfigError(`--store must be memory, lmdb or etcd, not ${JSON.stringify(kind)}`)
  }
  if (named && flags.isSet('store') && kind !== 'etcd') {
    throw new ConfigError(`--store=${kind} and --etcd-servers exclude each other`)
  }
  return named ? 'etcd' : kind
}

function servingOptions(flags: FlagValues): ServingOptions {
  const certFile = optional(flags, 'tls-cert-file')
  const keyFile = optional(flags, 'tls-private-key-file')
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new ConfigError('--tls-cert-file and --tls-private-key-file must be given together')
  }
  const insecurePort = portOf(flags, 'insecure-port')
  return {
    bindAddress: flags.string('bind-address'),
    securePort: securePort(flags),
    insecurePort: insecurePort === 0 ? undefined : insecurePort,
    advertiseAddress: optional(flags, 'advertise-address'),
    externalHostname: optional(flags, 'external-hostname'),
    certDir: flags.string('cert-dir') || path.join(flags.string('data-dir'), 'pki'),
    certFile,
    keyFile,
    sniCertKeys: flags.list('tls-sni-cert-key').map(parseSniCertKey),
    minTlsVersion: tlsMinVersion(flags.string('tls-min-version')),
    ciphers: tlsCipherList(flags.list('tls-cipher-suites')),
    http2: !flags.bool('disable-http2-serving'),
    http2MaxStreams: http2MaxStreams(flags),
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

function parseSniCertKey(text: string): SniCertKey {
  const [files = '', names = ''] = text.split(':')
  const [certFile, keyFile, ...more] = files.split(',')
  if (!certFile || !keyFile || more.length > 0)
    throw new ConfigError('expected comma separated certificate and key file paths')
  return { certFile, keyFile, names: names === '' ? [] : names.split(',') }
}

function authenticationOptions(flags: FlagValues): AuthenticationOptions {
  const issuers = flags.isSet('service-account-issuer') ? flags.list('service-account-issuer') : [defaultIssuer]
  return {
    anonymous: flags.bool('anonymous-auth'),
    configFile: optional(flags, 'authentication-config'),
    clientCaFile: optional(flags, 'client-ca-file'),
    tokenFile: optional(flags, 'token-auth-file'),
    serviceAccounts: {
      issuers,
      audiences: flags.isSet('api-audiences') ? flags.list('api-audiences') : issuers.slice(0, 1),
      keyFiles: flags.list('service-account-key-file'),
      signingKeyFile: optional(flags, 'service-account-signing-key-file'),
      jwksUri: optional(flags, 'service-account-jwks-uri'),
      lookup: flags.bool('service-account-lookup'),
      extendExpiration: flags.bool('service-account-extend-token-expiration'),
      maxExpiration: flags.number('service-account-max-token-expiration'),
    },
  }
}

const authorizationModes = new Set<string>(['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'])

function authorizationOptions(flags: FlagValues): AuthorizationOptions {
  const modes = flags.list('authorization-mode')
  throwConfigErrors(authorizationErrors(flags, modes))
  return {
    configFile: optional(flags, 'authorization-config'),
    modes: modes as readonly AuthorizationMode[],
    policyFile: optional(flags, 'authorization-policy-file'),
    webhookConfigFile: optional(flags, 'authorization-webhook-config-file'),
    webhookVersion: flags.string('authorization-webhook-version'),
    webhookAuthorizedTtl: flags.number('authorization-webhook-cache-authorized-ttl'),
    webhookUnauthorizedTtl: flags.number('authorization-webhook-cache-unauthorized-ttl'),
  }
}

function authorizationErrors(flags: FlagValues, modes: readonly string[]): string[] {
  const legacy = ['authorization-mode', 'authorization-policy-file', 'authorization-webhook-config-file']
  if (flags.isSet('authorization-config')) {
    return legacy.some((name) => flags.isSet(name))
      ? [
          '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
        ]
      : []
  }
  const errors = modes
    .filter((mode) => !authorizationModes.has(mode))
    .map((mode) => `authorization-mode ${JSON.stringify(mode)} is not a valid mode`)
  if (new Set(modes).size !== modes.length) {
    errors.push(`authorization-mode ${JSON.stringify(modes)} has mode specified more than once`)
  }
  errors.push(...modeFileErrors(flags, modes))
  return errors
}

function modeFileErrors(flags: FlagValues, modes: readonly string[]): string[] {
  const errors: string[] = []
  const policy = flags.string('authorization-policy-file') !== ''
  const webhook = flags.string('authorization-webhook-config-file') !== ''
  if (modes.includes('ABAC') && !policy) errors.push("authorization-mode ABAC's authorization policy file not passed")
  if (!modes.includes('ABAC') && policy) errors.push('cannot specify --authorization-policy-file without mode ABAC')
  if (modes.includes('Webhook') && !webhook)
    errors.push("authorization-mode Webhook's authorization config file not passed")
  if (!modes.includes('Webhook') && webhook) {
    errors.push('cannot specify --authorization-webhook-config-file without mode Webhook')
  }
  return errors
}

function admissionOptions(flags: FlagValues): AdmissionOptions {
  const names = {
    enable: flags.list('enable-admission-plugins'),
    disable: flags.list('disable-admission-plugins'),
    only: flags.list('admission-control'),
  }
  throwConfigErrors(validateAdmissionPlugins(names))
  return {
    plugins: enabledAdmissionPlugins(names),
    configFile: optional(flags, 'admission-control-config-file'),
    notReadyTolerationSeconds: flags.number('default-not-ready-toleration-seconds'),
    unreachableTolerationSeconds: flags.number('default-unreachable-toleration-seconds'),
  }
}

function serviceOptions(flags: FlagValues): ServiceOptions {
  return {
    clusterIpRanges: parseServiceRanges(flags.string('service-cluster-ip-range')),
    nodePorts: parsePortRange(flags.string('service-node-port-range')),
  }
}

function limitOptions(flags: FlagValues): LimitOptions {
  return {
    maxRequestsInflight: flags.number('max-requests-inflight'),
    maxMutatingRequestsInflight: flags.number('max-mutating-requests-inflight'),
    requestTimeout: flags.number('request-timeout'),
    minRequestTimeoutSeconds: flags.number('min-request-timeout'),
  }
}

function hiddenMetrics(flags: FlagValues, { binary }: EffectiveVersion): boolean {
  const wanted = flags.string('show-hidden-metrics-for-version')
  const previous = formatVersion({ major: binary.major, minor: binary.minor - 1 })
  if (wanted === '' || wanted === previous) return wanted !== ''
  throw new ConfigError(
    `--show-hidden-metrics-for-version must be omitted or have the value '${previous}'. Only the previous minor version is allowed`,
  )
}

function loggingOptions(flags: FlagValues): LoggingOptions {
  const format = flags.string('logging-format')
  if (format !== 'text' && format !== 'json') {
    throw new ConfigError(`loggingConfig.format: Invalid value: ${JSON.stringify(format)}: Unsupported log format`)
  }
  return { verbosity: flags.number('v'), format }
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null && !(member instanceof Map)) deepFreeze(member)
  }
  return Object.freeze(value)
}
