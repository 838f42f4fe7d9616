/**
 * What the flags mean: one typed object, checked as a whole and never changed afterwards. Paths are as given, times
 * are in milliseconds unless the name says otherwise, and `undefined` stands for what was not asked for.
 *
 * The defaults differ from the reference only where it would refuse to start without a flag, or would let everybody do
 * everything: the store, the certificates, the service account issuer and key, the service range and the
 * authorization mode.
 */
import { Quantity } from '../api/quantity.ts'
import { enabledAdmissionPlugins, validateAdmissionPlugins } from './admission-plugins.ts'
import { type AuditOptions, auditOptions } from './audit-options.ts'
import { type AuthenticationOptions, anonymousWarnings, authenticationOptions } from './authentication-options.ts'
import { type AuthorizationOptions, authorizationOptions } from './authorization-options.ts'
import { ConfigError, throwConfigErrors } from './config-error.ts'
import { type ConnectionOptions, connectionOptions } from './connection-options.ts'
import { type ConsoleOptions, consoleOptions } from './console-options.ts'
import { selectedControllers, unknownControllers } from './controller-selection.ts'
import { compareReleases, type EffectiveVersion, resolveEffectiveVersion } from './emulated-version.ts'
import { type EndpointOptions, endpointOptions } from './endpoint-options.ts'
import { type FeatureGates, parseFeatureGates, resolveFeatureGates } from './feature-gates.ts'
import { type FlagValues, parseFlags } from './flags.ts'
import { unmetDependencies, unmetGateRequirements } from './gate-requirements.ts'
import { type LeadershipOptions, leadershipOptions, validateLeadership } from './leadership-options.ts'
import { type MetricOptions, metricOptions } from './metric-options.ts'
import { parseRuntimeConfig, type RuntimeConfig, validateRuntimeConfig } from './runtime-config.ts'
import { type PortRange, parsePortRange, parseServiceRanges } from './service-ranges.ts'
import { type ServingOptions, servingOptions } from './serving-options.ts'
import { type SimulateSettings, simulateOptions } from './simulate-options.ts'
import { type StorageOptions, storageOptions } from './storage-options.ts'

export interface ServerOptions {
  readonly dataDir: string
  readonly serving: ServingOptions
  readonly storage: StorageOptions
  readonly authentication: AuthenticationOptions
  readonly authorization: AuthorizationOptions
  readonly admission: AdmissionOptions
  /** Absent: nothing is audited. */
  readonly audit: AuditOptions | undefined
  readonly services: ServiceOptions
  readonly endpoints: EndpointOptions
  readonly limits: LimitOptions
  readonly connections: ConnectionOptions
  readonly health: HealthOptions
  readonly debugging: DebuggingOptions
  readonly shutdown: ShutdownOptions
  readonly version: EffectiveVersion
  readonly leadership: LeadershipOptions
  readonly featureGates: FeatureGates
  readonly runtimeConfig: RuntimeConfig
  readonly priorityAndFairness: boolean
  readonly allowPrivileged: boolean
  /** The values of `--controllers`, for `isControllerEnabled`. */
  readonly controllers: readonly string[]
  readonly garbageCollector: boolean
  readonly console: ConsoleOptions
  /** Absent: nothing is simulated. */
  readonly simulate: SimulateSettings | undefined
  readonly metrics: MetricOptions
  readonly logging: LoggingOptions
  /** Warnings about the flags. */
  readonly warnings: readonly string[]
  /** Where a server for tests is controlled from. */
  readonly testEndpoint: string | undefined
  /** Every flag as it was given: only pages that list them ask for one by its name. */
  readonly flags: FlagValues
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
  readonly deleteCollectionWorkers: number
}

export interface HealthOptions {
  /** How long `/livez` hides checks that have never passed. */
  readonly livezGracePeriod: number
  readonly storeTimeout: number
  readonly storeReadinessTimeout: number
}

export interface DebuggingOptions {
  readonly profiling: boolean
  readonly socketPath: string | undefined
}

