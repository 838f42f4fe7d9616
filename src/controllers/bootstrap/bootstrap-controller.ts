/**
 * Keeps what the server wants to be there: everything once at the start, then what somebody deletes as soon as it is
 * gone, and what drifts within a minute.
 */
import { ApiError } from '../../api/status-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { WorkQueue } from '../../lib/work-queue.ts'
import { watchObjects } from '../../registry/object-watch.ts'
import type { Registry } from '../../registry/registry.ts'
import type { Controller } from '../controller.ts'
import type { Resources } from '../live-resources.ts'
import { ensureObjects, type Failure, type WantedObject } from './ensure-objects.ts'

export interface BootstrapOptions {
  readonly resources: Resources
  readonly clock: Clock
  readonly logger: Logger
  /** In this order, each step at once: namespaces before what is in them. */
  readonly steps: readonly (readonly WantedObject[])[]
  /** What is kept after the start. */
  readonly kept: readonly WantedObject[]
}

const driftMs = 60_000
const attempts = 8
const firstDelayMs = 50

export class BootstrapController implements Controller {
  readonly #options: BootstrapOptions
  readonly #queue: WorkQueue<'kept'>
  readonly #endings: (() => void)[] = []
  #stopped = false

  constructor(options: BootstrapOptions) {
    this.#options = options
    const { resources, clock, logger } = options
    this.#queue = new WorkQueue({
      name: 'bootstrap',
      clock,
      concurrency: 1,
      process: async (key) => {
        for (const step of options.steps) {
          const kept = step.filter((each) => options.kept.includes(each))
          const [failure] = await ensureObjects(resources, kept)
          if (failure !== undefined) throw failure.error
        }
        this.#queue.addAfter(key, driftMs)
      },
      onError: (_, error) => logger.warn({ err: error }, 'an object of the server could not be put right'),
    })
  }

  /** Resolves when everything is there. */
  async start(): Promise<void> {
    for (const step of this.#options.steps) await this.#ensure(step)
    if (this.#stopped) return
    await this.#watchKept()
    this.#queue.addAfter('kept', driftMs)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const end of this.#endings) end()
    await this.#queue.stop()
  }

  /**
   * The store may be slow to come up, or another server may be doing the same: what fails is tried again. An object that
   * the rules refuse will be refused for ever: that is said, and the rest goes on.
   */
  async #ensure(step: readonly WantedObject[]): Promise<void> {
    const { resources, clock, logger } = this.#options
    let left = step
    for (let attempt = 1; left.length > 0 && !this.#stopped; attempt++) {
      const failures = await ensureObjects(resources, left)
      for (const { wanted, error } of failures.filter(isRefused)) {
        logger.error({ err: error, resource: wanted.resource }, 'the server refuses one of its own first objects')
      }
      const passing = failures.filter((failure) => !isRefused(failure))
      if (passing.length === 0) return
      if (attempt === attempts) throw passing[0]?.error
      logger.warn({ err: passing[0]?.error }, 'the first objects cannot be written yet')
      left = passing.map(({ wanted }) => wanted)
      await new Promise<void>((resolve) => clock.setTimeout(resolve, firstDelayMs * 2 ** attempt))
    }
  }

  async #watchKept(): Promise<void> {
    const resources = new Map<Registry, Map<string, Set<string>>>()
    for (const { group, resource, object } of this.#options.kept) {
      const registry = this.#options.resources.get(group, resource)
      if (registry === undefined) continue
      const { namespace = '', name = '' } = object.metadata
      const namespaces = resources.get(registry) ?? new Map<string, Set<string>>()
      resources.set(registry, namespaces.set(namespace, (namespaces.get(namespace) ?? new Set()).add(name)))
    }
    for (const [registry, namespaces] of resources) {
      const end = await watchObjects(registry, {
        changed: (type, { namespace, name }) => {
          if (type === 'DELETED' && namespaces.get(namespace)?.has(name)) this.#queue.add('kept')
        },
      })
      this.#endings.push(end)
    }
  }
}

const isRefused = ({ error }: Failure): boolean =>
  error instanceof ApiError && error.code >= 400 && error.code < 500 && error.code !== 409 && error.code !== 429
