// Objects as tests write and read them. The contracts of this folder, what `pilothouse-apiserver/testing` offers, import nothing but each
// other, so that their types stand alone in the package.

/** Any object of the API. */
export interface ApiObject {
  apiVersion?: string
  kind?: string
  metadata?: ApiMetadata
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
  [field: string]: any
}

export interface ApiMetadata {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
  [field: string]: any
}

/** An object as the server answers with it. */
export interface StoredObject extends ApiObject {
  metadata: StoredMetadata
}

export interface StoredMetadata extends ApiMetadata {
  name: string
}
