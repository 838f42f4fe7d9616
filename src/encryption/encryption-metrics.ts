/** What encryption at rest counts, under the reference's names. Ids of keys and servers are shown as hashes only. */
import { createHash } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { grpcCodeOf } from '../lib/grpc-code.ts'
import type { MetricSet } from '../lib/metrics.ts'
import { showConfiguration } from '../telemetry/reload-metrics.ts'

export type Direction = 'from_storage' | 'to_storage'

const storage = 'apiserver_storage_'
const envelope = 'apiserver_envelope_encryption_'
const reloads = 'apiserver_encryption_config_controller_automatic_reload'

export const hashOf = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`

export interface EncryptionMetricsOptions {
  readonly metrics: MetricSet
  readonly clock: Clock
  /** Which of several servers this is. */
  readonly serverId: string
}

export class EncryptionMetrics {
  readonly #set: MetricSet
  readonly #clock: Clock
  readonly #serverHash: string
  readonly #hashes = new Map<string, string>()
  readonly #arrivals = new Map<Direction, number>()

  constructor({ metrics, clock, serverId }: EncryptionMetricsOptions) {
    this.#set = metrics
    this.#clock = clock
    this.#serverHash = hashOf(serverId)
  }

  /** A start for `transformed`, in milliseconds of no particular origin. */
  start(): number {
    return performance.now()
  }

  transformed(about: Transformation, start: number, error?: unknown): void {
    const { resource, direction, prefix } = about
    const status = error === undefined ? 'OK' : grpcCodeOf(error)
    this.#set.counter(`${storage}transformation_operations_total`).add(1, resource, direction, prefix, status)
    if (error !== undefined) return
    const seconds = (performance.now() - start) / 1000
    this.#set.histogram(`${storage}transformation_duration_seconds`).observe(seconds, direction, prefix)
  }

  cacheMiss(): void {
    this.#set.counter(`${storage}envelope_transformation_cache_misses_total`).add(1)
  }

  /** Makes a data key, and observes how long that took. */
  generateKey(make: () => Uint8Array): Uint8Array {
    const start = performance.now()
    try {
      const key = make()
      this.#set.histogram(`${storage}data_key_generation_duration_seconds`).observe((performance.now() - start) / 1000)
      return key
    } catch (error) {
      this.#set.counter(`${storage}data_key_generation_failures_total`).add(1)
      throw error
    }
  }

  /** For v1 plugins: how long ago the last value went the same way. */
  arrived(direction: Direction): void {
    const now = this.#clock.now()
    const last = this.#arrivals.get(direction) ?? now
    this.#arrivals.set(direction, now)
    this.#set.histogram(`${envelope}dek_cache_inter_arrival_time_seconds`).observe((now - last) / 1000, direction)
  }

  cacheFill(share: number): void {
    this.#set.gauge(`${envelope}dek_cache_fill_percent`).set(share)
  }

  cacheSize(provider: string, size: number): void {
    this.#set.gauge(`${envelope}dek_source_cache_size`).set(size, provider)
  }

  called(call: { readonly provider: string; readonly method: string }, start: number, error?: unknown): void {
    const code = error === undefined ? 'OK' : grpcCodeOf(error)
    const seconds = (performance.now() - start) / 1000
    this.#set.histogram(`${envelope}kms_operations_latency_seconds`).observe(seconds, call.provider, call.method, code)
  }

  keyUsed(direction: Direction, provider: string, keyId: string): void {
    const labels = [direction, provider, this.#hash(keyId), this.#serverHash]
    this.#set.counter(`${envelope}key_id_hash_total`).add(1, ...labels)
    this.#set.gauge(`${envelope}key_id_hash_last_timestamp_seconds`).set(this.#clock.now() / 1000, ...labels)
  }

  keyOfStatus(provider: string, keyId: string): void {
    this.#set
      .gauge(`${envelope}key_id_hash_status_last_timestamp_seconds`)
      .set(this.#clock.now() / 1000, provider, this.#hash(keyId), this.#serverHash)
  }

  badKeyOfStatus(provider: string, why: string): void {
    this.#set.counter(`${envelope}invalid_key_id_from_status_total`).add(1, provider, why)
  }

  /** Which configuration is in force. */
  configured(digest: string): void {
    showConfiguration(this.#set, 'encryption', { server: this.#serverHash, digest })
  }

  reloaded(ok: boolean): void {
    const status = ok ? 'success' : 'failure'
    this.#set.counter(`${reloads}s_total`).add(1, status, this.#serverHash)
    // The older name of the same.
    this.#set.counter(`${reloads}_${ok ? 'success' : 'failures'}_total`).add(1, this.#serverHash)
    this.#set.gauge(`${reloads}_last_timestamp_seconds`).set(this.#clock.now() / 1000, status, this.#serverHash)
  }

  #hash(keyId: string): string {
    const known = this.#hashes.get(keyId)
    if (known !== undefined) return known
    if (this.#hashes.size >= maxHashes) this.#hashes.clear()
    const hash = hashOf(keyId)
    this.#hashes.set(keyId, hash)
    return hash
  }
}

/** Hashes that are kept: keys rotate seldom. */
const maxHashes = 100

export interface Transformation {
  /** `deployments.apps`. */
  readonly resource: string
  readonly direction: Direction
  readonly prefix: string
}
