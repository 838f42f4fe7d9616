/** The contract of a check of the pod security standards, its input and its violation, and the wording that checks share. */

import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { ObjectMeta } from '../../api/object.ts'
import type { Container, PodSpec } from '../../catalog/types/core-v1.ts'
import { containersOf } from '../pod.ts'
import type { Level } from './policy.ts'

/** A pod, or the template of one. */
export interface PodLike {
  readonly metadata: ObjectMeta
  readonly spec: PodSpec
  /** User namespaces make root harmless, where the cluster trusts them to. */
  readonly relaxed: boolean
}

export interface Violation {
  readonly reason: string
  readonly detail: string
}

export type Check = (pod: PodLike) => Violation | undefined

export interface VersionedCheck {
  readonly id: string
  readonly level: Exclude<Level, 'privileged'>
  /** By the minor version from which on each reads, ascending. */
  readonly versions: readonly (readonly [minor: number, check: Check])[]
  readonly overrides?: string
}

/** In quotes as they are: what has quotes itself keeps them. */
export const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')
export const plural = (one: string, several: string, count: number): string => (count === 1 ? one : several)
export const containersText = (names: readonly string[]): string =>
  `${plural('container', 'containers', names.length)} ${quoted(names)}`

export const nestedObject = (value: JsonValue | undefined): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined

export const namesWhere = ({ spec }: PodLike, isBad: (container: Container) => boolean): string[] =>
  [...containersOf(spec)].filter(({ container }) => isBad(container)).map(({ container }) => container.name)

/** The pod and the containers whose setting is not allowed, in words; none is undefined. */
export function badSetters(pod: PodLike, isBad: (context: JsonObject) => boolean): string | undefined {
  const setters: string[] = []
  const podContext = pod.spec.securityContext
  if (podContext !== undefined && isBad(podContext)) setters.push('pod')
  const names = namesWhere(pod, ({ securityContext }) => securityContext !== undefined && isBad(securityContext))
  if (names.length > 0) setters.push(containersText(names))
  return setters.length === 0 ? undefined : setters.join(' and ')
}

export const sortedNames = (values: Iterable<string>): string[] => [...new Set(values)].sort()
