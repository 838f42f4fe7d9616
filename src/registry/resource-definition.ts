/**
 * A resource as data: built-in kinds and custom ones compile to this, and no code downstream asks which of the two it
 * serves. Capabilities are fields, never found out by probing.
 */

import type { SelectableFields } from '../api/field-label.ts'
import type { GroupResource, GroupVersionKind } from '../api/group-version.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { TableDefinition } from '../api/table.ts'
import type { CompletePart } from '../codec/part-interner.ts'
import type { Steps } from '../lib/in-turns.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import type { ObjectModel } from './model/object-model.ts'
import type { Strategy } from './strategy.ts'
import type { SubresourceDefinition } from './subresource.ts'

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

export interface ResourceDefinition extends GroupResource {
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly verbs: ReadonlySet<Verb>
  /** The served versions, most preferred first. */
  readonly versions: readonly ResourceVersion[]
  /** Groups that serve the same objects under the same name, too. */
  readonly otherGroups?: readonly string[]
  /** Versions that another group serves of the same objects: owners of either keep what they own. */
  readonly inOtherGroups?: () => readonly ResourceVersion[]
  /** The version that strategies, the cache and the store of this process work in: one of `versions`, or stored only. */
  readonly hub: ResourceVersion
  readonly storage: StorageDefinition
  readonly strategy: Strategy
  readonly subresources: ReadonlyMap<string, SubresourceDefinition>
  /** A PUT to a name that does not exist creates. */
  readonly createOnUpdate: boolean
  /** A PUT without a resourceVersion is taken. */
  readonly unconditionalUpdate: boolean
  /** What becomes of dependents when a delete does not say; `unsupported` kinds never get the finalizers of garbage collection. */
  readonly garbageCollection: 'background' | 'orphan' | 'unsupported'
  /** A delete that removed the object answers with the object, not with a Status. OpenAPI does not list all that do. */
  readonly returnsDeleted: boolean | 'undocumented'
  /** How its objects are represented. */
  readonly model: ObjectModel
  /** Versions that a webhook converts. Stored objects are then kept in the version that they were stored in. */
  readonly remoteConversion?: RemoteConversion
  /** A virtual resource: its objects are computed on request, stored nowhere, and read only. */
  readonly virtualObjects?: () => Promise<readonly KubeObject[]>
  /** Values of the hub object that lists by field selector are indexed by, such as `spec.nodeName`. */
  readonly indexes: readonly string[]
}

/** Conversion by a server that must be asked: of many objects at a time, in their order. */
export interface RemoteConversion {
  convert(objects: readonly KubeObject[], apiVersion: string): Promise<readonly KubeObject[]>
}

/** A custom object as its schema lets it in. */
export interface CoercedBody {
  readonly object: JsonObject
  /** Paths of undeclared fields that were pruned. */
  readonly unknown: readonly string[]
  /** What makes it no object at all. */
  readonly error?: string
}

export interface CoerceBodyOptions {
  /** Of an apply: validation refuses the nulls that the type does not allow. */
  readonly keepsNulls?: boolean
}

export interface ResourceVersion extends GroupVersionKind {
  readonly apiVersion: string
  readonly schema: ObjectSchema
  /** A custom type as its author wrote it (`openAPIV3Schema`), for OpenAPI: it has the descriptions. */
  readonly openApi?: JsonObject | undefined
  /** Absent: the default table of name and age. */
  readonly table?: TableDefinition
  /** The field selectors that this version takes: label in the request to the path looked up by `fields`. */
  readonly fieldLabels: ReadonlyMap<string, string>
  /** Custom types: types the metadata and drops what the schema does not know. */
  readonly coerce?: (object: JsonObject, options?: CoerceBodyOptions) => CoercedBody
  /** The same of a large object. */
  readonly coerceInSteps?: (object: JsonObject, options?: CoerceBodyOptions) => Steps<CoercedBody>
  /** The subresources of this version, where not all versions have the same. */
  readonly subresources?: ReadonlyMap<string, SubresourceDefinition>
  /**
   * The object with what the body leaves out filled in; the same object when nothing is missing. It costs less where the
   * object shares parts with `before`, one that is not changed any more.
   */
  readonly withDefaults?: (object: JsonObject, before?: JsonObject) => JsonObject
  /** The same of a large object. Absent where that takes no longer. */
  readonly withDefaultsInSteps?: ((object: JsonObject) => Steps<JsonObject>) | undefined
  /** The defaults of a part alone. Absent for types whose objects do not share parts. */
  readonly completePart?: CompletePart
  /** Conversion; absent where this is the hub version or has its shape. Both return new objects. */
  readonly toHub?: (object: KubeObject, onto?: KubeObject) => KubeObject
  readonly fromHub?: (object: KubeObject) => KubeObject
  /** Fields that a write to the main resource does not own, because it cannot change them. */
  readonly resetFields: readonly string[]
  /** The text of the `Warning` header on every request. */
  readonly deprecation?: Deprecation
}

export interface Deprecation {
  readonly warning: string
  /** `1.32`; absent when no removal is planned. */
  readonly removedRelease?: string
}

/** Between the hub and the stored version, where the stored one is not served and has another shape. Both are pure. */
export interface StoredShape {
  toStored(object: KubeObject): KubeObject
  fromStored(object: KubeObject): KubeObject
}

export interface StorageDefinition {
  /** `/registry/pods`: namespace and name follow. */
  readonly prefix: string
  /** The `apiVersion` of the stored form, as the reference stores it. */
  readonly apiVersion: string
  readonly encoding: 'protobuf' | 'json'
  /** Objects vanish after this many seconds. */
  readonly ttlSeconds?: number
  /** Makes the hub object of a stored one, where more than its version can be out of date. */
  readonly revive?: (object: KubeObject) => KubeObject
  readonly shape?: StoredShape
  /** A version that only earlier releases had, and may have stored. */
  readonly older?: (apiVersion: string) => ResourceVersion | undefined
  /** The values that field selectors see, by path. `metadata.name` and `metadata.namespace` are always there. */
  readonly fields: SelectableFields
}
