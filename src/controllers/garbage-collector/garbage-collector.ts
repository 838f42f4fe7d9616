/**
 * Garbage collection: objects whose owners are all gone go, too. An owner deleted in the foreground waits for the
 * dependents that block it; one deleted with `orphan` lets go of its dependents first.
 *
 * How it works: every change of a live resource updates the graph and puts what may need work into a queue. Work always
 * looks at the present object and its present owners, so doing it once too often does no harm; a delete names the uid
 * and version that it was decided for. What cannot be decided (an owner of an unknown kind) is tried again later.
 */
import type { KubeObject, OwnerReference } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import { forEachLimited } from '../../lib/for-each.ts'
import { WorkQueue } from '../../lib/work-queue.ts'
import { foregroundFinalizer, orphanFinalizer } from '../../registry/object-meta.ts'
import { findObject, type LazyObject, watchObjects } from '../../registry/object-watch.ts'
import { deleteAs, updateAs } from '../../registry/own-writes.ts'
import type { Registry } from '../../registry/registry.ts'
import { type Controller, type ControllerOptions, controllerActor } from '../controller.ts'
import { type ObjectAddress, type OwnerAddress, objectKey, ownerKey, parseKey, resourcePrefix } from './object-key.ts'
import { OwnerGraph } from './owner-graph.ts'
import { findOwner, type OwnerState } from './owner-lookup.ts'

const actor = controllerActor('generic-garbage-collector')
const concurrency = 20
const orphansAtATime = 20

/** Events neither own nor are owned. A custom resource of that name is like any other. */
const isIgnored = ({ definition }: Registry): boolean =>
  definition.resource === 'events' && (definition.group === '' || definition.group === 'events.k8s.io')

export class GarbageCollector implements Controller {
  readonly #options: ControllerOptions
  readonly #graph = new OwnerGraph()
  /** Objects that wait for their dependents in foreground deletion: uid to key. */
  readonly #foreground = new Map<string, string>()
  readonly #foregroundKeys = new Set<string>()
  readonly #queue: WorkQueue<string>
  readonly #watches = new Map<string, Promise<() => void>>()
  #stopped = false

