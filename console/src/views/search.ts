// Objects by words, of kinds that the server itself does not search: aggregated APIs, and everything of other clusters.
import { canList, type Kind, kinds, pathOf } from '../api/discovery.ts'
import { get } from '../api/http.ts'
import { type ApiList, type Metadata, metadataOnly } from '../api/objects.ts'
import { has } from '../api/session.ts'
import { counts, isAggregated } from './counts.ts'
import { kindId } from './kind-names.ts'

export interface FoundObject {
  readonly kind: Kind
  readonly metadata: Metadata
}

/** Of each kind the first ones; of more kinds none. */
const maxObjects = 500
const maxKinds = 40
const maxFound = 50
const keptMs = 15_000

let kept: { readonly until: number; readonly lists: Map<string, readonly Metadata[]> } | undefined

/** Those of others are searched where they were counted and there are any. */
function searchedHere(): Kind[] {
  const listable = kinds.value.filter((kind) => kind.preferred && canList(kind))
  const wanted = has('search')
    ? listable.filter(isAggregated)
    : listable.filter((kind) => (counts.value.get(kindId(kind)) ?? 0) > 0)
  return wanted.slice(0, maxKinds)
}

export async function searchHere(text: string, signal: AbortSignal): Promise<readonly FoundObject[]> {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (kept === undefined || kept.until < Date.now()) kept = { until: Date.now() + keptMs, lists: new Map() }
  const { lists } = kept
  const waiting = searchedHere()
  const found: FoundObject[] = []
  const next = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind !== undefined && !signal.aborted; kind = waiting.shift()) {
      const list = lists.get(kindId(kind)) ?? (await metadataOf(kind, signal))
      lists.set(kindId(kind), list)
      for (const metadata of list) if (matches(kind, metadata, words)) found.push({ kind, metadata })
    }
  }
  await Promise.all([next(), next(), next()])
  return found.slice(0, maxFound)
}

async function metadataOf(kind: Kind, signal: AbortSignal): Promise<readonly Metadata[]> {
  const query = { limit: String(maxObjects) }
  const list = await get<ApiList>(pathOf(kind), { query, accept: metadataOnly, signal }).catch(() => undefined)
  return (list?.items ?? []).map(({ metadata }) => metadata)
}

/** Every word in its name, its labels or its kind. */
function matches(kind: Kind, { name, labels = {} }: Metadata, words: readonly string[]): boolean {
  const text = [name, ...Object.entries(labels).map(([key, value]) => `${key}=${value}`)].join(' ').toLowerCase()
  const names = [kind.kind.toLowerCase(), kind.resource, kind.singular, ...kind.shortNames]
  return words.every((word) => text.includes(word) || names.includes(word))
}
