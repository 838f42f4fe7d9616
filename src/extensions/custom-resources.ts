/**
 * Keeps the server's resources as its CustomResourceDefinitions say: gives names and conditions, serves what is
 * established, serves it anew when its definition changes, and on deletion removes every object before the definition.
 *
 * One definition at a time: names are given in order. Kept of a definition are its names and versions; its schema stays
 * in the stored text until an object needs it, and its parsed form goes as soon as it has been looked after.
 */

import { createHash } from 'node:crypto'
import { memoizeInterned } from '../api/interned.ts'
import { equalJson, type JsonObject, type JsonValue } from '../api/json.ts'
import { ApiError } from '../api/status-error.ts'
import { serverUser } from '../api/user.ts'
import type {
  CustomResourceConversion,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
} from '../catalog/types/apiextensions-v1.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { SideTable } from '../lib/memo.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import { findObject, type LazyObject, objectsEverywhere, watchObjects } from '../registry/object-watch.ts'
import { type Actor, deleteAs, updateAs } from '../registry/own-writes.ts'
import type { Registry } from '../registry/registry.ts'
import type { RemoteConversion, ResourceDefinition } from '../registry/resource-definition.ts'
import { customResource } from './custom/custom-resource.ts'
import { acceptNames, NameIndex } from './definitions/accepted-names.ts'
import { approvalCondition } from './definitions/approval.ts'
import { cleanupFinalizer, type Definition, isConditionTrue } from './definitions/definition.ts'
import { asDefinition, type DefinitionCondition, setCondition } from './definitions/definition-rules.ts'
import { nonStructuralCondition } from './definitions/non-structural.ts'

export interface CustomResourcesOptions {
  readonly definitions: Registry
  readonly clock: Clock
  readonly logger: Logger
  readonly ratcheting: boolean
  /** The minor number of the release that is served. */
  readonly release: number
  /** Whether the group has resources of the server's own: then no definition can add to it, or take its place. */
  isBuiltIn(group: string): boolean
  /** Starts to serve a resource. */
  add(definition: ResourceDefinition): Registry
  /** Stops to serve it: its watches are terminated and its cache is dropped. */
  remove(registry: Registry): void
  conversion(definition: string, conversion: CustomResourceConversion): RemoteConversion
  /** A resource is served from now on, or no longer. */
  onChange(resource: ServedCustomResource, change: 'added' | 'removed'): void
}

type VersionFacts = Omit<CustomResourceDefinitionVersion, 'schema'>

/** What is served for one definition. */
export interface ServedCustomResource {
  readonly group: string
  readonly names: CustomResourceDefinitionNames
  readonly namespaced: boolean
  readonly versions: readonly VersionFacts[]
  readonly storageVersionHash: string
}

/** The text of a definition; a newer one with the same schemas takes the place of an older one. */
interface DefinitionText {
  object: LazyObject
}

interface Served extends ServedCustomResource {
  readonly source: DefinitionText
  readonly uid: string
  readonly generation: number
  readonly registry: Registry
  terminating: boolean
}

const actor: Actor = {
  user: serverUser,
  fieldManager: 'kube-apiserver',
}

/** How soon it is looked again whether the last objects of a definition are gone. */
const recheckMs = 200

export class CustomResources {
  readonly #options: CustomResourcesOptions
  readonly #queue: WorkQueue<string>
  readonly #served = new Map<string, Served>()
  readonly #names = new NameIndex()
  /** Definitions that want a name of another, by their group. */
  readonly #waiting = new Map<string, string>()
  /** Definitions as this server left them: there is nothing to do. */
  readonly #reconciled = new SideTable<LazyObject, true>()
  #unwatch: (() => void) | undefined

