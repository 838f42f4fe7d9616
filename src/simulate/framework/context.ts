/** What every simulated controller is given. */
import type { SimulateSettings } from '../../config/simulate-options.ts'
import { controllerActor } from '../../controllers/controller.ts'
import type { ServedRegistries } from '../../controllers/live-resources.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Actor } from '../../registry/own-writes.ts'
import { type Informer, ResourceInformer } from './informer.ts'
import { type EventRecorder, EventSink, type RecorderOptions } from './recorder.ts'
import type { ServerServices } from './server-services.ts'
import { OwnWriter, WritePacer, type Writer } from './writer.ts'

export interface SimulationContext {
  /** The only source of time, timers and randomness. */
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: SimulateSettings
  /** What is served, for those that look kinds up. */
  readonly resources: ServedRegistries
  /** The server itself: its CA, its tokens, requests to it. */
  readonly services: ServerServices
  gate(name: string): boolean
  /** One a resource, shared; it watches from the first use on. */
  informer<T extends object>(group: string, resource: string): Informer<T>
  /** Writes as a service account of kube-system, or as another user. */
  writer(account: string | Actor): Writer
  recorder(component: string, options?: RecorderOptions): EventRecorder
  /** Undefined when all informers that were asked for have what there is; otherwise resolves then. */
  synced(): Promise<void> | undefined
}

const controllerManager: Actor = {
  user: { name: 'system:kube-controller-manager', groups: ['system:authenticated'], extra: new Map() },
  fieldManager: 'kube-controller-manager',
}

export interface ContextOptions {
  readonly resources: ServedRegistries
  readonly services: ServerServices
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: SimulateSettings
  readonly gate: (name: string) => boolean
}

export class OpenContext implements SimulationContext {
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: SimulateSettings
  readonly gate: (name: string) => boolean
  readonly resources: ServedRegistries
  readonly services: ServerServices
  readonly #pace = new WritePacer()
  readonly #eventPace = new WritePacer()
  readonly #informers = new Map<string, ResourceInformer<unknown>>()
  readonly #events: EventSink
  #syncing: Promise<void> | undefined

  constructor({ resources, services, clock, logger, settings, gate }: ContextOptions) {
    this.resources = resources
    this.services = services
    this.clock = clock
    this.logger = logger
    this.settings = settings
    this.gate = gate
    this.#events = new EventSink({ clock, logger, pace: this.#pace, resources })
  }

  informer<T extends object>(group: string, resource: string): Informer<T> {
    const key = `${resource}.${group}`
    const known = this.#informers.get(key)
    if (known !== undefined) return known as unknown as Informer<T>
    const { resources, clock, logger } = this
    const onError = (error: unknown): void =>
      logger.error({ resource: key, err: error }, 'the simulation cannot see what there is')
    const informer = new ResourceInformer<T>({ resources, group, resource, clock, onError })
    this.#informers.set(key, informer as unknown as ResourceInformer<unknown>)
    this.#waitFor(informer.synced)
    return informer
  }

  writer(account: string | Actor): Writer {
    const actor = typeof account === 'string' ? controllerActor(account) : account
    return new OwnWriter(this.resources, actor, this.#pace)
  }

  recorder(component: string, options: RecorderOptions = {}): EventRecorder {
    const writer = new OwnWriter(this.resources, options.actor ?? controllerManager, this.#eventPace)
    return this.#events.recorder(component, options, writer)
  }

  synced(): Promise<void> | undefined {
    return this.#syncing
  }

  async close(): Promise<void> {
    for (const informer of this.#informers.values()) informer.stop()
    await this.#events.stop()
  }

  #waitFor(synced: Promise<void>): void {
    const all = Promise.all([this.#syncing, synced]).then(() => undefined)
    this.#syncing = all
    void all.then(() => {
      if (this.#syncing === all) this.#syncing = undefined
    })
  }
}
