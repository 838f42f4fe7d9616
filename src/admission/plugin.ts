/**
 * What an admission plugin is: which requests it cares for, and what it does in either phase. `handles` is asked once
 * for each kind of request and remembered, so that a request pays only for plugins that care. Objects are immutable:
 * a plugin that changes one returns a new one.
 */

import type { AdmissionOperation, AdmissionRequest } from '../api/admission.ts'
import type { KubeObject } from '../api/object.ts'
import type { Awaitable } from '../lib/awaitable.ts'

/** The part of a request that decides which plugins it meets. */
export interface RequestShape {
  readonly operation: AdmissionOperation
  readonly group: string
  readonly resource: string
  readonly subresource: string
}

export type Mutation = KubeObject | undefined

/** One way of a request through all mutations. When a plugin asks for it, all of them get another look, once. */
export interface MutationPass {
  /** 0, then 1. */
  readonly round: number
  repeat(): void
  /** What a plugin keeps from the first round to the second. */
  remember<T>(plugin: string, make: () => T): T
}

export interface AdmissionPlugin {
  readonly name: string
  readonly handles: (shape: RequestShape) => boolean
  /** The object to go on with; undefined leaves it as it is. */
  readonly mutate?: (request: AdmissionRequest, pass: MutationPass) => Awaitable<Mutation>
  readonly validate?: (request: AdmissionRequest) => Awaitable<void>
}

/** A predicate over one resource of a group: its main endpoint and the named subresources. */
export function handling(
  operations: readonly AdmissionOperation[],
  group: string,
  resource: string,
  subresources: readonly string[] = [''],
): (shape: RequestShape) => boolean {
  return (shape) =>
    shape.resource === resource &&
    shape.group === group &&
    operations.includes(shape.operation) &&
    subresources.includes(shape.subresource)
}
