// How many objects there are of each kind: asked again while the page is in sight, and after discovery changed.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { canList, kinds, pathOf } from '../api/discovery.ts'
import { get } from '../api/http.ts'
import { metadataOnly } from '../api/objects.ts'
import { has, loadCounts } from '../api/session.ts'
import { address } from '../lib/router.ts'
import { kindId } from './kind-names.ts'

const everyMs = 3000
const everyMsOfOthers = 30_000

/** By kind; a kind that the user may not list is not there. */
export const counts = signal<ReadonlyMap<string, number>>(new Map())

/** The namespace that lists are narrowed to, which goes along from kind to kind. */
export const namespaceNow = signal('')

export function useCounts(): void {
  const { ns } = address.value.query
  const [view, , , , objectNamespace] = address.value.path
  useEffect(() => {
    if (view === 'k') namespaceNow.value = ns ?? ''
    if (view === 'o' && objectNamespace !== '_' && namespaceNow.value !== '') namespaceNow.value = objectNamespace ?? ''
  }, [view, ns, objectNamespace])
  const namespace = namespaceNow.value
  const known = kinds.value.length
  useEffect(() => {
    let ended = false
    const look = async () => {
      if (document.visibilityState === 'visible') await refresh(namespace).catch(() => {})
      if (!ended) timer = setTimeout(look, has('counts') ? everyMs : everyMsOfOthers)
    }
    let timer = setTimeout(look, 0)
    return () => {
      ended = true
      clearTimeout(timer)
    }
  }, [namespace, known])
}

async function refresh(namespace: string): Promise<void> {
  if (!has('counts')) return countOneByOne(namespace)
  const { items } = await loadCounts(namespace)
  publish(new Map(items.map((item) => [kindId(item), item.count])))
}

function publish(found: ReadonlyMap<string, number>): void {
  const before = counts.value
  const same = found.size === before.size && [...found].every(([id, count]) => before.get(id) === count)
  if (!same) counts.value = found
}

interface CountedList {
  readonly items: readonly unknown[]
  readonly metadata: { readonly remainingItemCount?: number }
}

/** For servers that have no counts: one item of each kind tells how many remain. */
async function countOneByOne(namespace: string): Promise<void> {
  const found = new Map<string, number>()
  const waiting = kinds.value.filter((kind) => kind.preferred && canList(kind))
  const next = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      const path = pathOf(kind, { namespace })
      const list = await get<CountedList>(path, { query: { limit: '1' }, accept: metadataOnly }).catch(() => undefined)
      if (list !== undefined) found.set(kindId(kind), list.items.length + (list.metadata.remainingItemCount ?? 0))
    }
  }
  await Promise.all([next(), next(), next()])
  publish(found)
}
