/**
 * Encryption at rest as the server uses it: the configuration in force, the transformers of resources, the checks of
 * plugins, and the change to a new configuration. A file that is not good, or whose plugins do not answer, changes
 * nothing. Of the file no more than a hash is kept.
 */
import { createHash } from 'node:crypto'
import type { GroupResource } from '../api/group-version.ts'
import { ConfigError } from '../config/config-error.ts'
import { readEncryptionConfiguration } from '../config/files/encryption-configuration.ts'
import type { Clock } from '../lib/clock.ts'
import { readGivenFileAsync } from '../lib/given-file.ts'
import type { Logger } from '../lib/logger.ts'
import type { MetricSet } from '../lib/metrics.ts'
import { EncryptionMetrics } from './encryption-metrics.ts'
import { type PluginCheck, ProviderTable } from './provider-table.ts'
import type { Transformer } from './transformer.ts'

export interface EncryptionOptions {
  readonly file: string
  /** Follow changes of the file. */
  readonly reload: boolean
  /** The gate KMSv1. */
  readonly kmsV1: boolean
}

export interface EncryptionDependencies {
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: MetricSet
  /** Which of several servers this is. */
  readonly serverId: string
}

const pollMs = 60_000
const firstRetryMs = 1000
/** How long plugins of a new configuration may take until they answer, at least. */
const minGraceMs = 10_000
const askAgainMs = 100

/** Rejects with a `ConfigError` when the file is not good. Plugins that do not answer yet are waited for later. */
export async function openEncryption(
  options: EncryptionOptions,
  dependencies: EncryptionDependencies,
): Promise<Encryption> {
  const encryption = new Encryption(options, dependencies)
  await encryption.open()
  return encryption
}

interface Loaded {
  readonly table: ProviderTable
  readonly hash: string
}

export class Encryption {
  readonly #options: EncryptionOptions
  readonly #dependencies: EncryptionDependencies
  readonly #metrics: EncryptionMetrics
  readonly #readable = new Set<() => void>()
  readonly #retired = new Map<ProviderTable, () => void>()
  #current: Loaded | undefined
  #cancelPoll: (() => void) | undefined
  #failures = 0
  #closed = false

  constructor(options: EncryptionOptions, dependencies: EncryptionDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#metrics = new EncryptionMetrics(dependencies)
  }

  async open(): Promise<void> {
    const text = await this.#read()
    this.#current = { table: this.#build(text), hash: hashOf(text) }
    this.#metrics.configured(`sha256:${this.#current.hash}`)
    await this.#current.table.prime()
    if (this.#options.reload) this.#schedule(pollMs)
  }

  close(): void {
    this.#closed = true
    this.#cancelPoll?.()
    this.#current?.table.close()
    for (const [table, cancel] of this.#retired) {
      cancel()
      table.close()
    }
  }

  get #table(): ProviderTable {
    if (this.#current === undefined) throw new Error('encryption is used before it is open')
    return this.#current.table
  }

  /** Always the one of the configuration in force. */
  transformerFor(resource: GroupResource): Transformer {
    let from: ProviderTable | undefined
    let transformer: Transformer | undefined
    const present = (): Transformer => {
      const table = this.#table
      if (transformer === undefined || from !== table) {
        from = table
        transformer = table.transformerFor(resource)
      }
      return transformer
    }
    return {
      seal: (value, key) => present().seal(value, key),
      open: (value, key) => present().open(value, key),
    }
  }

  /** Whether it follows changes of its file. */
  get reloads(): boolean {
    return this.#options.reload
  }

  /** One for each plugin, or one for all where the plugins may change or all are of version 2. */
  get checks(): readonly PluginCheck[] {
    if (!this.#options.reload && !this.#table.onlyV2) return this.#table.checks
    return [{ name: 'kms-providers', check: () => this.#table.check() }]
  }

  /** Calls back when values that could not be decrypted so far may be decrypted now. */
  onReadable(listener: () => void): void {
    this.#readable.add(listener)
  }

  /** Looks at the file now. True when a new configuration is in force. */
  async reload(): Promise<boolean> {
    const { file } = this.#options
    const { logger } = this.#dependencies
    try {
      const text = await this.#read()
      const hash = hashOf(text)
      if (hash === this.#current?.hash || this.#closed) return false
      const table = this.#build(text)
      await this.#waitUntilHealthy(table)
      this.#replace({ table, hash })
      this.#metrics.reloaded(true)
      this.#metrics.configured(`sha256:${hash}`)
      logger.info({ file }, 'the encryption configuration was taken anew')
      this.#failures = 0
      return true
    } catch (error) {
      this.#failures++
      this.#metrics.reloaded(false)
      logger.error(
        { file, error: (error as Error).message },
        'the encryption configuration was not taken: what was in force stays',
      )
      return false
    }
  }

  async #waitUntilHealthy(table: ProviderTable): Promise<void> {
    const { clock } = this.#dependencies
    await table.prime()
    const end = clock.now() + Math.max(table.graceMs, minGraceMs)
    for (;;) {
      try {
        return await table.check()
      } catch (error) {
        if (clock.now() < end && !this.#closed) {
          await new Promise<void>((resolve) => {
            clock.setTimeout(resolve, askAgainMs)
          })
          continue
        }
        table.close()
        const why = error instanceof Error ? error.message : String(error)
        throw new Error(
          `health check for new transformers failed, polling error timed out waiting for the condition: ${why}`,
        )
      }
    }
  }

  #replace(next: Loaded): void {
    const { clock } = this.#dependencies
    const old = this.#table
    this.#current = next
    // What is under way with the old plugins may end.
    const cancel = clock.setTimeout(() => {
      this.#retired.delete(old)
      old.close()
    }, old.graceMs)
    this.#retired.set(old, cancel)
    this.#tellReadable()
  }

  #tellReadable(): void {
    for (const listener of this.#readable) listener()
  }

  #schedule(ms: number): void {
    const { clock } = this.#dependencies
    this.#cancelPoll = clock.setTimeout(() => {
      void this.reload().then(() => {
        if (this.#closed) return
        this.#schedule(this.#failures === 0 ? pollMs : Math.min(firstRetryMs * 2 ** this.#failures, pollMs))
      })
    }, ms)
  }

  #build(text: string): ProviderTable {
    const { file, reload, kmsV1 } = this.#options
    const { clock, logger } = this.#dependencies
    const configuration = readEncryptionConfiguration(text, file, { reload, kmsV1 })
    const context = { clock, logger, metrics: this.#metrics, onHealthy: () => this.#tellReadable() }
    return new ProviderTable(configuration, context)
  }

  async #read(): Promise<string> {
    const { file } = this.#options
    const loading = 'error while parsing file: error while loading file:'
    const name = `encryption provider configuration file ${JSON.stringify(file)}`
    const text = await readGivenFileAsync(file).catch((error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'no such file or directory' : (error.code ?? error.message)
      throw new ConfigError(`${loading} error reading ${name}: open ${file}: ${why}`)
    })
    if (text === '') throw new ConfigError(`${loading} ${name} is empty`)
    return text
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