export interface ShutdownOptions {
  /** How long requests are still served while `/readyz` already fails. */
  readonly delay: number
  /** Keep listening while requests end, and ask clients to come back later. */
  readonly sendRetryAfter: boolean
  /** How long watches may take to end, spread over that time; 0: all at once. */
  readonly watchGracePeriod: number
}

export interface LoggingOptions {
  readonly verbosity: number
  readonly format: 'text' | 'json'
  /** Whether `--logging-format` names it; if not, what the output is decides. */
  readonly isFormatGiven: boolean
  /** Errors to standard error, the rest to standard output. */
  readonly splitStream: boolean
  /** Information messages are written when there are so many bytes of them, or after so many milliseconds. */
  readonly infoBufferBytes: number
  readonly flushMs: number
}

/** Reads command-line arguments. Throws a `ConfigError` that says all that is wrong with them. */
export function parseServerOptions(args: readonly string[]): ServerOptions {
  return resolveServerOptions(parseFlags(args))
}

export function resolveServerOptions(given: FlagValues): ServerOptions {
  const gates = parseFeatureGates(given.list('feature-gates'))
  const version = resolveEffectiveVersion(given.list('emulated-version'), given.list('min-compatibility-version'))
  const flags = given.atRelease(version.emulation.minor)
  const featureGates = resolveFeatureGates(gates, version.emulation)
  throwConfigErrors(unmetDependencies(featureGates))
  const runtimeConfig = parseRuntimeConfig(flags.list('runtime-config'))
  const collect = errorCollector()
  collect.add(negativeNumbers(flags))
  collect.add(unknownControllers(flags.list('controllers')))
  collect.add(forwardCompatibility(flags, version))
  const storage = collect.run(() => storageOptions(flags))
  const priorityAndFairness = flags.bool('enable-priority-and-fairness')
  collect.add(validateRuntimeConfig(runtimeConfig, { priorityAndFairness, release: version.emulation.minor }))
  const serving = collect.run(() => servingOptions(flags))
  const authentication = collect.run(() => authenticationOptions(flags, featureGates))
  const authorization = collect.run(() => authorizationOptions(flags))
  const admission = collect.run(() => admissionOptions(flags, version.emulation.minor))
  const audit = collect.run(() => auditOptions(flags))
  const leadership = leadershipOptions(flags)
  collect.add(validateLeadership(leadership))
  const services = collect.run(() => serviceOptions(flags))
  const endpoints = collect.run(() => endpointOptions(flags))
  const metrics = collect.run(() => metricOptions(flags, version))
  collect.add(unmetGateRequirements(flags, featureGates))
  const simulate = collect.run(() => simulateOptions(flags))
  const console = collect.run(() => consoleOptions(flags))
  const logging = collect.run(() => loggingOptions(flags, featureGates))
  collect.throwIfAny()
  return deepFreeze({
    dataDir: flags.string('data-dir'),
    serving: serving as ServingOptions,
    storage: storage as StorageOptions,
    authentication: authentication as AuthenticationOptions,
    authorization: authorization as AuthorizationOptions,
    admission: admission as AdmissionOptions,
    audit,
    services: services as ServiceOptions,
    endpoints: endpoints as EndpointOptions,
    limits: limitOptions(flags),
    connections: connectionOptions(flags),
    health: {
      livezGracePeriod: flags.number('livez-grace-period'),
      storeTimeout: flags.number('etcd-healthcheck-timeout'),
      storeReadinessTimeout: flags.number('etcd-readycheck-timeout'),
    },
    debugging: { profiling: flags.bool('profiling'), socketPath: flags.optional('debug-socket-path') },
    shutdown: {
      delay: flags.number('shutdown-delay-duration'),
      sendRetryAfter: flags.bool('shutdown-send-retry-after'),
      watchGracePeriod: flags.number('shutdown-watch-termination-grace-period'),
    },
    version,
    leadership,
    featureGates,
    runtimeConfig,
    priorityAndFairness,
    allowPrivileged: flags.bool('allow-privileged'),
    controllers: selectedControllers(flags),
    garbageCollector: flags.bool('enable-garbage-collector'),
    console: console as ConsoleOptions,
    simulate,
    metrics: metrics as MetricOptions,
    logging: logging as LoggingOptions,
    warnings: [...flagWarnings(flags), ...anonymousWarnings(flags), ...featureGates.warnings],
    testEndpoint: flags.optional('test-endpoint'),
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
    .map(({ name }) => `Flag --${name} is accepted without effect`)
  return [...deprecated, ...idle]
}

function negativeNumbers(flags: FlagValues): string[] {
  const names = [
    'max-requests-inflight',
    'max-mutating-requests-inflight',
    'request-timeout',
    'min-request-timeout',
    'shutdown-delay-duration',
    'shutdown-watch-termination-grace-period',
  ]
  return names.filter((name) => flags.number(name) < 0).map((name) => `--${name} can not be negative value`)
}

/** Looking ahead makes sense only for a server that looks back. */
function forwardCompatibility(flags: FlagValues, { binary, emulation }: EffectiveVersion): string[] {
  if (compareReleases(binary, emulation) !== 0) return []
  const names = { 'emulation-forward-compatible': '', 'runtime-config-emulation-forward-compatible': 'RuntimeConfig' }
  return Object.entries(names)
    .filter(([name]) => flags.bool(name))
    .map(
      ([, prefix]) =>
        `ServerRunOptions.${prefix}EmulationForwardCompatible cannot be set to true if the emulation version is the same as the binary version`,
    )
}

function admissionOptions(flags: FlagValues, release: number): AdmissionOptions {
  const names = {
    enable: flags.list('enable-admission-plugins'),
    disable: flags.list('disable-admission-plugins'),
    only: flags.list('admission-control'),
  }
  throwConfigErrors(validateAdmissionPlugins(names, release))
  return {
    plugins: enabledAdmissionPlugins(names),
    configFile: flags.optional('admission-control-config-file'),
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
    deleteCollectionWorkers: flags.number('delete-collection-workers'),
  }
}

function loggingOptions(flags: FlagValues, gates: FeatureGates): LoggingOptions {
  const format = flags.string('logging-format')
  if (format !== 'text' && format !== 'json') {
    throw new ConfigError(`loggingConfig.format: Invalid value: ${JSON.stringify(format)}: Unsupported log format`)
  }
  for (const each of ['json', 'text']) {
    if (flags.bool(`log-${each}-split-stream`) && !gates.enabled('LoggingAlphaOptions')) {
      throw new ConfigError(`options.${each}.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled`)
    }
  }
  const buffers = ['json', 'text'].map((each) => [each, infoBufferBytes(flags, gates, each)] as const)
  return {
    verbosity: flags.number('v'),
    format,
    isFormatGiven: flags.isSet('logging-format'),
    splitStream: flags.bool(`log-${format}-split-stream`),
    infoBufferBytes: new Map(buffers).get(format) ?? 0,
    flushMs: flags.number('log-flush-frequency'),
  }
}

/** A buffer larger than this would lose too much of the log with the process. */
const maxInfoBufferBytes = 64 * 1024 * 1024

function infoBufferBytes(flags: FlagValues, gates: FeatureGates, format: string): number {
  const text = flags.string(`log-${format}-info-buffer-size`)
  const problem = Quantity.check(text)
  if (problem !== undefined) {
    const flag = `"--log-${format}-info-buffer-size" flag`
    throw new ConfigError(`invalid argument ${JSON.stringify(text)} for ${flag}: ${problem}`)
  }
  const bytes = Quantity.parse(text).value()
  if (bytes > 0 && !gates.enabled('LoggingAlphaOptions')) {
    throw new ConfigError(`options.${format}.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled`)
  }
  return Math.min(Math.max(bytes, 0), maxInfoBufferBytes)
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null && !(member instanceof Map)) deepFreeze(member)
  }
  return Object.freeze(value)
}
