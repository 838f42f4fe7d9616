/** Metadata under writes to `status`: how much of it the kinds keep that let such writes change none of theirs. */
import type { KubeObject, ObjectMeta } from '../../api/object.ts'

const reset = ['deletionTimestamp', 'generation', 'selfLink', 'labels', 'annotations', 'finalizers', 'ownerReferences']
const described = ['labels', 'annotations', 'finalizers', 'ownerReferences']

function keep(keys: readonly string[], { metadata }: KubeObject, { metadata: old }: KubeObject): void {
  for (const key of keys) {
    const value = old[key]
    if (value === undefined) delete metadata[key]
    else metadata[key] = value
  }
}

/** Mirrors apimachinery/pkg/apis/meta/v1: ResetObjectMetaForStatus. */
export const keepMetadataForStatus = (draft: KubeObject, old: KubeObject): void => keep(reset, draft, old)

/** Mirrors kube-aggregator/pkg/registry/apiservice: the status strategy's PrepareForUpdate. */
export const keepDescription = (draft: KubeObject, old: KubeObject): void => keep(described, draft, old)

/** All but who owns what, as pkg/registry/flowcontrol does. */
export function keepAllMetadata(draft: KubeObject, { metadata: old }: KubeObject): void {
  const { managedFields } = draft.metadata
  const metadata: ObjectMeta = { ...old }
  if (managedFields === undefined) delete metadata.managedFields
  else metadata.managedFields = managedFields
  draft.metadata = metadata
}
