/**
 * Keeps one object of a fixed name in every active namespace: the `default` service account, the bundle of the cluster's
 * CA. Created when it is missing, put right when its content is not what it should be; a terminating namespace is left alone.
 */
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import { WorkQueue } from '../../lib/work-queue.ts'
import { findObject, type LazyObject, watchObjects } from '../../registry/object-watch.ts'
import { createAs, updateAs } from '../../registry/own-writes.ts'
import type { Registry } from '../../registry/registry.ts'
import { type Controller, type ControllerOptions, controllerActor } from '../controller.ts'

/** The object that every namespace has. */
export interface NamespaceObject {
  /** The queue's name in metrics. */
  readonly queue: string
  /** The service account, in kube-system, that writes it. */
  readonly account: string
  readonly resource: string
  readonly name: string
  /** The object for a namespace. */
  create(namespace: string): KubeObject
  /** What differs put right; undefined when nothing does. */
  repair?(current: KubeObject): KubeObject | undefined
}

const namespacesAtATime = 5

export class NamespaceObjects implements Controller {
  readonly #options: ControllerOptions
  readonly #wanted: NamespaceObject
  readonly #queue: WorkQueue<string>
  #watches: Promise<() => void>[] = []

  constructor(options: ControllerOptions, wanted: NamespaceObject) {
    this.#options = options
    this.#wanted = wanted
    this.#queue = new WorkQueue({
      name: wanted.queue,
      clock: options.clock,
      concurrency: namespacesAtATime,
      process: (namespace) => this.#reconcile(namespace),
      onError: (namespace, error) =>
        options.logger.debug({ namespace, err: error }, `${wanted.resource}/${wanted.name} will be tried again`),
    })
  }

  start(): void {
    const namespaces = this.#registry('namespaces')
    const objects = this.#registry(this.#wanted.resource)
    if (namespaces === undefined || objects === undefined) return
    const { name } = this.#wanted
    this.#watch(namespaces, (type, entry) => type !== 'DELETED' && this.#queue.add(entry.name))
    this.#watch(objects, (_, entry) => entry.name === name && this.#queue.add(entry.namespace))
  }

  async stop(): Promise<void> {
    for (const watch of this.#watches) watch.then((end) => end()).catch(() => {})
    await this.#queue.stop()
  }

  #watch(registry: Registry, changed: (type: string, entry: LazyObject) => unknown): void {
    const watch = watchObjects(registry, { changed: (type, entry) => void changed(type, entry) })
    watch.catch((error: unknown) => this.#options.logger.error({ err: error }, 'a controller cannot watch'))
    this.#watches.push(watch)
  }

  #registry(resource: string): Registry | undefined {
    return this.#options.resources.get('', resource)
  }

  async #reconcile(namespace: string): Promise<void> {
    const [namespaces, objects] = [this.#registry('namespaces'), this.#registry(this.#wanted.resource)]
    if (namespaces === undefined || objects === undefined) return
    const home = await findObject(namespaces, '', namespace)
    if (home === undefined || home.links?.isDeleted) return
    const found = await findObject(objects, namespace, this.#wanted.name)
    try {
      if (found === undefined) await this.#create(objects, namespace)
      else await this.#repair(objects, found)
    } catch (error) {
      // The namespace went, or another writer was first: the change that says so is on its way.
      if (!(error instanceof ApiError) || !isOvertaken(error)) throw error
    }
  }

  async #create(objects: Registry, namespace: string): Promise<void> {
    await createAs(controllerActor(this.#wanted.account), objects, this.#wanted.create(namespace))
  }

  async #repair(objects: Registry, found: LazyObject): Promise<void> {
    const repair = this.#wanted.repair
    if (repair === undefined || repair(found.object()) === undefined) return
    const { namespace, name } = found
    await updateAs(controllerActor(this.#wanted.account), objects, { namespace, name }, repair)
  }
}

const isOvertaken = (error: ApiError): boolean =>
  error.status.reason === 'AlreadyExists' ||
  error.status.reason === 'NotFound' ||
  (error.status.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating')
