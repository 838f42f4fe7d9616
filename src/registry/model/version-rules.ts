/** In which version a write works on an object, and how objects move between versions. */

import type { GroupVersionKind } from '../../api/group-version.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { TypeCatalog } from '../../catalog/catalog.ts'
import type { JsonDocument, TypeMeta } from '../../codec/json.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { ResourceDefinition, ResourceVersion } from '../resource-definition.ts'

/** The version that a write was made in, and whether admission changed what it made. */
export interface WrittenForm {
  readonly version: ResourceVersion
  readonly isAdmitted: boolean
}

/** What a patch of a webhook or a policy made of an object. */
export interface AdmittedPatch {
  readonly object: JsonObject
  /** Its text. */
  readonly document: JsonDocument
  /** What it says to be. */
  readonly type: TypeMeta
  /** What was sent to be patched. */
  readonly sent: JsonObject
  /** Those of the release, for objects that no resource stores. */
  readonly types: TypeCatalog
}

export interface AdmittedForm {
  /** That of the request. */
  readonly kind: GroupVersionKind
  /** What admission was given, in the version that the write works in: parts that a version cannot say stay as they are. */
  readonly before?: KubeObject | undefined
}

export interface VersionPair {
  readonly from: ResourceVersion
  readonly to: ResourceVersion
}

export interface VersionRules {
  /** The versions that an object of the resource may be in. */
  all(definition: ResourceDefinition): readonly ResourceVersion[]
  /** The one that the server itself writes in. */
  written(definition: ResourceDefinition): ResourceVersion
  /** An object of the version of a request as a write works on it. */
  toWorking(definition: ResourceDefinition, version: ResourceVersion, object: KubeObject): KubeObject
  /** A stored object as a write in a version works on it. */
  fromStored(definition: ResourceDefinition, version: ResourceVersion, object: KubeObject): Awaitable<KubeObject>
  /** What a write made, as it is read back from the store: in the stored version, with its defaults. */
  toStored(definition: ResourceDefinition, object: KubeObject, written: WrittenForm): Awaitable<KubeObject>
  /** An object that a write works on, in another version. */
  convert(definition: ResourceDefinition, object: KubeObject, apiVersion: string): Awaitable<KubeObject>
  /** An object in another version, for owners who wrote in that one; it may be one that something was taken out of. */
  convertOwned(definition: ResourceDefinition, object: KubeObject, between: VersionPair): KubeObject
  /** Reads what admission patched, in its own version. Throws an Error that says what is wrong, or an answer of its own. */
  decodeAdmitted(definition: ResourceDefinition | undefined, patch: AdmittedPatch): Steps<KubeObject>
  /** What admission worked on, back in the version that the write works in. */
  restoreAdmitted(definition: ResourceDefinition, object: KubeObject, admitted: AdmittedForm): Awaitable<KubeObject>
  /** Whether admission left an object as it was: typed ones are the same whether a list or a map is empty or absent. */
  readonly equalAdmitted: (a: KubeObject | undefined, b: KubeObject | undefined) => Steps<boolean>
  /** The kind in which webhooks for another version are shown a subresource of this one; undefined where they are shown none. */
  partKind(version: ResourceVersion, subresource: string): GroupVersionKind | undefined
  /** Whether a mutating policy may answer in another version than that of the request. */
  readonly convertsAdmitted: boolean
}
