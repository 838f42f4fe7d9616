/** Whether the owner that a reference names is there. */
import type { OwnerReference } from '../../api/object.ts'
import { foregroundFinalizer } from '../../registry/object-meta.ts'
import { findObject } from '../../registry/object-watch.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ServedRegistries } from '../live-resources.ts'

/**
 * `absent`: no object of that name, or another one. `waiting`: it is being deleted and waits for its dependents.
 * `unreachable`: an object without a namespace cannot be owned by one that has one, and will not be touched.
 */
export type OwnerState = 'present' | 'absent' | 'waiting' | 'unreachable'

/** `namespace` is the dependent's. Throws when the owner's kind is not served: its existence cannot be determined. */
export async function findOwner(
  resources: ServedRegistries,
  reference: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'>,
  namespace: string,
): Promise<OwnerState> {
  const registry = findKind(resources, reference)
  if (registry === undefined) throw new Error(`no resource has the kind ${reference.kind} of ${reference.apiVersion}`)
  if (registry.definition.namespaced && namespace === '') return 'unreachable'
  const owner = (await findObject(registry, namespace, reference.name))?.object().metadata
  if (owner === undefined || owner.uid !== reference.uid) return 'absent'
  const isWaiting = owner.deletionTimestamp != null && owner.finalizers?.includes(foregroundFinalizer) === true
  return isWaiting ? 'waiting' : 'present'
}

function findKind(
  resources: ServedRegistries,
  { apiVersion, kind }: { apiVersion: string; kind: string },
): Registry | undefined {
  for (const registry of resources.all()) {
    const { definition } = registry
    if (definition.kind !== kind) continue
    if (definition.versions.some((version) => version.apiVersion === apiVersion)) return registry
  }
  return undefined
}
