/** The metadata of a `Scale`: what identifies the object that it scales. */
import type { ObjectMeta } from '../api/object.ts'

export function scaleMetadata(scaled: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = scaled
  const metadata: ObjectMeta = {}
  if (name !== undefined) metadata.name = name
  if (namespace !== undefined) metadata.namespace = namespace
  if (uid !== undefined) metadata.uid = uid
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion
  metadata.creationTimestamp = creationTimestamp ?? null
  return metadata
}
