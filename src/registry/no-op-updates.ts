/**
 * Memoizes no-op updates, such as an apply of what is there already, which controllers send all the time. Whether the strategy of an
 * endpoint accepts a no-op is a pure function of the stored object (`Strategy`): it is validated once per object, and only a result
 * without errors and warnings is kept.
 */

import type { FieldError } from '../api/field-error.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { checksMemos, MemoError, SideTable } from '../lib/memo.ts'
import type { Strategy } from './strategy.ts'
import type { WriteRequest } from './write-request.ts'

interface NoOpContext {
  readonly strategy: Strategy
  readonly request: WriteRequest
}

interface ValidatedNoOp {
  readonly strategy: Strategy
  /** The version of the request: older ones allow what newer ones do not. */
  readonly apiVersion: string
}

interface NoOpObserver {
  readonly warn: (text: string) => void
  readonly refuse: (errors: readonly FieldError[]) => void
  readonly remember: () => void
}

/** By the object as it is stored, which is immutable. */
const knownNoOps = new SideTable<KubeObject, ValidatedNoOp>()

/** Whether the draft is a no-op that was validated before. */
export function isKnownNoOp(draft: KubeObject, existing: KubeObject, { strategy, request }: NoOpContext): boolean {
  // The checker of memos lets every no-op be validated again.
  return !checksMemos && isMemoized(existing, { strategy, request }) && isUnchanged(draft, existing)
}

function isMemoized(existing: KubeObject, { strategy, request }: NoOpContext): boolean {
  const known = knownNoOps.get(existing)
  return known !== undefined && known.strategy === strategy && known.apiVersion === request.version.apiVersion
}

/** Observes the validation of a no-op: `remember` memoizes it unless something was warned of. Undefined when the draft is a change. */
export function observeNoOp(
  draft: KubeObject,
  existing: KubeObject,
  { strategy, request }: NoOpContext,
): NoOpObserver | undefined {
  if (!isUnchanged(draft, existing)) return undefined
  const wasMemoized = checksMemos && isMemoized(existing, { strategy, request })
  let quiet = true
  return {
    refuse: (errors) => {
      if (wasMemoized) throw new MemoError('no-op-update', [], errors)
    },
    warn: (text) => {
      if (wasMemoized) throw new MemoError('no-op-update', [], text)
      quiet = false
      request.warn(text)
    },
    remember: () => {
      if (quiet && isUnchanged(draft, existing)) {
        knownNoOps.set(existing, { strategy, apiVersion: request.version.apiVersion })
      }
    },
  }
}

/** By identity: a change that was made and undone again counts as one. */
const isUnchanged = (draft: KubeObject, existing: KubeObject): boolean =>
  sameMembers(draft, existing, 'metadata') && sameMembers(draft.metadata, existing.metadata)

function sameMembers(a: JsonObject, b: JsonObject, besides?: string): boolean {
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  for (const key of keys) {
    if (key !== besides && (a[key] !== b[key] || !Object.hasOwn(b, key))) return false
  }
  return true
}
