/** The text of objects in the cache and in stores. */

import { type JsonObject, withoutOmitted } from '../../api/json.ts'

export interface StoredFormat {
  /** An object is brought into the canonical form of its type before it is written. */
  readonly isCanonical: boolean
  /** Keys are written in alphabetical order, else in that of the type. */
  readonly sortsKeys: boolean
  /** Values of etcd may be CBOR. */
  readonly hasCbor: boolean
  /** What JSON shows of an object. */
  shown(object: JsonObject): JsonObject
}

// A draft may hold empty lists and maps that JSON does not show.
export const typedStorage: StoredFormat = { isCanonical: true, sortsKeys: false, hasCbor: false, shown: withoutOmitted }

export const unstructuredStorage: StoredFormat = {
  isCanonical: false,
  sortsKeys: true,
  hasCbor: true,
  shown: (object) => object,
}
