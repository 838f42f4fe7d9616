/**
 * `/console/v1/dependents`: whom an object belongs to, what belongs to it, and what its deletion would do to that. Mirrors what the garbage collector does, on
 * the caches as they are.
 */
import { parseGroupVersion } from '../api/group-version.ts'
import type { KubeObject, OwnerReference } from '../api/object.ts'
import type { RequestContext } from '../api/request-context.ts'
import { notFound } from '../api/status-error.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import { entryKey } from '../cache/snapshot.ts'
import { TimeSlice } from '../lib/in-turns.ts'
import type { Registries } from '../registry/registries.ts'
import type { Registry } from '../registry/registry.ts'
import { deletionPreviews, type OwnedNode } from './deletion-preview.ts'
import { answerState } from './every-second.ts'
import { type ObjectQuery, Query } from './query.ts'
import { Rights, readableRegistry } from './rights.ts'
import type { ConsoleServices, Endpoint } from './services.ts'

const maxDependents = 5000
const maxOwners = 100

interface Found {
  readonly registry: Registry
  readonly entry: CacheEntry
}

export const dependentsEndpoint = (services: ConsoleServices): Endpoint => ({
  path: '/console/v1/dependents',
  methods: { GET: (context) => answerDependents(context, services) },
})

function answerDependents(context: RequestContext, services: ConsoleServices): Promise<void> {
  const query = new Query(context, ['group', 'resource', 'namespace', 'name', 'follow'])
  const about = query.object()
  const look = (): Promise<object> => dependentsOf(context, services, about)
  const follows = query.flag('follow')
  return answerState(context, services, { type: 'DEPENDENTS', follows, look, stamp: () => services.revision() })
}

async function dependentsOf(
  context: RequestContext,
  { registries, authorizer }: ConsoleServices,
  about: ObjectQuery,
): Promise<object> {
  const rights = new Rights(authorizer, context)
  const registry = await readableRegistry({ registries, rights }, about)
  const cache = await registry.storage.cache()
  const root = cache.get(entryKey(about.namespace, about.name))
  if (root === undefined) throw notFound(registry.definition, about.name)
  const rootObject = root.object()
  const uid = rootObject.metadata.uid ?? ''
  const byOwner = await ownedObjects(registries)
  const { found, truncated } = breadthFirst(byOwner, uid)
  const kept: Found[] = []
  let hidden = 0
  for (const each of found) {
    const { group, resource } = each.registry.definition
    if (await rights.may({ verb: 'list', group, resource, namespace: each.entry.namespace })) kept.push(each)
    else hidden++
  }
  const owners = await ownersOf(registries, rights, rootObject)
  const living = await livingOwners(registries, found, new Set([uid, ...found.map(uidOf)]))
  const nodes = found.map((each): OwnedNode => ({ uid: uidOf(each), owners: each.entry.links?.owners ?? [] }))
  const shownUids = new Set([uid, ...kept.map(uidOf)])
  return {
    object: { ...described({ registry, entry: root }), uid, ...finalizersOf(rootObject.metadata.finalizers) },
    owners,
    dependents: kept.map(shownDependent),
    deletion: deletionPreviews(uid, nodes, { living, shown: shownUids }),
    default: registry.definition.garbageCollection,
    hidden,
    truncated,
  }
}

const uidOf = ({ entry }: Found): string => entry.links?.uid ?? ''

function described({ registry, entry }: Found): object {
  const { group, resource, kind, versions, hub } = registry.definition
  const { namespace, name } = entry
  const version = versions[0]?.version ?? hub.version
  return { group, version, resource, kind, ...(namespace === '' ? {} : { namespace }), name }
}

const finalizersOf = (finalizers: readonly string[] = []): object => (finalizers.length === 0 ? {} : { finalizers })

function shownDependent(found: Found): object {
  const { links } = found.entry
  return {
    ...described(found),
    uid: uidOf(found),
    owners: (links?.owners ?? []).map(shownReference),
    ...(links?.isDeleted === true ? { deleted: true } : {}),
    ...finalizersOf(links?.finalizers),
  }
}

