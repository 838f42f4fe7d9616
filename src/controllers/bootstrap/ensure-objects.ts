/** Objects that the server wants to be there: created when missing, put right when they are not as they should be. */

import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import { findObject } from '../../registry/object-watch.ts'
import { type Actor, applyAs, createAs, deleteAs, serverActor, updateAs } from '../../registry/own-writes.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ServedRegistries } from '../live-resources.ts'

export interface WantedObject {
  readonly group: string
  readonly resource: string
  readonly object: KubeObject
  /** What is created in its place where nothing is there. */
  readonly initial?: KubeObject
  /** Who makes it and puts it right; the server by its own name if absent. */
  readonly fieldManager?: string
  /** Applied to the `status` endpoint once the object is made. */
  readonly status?: { readonly fieldManager: string; readonly value: JsonObject }
  /** What the object that is there becomes; undefined leaves it. Without this, whatever is there is good. */
  readonly reconcile?: (existing: KubeObject, wanted: KubeObject) => KubeObject | undefined
  /** Made from another object, if that is there before anything is written and has something to say. */
  readonly derive?: { readonly name: string; readonly make: (source: KubeObject) => KubeObject | undefined }
  /** True when it can only be put right by deleting it first. */
  readonly mustReplace?: (existing: KubeObject, wanted: KubeObject) => boolean
}

export interface Failure {
  readonly wanted: WantedObject
  readonly error: unknown
}

/** Everything at the same time; objects of resources that are not served are left out. Returns what failed. */
export async function ensureObjects(resources: ServedRegistries, wanted: readonly WantedObject[]): Promise<Failure[]> {
  const failures: Failure[] = []
  const sourced = await withSources(resources, wanted)
  await Promise.all(
    sourced.map(async (each, i) => {
      const registry = resources.get(each.group, each.resource)
      if (registry === undefined) return
      await ensureObject(registry, each).catch((error: unknown) => failures.push({ wanted: wanted[i] ?? each, error }))
    }),
  )
  return failures
}

/** Those that derive from others, as these are before anything is written. */
async function withSources(
  resources: ServedRegistries,
  wanted: readonly WantedObject[],
): Promise<readonly WantedObject[]> {
  const derived = async (each: WantedObject): Promise<WantedObject> => {
    const registry = resources.get(each.group, each.resource)
    if (each.derive === undefined || registry === undefined) return each
    const source = (await findObject(registry, each.object.metadata.namespace ?? '', each.derive.name))?.object()
    const object = source && each.derive.make(source)
    return object === undefined ? each : { ...each, initial: object }
  }
  return wanted.some(({ derive }) => derive !== undefined) ? Promise.all(wanted.map(derived)) : wanted
}

async function ensureObject(registry: Registry, wanted: WantedObject): Promise<void> {
  const { namespace = '', name = '' } = wanted.object.metadata
  const existing = (await findObject(registry, namespace, name))?.object()
  if (existing === undefined) return createWanted(registry, wanted)
  if (wanted.mustReplace?.(existing, wanted.object) === true) {
    await deleteAs(actorOf(wanted), registry, { namespace, name }, {})
    return createWanted(registry, wanted)
  }
  const { reconcile } = wanted
  if (reconcile?.(existing, wanted.object) === undefined) return
  await updateAs(actorOf(wanted), registry, { namespace, name }, (current) => reconcile(current, wanted.object))
}

const actorOf = ({ fieldManager = serverActor.fieldManager }: WantedObject): Actor => ({ ...serverActor, fieldManager })

async function createWanted(registry: Registry, wanted: WantedObject): Promise<void> {
  const { object, initial = object, status } = wanted
  try {
    await createAs(actorOf(wanted), registry, initial)
  } catch (error) {
    // Another server that shares the store was quicker, and wants the same.
    if (error instanceof ApiError && error.code === 409) return
    throw error
  }
  if (status === undefined) return
  const { namespace = '', name = '' } = object.metadata
  const actor = { ...serverActor, fieldManager: status.fieldManager }
  await applyAs(actor, registry, { namespace, name, subresource: 'status' }, () => ({ status: status.value }))
}
