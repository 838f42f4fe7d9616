/** Encryption at rest of a server or a command, loaded only if a configuration names something to encrypt. */
import { hostname } from 'node:os'
import { serverIdentity } from '../api/server-identity.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Clock } from '../lib/clock.ts'
import { type Logger, silentLogger } from '../lib/logger.ts'
import { MetricSet } from '../lib/metrics.ts'
import { metricDefinitions } from '../telemetry/metrics/definitions.ts'
import type { Encryption } from './encryption.ts'

interface Dependencies {
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: MetricSet
}

/** Undefined when nothing is encrypted. */
export async function makeEncryption(
  options: ServerOptions,
  dependencies: Dependencies,
): Promise<Encryption | undefined> {
  const file = options.storage.encryptionConfigFile
  if (file === undefined) return undefined
  const { openEncryption } = await import('./encryption.ts')
  const reload = options.storage.reloadsEncryptionConfig
  const kmsV1 = options.featureGates.enabled('KMSv1')
  return openEncryption({ file, reload, kmsV1 }, { ...dependencies, serverId: serverIdentity(hostname()) })
}

/** What a file says, for a command: it needs all plugins at once. */
export async function encryptionOf(file: string, clock: Clock): Promise<Encryption> {
  const { openEncryption } = await import('./encryption.ts')
  const metrics = new MetricSet(metricDefinitions(), { release: 0, showHidden: false })
  const dependencies = { clock, logger: silentLogger(), metrics, serverId: 'pilothouse' }
  const encryption = await openEncryption({ file, reload: false, kmsV1: true }, dependencies)
  try {
    for (const { check } of encryption.checks) await check()
    return encryption
  } catch (error) {
    encryption.close()
    throw new ConfigError(`a plugin of ${file} cannot be used: ${(error as Error).message}`)
  }
}
