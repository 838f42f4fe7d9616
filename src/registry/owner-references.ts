/** Duplicate owner references are dropped, with a warning. */
import type { KubeObject, OwnerReference } from '../api/object.ts'

/**
 * The object with each of its references once; itself when none comes twice. Creates and replacements are looked at before
 * and after they are admitted (`admitted`), patches only after that.
 */
export function deduplicateOwnerReferences(
  object: KubeObject,
  warn: (text: string) => void,
  { admitted }: { readonly admitted: boolean },
): KubeObject {
  const { metadata } = object
  const references = metadata.ownerReferences
  if (references === undefined || references.length < 2) return object
  const kept = new Map<string, OwnerReference>()
  const duplicates: string[] = []
  for (const reference of references) {
    const identity = identityOf(reference)
    if (kept.has(identity)) duplicates.push(reference.uid)
    else kept.set(identity, reference)
  }
  if (duplicates.length === 0) return object
  warn(
    `.metadata.ownerReferences contains duplicate entries${admitted ? ' after mutating admission happens' : ''}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  )
  return { ...object, metadata: { ...metadata, ownerReferences: [...kept.values()] } }
}

/** The same text for references that say the same. */
const identityOf = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string =>
  JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion])