  constructor(options: ControllerOptions) {
    this.#options = options
    this.#queue = new WorkQueue({
      name: 'garbage_collector_attempt_to_delete',
      clock: options.clock,
      concurrency,
      process: (key) => this.#process(key),
      onError: (key, error) => {
        options.logger.debug({ key: key.replaceAll('\0', ' '), err: error }, 'garbage collection will try again')
      },
    })
  }

  /** Begins when the graph of what is there is complete. */
  start(): void {
    this.#options.live.subscribe({
      live: (registry) => this.#watch(registry),
      gone: (registry) => this.#unwatch(registry),
    })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const registry of this.#watches.values()) registry.then((end) => end()).catch(() => {})
    await this.#queue.stop()
  }

  #watch(registry: Registry): void {
    if (isIgnored(registry) || !registry.definition.verbs.has('delete')) return
    const prefix = resourcePrefix(registry)
    const changed = (type: string, object: LazyObject, previous: LazyObject | undefined): void => {
      if (!this.#stopped) this.#onChange(registry, type, object, previous)
    }
    const watch = watchObjects(registry, { changed })
    this.#watches.set(prefix, watch)
    watch.catch((error: unknown) => {
      this.#watches.delete(prefix)
      this.#options.logger.error({ err: error, resource: registry.definition.resource }, 'cannot watch for garbage')
    })
  }

  #unwatch(registry: Registry): void {
    const prefix = resourcePrefix(registry)
    this.#watches
      .get(prefix)
      ?.then((end) => end())
      .catch(() => {})
    this.#watches.delete(prefix)
    this.#graph.removeAll(prefix)
  }

  #onChange(registry: Registry, type: string, entry: LazyObject, previous: LazyObject | undefined): void {
    if (type === 'DELETED') {
      this.#onDelete(registry, entry)
      return
    }
    const { links } = entry
    // Most objects have no owners and are not being deleted.
    if (links === undefined && previous?.links === undefined) return
    const key = objectKey(registry, entry.namespace, entry.name)
    this.#setOwners(key, links?.owners ?? [], entry.namespace)
    if (links === undefined || !links.isDeleted) return
    const { uid, finalizers } = links
    if (finalizers.includes(foregroundFinalizer)) this.#onForeground(key, uid)
    else if (finalizers.includes(orphanFinalizer)) this.#queue.add(key)
  }

  #setOwners(key: string, owners: readonly OwnerReference[], namespace: string): void {
    const { added, left } = this.#graph.change(key, owners)
    for (const owner of added) this.#queue.add(ownerKey(owner, namespace))
    for (const { uid } of left) this.#wakeOwner(uid)
  }

  /** An owner in foreground deletion may be done now. */
  #wakeOwner(uid: string): void {
    const key = this.#foreground.get(uid)
    if (key !== undefined) this.#queue.add(key)
  }

  #onForeground(key: string, uid: string): void {
    if (!this.#foreground.has(uid)) {
      this.#foreground.set(uid, key)
      this.#foregroundKeys.add(key)
      for (const dependent of this.#graph.dependentsOf(uid)) this.#queue.add(dependent.key)
    }
    this.#queue.add(key)
  }

  #onDelete(registry: Registry, entry: LazyObject): void {
    if (this.#graph.size === 0 && this.#foreground.size === 0) return
    const key = objectKey(registry, entry.namespace, entry.name)
    const owners = this.#graph.get(key)?.owners ?? []
    this.#graph.remove(key)
    this.#queue.drop(key)
    for (const { uid } of owners) this.#wakeOwner(uid)
    // A reference with its uid and another name was never valid: no dependent of this one.
    if (!this.#foregroundKeys.has(key) && !this.#graph.namesOwner(entry.name)) return
    const uid = entry.links?.uid ?? entry.object().metadata.uid ?? ''
    if (this.#foreground.delete(uid)) this.#foregroundKeys.delete(key)
    for (const dependent of this.#graph.dependentsOf(uid)) this.#queue.add(dependent.key)
  }

  async #process(key: string): Promise<void> {
    // Until every watch is open there may be dependents that the graph does not know.
    await Promise.all(this.#watches.values())
    const work = parseKey(key)
    if (work.type === 'owner') return this.#checkOwner(work.address)
    const { group, resource, namespace, name } = work.address
    const registry = this.#options.resources.get(group, resource)
    const entry = registry === undefined ? undefined : await findObject(registry, namespace, name)
    if (registry === undefined || entry === undefined) return
    const object = entry.object()
    const finalizers = object.metadata.finalizers ?? []
    if (object.metadata.deletionTimestamp == null) await this.#collect(registry, work.address, object)
    else if (finalizers.includes(foregroundFinalizer)) await this.#finishForeground(registry, work.address, object)
    else if (finalizers.includes(orphanFinalizer)) await this.#orphan(registry, work.address, object)
  }

  async #checkOwner({ reference, namespace }: OwnerAddress): Promise<void> {
    const owner = await findOwner(this.#options.resources, reference, namespace)
    if (owner === 'present') return
    for (const dependent of this.#graph.dependentsOf(reference.uid)) this.#queue.add(dependent.key)
  }

  /** Deletes an object that has no owner left, or lets it forget the owners that are gone. */
  async #collect(registry: Registry, address: ObjectAddress, object: KubeObject): Promise<void> {
    const references = object.metadata.ownerReferences ?? []
    if (references.length === 0) return
    const states = await Promise.all(
      references.map((reference) => findOwner(this.#options.resources, reference, address.namespace)),
    )
    if (states.includes('unreachable')) return
    const lost = references.filter((_, i) => states[i] !== 'present').map(({ uid }) => uid)
    if (lost.length === 0) return
    if (lost.length < references.length) return this.#forgetOwners(registry, address, lost)
    const policy = await this.#policyFor(registry, address, object, states)
    const { uid, resourceVersion } = object.metadata
    const preconditions = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion ? { resourceVersion } : {}) }
    // Making its references non-blocking has given it a new version.
    if (policy === 'unblocked') {
      this.#queue.add(objectKey(registry, address.namespace, address.name))
      return
    }
    await unlessGone(deleteAs(actor, registry, address, { preconditions, propagationPolicy: policy }))
  }

  async #policyFor(
    registry: Registry,
    address: ObjectAddress,
    object: KubeObject,
    states: readonly OwnerState[],
  ): Promise<'Foreground' | 'Orphan' | 'Background' | 'unblocked'> {
    const { uid = '', finalizers = [], ownerReferences = [] } = object.metadata
    if (states.includes('waiting') && this.#graph.hasDependents(uid)) {
      // A circle of objects that wait for one another: this one no longer blocks its owners.
      const isCircle = this.#graph.dependentsOf(uid).some(({ key }) => this.#foregroundKeys.has(key))
      if (isCircle && ownerReferences.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true)) {
        await this.#unblockOwners(registry, address)
        return 'unblocked'
      }
      return 'Foreground'
    }
    if (finalizers.includes(orphanFinalizer)) return 'Orphan'
    return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background'
  }

  async #finishForeground(registry: Registry, address: ObjectAddress, object: KubeObject): Promise<void> {
    const { uid = '' } = object.metadata
    const blockers = this.#graph.blockersOf(uid)
    if (blockers.length === 0) return this.#removeFinalizer(registry, address, uid, foregroundFinalizer)
    for (const { key } of blockers) if (!this.#foregroundKeys.has(key)) this.#queue.add(key)
  }

  async #orphan(registry: Registry, address: ObjectAddress, object: KubeObject): Promise<void> {
    const { uid = '' } = object.metadata
    const errors = await forEachLimited(this.#graph.dependentsOf(uid), orphansAtATime, async ({ key }) => {
      const work = parseKey(key)
      if (work.type !== 'object') return
      const dependents = this.#options.resources.get(work.address.group, work.address.resource)
      if (dependents !== undefined) await this.#forgetOwners(dependents, work.address, [uid])
    })
    if (errors.length > 0) throw errors[0]
    await this.#removeFinalizer(registry, address, uid, orphanFinalizer)
  }

  async #forgetOwners(registry: Registry, address: ObjectAddress, uids: readonly string[]): Promise<void> {
    await unlessGone(
      updateAs(actor, registry, address, (current) => {
        const kept = (current.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid))
        return kept.length === current.metadata.ownerReferences?.length ? undefined : withOwners(current, kept)
      }),
    )
  }

  async #unblockOwners(registry: Registry, address: ObjectAddress): Promise<void> {
    const open = (reference: OwnerReference): OwnerReference => ({ ...reference, blockOwnerDeletion: false })
    await unlessGone(
      updateAs(actor, registry, address, (current) =>
        withOwners(current, (current.metadata.ownerReferences ?? []).map(open)),
      ),
    )
  }

  async #removeFinalizer(registry: Registry, address: ObjectAddress, uid: string, finalizer: string): Promise<void> {
    await unlessGone(
      updateAs(actor, registry, address, (current) => {
        if (current.metadata.uid !== uid || current.metadata.finalizers?.includes(finalizer) !== true) return undefined
        const finalizers = current.metadata.finalizers.filter((name) => name !== finalizer)
        return { ...current, metadata: { ...current.metadata, finalizers } }
      }),
    )
  }
}

function withOwners(object: KubeObject, ownerReferences: OwnerReference[]): KubeObject {
  const { ownerReferences: _, ...metadata } = object.metadata
  return { ...object, metadata: ownerReferences.length === 0 ? metadata : { ...metadata, ownerReferences } }
}

/** Another client deleted it first: idempotent. */
async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error
  }
}
