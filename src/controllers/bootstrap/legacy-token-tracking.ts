/**
 * Keeps the ConfigMap that says since when the uses of legacy tokens are tracked: cleaners of unused tokens do nothing
 * without it, and count from its date.
 *
 * Mirrors pkg/controlplane/controller/legacytokentracking: Controller, with its limit of one create in 30 minutes, so
 * that servers of which only some track do not delete and create it in turns.
 */

import { isJsonObject } from '../../api/json.ts'
import { ApiError } from '../../api/status-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { WorkQueue } from '../../lib/work-queue.ts'
import { findObject, watchObjects } from '../../registry/object-watch.ts'
import { createAs, serverActor, updateAs } from '../../registry/own-writes.ts'
import type { Registry } from '../../registry/registry.ts'
import type { Controller } from '../controller.ts'

export interface LegacyTokenTrackingOptions {
  readonly configMaps: Registry
  readonly clock: Clock
  readonly logger: Logger
}

const target = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' }
const createEveryMs = 30 * 60 * 1000

export class LegacyTokenTracking implements Controller {
  readonly #options: LegacyTokenTrackingOptions
  readonly #queue: WorkQueue<'since'>
  #lastCreate = Number.NEGATIVE_INFINITY
  #endWatch: (() => void) | undefined

  constructor(options: LegacyTokenTrackingOptions) {
    this.#options = options
    const { clock, logger } = options
    this.#queue = new WorkQueue({
      name: 'legacy_token_tracking_controller',
      clock,
      concurrency: 1,
      process: () => this.#sync(),
      onError: (_, error) => logger.warn({ err: error }, 'the date of legacy token tracking could not be written'),
    })
  }

  /** Resolves when the first attempt is over, whatever came of it. */
  async start(): Promise<void> {
    await this.#ensureDate().catch(() => undefined)
    // Following the config maps takes their cache, for which no request waits.
    this.#queue.add('since')
  }

  async stop(): Promise<void> {
    this.#endWatch?.()
    await this.#queue.stop()
  }

  async #sync(): Promise<void> {
    this.#endWatch ??= await this.#watch()
    await this.#ensureDate()
  }

  async #ensureDate(): Promise<void> {
    const { configMaps, clock } = this.#options
    const existing = (await findObject(configMaps, target.namespace, target.name))?.object()
    const since = new Date(clock.now()).toISOString().slice(0, 10)
    if (existing === undefined) return this.#create(since)
    if (isDay(existing['data'])) return
    await updateAs(serverActor, configMaps, target, (current) => {
      const data = current['data']
      return isDay(data) ? undefined : { ...current, data: { ...(isJsonObject(data) ? data : {}), since } }
    }).catch(ignore(404, 409))
  }

  async #create(since: string): Promise<void> {
    const { configMaps, clock } = this.#options
    const wait = this.#lastCreate + createEveryMs - clock.now()
    if (wait > 0) return this.#queue.addAfter('since', wait)
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...target }, data: { since } }
    await createAs(serverActor, configMaps, object).catch(ignore(409))
    this.#lastCreate = clock.now()
  }

  #watch(): Promise<() => void> {
    const listener = {
      changed: (_: unknown, { name }: { readonly name: string }) => {
        if (name === target.name) this.#queue.add('since')
      },
    }
    return watchObjects(this.#options.configMaps, listener, target.namespace)
  }
}

const ignore =
  (...codes: number[]) =>
  (error: unknown): void => {
    if (!(error instanceof ApiError) || !codes.includes(error.code)) throw error
  }

function isDay(data: unknown): boolean {
  const since = isJsonObject(data) ? data['since'] : undefined
  if (typeof since !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(since)) return false
  const parsed = new Date(`${since}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(since)
}
