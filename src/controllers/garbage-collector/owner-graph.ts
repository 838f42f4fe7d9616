/**
 * Which objects belong to which: an index of owner references by the owner's uid. Only objects that have owners are in
 * it, and of those only what is needed to find them again.
 */
import type { OwnerReference } from '../../api/object.ts'

export interface Dependent {
  /** Names the object among all others. */
  readonly key: string
  readonly owners: readonly OwnerReference[]
}

/** How the owners of an object differ from those that it had. */
export interface OwnerChange {
  readonly added: readonly OwnerReference[]
  /** Those that are gone, or whose deletion is blocked otherwise. */
  readonly left: readonly OwnerReference[]
}

export class OwnerGraph {
  readonly #dependents = new Map<string, Dependent>()
  readonly #byOwner = new Map<string, Set<Dependent>>()
  /** How many references there are to owners of a name. */
  readonly #names = new Map<string, number>()

  /** The number of objects that have owners. */
  get size(): number {
    return this.#dependents.size
  }

  get(key: string): Dependent | undefined {
    return this.#dependents.get(key)
  }

  /** As `set`; says what changed. */
  change(key: string, owners: readonly OwnerReference[]): OwnerChange {
    const old = this.get(key)?.owners ?? []
    if (old === owners) return { added: [], left: [] }
    this.set(key, owners)
    const before = new Set(old.map(({ uid }) => uid))
    const now = new Map<string, OwnerReference>()
    for (const owner of owners) if (!now.has(owner.uid)) now.set(owner.uid, owner)
    return {
      added: owners.filter(({ uid }) => !before.has(uid)),
      left: old.filter(({ uid, blockOwnerDeletion }) => {
        const owner = now.get(uid)
        return owner === undefined || owner.blockOwnerDeletion !== blockOwnerDeletion
      }),
    }
  }

  /** An object has these owners now; none takes it out. */
  set(key: string, owners: readonly OwnerReference[]): void {
    this.remove(key)
    if (owners.length === 0) return
    const dependent = { key, owners }
    this.#dependents.set(key, dependent)
    for (const { uid, name } of owners) {
      this.#names.set(name, (this.#names.get(name) ?? 0) + 1)
      const siblings = this.#byOwner.get(uid)
      if (siblings === undefined) this.#byOwner.set(uid, new Set([dependent]))
      else siblings.add(dependent)
    }
  }

  remove(key: string): void {
    const dependent = this.#dependents.get(key)
    if (dependent === undefined) return
    this.#dependents.delete(key)
    for (const { uid, name } of dependent.owners) {
      const count = this.#names.get(name) ?? 0
      if (count > 1) this.#names.set(name, count - 1)
      else this.#names.delete(name)
      const siblings = this.#byOwner.get(uid)
      if (siblings?.delete(dependent) === true && siblings.size === 0) this.#byOwner.delete(uid)
    }
  }

  /** Takes out all objects whose key begins so. */
  removeAll(prefix: string): void {
    for (const key of [...this.#dependents.keys()]) if (key.startsWith(prefix)) this.remove(key)
  }

  /** Whether any object has an owner of this name. */
  namesOwner(name: string): boolean {
    return this.#names.has(name)
  }

  hasDependents(uid: string): boolean {
    return this.#byOwner.has(uid)
  }

  /** A copy: the graph may change while the caller goes through it. */
  dependentsOf(uid: string): readonly Dependent[] {
    return [...(this.#byOwner.get(uid) ?? [])]
  }

  /** The dependents that an owner in foreground deletion waits for. */
  blockersOf(uid: string): readonly Dependent[] {
    return this.dependentsOf(uid).filter(({ owners }) =>
      owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    )
  }
}
