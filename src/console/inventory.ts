/** `/console/v1/counts` and `/console/v1/search`: what there is, of what the user may list. */
import { createHash } from 'node:crypto'
import type { RequestContext } from '../api/request-context.ts'
import { badRequest } from '../api/status-error.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import type { Selection } from '../cache/selection.ts'
import { systemClock } from '../lib/clock.ts'
import { TimeSlice } from '../lib/in-turns.ts'
import type { Registry } from '../registry/registry.ts'
import { answerJson } from './answers.ts'
import { answerState } from './every-second.ts'
import { Query } from './query.ts'
import { Rights } from './rights.ts'
import type { ConsoleServices, Endpoint } from './services.ts'

const apiServices = { group: 'apiregistration.k8s.io', resource: 'apiservices' }

interface ApiService {
  readonly spec?: { readonly group?: string; readonly version?: string; readonly service?: object | null }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

const maxFound = 200
const maxScanned = 200_000
const maxWords = 8
/** A larger object is not parsed for its uid. */
const maxParsedBytes = 64 * 1024

const selectionOf = (namespace: string): Selection => ({
  namespace: namespace === '' ? undefined : namespace,
  name: undefined,
  labels: undefined,
  fields: undefined,
  indexed: undefined,
})

export function inventoryEndpoints(services: ConsoleServices): Endpoint[] {
  return [
    { path: '/console/v1/counts', methods: { GET: (context) => counts(context, services) } },
    { path: '/console/v1/search', methods: { GET: (context) => search(context, services) } },
  ]
}

async function counts(context: RequestContext, services: ConsoleServices): Promise<void> {
  const query = new Query(context, ['namespace', 'follow'])
  const namespace = query.text('namespace')
  const stamp = (): string => `${services.revision()} ${[...services.registries.all()].length} ${clockSkewMs(services)}`
  const look = (): Promise<object> => countsOf(context, services, namespace)
  return answerState(context, services, { type: 'COUNTS', follows: query.flag('follow'), look, stamp })
}

async function countsOf(context: RequestContext, services: ConsoleServices, namespace: string): Promise<object> {
  const { listable, hidden } = await listableOf(context, services, namespace)
  const items: object[] = []
  const slice = new TimeSlice()
  for (const registry of listable) {
    const cache = await registry.storage.cache()
    const count =
      namespace === ''
        ? cache.size
        : pageSize(cache.snapshot().page({ selection: selectionOf(namespace), startKey: undefined, limit: 1 }))
    items.push({ ...described(registry), count })
    if (slice.isOver) await slice.yieldToEventLoop()
  }
  const aggregated = await aggregatedVersions(services)
  return {
    items,
    hidden,
    aggregated,
    discovery: discoveryStamp(services, aggregated),
    clockSkewMs: clockSkewMs(services),
  }
}

/** How far the server's clock is ahead of that of the machine, in steps of ten seconds: a test's own may stand still. */
const clockSkewMs = ({ clock }: ConsoleServices): number =>
  Math.round((clock.now() - systemClock.now()) / 10_000) * 10_000

interface AggregatedVersion {
  readonly group: string
  readonly version: string
  readonly available: boolean
}

const maxAggregated = 1000

/** What other servers answer for: neither counted nor searched here, since only they know. */
async function aggregatedVersions({ registries }: ConsoleServices): Promise<readonly AggregatedVersion[]> {
  if (registries.get(apiServices.group, apiServices.resource) === undefined) return []
  const source = await registries.source(apiServices.group, apiServices.resource)
  const found: AggregatedVersion[] = []
  for (const object of source.list() as Iterable<ApiService>) {
    const { group = '', version = '', service } = object.spec ?? {}
    if (service === undefined || service === null || found.length === maxAggregated) continue
    const conditions = object.status?.conditions ?? []
    found.push({
      group,
      version,
      available: conditions.some((each) => each.type === 'Available' && each.status === 'True'),
    })
  }
  return found
}

/** Changes when discovery does. */
function discoveryStamp({ registries }: ConsoleServices, aggregated: readonly AggregatedVersion[]): string {
  const hash = createHash('sha256')
  for (const { definition } of registries.all()) {
    const { group, resource, kind, singular, shortNames, versions } = definition
    hash.update(JSON.stringify([group, resource, kind, singular, shortNames, versions.map(({ version }) => version)]))
  }
  return hash.update(JSON.stringify(aggregated)).digest('base64url').slice(0, 16)
}

const pageSize = ({
  entries,
  remaining = 0,
}: {
  entries: readonly CacheEntry[]
  remaining: number | undefined
}): number => entries.length + remaining

interface Match {
  readonly registry: Registry
  readonly entry: CacheEntry
  readonly matched: string
  /** Less is better. */
  readonly rank: number
}

async function search(context: RequestContext, services: ConsoleServices): Promise<void> {
  const query = new Query(context, ['q', 'namespace', 'limit'])
  const words = query
    .needed('q')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0 || words.length > maxWords) throw badRequest(`q must have 1 to ${maxWords} words`)
  const namespace = query.text('namespace')
  const limit = query.count('limit', 50, maxFound)
  const { listable } = await listableOf(context, services, namespace)
  const found: Match[] = []
  let scanned = 0
  const slice = new TimeSlice()
  scan: for (const registry of listable) {
    const snapshot = (await registry.storage.cache()).snapshot()
    const kindWords = wordsOfKind(registry)
    for (const entry of snapshot.entries(selectionOf(namespace))) {
      if (++scanned > maxScanned) break scan
      const match = matchOf(entry, words, kindWords)
      if (match !== undefined) found.push({ registry, entry, ...match })
      if (found.length > 4 * maxFound) keepBest(found, maxFound)
      if (scanned % 256 === 0 && slice.isOver) await slice.yieldToEventLoop()
    }
  }
  const total = found.length
  keepBest(found, limit)
  answerJson(context, { items: found.map(shownMatch), truncated: total > limit || scanned > maxScanned })
}

