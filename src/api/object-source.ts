/**
 * A live view of all objects of one resource, for the parts of the server that decide by them (authorizers, admission,
 * controllers). Reads are synchronous and never change anything; objects are immutable.
 */
import type { KubeObject } from './object.ts'

export type ObjectChange<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED'; readonly object: T }
  | { readonly type: 'MODIFIED'; readonly object: T; readonly previous: T }
  | { readonly type: 'DELETED'; readonly object: T }

export interface ObjectSource<T extends KubeObject = KubeObject> {
  /** The namespace of a cluster-scoped object is the empty text. */
  get(namespace: string, name: string): T | undefined
  /** All objects, or those of one namespace, in key order. */
  list(namespace?: string): Iterable<T>
  /** Called for every object that is there, then for every change in order. The result ends the subscription. */
  subscribe(listener: (change: ObjectChange<T>) => void): () => void
}
