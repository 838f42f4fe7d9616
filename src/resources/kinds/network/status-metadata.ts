/** Metadata under writes to `status` of the kinds that let such writes change none of it. */
import type { KubeObject } from '../../../api/object.ts'

const kept = ['deletionTimestamp', 'generation', 'selfLink', 'labels', 'annotations', 'finalizers', 'ownerReferences']

export function keepMetadataForStatus(draft: KubeObject, old: KubeObject): void {
  for (const key of kept) {
    const value = old.metadata[key]
    if (value === undefined) delete draft.metadata[key]
    else draft.metadata[key] = value
  }
}
