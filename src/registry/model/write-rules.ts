/** The differences of the two object models in the generic write verbs. */

import type { GroupVersionKind } from '../../api/group-version.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { Equality } from '../../patch/apply/keep-times.ts'
import type { ResourceDefinition, ResourceVersion } from '../resource-definition.ts'

/** An object about to get owners. */
export interface OwnableObject {
  readonly object: KubeObject
  readonly version: ResourceVersion
  readonly subresource: string
  /** What is stored; undefined for a create. */
  readonly current: KubeObject | undefined
}

export interface WriteRules {
  /** What the object of a create must not have yet. Changes the draft. */
  prepareNew(draft: KubeObject): void
  /** As what an invalid object is refused. */
  refusedAs(definition: ResourceDefinition, draft: KubeObject): Pick<GroupVersionKind, 'group' | 'kind'>
  /** Whether two values are the same to a write. */
  readonly equal: Equality
  /** Whether the object has owners at all. Absent where each has. */
  hasOwners?(ownable: OwnableObject): Steps<boolean>
  /** The version whose fields alone are reset in what a request owns; empty where every version resets its own. */
  resettingVersion(version: ResourceVersion): string
  /** What the server itself writes, in the form of a decoded body. What it shares with `current`, which was stored, is not looked at. */
  ownDraft(version: ResourceVersion, object: KubeObject, current: KubeObject | undefined): JsonObject
}
