/**
 * The end of namespaces: all content of a terminating one is deleted, pods first, whatever its kind; its conditions say
 * what is still there and why; when nothing is, the finalizer `kubernetes` goes, and with it the namespace.
 */
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import { formatTime, instantOfMillis } from '../../api/time.ts'
import type * as core from '../../catalog/types/core-v1.ts'
import { reasonOf } from '../../lib/fault.ts'
import { forEachLimited } from '../../lib/for-each.ts'
import { WorkQueue } from '../../lib/work-queue.ts'
import { findObject, type LazyObject, objectsIn, watchObjects } from '../../registry/object-watch.ts'
import { deleteAs, updateAs } from '../../registry/own-writes.ts'
import type { Registry } from '../../registry/registry.ts'
import { type Controller, type ControllerOptions, controllerActor } from '../controller.ts'
import { type ContentReport, updatedConditions } from './conditions.ts'

const actor = controllerActor('namespace-controller')
const finalizer = 'kubernetes'
const namespacesAtATime = 10
const deletesAtATime = 32
/** How long until a namespace whose content does not move is looked at again. */
const lookAgainMs = 8000
const freshTimeoutMs = 5000

type Namespace = KubeObject & Partial<Pick<core.Namespace, 'spec' | 'status'>>

export class NamespaceController implements Controller {
  readonly #options: ControllerOptions
  readonly #queue: WorkQueue<string>
  /** Watches of what is left in namespaces that wait for it. */
  readonly #held = new Map<string, (() => void)[]>()
  #endWatch: Promise<() => void> | undefined
  #stopped = false

  constructor(options: ControllerOptions) {
    this.#options = options
    this.#queue = new WorkQueue({
      name: 'namespace',
      clock: options.clock,
      concurrency: namespacesAtATime,
      process: (name) => this.#process(name),
      onError: (namespace, error) => {
        options.logger.debug({ namespace, err: error }, 'the deletion of a namespace will be tried again')
      },
    })
  }

  start(): void {
    const changed = (type: string, entry: LazyObject): void => {
      if (type === 'DELETED') this.#release(entry.name)
      else if (entry.links?.isDeleted) this.#queue.add(entry.name)
    }
    this.#endWatch = watchObjects(this.#namespaces(), { changed })
    this.#endWatch.catch((error: unknown) => this.#options.logger.error({ err: error }, 'cannot watch namespaces'))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#endWatch?.then((end) => end()).catch(() => {})
    await this.#queue.stop()
    for (const name of [...this.#held.keys()]) this.#release(name)
  }

  #namespaces(): Registry {
    const registry = this.#options.resources.get('', 'namespaces')
    if (registry === undefined) throw new Error('namespaces are not served')
    return registry
  }

  #release(name: string): void {
    for (const end of this.#held.get(name) ?? []) end()
    this.#held.delete(name)
  }

  async #process(name: string): Promise<void> {
    const registry = this.#namespaces()
    const namespace = (await findObject(registry, '', name))?.object() as Namespace | undefined
    if (namespace?.metadata.deletionTimestamp == null) return
    if (namespace.spec?.finalizers?.includes(finalizer) !== true) return
    try {
      await registry.storage.reflector.fresh(freshTimeoutMs)
      const { report, left } = await this.#deleteContent(name)
      await this.#writeConditions(registry, name, report)
      if (left.length > 0 || report.errors.length > 0) return await this.#hold(name, left, report)
      this.#release(name)
      await this.#finalize(registry, namespace)
    } catch (error) {
      // The namespace itself is gone: nothing is left to do.
      if (!(error instanceof ApiError && error.code === 404)) throw error
    }
  }

  async #deleteContent(namespace: string): Promise<{ report: ContentReport; left: Registry[] }> {
    const isContent = ({ definition }: Registry) => definition.namespaced && definition.verbs.has('delete')
    const resources = [...this.#options.live.live()].filter(isContent)
    const pods = resources.filter(({ definition }) => definition.group === '' && definition.resource === 'pods')
    const tally = new Tally()
    if (this.#options.gate('OrderedNamespaceDeletion')) {
      for (const registry of pods) await this.#deleteObjects(registry, namespace, tally)
      if (tally.left.length > 0 || tally.errors.length > 0) return { report: tally, left: tally.left }
    }
    for (const registry of resources) {
      if (!pods.includes(registry) || !this.#options.gate('OrderedNamespaceDeletion')) {
        await this.#deleteObjects(registry, namespace, tally)
      }
    }
    return { report: tally, left: tally.left }
  }

  async #deleteObjects(registry: Registry, namespace: string, tally: Tally): Promise<void> {
    const present = await objectsIn(registry, namespace)
    if (present.length === 0) return
    const errors = await forEachLimited(present, deletesAtATime, async ({ name }) => {
      try {
        await deleteAs(actor, registry, { namespace, name }, { propagationPolicy: 'Background' })
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 404)) throw error
      }
    })
    for (const error of errors) tally.errors.push(reasonOf(error))
    await registry.storage.reflector.fresh(freshTimeoutMs)
    await forEachLimited(await objectsIn(registry, namespace), 1, async (entry) =>
      tally.count(registry, entry.object()),
    )
  }

  async #writeConditions(registry: Registry, name: string, report: ContentReport): Promise<void> {
    const now = formatTime(instantOfMillis(this.#options.clock.now()))
    await updateAs(actor, registry, { namespace: '', name, subresource: 'status' }, (current) => {
      const { status } = current as Namespace
      const conditions = updatedConditions(status?.conditions ?? [], report, now)
      if (conditions === undefined && status?.phase === 'Terminating') return undefined
      return { ...current, status: { ...status, phase: 'Terminating', ...(conditions ? { conditions } : {}) } }
    })
  }

  /** Waits for what is left: any change of it brings the namespace back into the queue. */
  async #hold(name: string, left: readonly Registry[], { errors }: ContentReport): Promise<void> {
    this.#release(name)
    let isOpen = false
    const changed = (): void => {
      if (isOpen) this.#queue.add(name)
    }
    const watches = await Promise.all(left.map((registry) => watchObjects(registry, { changed }, name)))
    isOpen = true
    this.#held.set(name, watches)
    if (this.#stopped) this.#release(name)
    if (errors.length > 0) throw new Error(errors.join(', '))
    this.#queue.addAfter(name, lookAgainMs)
    // What went between the count and the watch would be waited for in vain.
    for (const registry of left) if ((await objectsIn(registry, name)).length === 0) this.#queue.add(name)
  }

  async #finalize(registry: Registry, { metadata }: Namespace): Promise<void> {
    const target = { namespace: '', name: metadata.name ?? '', subresource: 'finalize' }
    await updateAs(actor, registry, target, (current) => {
      const { spec } = current as Namespace
      if (current.metadata.uid !== metadata.uid) return undefined
      const finalizers = (spec?.finalizers ?? []).filter((each) => each !== finalizer)
      return { ...current, spec: finalizers.length === 0 ? {} : { finalizers } }
    })
  }
}

class Tally implements ContentReport {
  readonly discoveryErrors: readonly string[] = []
  readonly errors: string[] = []
  readonly remaining = new Map<string, number>()
  readonly finalizers = new Map<string, number>()
  readonly left: Registry[] = []

  count(registry: Registry, { metadata }: KubeObject): void {
    const { resource, group } = registry.definition
    if (!this.left.includes(registry)) this.left.push(registry)
    increment(this.remaining, `${resource}.${group}`)
    for (const name of metadata.finalizers ?? []) increment(this.finalizers, name)
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