function keepBest(found: Match[], max: number): void {
  found.sort((a, b) => a.rank - b.rank || (a.entry.key < b.entry.key ? -1 : 1))
  found.length = Math.min(found.length, max)
}

function shownMatch({ registry, entry, matched }: Match): object {
  const { namespace, name } = entry
  const uid = entry.links?.uid ?? (entry.size <= maxParsedBytes ? entry.object().metadata.uid : undefined)
  return {
    ...described(registry),
    ...(namespace === '' ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
    matched,
  }
}

function described({ definition }: Registry): object {
  const { group, resource, kind, namespaced, versions } = definition
  return { group, version: versions[0]?.version ?? definition.hub.version, resource, kind, namespaced }
}

const wordsOfKind = ({ definition }: Registry): ReadonlySet<string> =>
  new Set([definition.kind.toLowerCase(), definition.resource, definition.singular, ...definition.shortNames])

/** Every word must be found; at least one of them in the object itself, unless all name its kind. */
function matchOf(
  { name, labels, links }: CacheEntry,
  words: readonly string[],
  kindWords: ReadonlySet<string>,
): { readonly matched: string; readonly rank: number } | undefined {
  let rank = 0
  let matched = ''
  for (const word of words) {
    const hit = hitOf(word, name, { labels, uid: links?.uid, kindWords })
    if (hit === undefined) return undefined
    rank += hit.rank
    if (matched === '' || matched === 'kind') matched = hit.matched
  }
  return { matched, rank }
}

function hitOf(
  word: string,
  name: string,
  { labels, uid, kindWords }: { labels: CacheEntry['labels']; uid: string | undefined; kindWords: ReadonlySet<string> },
): { readonly matched: string; readonly rank: number } | undefined {
  if (name === word) return { matched: 'name', rank: 0 }
  if (name.startsWith(word)) return { matched: 'name', rank: 1 }
  if (name.includes(word)) return { matched: 'name', rank: 2 }
  if (uid === word) return { matched: 'uid', rank: 0 }
  for (const [key, value] of Object.entries(labels ?? {})) {
    const [lowerKey, lowerValue] = [key.toLowerCase(), value.toLowerCase()]
    if (`${lowerKey}=${lowerValue}`.includes(word)) return { matched: 'label', rank: 3 }
  }
  return kindWords.has(word) ? { matched: 'kind', rank: 4 } : undefined
}

async function listableOf(
  context: RequestContext,
  { registries, authorizer }: ConsoleServices,
  namespace: string,
): Promise<{ readonly listable: Registry[]; readonly hidden: number }> {
  const rights = new Rights(authorizer, context)
  const listable: Registry[] = []
  let hidden = 0
  for (const registry of registries.all()) {
    const { group, resource, namespaced, verbs, virtualObjects } = registry.definition
    if (!verbs.has('list') || virtualObjects !== undefined || (namespace !== '' && !namespaced)) continue
    if (await rights.may({ verb: 'list', group, resource, namespace })) listable.push(registry)
    else hidden++
  }
  return { listable, hidden }
}
