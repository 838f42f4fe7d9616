/** Which objects a list or watch is about: a namespace, a name, labels, fields and a shard, compiled once for a request. */
import type { StringMap } from '../api/object.ts'
import type { CacheEntry } from './cache-entry.ts'

export interface Selection {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined
  /** Undefined: every name. */
  readonly name: string | undefined
  readonly labels: LabelMatcher | undefined
  readonly fields: ((entry: CacheEntry) => boolean) | undefined
  /** An indexed field that must have this value. */
  readonly indexed: { readonly index: string; readonly value: string } | undefined
  /**
   * A further predicate that is asynchronous (fields of a version that a webhook converts): readers and watchers apply it to what the rest
   * selects.
   */
  readonly refine?: Refine | undefined
  readonly shard?: Shard | undefined
}

/** A part of all objects. */
export interface Shard {
  /** As clients write it. */
  readonly selector: string
  holds(entry: CacheEntry): boolean
}

export type Refine = (entries: readonly CacheEntry[]) => Promise<readonly boolean[]>

export interface LabelMatcher {
  matches(labels: StringMap | undefined): boolean
  /** Labels that every matching object has with exactly this value: the label index is asked for one of them. */
  readonly equalities: readonly { readonly key: string; readonly value: string }[]
}

export const selectEverything: Selection = {
  namespace: undefined,
  name: undefined,
  labels: undefined,
  fields: undefined,
  indexed: undefined,
}

export function selects(selection: Selection, entry: CacheEntry): boolean {
  const { namespace, name, labels, fields, shard } = selection
  return (
    (namespace === undefined || entry.namespace === namespace) &&
    (name === undefined || entry.name === name) &&
    (labels === undefined || labels.matches(entry.labels)) &&
    (fields === undefined || fields(entry)) &&
    (shard === undefined || shard.holds(entry))
  )
}

/** True when no name, label or field is asked for. A shard does not count: the reference leaves it out when it counts what remains. */
export function isWholeRange({ name, labels, fields }: Selection): boolean {
  return name === undefined && labels === undefined && fields === undefined
}
