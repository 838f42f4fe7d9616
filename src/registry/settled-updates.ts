/**
 * Updates that change nothing, such as an apply of what is there already: controllers send them all the time. What the
 * rules of an endpoint say about one is a function of the object alone (`Strategy`), so that they are asked once for each
 * object, and not again as long as it stays as it is. Only what was found good without a word is remembered.
 */
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { Strategy } from './strategy.ts'
import type { WriteRequest } from './write-request.ts'

interface Asked {
  readonly strategy: Strategy
  readonly request: WriteRequest
}

interface Settled {
  readonly strategy: Strategy
  /** The version of the request: older ones allow what newer ones do not. */
  readonly apiVersion: string
}

/** By the object as it is stored, which is immutable. */
const settled = new WeakMap<KubeObject, Settled>()

/** Whether the draft is the object as it is, and preparing and validating it would change and say nothing. */
export function isSettled(draft: KubeObject, existing: KubeObject, { strategy, request }: Asked): boolean {
  const known = settled.get(existing)
  if (known === undefined || known.strategy !== strategy || known.apiVersion !== request.version.apiVersion)
    return false
  return isUnchanged(draft, existing)
}

/** Notices whether the rules have something to say; undefined when the draft is a change. */
export function listen(
  draft: KubeObject,
  existing: KubeObject,
  { strategy, request }: Asked,
): { readonly warn: (text: string) => void; readonly settle: () => void } | undefined {
  if (!isUnchanged(draft, existing)) return undefined
  let quiet = true
  return {
    warn: (text) => {
      quiet = false
      request.warn(text)
    },
    settle: () => {
      if (quiet && isUnchanged(draft, existing)) {
        settled.set(existing, { strategy, apiVersion: request.version.apiVersion })
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
