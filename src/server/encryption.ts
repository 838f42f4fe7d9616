/** Encryption at rest of a server, loaded only if a configuration names something to encrypt. */
import { hostname } from 'node:os'
import type { ServerOptions } from '../config/server-options.ts'
import { serverIdentity } from '../controllers/identity-lease.ts'
import type { Encryption } from '../encryption/encryption.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { MetricSet } from '../lib/metrics.ts'

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
  const { openEncryption } = await import('../encryption/encryption.ts')
  const reload = options.flags.bool('encryption-provider-config-automatic-reload')
  const kmsV1 = options.featureGates.enabled('KMSv1')
  return openEncryption({ file, reload, kmsV1 }, { ...dependencies, serverId: serverIdentity(hostname()) })
}
