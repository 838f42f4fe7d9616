/** For kinds whose status endpoint leaves metadata alone, but for managed fields. */
import type { KubeObject } from '../../../api/object.ts'

const kept = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

export function keepMetadata({ metadata }: KubeObject, { metadata: old }: KubeObject): void {
  for (const key of kept) {
    if (old[key] === undefined) delete metadata[key]
    else Object.assign(metadata, { [key]: old[key] })
  }
}
