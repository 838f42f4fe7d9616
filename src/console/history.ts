/**
 * `/console/v1/history`: every version of one object that the store still has. The newest changes are in the cache's history, with their times; what is older
 * is asked of the store, one revision after the other, until it was compacted or the object was created.
 */
import type { JsonValue } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { RequestContext } from '../api/request-context.ts'
import { badRequest, notFound } from '../api/status-error.ts'
import type { CacheEvent } from '../cache/event-ring.ts'
import { entryKey } from '../cache/snapshot.ts'
import { TimeSlice } from '../lib/in-turns.ts'
import { objectInVersion } from '../registry/convert.ts'
import type { Registry } from '../registry/registry.ts'
import type { ResourceVersion } from '../registry/resource-definition.ts'
import { answerJson } from './answers.ts'
import { type ObjectQuery, Query } from './query.ts'
import type { Writers } from './requests/writers.ts'
import { Rights, readableRegistry } from './rights.ts'
import type { ConsoleServices, Endpoint } from './services.ts'
import { isoTime } from './session-endpoints.ts'
import { writingManager } from './writing-manager.ts'

const maxItems = 200
/** An answer has no more than about this many bytes of objects; the rest is on the next page. */
const maxBytes = 4 * 1024 * 1024

interface StoredVersion {
  readonly revision: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: KubeObject
  readonly bytes: number
  /** When the cache saw it. */
  readonly seenAt: number | undefined
}

export const historyEndpoint = (services: ConsoleServices, writers: Writers): Endpoint => ({
  path: '/console/v1/history',
  methods: { GET: (context) => answerHistory(context, services, writers) },
})

async function answerHistory(context: RequestContext, services: ConsoleServices, writers: Writers): Promise<void> {
  const query = new Query(context, ['group', 'resource', 'namespace', 'name', 'version', 'limit', 'before'])
  const about = query.object()
  writers.look()
  const rights = new Rights(services.authorizer, context)
  const registry = await readableRegistry({ registries: services.registries, rights }, about)
  const version = versionOf(registry, query.optional('version'))
  const limit = query.count('limit', 50, maxItems)
  const before = query.count('before', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  const walk = new HistoryWalk(registry, about, before)
  const found: StoredVersion[] = []
  let bytes = 0
  const slice = new TimeSlice()
  // One more than is shown: each is compared with the one before it.
  for (let item = await walk.next(); item !== undefined; item = await walk.next()) {
    found.push(item)
    bytes += item.bytes
    if (slice.isOver) await slice.yieldToEventLoop()
    if (found.length > limit || bytes > maxBytes) break
  }
  if (found.length === 0 && before === Number.MAX_SAFE_INTEGER) throw notFound(registry.definition, about.name)
  const shown = found.length > limit || (bytes > maxBytes && found.length > 1) ? found.slice(0, -1) : found
  const items: object[] = []
  for (const [i, item] of shown.entries()) {
    const object = await objectInVersion(registry.definition, version, item.object)
    items.push(shownVersion({ item: { ...item, object }, older: found[i + 1]?.object, about, writers }))
  }
  answerJson(context, {
    complete: shown.length === found.length && walk.isComplete,
    oldestRevision: shown.at(-1)?.revision ?? 0,
    more: shown.length < found.length,
    items,
  })
}

function versionOf({ definition }: Registry, asked: string | undefined): ResourceVersion {
  const version =
    asked === undefined ? definition.versions[0] : definition.versions.find(({ version: name }) => name === asked)
  if (version === undefined) throw badRequest(`${definition.resource} have no version ${JSON.stringify(asked)}`)
  return version
}

/** From the newest version to the oldest, over deletions too. */
class HistoryWalk {
  readonly #registry: Registry
  readonly #key: string
  #before: number
  #changes: Iterator<CacheEvent> | undefined
  readonly #seen = new Map<number, CacheEvent>()
  /** Deletions that the cache has seen, newest first. */
  readonly #deletions: CacheEvent[] = []
  /** True when there is nothing older that is missing. */
  isComplete = false

  constructor(registry: Registry, { namespace, name }: ObjectQuery, before: number) {
    this.#registry = registry
    this.#key = entryKey(namespace, name)
    this.#before = before
  }

  async next(): Promise<StoredVersion | undefined> {
    await this.#start()
    const deletion = this.#nextDeletion()
    const { storage } = this.#registry
    const newest = await storage.store.currentRevision()
    const isNow = this.#before > newest
    const found = await storage.store.get(
      storage.keyPrefix + this.#key,
      isNow ? {} : { revision: Math.max(this.#before - 1, 1) },
    )
    const entry = found.status === 'ok' ? found.entry : undefined
    if (deletion !== undefined && (entry === undefined || entry.revision < deletion.revision)) {
      return this.#deleted(deletion)
    }
    if (entry === undefined) {
      // Absent in a state that is still kept: there was nothing before, or it was deleted before the cache was loaded.
      this.isComplete = found.status === 'ok' && this.isComplete
      return undefined
    }
    const read = await storage.read(entry.key, entry.value, entry.revision)
    this.#before = entry.revision
    this.isComplete = entry.createRevision === entry.revision
    return {
      revision: entry.revision,
      type: this.isComplete ? 'ADDED' : 'MODIFIED',
      object: read.object(),
      bytes: entry.value.length,
      seenAt: this.#seen.get(entry.revision)?.time,
    }
  }

  async #start(): Promise<void> {
    if (this.#changes !== undefined) return
    const cache = await this.#registry.storage.cache()
    this.#changes = cache.changesOf(this.#key)
    for (const event of cache.changesOf(this.#key)) {
      this.#seen.set(event.revision, event)
      if (event.entry === undefined && event.previous !== undefined) this.#deletions.push(event)
    }
  }

  #nextDeletion(): CacheEvent | undefined {
    return this.#deletions.find(({ revision }) => revision < this.#before)
  }

  #deleted({ revision, previous, time: seenAt }: CacheEvent): StoredVersion {
    this.#before = revision
    this.isComplete = false
    const last = (previous as NonNullable<CacheEvent['previous']>).at(revision)
    return { revision, type: 'DELETED', object: last.object(), bytes: last.size, seenAt }
  }
}

interface Shown {
  readonly item: StoredVersion
  /** The version before it. */
  readonly older: KubeObject | undefined
  readonly about: ObjectQuery
  readonly writers: Writers
}

function shownVersion({ item, older, about, writers }: Shown): object {
  const { revision, type, object } = item
  const writer = type === 'DELETED' ? writers.ofDeletion(about, revision) : writers.of(revision)
  const entry = type === 'DELETED' ? undefined : writingManager(object, type === 'ADDED' ? undefined : older)
  const seen = item.seenAt === undefined ? undefined : isoTime(item.seenAt)
  const at = writer === undefined ? (seen ?? textOf(entry?.['time'])) : isoTime(writer.time)
  return {
    revision,
    type,
    ...(at === undefined ? {} : { time: at }),
    ...(writer === undefined ? {} : { user: writer.user, request: writer.request }),
    ...(entry === undefined
      ? {}
      : {
          manager: textOf(entry['manager']) ?? '',
          operation: textOf(entry['operation']) ?? '',
          subresource: textOf(entry['subresource']) ?? '',
        }),
    object,
  }
}

const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
