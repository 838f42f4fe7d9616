/**
 * What is special about one built-in resource beyond the facts of the catalogue: its strategy, how its subresources
 * write, what its field selectors read. A kind without rules of its own gets the plain ones.
 */

import type { FieldGetter } from '../api/field-label.ts'
import type { GroupVersion } from '../api/group-version.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { ObjectSource } from '../api/object-source.ts'
import type { ExpressionScope } from '../cel/environment.ts'
import type { Clock } from '../lib/clock.ts'
import type { Steps } from '../lib/in-turns.ts'
import type { MetricSet } from '../lib/metrics.ts'
import type { ObjectStorage } from '../registry/object-storage.ts'
import type { Registry } from '../registry/registry.ts'
import type { ResourceDefinition, StoredShape } from '../registry/resource-definition.ts'
import type { Strategy } from '../registry/strategy.ts'
import type { ActionSubresource, ScaleSubresource } from '../registry/subresource.ts'
import type { AccessServices } from './actions/access-services.ts'
import type { DeclaredRuleReports } from './declared-strategy.ts'
import type { MakeExpressionChecker } from './kinds/control/expressions.ts'
import type { CheckDeviceSelector } from './kinds/devices/device-checks.ts'

export interface KindRules<T extends KubeObject = KubeObject> {
  readonly strategy: Strategy<T>
  /** The strategies of subresources that write the object itself: `status`, `approval`, `resize`, … */
  readonly parts?: Readonly<Record<string, Strategy<T>>>
  readonly scale?: ScaleSubresource
  readonly actions?: Readonly<Record<string, ActionSubresource>>
  /** Actions that only some versions have: those for which the catalogue has such a subresource. */
  readonly versionActions?: Readonly<Record<string, (version: GroupVersion) => ActionSubresource>>
  /** Fields that the main strategy resets where a gate is on, beside those of the facts. */
  readonly gatedResets?: Readonly<Record<string, readonly string[]>>
  /** Values that field selectors see, by the label of the facts. */
  readonly fields?: Readonly<Record<string, FieldGetter>>
  /** Fields of `fields` with an index. */
  readonly indexes?: readonly string[]
  /** A delete answers with the object. */
  readonly returnsDeleted?: boolean | 'undocumented'
  /** The objects themselves, for kinds that are not stored but made on every read. */
  readonly virtualObjects?: () => Promise<readonly KubeObject[]>
  /** What becomes of a body once it is decoded and defaulted, before anything else sees it. */
  readonly decoded?: (object: JsonObject) => JsonObject
  /** The same of a large body, where that takes long. */
  readonly decodedInSteps?: (object: JsonObject) => Steps<JsonObject>
  /** The shape in the store, where it is that of a version which is not served. */
  readonly stored?: StoredShape
}

export interface ComponentHealth {
  readonly name: string
  readonly healthy: boolean
  readonly message: string
  readonly error: string
}

/** What rules may use of the server. Everything is asked for when it is needed: rules are made before the server is. */
export interface KindServices {
  readonly clock: Clock
  /** Whether a feature gate is on, or the release has a change (`api/release-changes.ts`). */
  gate(name: string): boolean
  /** The minor number of the release, for its facts. Rules ask for a gate or a change. */
  readonly release: number
  /** Which expressions may be written. */
  readonly scope: ExpressionScope
  /** The registry of another resource, for rules that write more than one object. */
  registry(group: string, resource: string): Registry
  /** The live objects of a resource, loaded on first use. */
  objects(group: string, resource: string): Promise<ObjectSource>
  /** Storage for objects that no endpoint serves. */
  storage(definition: ResourceDefinition): ObjectStorage
  /** The service address ranges, such as `10.0.0.0/24`. */
  readonly serviceRanges: readonly string[]
  /** `30000-32767`. */
  readonly nodePortRange: { readonly first: number; readonly last: number }
  readonly allowPrivileged: boolean
  /** How the parts of the control plane are at this moment. */
  components(): Promise<readonly ComponentHealth[]>
  readonly access: AccessServices
  readonly expressions: MakeExpressionChecker
  readonly deviceSelector: CheckDeviceSelector
  readonly declaredRules: DeclaredRuleReports
  /** Absent: not counted. */
  readonly metrics?: MetricSet
}

export type MakeKindRules = (services: KindServices) => KindRules