  constructor(options: CustomResourcesOptions) {
    this.#options = options
    this.#queue = new WorkQueue<string>({
      name: 'crd_establish',
      clock: options.clock,
      concurrency: 1,
      process: (name) => this.#reconcile(name),
      onError: (name, err) => options.logger.error({ err, name }, 'a custom resource definition could not be served'),
    })
  }

  /** Serves what is established already, then follows. */
  async start(): Promise<void> {
    const { definitions } = this.#options
    definitions.storage.keepCreated()
    const present = new Set(await objectsEverywhere(definitions))
    this.#takeOver(present)
    this.#unwatch = await watchObjects(definitions, {
      changed: (type, object) => {
        if (present.delete(object)) return
        if (type === 'DELETED') this.#forget(object)
        else this.#remember(asDefinition(object.object()))
        this.#queue.add(object.name)
      },
    })
  }

  /** Definitions that were there before this server: each is read once, and those that are as they should be not again. */
  #takeOver(present: Iterable<LazyObject>): void {
    const outlines: Definition[] = []
    for (const object of present) {
      const definition = asDefinition(object.peek())
      this.#remember(definition)
      if (isConditionTrue(definition, 'Established')) this.#serve(object, definition)
      outlines.push(outlineOf(definition))
    }
    for (const outline of outlines) if (!this.#isReconciled(outline)) this.#queue.add(outline.metadata.name ?? '')
  }

  #isReconciled(outline: Definition): boolean {
    const { metadata, spec, status } = outline
    // An outline does not say whether its schemas are structural.
    if (metadata.deletionTimestamp != null || spec.preserveUnknownFields === true) return false
    return equalJson(this.#withStatus(outline).status as JsonValue, status as JsonValue)
  }

  async stop(): Promise<void> {
    this.#unwatch?.()
    await this.#queue.stop()
  }

  served(): Iterable<ServedCustomResource> {
    return this.#served.values()
  }

  #remember({ metadata, spec, status }: Definition): void {
    const { name = '' } = metadata
    this.#names.set(name, spec.group, status.acceptedNames)
    const isWaiting = (status.conditions ?? []).some((each) => each.type === 'NamesAccepted' && each.status === 'False')
    if (isWaiting) this.#waiting.set(name, spec.group)
    else this.#waiting.delete(name)
  }

  /** Names that it had may be wanted by others. */
  #forget(object: LazyObject): void {
    this.#names.delete(object.name)
    this.#waiting.delete(object.name)
    if (this.#waiting.size === 0) return
    const { spec } = asDefinition(object.peek())
    for (const [other, group] of this.#waiting) if (group === spec.group) this.#queue.add(other)
  }

  async #reconcile(name: string): Promise<void> {
    const object = await findObject(this.#options.definitions, '', name)
    if (object === undefined) {
      this.#withdraw(name)
      return
    }
    // It comes by once more after its status was written: if it does so later again, it was away in between. A
    // definition that waits for a name is reconciled whenever one is free.
    if (this.#reconciled.delete(object) && !this.#waiting.has(name)) {
      object.forget()
      return
    }
    const definition = asDefinition(object.object())
    if (definition.metadata.deletionTimestamp != null) {
      await this.#finish(object, definition)
      return
    }
    const changed = this.#withStatus(definition)
    if (!equalJson(changed.status as JsonValue, definition.status as JsonValue)) {
      await this.#updateStatus(definition, changed)
      return
    }
    if (isConditionTrue(definition, 'Established')) this.#serve(object, definition)
    object.forget()
  }

  /** Once it is written it is as it should be, and served at once; a newer form will come by. */
  async #updateStatus(definition: Definition, changed: Definition): Promise<void> {
    const { name = '' } = definition.metadata
    const change = (current: Definition) => (current === definition ? changed : this.#withStatus(current))
    const written = await this.#write(definition, change)
    if (written === undefined) return
    // The next one in the queue may want the same names.
    this.#remember(written)
    const object = await findObject(this.#options.definitions, '', name)
    if (object?.object() !== written) return
    this.#reconciled.set(object, true)
    if (isConditionTrue(written, 'Established')) this.#serve(object, written)
  }

  #withStatus(current: Definition): Definition {
    const { clock } = this.#options
    const { names, accepted, established } = acceptNames(current, this.#names)
    const draft: Definition = { ...current, status: { ...current.status, acceptedNames: names } }
    const conditions: (DefinitionCondition | undefined)[] = [
      accepted,
      established,
      approvalCondition(current),
      nonStructuralCondition(current),
    ]
    for (const condition of conditions) if (condition !== undefined) setCondition(draft, condition, clock.now())
    return draft
  }

  /** Undefined when it has gone. */
  async #write(definition: Definition, change: (current: Definition) => Definition): Promise<Definition | undefined> {
    const target = { namespace: '', name: definition.metadata.name ?? '', subresource: 'status' }
    const written = await this.#ifPresent(() =>
      updateAs(actor, this.#options.definitions, target, (current) => change(asDefinition(current))),
    )
    return written && asDefinition(written)
  }

  /** What has gone in the meantime needs nothing any more. */
  async #ifPresent<T>(write: () => Promise<T>): Promise<T | undefined> {
    try {
      return await write()
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined
      throw error
    }
  }

  /** Definitions in a group of the server's own are established, as all are, and never reached. */
  #serve(object: LazyObject, definition: Definition): void {
    if (this.#options.isBuiltIn(definition.spec.group)) return
    const { name = '', uid = '', generation = 0 } = definition.metadata
    const names = definition.status.acceptedNames
    const known = this.#served.get(name)
    if (known?.uid === uid && known.generation === generation && sameNames(known.names, names)) {
      known.source.object = object
      return
    }
    this.#withdraw(name)
    const { spec } = definition
    const versions = factsOf(spec.versions ?? [])
    const { group } = spec
    const namespaced = spec.scope === 'Namespaced'
    const isTerminating = (): boolean => this.#served.get(name)?.terminating === true
    const { conversion } = spec
    const source: DefinitionText = { object }
    const resource = customResource({
      group,
      names,
      namespaced,
      versions,
      preserveUnknown: spec.preserveUnknownFields === true,
      schemaOf: (version) => schemaIn(source.object, version),
      ratcheting: this.#options.ratcheting,
      release: this.#options.release,
      isTerminating,
      ...(conversion?.strategy === 'Webhook' ? { remoteConversion: this.#options.conversion(name, conversion) } : {}),
    })
    const registry = this.#options.add(resource)
    const { storage, kind } = resource
    const served: Served = {
      group,
      names,
      namespaced,
      versions,
      // Asked for by discovery alone, which lists all of them at once.
      get storageVersionHash() {
        return hashOf(`${storage.apiVersion}/${kind}`)
      },
      source,
      uid,
      generation,
      registry,
      terminating: false,
    }
    this.#served.set(name, served)
    this.#options.onChange(served, 'added')
  }

  #withdraw(name: string): void {
    const known = this.#served.get(name)
    if (known === undefined) return
    this.#served.delete(name)
    this.#options.remove(known.registry)
    this.#options.onChange(known, 'removed')
  }

  /** Removes every object, then lets the definition go. Mirrors apiextensions-apiserver/pkg/controller/finalizer: CRDFinalizer.sync. */
  async #finish(object: LazyObject, definition: Definition): Promise<void> {
    const { name = '', finalizers = [] } = definition.metadata
    if (!finalizers.includes(cleanupFinalizer)) return
    if (!this.#served.has(name) && isConditionTrue(definition, 'Established')) this.#serve(object, definition)
    const served = this.#served.get(name)
    if (served !== undefined) served.terminating = true
    await this.#tellProgress(definition)
    if (served !== undefined && (await this.#deleteObjects(served.registry)) > 0) {
      this.#queue.addAfter(name, recheckMs)
      return
    }
    this.#withdraw(name)
    await this.#write(definition, (current) => withoutFinalizer(this.#withCondition(current, finished(current))))
  }

  /** Written once: an update that changes nothing is a no-op. */
  async #tellProgress(definition: Definition): Promise<void> {
    await this.#write(definition, (current) => this.#withCondition(current, inProgress))
  }

  #withCondition(current: Definition, condition: DefinitionCondition): Definition {
    const draft = { ...current }
    setCondition(draft, condition, this.#options.clock.now())
    return draft
  }

  /** How many are left: those that wait for their finalizers. */
  async #deleteObjects(registry: Registry): Promise<number> {
    for (const entry of await objectsEverywhere(registry)) {
      const { namespace, name } = entry
      if (entry.object().metadata.deletionTimestamp != null) continue
      await this.#ifPresent(() => deleteAs(actor, registry, { namespace, name }, {}))
    }
    return (await objectsEverywhere(registry)).length
  }
}