const shownReference = ({ uid, controller, blockOwnerDeletion }: OwnerReference): object => ({
  uid,
  controller: controller === true,
  blockOwnerDeletion: blockOwnerDeletion === true,
})

/** Everything that has an owner, by the uid of that. */
async function ownedObjects(registries: Registries): Promise<Map<string, Found[]>> {
  const byOwner = new Map<string, Found[]>()
  const slice = new TimeSlice()
  for (const registry of [...registries.all()]) {
    const { verbs, virtualObjects } = registry.definition
    if (!verbs.has('delete') || virtualObjects !== undefined) continue
    const snapshot = (await registry.storage.cache()).snapshot()
    let count = 0
    for (const entry of snapshot.tree().values()) {
      for (const { uid } of entry.links?.owners ?? []) {
        const known = byOwner.get(uid)
        if (known === undefined) byOwner.set(uid, [{ registry, entry }])
        else known.push({ registry, entry })
      }
      if (++count % 256 === 0 && slice.isOver) await slice.yieldToEventLoop()
    }
  }
  return byOwner
}

function breadthFirst(
  byOwner: ReadonlyMap<string, readonly Found[]>,
  root: string,
): { found: Found[]; truncated: boolean } {
  const found: Found[] = []
  const seen = new Set([root])
  let level: readonly string[] = [root]
  while (level.length > 0) {
    const next: string[] = []
    for (const owner of level) {
      for (const each of byOwner.get(owner) ?? []) {
        const uid = uidOf(each)
        if (seen.has(uid)) continue
        if (found.length === maxDependents) return { found, truncated: true }
        seen.add(uid)
        found.push(each)
        next.push(uid)
      }
    }
    level = next
  }
  return { found, truncated: false }
}

/** Those of the owners outside of the tree that are there. */
async function livingOwners(
  registries: Registries,
  found: readonly Found[],
  inside: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const living = new Set<string>()
  const asked = new Set<string>()
  for (const { entry } of found) {
    for (const owner of entry.links?.owners ?? []) {
      if (inside.has(owner.uid) || asked.has(owner.uid)) continue
      asked.add(owner.uid)
      if ((await findOwner(registries, owner, entry.namespace)) !== undefined) living.add(owner.uid)
    }
  }
  return living
}

interface FoundOwner extends Found {
  readonly object: KubeObject
}

async function findOwner(
  registries: Registries,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): Promise<FoundOwner | undefined> {
  const group = parseGroupVersion(apiVersion)?.group
  for (const registry of registries.all()) {
    const { definition } = registry
    if (definition.kind !== kind || definition.group !== group || definition.virtualObjects !== undefined) continue
    const cache = await registry.storage.cache()
    const entry = cache.get(entryKey(definition.namespaced ? namespace : '', name))
    const object = entry?.object()
    return entry !== undefined && object?.metadata.uid === uid ? { registry, entry, object } : undefined
  }
  return undefined
}

/** The owners, and theirs; those that the user may not get are named as the object itself names them. */
async function ownersOf(registries: Registries, rights: Rights, object: KubeObject): Promise<object[]> {
  const found: object[] = []
  const seen = new Set<string>()
  const queue: { reference: OwnerReference; namespace: string; of: string }[] = []
  const add = ({ metadata }: KubeObject): void => {
    for (const reference of metadata.ownerReferences ?? []) {
      queue.push({ reference, namespace: metadata.namespace ?? '', of: metadata.uid ?? '' })
    }
  }
  add(object)
  for (let next = queue.shift(); next !== undefined && found.length < maxOwners; next = queue.shift()) {
    const { reference, namespace, of } = next
    if (seen.has(reference.uid)) continue
    seen.add(reference.uid)
    const owner = await findOwner(registries, reference, namespace)
    const { apiVersion, kind, name, uid } = reference
    const common = { uid, of, ...shownReference(reference) }
    const definition = owner?.registry.definition
    const mayGet =
      definition !== undefined &&
      (await rights.may({ verb: 'get', group: definition.group, resource: definition.resource, namespace, name }))
    if (owner === undefined || !mayGet) found.push({ apiVersion, kind, name, exists: owner !== undefined, ...common })
    else {
      found.push({ ...described(owner), exists: true, ...common })
      add(owner.object)
    }
  }
  return found
}
