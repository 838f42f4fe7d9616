/** What garbage collection would do after a deletion, by its policy. Pure: a graph in, sets of uids out. */
import type { OwnerReference } from '../api/object.ts'

export interface OwnedNode {
  readonly uid: string
  readonly owners: readonly Pick<OwnerReference, 'uid' | 'blockOwnerDeletion'>[]
}

export interface DeletionPreview {
  readonly deletes: readonly string[]
  /** They have another owner that stays. */
  readonly keeps: readonly string[]
  /** They hold up a foreground deletion. */
  readonly waitsFor: readonly string[]
  /** They lose this owner and stay. */
  readonly releases: readonly string[]
}

interface Surroundings {
  /** Owners outside of the tree that are there. */
  readonly living: ReadonlySet<string>
  /** What may be named. */
  readonly shown: ReadonlySet<string>
}

/** `nodes` are all that the root owns, directly or not, nearest first. */
export function deletionPreviews(
  root: string,
  nodes: readonly OwnedNode[],
  { living, shown }: Surroundings,
): Readonly<Record<'background' | 'foreground' | 'orphan', DeletionPreview>> {
  const visible = (uids: Iterable<string>): string[] => [...uids].filter((uid) => shown.has(uid))
  const gone = collected(root, nodes, living)
  const kept = nodes.filter(({ uid }) => !gone.has(uid))
  const keeps = visible(kept.filter(({ owners }) => owners.some(({ uid }) => gone.has(uid))).map(({ uid }) => uid))
  const waits = nodes.filter(
    ({ uid, owners }) =>
      gone.has(uid) && owners.some((owner) => gone.has(owner.uid) && owner.blockOwnerDeletion === true),
  )
  const direct = nodes.filter(({ owners }) => owners.some(({ uid }) => uid === root))
  const deletes = visible(gone)
  return {
    background: { deletes, keeps, waitsFor: [], releases: keeps },
    foreground: { deletes, keeps, waitsFor: visible(waits.map(({ uid }) => uid)), releases: keeps },
    orphan: { deletes: visible([root]), keeps: [], waitsFor: [], releases: visible(direct.map(({ uid }) => uid)) },
  }
}

/** The root and all whose owners are all collected. An owner that is neither there nor in the tree is dangling, and keeps nothing. */
function collected(root: string, nodes: readonly OwnedNode[], living: ReadonlySet<string>): ReadonlySet<string> {
  const inTree = new Set(nodes.map(({ uid }) => uid))
  const owned = new Map<string, string[]>()
  /** How many owners keep it. */
  const keepers = new Map<string, number>()
  for (const { uid, owners } of nodes) {
    const distinct = [...new Set(owners.map((owner) => owner.uid))]
    keepers.set(uid, distinct.filter((owner) => living.has(owner) || inTree.has(owner)).length)
    for (const owner of distinct) {
      const known = owned.get(owner)
      if (known === undefined) owned.set(owner, [uid])
      else known.push(uid)
    }
  }
  const gone = new Set([root])
  // A set goes on with what is added while it is gone through.
  for (const owner of gone) {
    for (const uid of owned.get(owner) ?? []) {
      const left = (keepers.get(uid) ?? 0) - (inTree.has(owner) ? 1 : 0)
      keepers.set(uid, left)
      if (left === 0) gone.add(uid)
    }
  }
  return gone
}