/** The schema of a version, from the text of the definition: parsed when it is asked for, and not kept. */
function schemaIn(object: LazyObject, version: string): JsonObject | undefined {
  const { spec } = asDefinition(object.peek())
  return spec.versions?.find(({ name }) => name === version)?.schema?.openAPIV3Schema as JsonObject | undefined
}

/** A definition without its schemas. */
function outlineOf(definition: Definition): Definition {
  return { ...definition, spec: { ...definition.spec, versions: factsOf(definition.spec.versions ?? []) } }
}

const factsOf = memoizeInterned(
  'version-facts',
  (versions: readonly CustomResourceDefinitionVersion[]): VersionFacts[] =>
    versions.map(({ schema: _, ...facts }) => facts),
)

const sameNames = (a: CustomResourceDefinitionNames, b: CustomResourceDefinitionNames): boolean =>
  equalJson(a as JsonValue, b as JsonValue)

const inProgress: DefinitionCondition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
}

/** Where the objects of a definition would be those of the server itself. */
const overlapping = new Set(['apiservices.apiregistration.k8s.io', 'customresourcedefinitions.apiextensions.k8s.io'])

/** How the removal of the objects ended. */
function finished(definition: Definition): DefinitionCondition {
  const [reason, message] = overlapping.has(definition.metadata.name ?? '')
    ? ['OverlappingBuiltInResource', 'instances overlap with built-in resources in storage']
    : isConditionTrue(definition, 'Established')
      ? ['InstanceDeletionCompleted', 'removed all instances']
      : ['NeverEstablished', 'resource was never established']
  return { type: 'Terminating', status: 'False', reason, message }
}

function withoutFinalizer(current: Definition): Definition {
  const { finalizers = [], ...metadata } = current.metadata
  const rest = finalizers.filter((name) => name !== cleanupFinalizer)
  return { ...current, metadata: rest.length === 0 ? metadata : { ...metadata, finalizers: rest } }
}

/** As the reference warns clients which version is stored. */
const hashOf = (text: string): string => createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')
