/**
 * What is special about one resource, as hooks of the generic verbs. The generic part does what every resource shares
 * (metadata, names, versions, managed fields, admission); a strategy adds the rest.
 *
 * Mutation rules: `begin…` and `prepare…` may change the draft they are given, and nothing else; `validate…` and
 * `warnings…` change nothing. Mutable of a draft are the object itself and its `metadata`; of a new one
 * also those of its members that are structs (`spec`, `status`): keys of these may be set and deleted. All that is deeper,
 * and every list and every map (`data`, `metadata.labels`), may be shared with other objects, whether it was sent or
 * filled in: it is never changed in place, but a copy with the change is put in its stead
 * (`draft.spec.template = { ...draft.spec.template, metadata }`), and nothing is copied where nothing changes.
 *
 * All hooks see objects in the hub version, decoded, defaulted and in canonical form (absent fields are absent keys).
 * Everything stateful (addresses, ports, tokens) is in `begin…`.
 *
 * `prepare…`, `validate…` and `warnings…` are pure functions of objects and version for a no-op update: their outcome is memoized
 * (no-op-updates.ts).
 */

import type { FieldError } from '../api/field-error.ts'
import type { KubeObject } from '../api/object.ts'
import type { UserInfo } from '../api/user.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { DeleteOptions } from './delete-options.ts'
import type { MetadataCalls } from './metadata-checks.ts'

/** What a hook may want to know about the request and the server. */
export interface WriteContext {
  /** Absent for the server's own writes. */
  readonly user: UserInfo | undefined
  readonly namespace: string
  /** `create`, `update` or `patch`; absent for the server's own writes, which need no permission. */
  readonly verb?: string | undefined
  readonly dryRun: boolean
  /** The version that the request is in, as `apiVersion` has it: older ones allow what newer ones do not. */
  readonly apiVersion?: string
  /** What is written through: empty or absent for the object itself. */
  readonly subresource?: string
  /** Adds a warning to the answer, also when the write is refused. */
  readonly warn?: (text: string) => void
  /** Milliseconds since the epoch. */
  readonly now: number
  gate(name: string): boolean
}

/**
 * A reservation made for a write, such as an address: kept when the write took effect, given back when it was refused. When
 * the outcome is unknown neither happens (`onUnknownOutcome`): an address of an object that is stored must not be given twice.
 */
export interface Reservation {
  commit(): Awaitable<void>
  rollback(): Awaitable<void>
}

export interface Strategy<T extends KubeObject = KubeObject> {
  /**
   * The kind's own rules of metadata, whose causes come before those of `validate` and `validateUpdate`. Absent: all of it on create, what
   * it may not become on update. The generic rules come in any case: after the kind's on create, if these found nothing, and before
   * them on update.
   */
  validateMetadata?(metadata: MetadataCalls, object: T): FieldError[]
  validateMetadataUpdate?(metadata: MetadataCalls, object: T): FieldError[]

  /** The name that `generateName` stands for. Absent: five random characters follow it. */
  nameFrom?(generateName: string): string
  prepareForCreate?(draft: T, context: WriteContext): void
  validate?(object: T, context: WriteContext): FieldError[]
  warningsOnCreate?(object: T, context: WriteContext): string[]

  prepareForUpdate?(draft: T, old: T, context: WriteContext): void
  validateUpdate?(object: T, old: T, context: WriteContext): FieldError[]
  warningsOnUpdate?(object: T, old: T, context: WriteContext): string[]

  /**
   * In place of `validate` and `validateUpdate` for kinds whose rules are their users' and may take long: a promise when
   * they did, and others had their turn in between. `old` is absent on create.
   */
  validateInTurns?(object: T, old: T | undefined, context: WriteContext): Awaitable<FieldError[]>

  /** An apply through this subresource creates the object where there is none, as it does without a subresource. */
  readonly createsByApply?: boolean

  /** Reserves what the object needs and may write it into the draft; runs before `prepare…` and validation. */
  beginCreate?(draft: T, context: WriteContext): Reservation | Promise<Reservation | undefined> | undefined
  beginUpdate?(draft: T, old: T, context: WriteContext): Reservation | Promise<Reservation | undefined> | undefined
  /** Changes what the store and its readers have otherwise than admission saw it. `old` is absent on create. */
  beforeStore?(draft: T, old: T | undefined): void
  /** Puts right what a crash left behind outside the objects; runs when the server has started. */
  repair?(): Promise<void>
  /**
   * A write failed after the store may have taken it. What was reserved for it, or what a deleted object owned, is in
   * doubt, and to be held against the stored objects once they are known.
   */
  onUnknownOutcome?(): void
  /** The object is gone from the store. */
  afterDelete?(object: T, context: WriteContext): Awaitable<void>

  /**
   * How `metadata.generation` moves. `spec`: 1 on create, one more when anything but metadata and status changed, where
   * an empty list equals none. `exact-spec`: where it does not, as the reference compares the kind by `reflect.DeepEqual`.
   * Absent: the kind has no generation, or its own hooks keep it.
   */
  readonly generation?: 'spec' | 'exact-spec'

  /** The warnings of a delete with these options. */
  warningsOnDelete?(options: DeleteOptions): string[]
  /** Graceful deletion: seconds of grace for this delete, or undefined when the object goes at once. */
  gracePeriodSeconds?(object: T, options: DeleteOptions): number | undefined
  /**
   * For kinds whose end is a state of its own, such as a namespace's: changes the draft as its first delete marks it.
   * That delete only marks, and the object stays while `isHeld` says so, whatever its finalizers.
   */
  terminate?(draft: T, context: WriteContext): void
  /** The finalizers that this first delete leaves; those of the object unless given. */
  finalizersAtTermination?(present: readonly string[], options: DeleteOptions): readonly string[]
  isHeld?(object: T): boolean
  /** Refuses a delete by throwing, whether the object is there or not. A delete of the collection does not ask. */
  checkDelete?(name: string): void
}
