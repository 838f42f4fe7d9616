/**
 * An object that is too large for the store is written without its managed fields, which may be most of it. An apply
 * does not do that: who owns what is what it is about.
 */
import { copyObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { isTooLarge } from './object-storage.ts'
import type { WriteRequest } from './write-request.ts'

export async function writeSmaller<T>(
  object: KubeObject,
  { applies = false }: WriteRequest,
  write: (object: KubeObject) => Promise<T>,
): Promise<T> {
  try {
    return await write(object)
  } catch (error) {
    if (applies || object.metadata.managedFields === undefined || !isTooLarge(error)) throw error
    const metadata = copyObject(object.metadata)
    delete metadata.managedFields
    return write({ ...object, metadata })
  }
}
