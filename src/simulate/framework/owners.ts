/**
 * Who controls an object, and how controllers adopt orphans and let go of those that they no longer
 * select.
 * Mirrors pkg/controller: BaseControllerRefManager.
 */
import type { LabelSelector } from '../../api/label-selector.ts'
import { ApiError } from '../../api/status-error.ts'
import type { ObjectMeta, OwnerReference } from '../../catalog/types/meta-v1.ts'
import type { Writer } from './writer.ts'

export interface Owned {
  readonly metadata: ObjectMeta
}

export const controllerOf = ({ metadata }: Owned): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)

export function controllerReference(owner: Owned, apiVersion: string, kind: string): OwnerReference {
  const { name = '', uid = '' } = owner.metadata
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

export interface Claim {
  readonly owner: Owned
  readonly apiVersion: string
  readonly kind: string
  readonly selector: LabelSelector
  readonly writer: Writer
  readonly group: string
  readonly resource: string
  /** Finalizers that an adopted object gets. */
  readonly finalizers?: readonly string[]
}

/**
 * Those of the objects that the owner has: its own that it selects, and orphans that it selects, which it adopts. What it
 * no longer selects is released. An owner that is being deleted neither adopts nor releases.
 */
export async function claimObjects<T extends Owned>(claim: Claim, objects: readonly T[]): Promise<T[]> {
  const { owner, selector } = claim
  const isGoing = owner.metadata.deletionTimestamp !== undefined
  const claimed: T[] = []
  for (const object of objects) {
    const controller = controllerOf(object)
    if (controller !== undefined && controller.uid !== owner.metadata.uid) continue
    const isSelected = selector.matches(object.metadata.labels)
    if (controller !== undefined) {
      if (isSelected) claimed.push(object)
      else if (!isGoing) await release(claim, object)
    } else if (isSelected && !isGoing && object.metadata.deletionTimestamp === undefined) {
      const adopted = await adopt(claim, object)
      if (adopted !== undefined) claimed.push(adopted)
    }
  }
  return claimed
}

async function adopt<T extends Owned>(claim: Claim, object: T): Promise<T | undefined> {
  const { writer, group, resource, owner, apiVersion, kind, finalizers = [] } = claim
  const reference = controllerReference(owner, apiVersion, kind)
  return unlessGone(
    writer.update<T>(group, resource, target(object), (current) => {
      if (current.metadata.uid !== object.metadata.uid || controllerOf(current) !== undefined) return undefined
      const metadata = {
        ...current.metadata,
        ownerReferences: [...(current.metadata.ownerReferences ?? []), reference],
        ...(finalizers.length === 0
          ? {}
          : { finalizers: [...new Set([...(current.metadata.finalizers ?? []), ...finalizers])] }),
      }
      return { ...current, metadata }
    }),
  )
}

async function release<T extends Owned>(claim: Claim, object: T): Promise<void> {
  const { writer, group, resource, owner, finalizers = [] } = claim
  await unlessGone(
    writer.update<T>(group, resource, target(object), (current) => {
      const { ownerReferences = [], finalizers: present } = current.metadata
      const others = ownerReferences.filter(({ uid }) => uid !== owner.metadata.uid)
      const { ownerReferences: _, finalizers: __, ...rest } = current.metadata
      const kept = present?.filter((each) => !finalizers.includes(each)) ?? []
      const metadata = {
        ...rest,
        ...(others.length === 0 ? {} : { ownerReferences: others }),
        ...(kept.length === 0 ? {} : { finalizers: kept }),
      }
      return { ...current, metadata }
    }),
  )
}

const target = ({ metadata }: Owned) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' })

/** What is gone, or has another uid by now, has no controller. */
async function unlessGone<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 422)) return undefined
    throw error
  }
}
