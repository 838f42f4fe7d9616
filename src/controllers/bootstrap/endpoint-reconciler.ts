/**
 * Keeps the endpoints of the service `kubernetes`: the servers that are alive.
 *
 * - `lease`: every server renews a record of its own that runs out by itself, and everyone writes the endpoints from the
 *   records that are there. A server that ends removes its record; one that dies is gone when its record is.
 * - `master-count`: every server adds itself, and removes others where there are more than there should be.
 * - `none`: another controller maintains them.
 */
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { WorkQueue } from '../../lib/work-queue.ts'
import type { Controller } from '../controller.ts'
import type { ServedRegistries } from '../live-resources.ts'
import { ensureObjects } from './ensure-objects.ts'
import { kubernetesEndpoints } from './kubernetes-service.ts'

/** The records of the servers that share a store, by their addresses. */
export interface ServerRecords {
  /** Makes the record, or lets it live on. */
  renew(address: string): Promise<void>
  /** The addresses of all records, in order. */
  list(): Promise<readonly string[]>
  remove(address: string): Promise<void>
}

export type ReconcilerType =
  | { readonly type: 'lease'; readonly records: ServerRecords }
  | { readonly type: 'master-count'; readonly count: number }

export interface EndpointReconcilerOptions {
  readonly resources: ServedRegistries
  readonly clock: Clock
  readonly logger: Logger
  /** How others reach this server. */
  readonly address: string
  readonly port: number
  readonly kind: ReconcilerType
}

const intervalMs = 10_000

export class EndpointReconciler implements Controller {
  readonly #options: EndpointReconcilerOptions
  readonly #queue: WorkQueue<'endpoints'>
  /** Ports are put right once, at the start: servers with different ports would undo each other's work for ever. */
  #arePortsRight = false

  constructor(options: EndpointReconcilerOptions) {
    this.#options = options
    const { clock, logger } = options
    this.#queue = new WorkQueue({
      name: 'endpoint_reconciler',
      clock,
      concurrency: 1,
      process: async (key) => {
        await this.#reconcile()
        this.#queue.addAfter(key, intervalMs)
      },
      onError: (_, error) => logger.warn({ err: error }, 'the endpoints of the service kubernetes were not renewed'),
    })
  }

  start(): void {
    this.#queue.add('endpoints')
  }

  /** Takes this server out of the endpoints. */
  async stop(): Promise<void> {
    await this.#queue.stop()
    const { address, kind, logger } = this.#options
    try {
      if (kind.type === 'lease') await kind.records.remove(address)
      const left = kind.type === 'lease' ? await kind.records.list() : undefined
      // The last server leaves the endpoints as they are: an empty list would say more than it knows.
      if (left?.length !== 0) await this.#ensure((known) => left ?? known.filter((other) => other !== address))
    } catch (error) {
      logger.warn({ err: error }, 'this server could not be taken out of the endpoints of the service kubernetes')
    }
  }

  async #reconcile(): Promise<void> {
    const { address, kind } = this.#options
    if (kind.type === 'master-count') {
      await this.#ensure((known) => limitedAddresses(known, address, kind.count))
    } else {
      await kind.records.renew(address)
      const alive = await kind.records.list()
      if (alive.length === 0) throw new Error('no server has a record, although this one has just written its own')
      await this.#ensure(() => alive)
    }
    this.#arePortsRight = true
  }

  async #ensure(addresses: (known: readonly string[]) => readonly string[]): Promise<void> {
    const { resources, port, address } = this.#options
    const keepPorts = this.#arePortsRight
    const [failure] = await ensureObjects(resources, kubernetesEndpoints({ address, port, addresses, keepPorts }))
    if (failure !== undefined) throw failure.error
  }
}

/** The addresses with one's own, without those after it where there are too many. */
export function limitedAddresses(known: readonly string[], own: string, count: number): string[] {
  const all = [...new Set([...known, own])].sort()
  while (all.length > count && all.length > 1) all.splice((all.indexOf(own) + 1) % all.length, 1)
  return all
}
