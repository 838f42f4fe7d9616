/**
 * What both clusters are made to do. A scenario is data: steps that are taken in a namespace of its own, which has the same
 * name on both sides, and what is compared when all of it has come to rest.
 */
import type { Json, JsonMap, JsonPath } from '../differential/json.ts'

/**
 * One object: `apps/v1/deployments/web`. Without a name, the first by name of those that a selector leaves:
 * `v1/pods?labelSelector=app%3Dweb`. `<ns>` stands for the scenario's namespace.
 */
export type Target = string

export type Step =
  | { readonly apply: readonly JsonMap[] }
  | { readonly patch: Target; readonly with: Json; readonly as?: 'merge' | 'json' | 'strategic'; readonly sub?: string }
  | { readonly remove: Target; readonly options?: JsonMap }
  | { readonly scale: Target; readonly to: number }
  /** To a subresource of an object, such as an eviction. */
  | { readonly post: Target; readonly sub: string; readonly body: JsonMap }
  | Wait

/** Waits until this holds, and the namespace has come to rest. */
export type Wait = { readonly until: Target; readonly isMoving?: boolean } & Expectation

type Expectation =
  /** The object, or each of the collection, says at least this; null: has no such member. */
  | { readonly has: Json }
  /** The object has something there. */
  | { readonly hasSome: JsonPath }
  | { readonly gone: true }
  /** The collection has so many objects, of which each has this. */
  | { readonly count: number; readonly has?: Json }
  /** The collection has so many, or more, that have this. */
  | { readonly atLeast: number; readonly has: Json }

export interface Scenario {
  readonly name: string
  readonly steps: readonly Step[]
  /** How pods are spread over nodes follows from what they ask for. */
  readonly hasSpread?: boolean
  /** It changes nodes or counts them: nothing else runs beside it. */
  readonly isAlone?: boolean
}

/** Cluster-wide objects of a scenario have this label, so that they are found and removed. */
export const scenarioLabel = 'differential'

export const isWait = (step: Step): step is Wait => 'until' in step
