// How many objects there are of each kind, as the server tells when it changes. What only others know (aggregated APIs, other clusters)
// is asked of them now and then, while the page is in sight.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { canList, type Kind, kinds, pathOf } from '../api/discovery.ts'
import { get } from '../api/http.ts'
import { metadataOnly } from '../api/objects.ts'
import { has } from '../api/session.ts'
import { type StreamLine, useFollowed } from '../api/stream.ts'
import { address } from '../lib/router.ts'
import { setClockSkew } from '../lib/time.ts'
import { kindId } from './kind-names.ts'

const everyMsOfAggregated = 10_000
const everyMsOfOthers = 30_000

type Counts = ReadonlyMap<string, number>

/** By kind; a kind that the user may not list is not there. */
export const counts = signal<Counts>(new Map())

/** The namespace that lists are narrowed to, which goes along from kind to kind. */
export const namespaceNow = signal('')

/** Changes when discovery does. */
export const discoveryStamp = signal('')

interface CountsLine extends StreamLine {
  readonly items: readonly { readonly group: string; readonly resource: string; readonly count: number }[]
  readonly aggregated: readonly { readonly group: string; readonly version: string }[]
  readonly discovery: string
  readonly clockSkewMs: number
}

/** What others serve for this server, by `group/version`. */
const aggregated = signal<ReadonlySet<string>>(new Set())

export const isAggregated = ({ group, version }: Kind): boolean => aggregated.value.has(`${group}/${version}`)

export function useCounts(): void {
  useNamespaceNow()
  const namespace = namespaceNow.value
  const { line } = useFollowed<CountsLine>(has('counts') ? '/console/v1/counts' : undefined, {
    type: 'COUNTS',
    query: { namespace: namespace || undefined },
  })
  const asked = useAsked(namespace)
  useEffect(() => {
    const streamed = line?.items.map((item) => [kindId(item), item.count] as const) ?? []
    if (line !== undefined) {
      discoveryStamp.value = line.discovery
      setClockSkew(line.clockSkewMs)
    }
    const versions = new Set(line?.aggregated.map(({ group, version }) => `${group}/${version}`) ?? [])
    if (!sameSet(versions, aggregated.value)) aggregated.value = versions
    publish(new Map([...streamed, ...asked]))
  }, [line, asked])
}

function useNamespaceNow(): void {
  const { ns } = address.value.query
  const [view = '', , , , objectNamespace] = address.value.path
  useEffect(() => {
    if (view === 'k' || view === '') namespaceNow.value = ns ?? ''
    if (view === 'o' && objectNamespace !== '_' && namespaceNow.value !== '') namespaceNow.value = objectNamespace ?? ''
  }, [view, ns, objectNamespace])
}

const asked = signal<Counts>(new Map())

/** Of kinds whose objects this server does not have. */
function useAsked(namespace: string): Counts {
  const others = !has('counts')
  const wanted = kinds.value.filter((kind) => kind.preferred && canList(kind) && (others || isAggregated(kind)))
  useEffect(() => {
    let ended = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      if (document.visibilityState === 'visible' && wanted.length > 0) {
        const found = await countOneByOne(wanted, namespace)
        if (!ended) asked.value = found
      }
      if (!ended) timer = setTimeout(look, others ? everyMsOfOthers : everyMsOfAggregated)
    }
    if (wanted.length === 0) asked.value = new Map()
    else void look()
    return () => {
      ended = true
      clearTimeout(timer)
    }
  }, [namespace, wanted.map(kindId).join()])
  return asked.value
}

const sameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((each) => b.has(each))

function publish(found: Counts): void {
  const before = counts.value
  const same = found.size === before.size && [...found].every(([id, count]) => before.get(id) === count)
  if (!same) counts.value = found
}

interface CountedList {
  /** Some servers write null for none. */
  readonly items: readonly unknown[] | null
  readonly metadata: { readonly remainingItemCount?: number; readonly continue?: string }
}

/** One item of each kind tells how many remain; a server that does not tell is asked for all of them. */
async function countOneByOne(wanted: readonly Kind[], namespace: string): Promise<Counts> {
  const found = new Map<string, number>()
  const waiting = wanted.filter(({ namespaced }) => namespace === '' || namespaced)
  const next = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      const count = await countOf(pathOf(kind, { namespace })).catch(() => undefined)
      if (count !== undefined) found.set(kindId(kind), count)
    }
  }
  await Promise.all([next(), next(), next()])
  return found
}

async function countOf(path: string): Promise<number> {
  const { items, metadata } = await get<CountedList>(path, { query: { limit: '1' }, accept: metadataOnly })
  const count = items?.length ?? 0
  if (!metadata.continue) return count
  if (metadata.remainingItemCount !== undefined) return count + metadata.remainingItemCount
  return (await get<CountedList>(path, { accept: metadataOnly })).items?.length ?? 0
}
