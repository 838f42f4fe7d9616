/**
 * The scale subresource shows an object as a Scale: the owner of the object's replicas owns `.spec.replicas` of the
 * Scale, and the other way round. Entries are carried over in both directions around a write to `/scale`.
 */
import type { JsonValue } from '../../api/json.ts'
import type { ManagedFieldsEntry } from '../../api/object.ts'
import { FieldSet } from './field-set.ts'
import { decodeManagedFields, encodeManagedFields, type FieldManager } from './managed-fields.ts'
import { type FieldPathElements, fieldElement } from './path-element.ts'

/** By apiVersion of the object: where its replicas are, such as `spec.replicas`; undefined where there is no scale. */
export type ReplicasPaths = ReadonlyMap<string, string | undefined>

const scaleVersion = 'autoscaling/v1'
const replicasInScale = pathOf('spec.replicas')

/** The entries of the Scale: those of the object that own its replicas. */
export function toScaleFields(entries: JsonValue | undefined, paths: ReplicasPaths): ManagedFieldsEntry[] | undefined {
  const owners = new Map<string, FieldManager>()
  for (const [identity, owner] of decodeManagedFields(entries)) {
    const path = paths.get(owner.apiVersion)
    if (path === undefined || !owner.set.has(pathOf(path))) continue
    owners.set(identity, { ...owner, apiVersion: scaleVersion, set: FieldSet.of(replicasInScale) })
  }
  return encodeManagedFields(owners)
}

export interface ScaleWrite {
  /** The version of the object that the request goes to. */
  readonly apiVersion: string
  readonly paths: ReplicasPaths
}

/**
 * The entries of the object after a write to its Scale: replicas move, all else stays. Updaters are identified by their
 * version, too, which is never the Scale's: one that still has the replicas gets an entry of its own for them.
 */
export function fromScaleFields(
  entries: JsonValue | undefined,
  scaleEntries: JsonValue | undefined,
  { apiVersion, paths }: ScaleWrite,
): ManagedFieldsEntry[] | undefined {
  const before = decodeManagedFields(entries)
  const scale = new Map(decodeManagedFields(scaleEntries))
  const owners = new Map<string, FieldManager>()
  for (const [identity, owner] of before) {
    if (!paths.has(owner.apiVersion)) continue
    const path = paths.get(owner.apiVersion)
    const isLost = path !== undefined && owner.set.has(pathOf(path)) && !scale.delete(identity)
    const kept = isLost ? withoutReplicas(owner, pathOf(path)) : owner
    if (kept !== undefined) owners.set(identity, kept)
  }
  const replicas = paths.get(apiVersion)
  for (const [identity, owner] of replicas === undefined ? [] : scale) {
    if (!owner.set.has(replicasInScale)) continue
    // The time of a write to the Scale is not carried over.
    const time = before.get(identity)?.time
    owners.set(identity, { ...owner, apiVersion, time, set: FieldSet.of(pathOf(replicas!)) })
  }
  return encodeManagedFields(owners)
}

/** Undefined when nothing is left. */
function withoutReplicas(owner: FieldManager, path: FieldPathElements): FieldManager | undefined {
  const set = owner.set.difference(FieldSet.of(path))
  return set.isEmpty ? undefined : { ...owner, set }
}

function pathOf(text: string): FieldPathElements {
  return text.split('.').map(fieldElement)
}
