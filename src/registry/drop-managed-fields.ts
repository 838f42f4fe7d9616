/**
 * An object that is too large for the store is written without its managed fields, which may be most of it; except by an apply, which
 * is about them.
 */
import { copyObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { isTooLarge } from './store-failure.ts'
import type { WriteRequest } from './write-request.ts'

/** What to write after the object could not be written because of `error`, which is thrown where that does not help. */
export function dropManagedFields(object: KubeObject, { applies = false }: WriteRequest, error: unknown): KubeObject {
  if (applies || object.metadata.managedFields === undefined || !isTooLarge(error)) throw error
  const metadata = copyObject(object.metadata)
  delete metadata.managedFields
  return { ...object, metadata }
}
