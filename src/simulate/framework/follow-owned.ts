/** Brings an owner to its controller's attention when something changes that it owns, or could adopt. */
import { equalJson } from '../../api/json.ts'
import type { LabelSelector } from '../../api/label-selector.ts'
import type { Informer, InformerChange } from './informer.ts'
import { controllerOf, type Owned } from './owners.ts'
import { keyOf } from './reconciler.ts'

export interface FollowOptions<T extends Owned, O extends Owned> {
  readonly owned: Informer<T>
  readonly owners: Informer<O>
  /** The kind of the owners. */
  readonly kind: string
  /** What an owner adopts. Absent: it adopts nothing. */
  readonly selectorOf?: (owner: O) => LabelSelector
  add(key: string): void
}

/** The result ends it. */
export function followOwned<T extends Owned, O extends Owned>(options: FollowOptions<T, O>): () => void {
  const { owned, owners, kind, selectorOf, add } = options
  const notify = (object: T): void => {
    const reference = controllerOf(object)
    if (reference?.kind !== kind) return
    const owner = owners.get(object.metadata.namespace ?? '', reference.name)
    if (owner?.metadata.uid === reference.uid) add(keyOf(owner))
  }
  return owned.subscribe((change) => {
    notify(change.object)
    if (change.old !== undefined && controllerOf(change.old)?.uid !== controllerOf(change.object)?.uid)
      notify(change.old)
    if (selectorOf === undefined || !isNewOrphan(change)) return
    const { namespace = '', labels } = change.object.metadata
    for (const owner of owners.list(namespace)) if (selectorOf(owner).matches(labels)) add(keyOf(owner))
  })
}

function isNewOrphan({ type, object, old }: InformerChange<Owned>): boolean {
  if (type === 'DELETED' || controllerOf(object) !== undefined) return false
  if (object.metadata.deletionTimestamp !== undefined) return false
  return old === undefined || controllerOf(old) !== undefined || !equalJson(old.metadata.labels, object.metadata.labels)
}
