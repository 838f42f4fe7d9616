/** The interface of a KMS plugin: it holds the key encryption keys that wrap the data encryption keys of values. */
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { EncryptionMetrics } from './encryption-metrics.ts'
import type { Transformer } from './transformer.ts'

export interface KmsPlugin extends Transformer {
  /** What its values begin with. */
  readonly prefix: string
  /** How long a check may take. */
  readonly checkMs: number
  /** Makes it ready, if the plugin is there; if not, it goes on trying by itself. Never rejects. */
  prime(): Promise<void>
  /** Rejects with what is wrong. */
  check(): Promise<void>
  close(): void
}

export interface KmsSettings {
  readonly name: string
  readonly endpoint: string
  readonly timeoutMs: number
  /** Data keys that are kept, for v1. Not above zero: none. */
  readonly cacheSize: number
}

export interface KmsContext {
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: EncryptionMetrics
  /** The plugin answered: what could not be read before may be readable now. */
  readonly onHealthy: () => void
}
