/**
 * Keeps what the server wants to be there: everything once at the start, then what a client deletes as soon as it is
 * gone, and what drifts within a minute.
 *
 * Nothing of it ends the server or keeps it from being ready: a webhook that is down or a policy may refuse these writes
 * like anybody's, and only a server that runs lets clients remove those. What is refused is retried with backoff.
 */

import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { pushAll } from '../../lib/push-all.ts'
import { WorkQueue } from '../../lib/work-queue.ts'
import { watchObjects } from '../../registry/object-watch.ts'
import type { Registry } from '../../registry/registry.ts'
import type { Controller } from '../controller.ts'
import type { ServedRegistries } from '../live-resources.ts'
import { ensureObjects, type Failure, type WantedObject } from './ensure-objects.ts'

export interface BootstrapOptions {
  readonly resources: ServedRegistries
  readonly clock: Clock
  readonly logger: Logger
  /** In this order, each step at once: namespaces before what is in them. */
  readonly steps: readonly (readonly WantedObject[])[]
  /** What is kept after the start. */
  readonly kept: readonly WantedObject[]
}

const driftMs = 60_000
/**
 * How long after the first refusal writes are retried in the foreground: another server that shares the store may be about
 * to write the same. Then they are left to the background. A start that is merely slow does not use it up.
 */
const foregroundMs = 2000
const firstDelayMs = 50

type Task = 'pending' | 'watch' | 'kept'

export class BootstrapController implements Controller {
  readonly #options: BootstrapOptions
  readonly #queue: WorkQueue<Task>
  readonly #endings: (() => void)[] = []
  /** What could not be written yet, in the order of the steps. */
  #pending: readonly WantedObject[] = []
  /** Of retries in the foreground; set by the first failure of a start. */
  #deadline: number | undefined
  #stopped = false

  constructor(options: BootstrapOptions) {
    this.#options = options
    const { clock, logger } = options
    this.#queue = new WorkQueue<Task>({
      name: 'bootstrap',
      clock,
      concurrency: 1,
      process: (task) => this.#tasks[task](),
      onError: (_, error) => logger.warn({ err: error }, 'an object of the server could not be put right'),
    })
  }

  readonly #tasks: Readonly<Record<Task, () => Promise<void>>> = {
    pending: () => this.#retry(),
    watch: () => this.#watchKept(),
    kept: () => this.#keep(),
  }

  /** Resolves when everything has been written, or refused often enough to be left to the background. */
  async start(): Promise<void> {
    for (const step of this.#options.steps) await this.#ensure(step)
    if (this.#stopped) return
    if (this.#pending.length > 0) this.#queue.add('pending')
    await this.#watchKept().catch(() => this.#queue.add('watch'))
    this.#queue.addAfter('kept', driftMs, { background: true })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const end of this.#endings) end()
    await this.#queue.stop()
  }

  /** The store may be slow to come up, or another server may be doing the same: what fails is tried again. */
  async #ensure(step: readonly WantedObject[]): Promise<void> {
    const { resources, clock, logger } = this.#options
    let left = step
    for (let delay = firstDelayMs; left.length > 0 && !this.#stopped; delay *= 2) {
      const failures = await ensureObjects(resources, left)
      left = failures.map(({ wanted }) => wanted)
      if (failures.length === 0) return
      this.#deadline ??= clock.now() + foregroundMs
      if (clock.now() + delay > this.#deadline) {
        logger.warn(summary(failures), 'objects of the server cannot be written, they are retried in the background')
        break
      }
      await new Promise<void>((resolve) => clock.setTimeout(resolve, delay))
    }
    this.#pending = [...this.#pending, ...left]
  }

  async #retry(): Promise<void> {
    const left = this.#pending
    this.#pending = []
    const failures = await this.#ensureInSteps(left)
    this.#pending = failures.map(({ wanted }) => wanted)
    if (failures[0] !== undefined) throw failures[0].error
    this.#options.logger.info('all objects of the server have been written')
  }

  async #keep(): Promise<void> {
    const [failure] = await this.#ensureInSteps(this.#options.kept)
    if (failure !== undefined) throw failure.error
    this.#queue.addAfter('kept', driftMs, { background: true })
  }

  async #ensureInSteps(wanted: readonly WantedObject[]): Promise<Failure[]> {
    const failures: Failure[] = []
    for (const step of this.#options.steps) {
      const part = step.filter((each) => wanted.includes(each))
      pushAll(failures, await ensureObjects(this.#options.resources, part))
    }
    return failures
  }

  async #watchKept(): Promise<void> {
    for (const end of this.#endings.splice(0)) end()
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

const summary = (failures: readonly Failure[]) => ({
  err: failures[0]?.error,
  objects: failures.map(({ wanted }) => `${wanted.resource}/${wanted.object.metadata.name ?? ''}`),
})
