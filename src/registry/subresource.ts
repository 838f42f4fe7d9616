/**
 * The subresources of a resource, as data. `status`-like ones are another way to write the same object; `scale` shows
 * one object as another; the rest act.
 */

import type { Annotate } from '../api/audit-trail.ts'
import type { GroupVersionKind } from '../api/group-version.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { TableDefinition } from '../api/table.ts'
import type { UserInfo } from '../api/user.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Steps } from '../lib/in-turns.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import type { Deprecation } from './resource-definition.ts'
import type { Strategy } from './strategy.ts'

export type SubresourceDefinition = PartSubresource | ScaleSubresource | ActionSubresource | ConnectSubresource

/** Reads and writes the same object under other rules: `status`, `approval`, `ephemeralcontainers`, `resize`, `finalize`. */
export interface PartSubresource {
  readonly type: 'part'
  readonly verbs: ReadonlySet<'get' | 'update' | 'patch'>
  readonly strategy: Strategy
  /** By apiVersion: fields that a write here does not own. */
  readonly resetFields: ReadonlyMap<string, readonly string[]>
  /** Whether a request resets them in what others own in another version, too. Absent: as the model has it. */
  readonly resetsEveryVersion?: boolean
  /** It is never shown as a Table. */
  readonly withoutTable?: boolean
}

/** Shows the object as an `autoscaling/v1` Scale. */
export interface ScaleSubresource {
  readonly type: 'scale'
  readonly verbs: ReadonlySet<'get' | 'update' | 'patch'>
  toScale(object: KubeObject): KubeObject
  /** Makes in steps what of a large object takes long, which `toScale` finds then. Absent: nothing does. */
  prepare?(object: KubeObject): Steps<void>
  /** Whether the object says nothing of replicas: there is no Scale to get, but a write may set them. Absent: never. */
  isUnset?(object: KubeObject): boolean
  /** A new object with the replicas of the scale. */
  withReplicas(object: KubeObject, replicas: number): KubeObject
  /** Drops what the schema does not have, such as replicas at a path that it lacks. Absent: there is never such a thing. */
  prune?(object: KubeObject): KubeObject
  /** Gives the object the defaults of parts that the replicas brought into being: readers have them, validation does not. */
  complete?(object: KubeObject): KubeObject
  /** Where the replicas live in the object, such as `spec.replicas`. */
  readonly replicasPath: string
  /** The fewest replicas that a Scale may ask for. Absent: the object's own validation decides. */
  readonly minReplicas?: number
  /** The Go type that the Scale is made of. */
  readonly goType: string
  /** The refusal of any body that cannot be read as a Scale. Absent: it says what is wrong with the body. */
  readonly malformed?: string
  /** How Scales are shown as a Table. Absent: as the object itself. */
  readonly table?: TableDefinition
}

/** A POST that does something with the object: `binding`, `eviction`, `token`. */
export interface ActionSubresource {
  readonly type: 'action'
  readonly kind: GroupVersionKind
  /** Versions of the same shape that the body may be in, too. */
  readonly otherVersions?: readonly string[]
  readonly schema: ObjectSchema
  readonly withDefaults?: (object: JsonObject) => JsonObject
  readonly deprecation?: Deprecation
  /** A subresource write carries the object's uid and version in metadata, as written by the server. */
  readonly keepsSystemFields?: boolean
  /** The body is decoded, defaulted and mutated by admission; the result is the answer's object. */
  create(request: ActionRequest): Promise<ActionResult>
}

export interface ActionRequest {
  readonly namespace: string
  readonly name: string
  readonly body: KubeObject
  readonly user: UserInfo
  readonly dryRun: boolean
  /** The decoded CreateOptions of the request. */
  readonly options: JsonObject
  readonly fieldManager: string
  readonly warn: (text: string) => void
  readonly annotate: Annotate
  /** The validating phase of admission: to be asked once the body was found good, before anything is done. */
  readonly admit: (object: KubeObject) => Awaitable<void>
}

export interface ActionResult {
  readonly code: number
  readonly body: JsonObject
}

/** Passes the connection on to a kubelet or endpoint: `log`, `exec`, `attach`, `portforward`, `proxy`. */
export interface ConnectSubresource {
  readonly type: 'connect'
  readonly methods: ReadonlySet<string>
  readonly options: GroupVersionKind
}
