/**
 * List: every cell of resourceVersion × resourceVersionMatch × paging leads to one snapshot and one page of it. A plain
 * JSON list is the cache's bytes, copied into large chunks and sent as fast as the client reads: its memory does not
 * grow with its length.
 */

import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { hasChange } from '../api/release-changes.ts'
import { defaultRelease } from '../api/release-facts.ts'
import type { RequestContext } from '../api/request-context.ts'
import { ApiError, badRequest, resourceExpired } from '../api/status-error.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import { EntryTree } from '../cache/entry-tree.ts'
import { readEntries } from '../cache/resource-reader.ts'
import type { Selection } from '../cache/selection.ts'
import { type Page, Snapshot } from '../cache/snapshot.ts'
import { encodeJson } from '../codec/json.ts'
import { type NegotiatedType, negotiateAnswer, type Restrictions } from '../codec/negotiation.ts'
import { showList } from '../codec/views.ts'
import { type Awaitable, whenReady } from '../lib/awaitable.ts'
import { inTurns, runToEnd, type Steps } from '../lib/in-turns.ts'
import { fromHub } from '../registry/convert.ts'
import type { ResourceDefinition, ResourceVersion } from '../registry/resource-definition.ts'
import type { ServedResource } from '../registry/served-resource.ts'
import { type AnswerSettings, answerInTurns, answerValue, isPlainJson, type ValueAnswer } from './answer.ts'
import { type ContinueToken, decodeContinue, encodeContinue } from './continue-token.ts'
import { type ListOptions, listOptions, shardedSelectionOf } from './list-options.ts'
import { type ListedObjects, listedObject, listPieces } from './list-pieces.ts'
import { listSchema } from './list-schema.ts'
import { cacheNotOlderThan, newestCache, parseVersion, tooLargeVersion } from './read-version.ts'
import { requestView, viewedVersion } from './request-view.ts'
import { sendEntries } from './stream-list.ts'
import { sendPieces } from './stream-values.ts'

/** Lists up to this long and large are encoded in one go. */
const smallListLength = 64
const smallListBytes = 256 * 1024

type ListTarget = ServedResource & { readonly restrictions: Restrictions }

export interface ListedPage extends Page {
  readonly revision: number
  readonly token: string | undefined
  /** It is not from the cache. */
  readonly fromStore?: boolean
}

export async function handleList(context: RequestContext, settings: AnswerSettings, target: ListTarget): Promise<void> {
  const { query } = context.info
  const negotiate = (): NegotiatedType =>
    negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  const early = hasChange(settings.release ?? defaultRelease, 'negotiatesListsFirst') ? negotiate() : undefined
  const options = listOptions(query, true)
  const choice = early ?? negotiate()
  const selection = await shardedSelectionOf(context, settings, target, options)
  const page = await listPage(target, options, selection, context.readAt)
  const metadata = listMetadata(page, options, shardInfo(target, choice, selection))
  const { version, registry } = target
  if (version === registry.definition.hub && choice.convert === undefined && isPlainJson(context)) {
    const head = `{"kind":"${registry.definition.listKind}","apiVersion":"${version.apiVersion}","metadata":${encodeJson(metadata)},"items":[`
    const list = {
      head,
      entries: page.entries,
      skip: target.registry.definition.model.views.itemOffset(target.version),
      tail: ']}\n',
    }
    return sendEntries(context, settings, list)
  }
  const objects = await objectsOf(registry.definition, viewedVersion(target, choice), page.entries)
  return answerList(context, settings, { target, choice, objects, metadata })
}

/** Objects in the version of the request, made when they are asked for, unless a webhook converts them. */
export async function objectsOf(
  definition: ResourceDefinition,
  version: ResourceVersion,
  entries: readonly CacheEntry[],
): Promise<ListedObjects> {
  const { remoteConversion } = definition
  const entryAt = (i: number): CacheEntry => entries[i] as CacheEntry
  const sizeAt = (i: number): number => entryAt(i).size
  const { length } = entries
  if (remoteConversion !== undefined) {
    const converted = await remoteConversion.convert(await inTurns(parsedAll(entries)), version.apiVersion)
    return { length, sizeAt, at: (i) => converted[i] }
  }
  return {
    length,
    sizeAt,
    at: (i) => fromHub(version, entryAt(i).peek()),
    *atInSteps(i) {
      return fromHub(version, yield* entryAt(i).peekInSteps())
    },
    entryAt,
  }
}

function* parsedAll(entries: readonly CacheEntry[]): Steps<KubeObject[]> {
  const objects: KubeObject[] = []
  for (const entry of entries) {
    objects.push(yield* entry.objectInSteps())
    yield
  }
  return objects
}

/** Objects in the version of the request as a list in the view that it asks for. */
export function answerList(context: RequestContext, settings: AnswerSettings, list: ListView): Awaitable<void> {
  const { target, choice, objects, metadata } = list
  const { version, registry } = target
  const shown = requestView(context, target, choice, settings.now())
  const { listItem } = registry.definition.model.views
  const show = (given: readonly KubeObject[]): Steps<JsonObject> => {
    const items = shown.view.kind === 'whole' ? given.map(listItem) : [...given]
    const whole = { kind: registry.definition.listKind, apiVersion: version.apiVersion, metadata, items }
    return showList(whole, shown.view, shown.context)
  }
  const isLong = isLongList(objects)
  if (isLong && context.audit?.wantsResponse !== true) {
    const pieces = listPieces(context, list, { ...shown, show })
    return sendPieces(context, settings, { contentType: choice.mediaType.name, pieces })
  }
  const schema = shown.schema ?? listSchema(version)
  const answer = (value: JsonObject): ValueAnswer => ({ status: 200, value, schema, choice })
  const showing = showAll(objects, show)
  if (isLong) return whenReady(inTurns(showing), (value) => answerInTurns(context, settings, answer(value)))
  answerValue(context, settings, answer(runToEnd(showing)))
}

function isLongList({ length, sizeAt }: ListedObjects): boolean {
  if (length > smallListLength) return true
  let bytes = 0
  for (let i = 0; i < length; i++) bytes += sizeAt?.(i) ?? 0
  return bytes > smallListBytes
}

function* showAll(objects: ListedObjects, show: (all: readonly KubeObject[]) => Steps<JsonObject>): Steps<JsonObject> {
  const all: KubeObject[] = []
  for (let i = 0; i < objects.length; i++) {
    all.push(yield* listedObject(objects, i))
    if (i % objectsPerStep === objectsPerStep - 1) yield
  }
  return yield* show(all)
}

const objectsPerStep = 64

export interface ListView {
  readonly target: ListTarget
  readonly choice: NegotiatedType
  readonly objects: ListedObjects
  readonly metadata: JsonObject
}

/** Only a whole list of a built-in type says which part of all objects it is. */
export function shardInfo(
  { registry }: ServedResource,
  { convert }: NegotiatedType,
  { shard }: Selection,
): JsonObject | undefined {
  const isTyped = !registry.definition.model.views.describesItself
  return shard !== undefined && isTyped && convert === undefined ? { selector: shard.selector } : undefined
}

function listMetadata(
  { revision, token, remaining }: ListedPage,
  options: ListOptions,
  shard: JsonObject | undefined,
): JsonObject {
  return {
    resourceVersion: String(revision),
    // The last of several pages says so; a list that was never cut into pages has nothing to say.
    ...(token !== undefined ? { continue: token } : options.continue !== '' ? { continue: '' } : {}),
    ...(remaining !== undefined && remaining > 0 ? { remainingItemCount: remaining } : {}),
    ...(shard === undefined ? {} : { shardInfo: shard }),
  }
}

/**
 * The page that the options ask for. Also used by deletecollection. `readAt` as in the request's context. A page with
 * something that cannot be read is refused as a whole.
 */
export async function listPage(
  target: ServedResource,
  options: ListOptions,
  selection: Selection,
  readAt?: number,
): Promise<ListedPage> {
  const { storage } = target.registry
  let page = await readPage(target, options, selection, readAt)
  if (isCacheList(options) && (storage.loaded?.unreadable.size ?? 0) > 0) {
    await storage.requireReadable()
    page = await readPage(target, options, selection, readAt)
  }
  const [first] = unreadableOf(target, page, options, selection)
  if (first === undefined) return page
  // Keys may have come back.
  await storage.redecoded(first)
  const again = await readPage(target, options, selection, readAt)
  const left = unreadableOf(target, again, options, selection)
  if (left.length > 0) throw storage.refusedList(left)
  return again
}

/**
 * Whether the reference answers from its watch cache, which never gets ready while there is something unreadable.
 * Mirrors k8s.io/apiserver/pkg/storage/cacher/delegator: ShouldDelegateList.
 * Mirrors k8s.io/apiserver/pkg/storage/cacher: shouldDelegateListOnNotReadyCache.
 */
function isCacheList({ resourceVersion, resourceVersionMatch, limit, continue: token, labels, fields }: ListOptions) {
  if (resourceVersionMatch === 'Exact' || token !== '') return false
  if (limit === 0) return true
  const isExact = resourceVersionMatch === '' && resourceVersion !== '' && resourceVersion !== '0'
  return !isExact && (!labels.isEmpty() || fields.length > 0)
}

/** What cannot be read within the range of a page, whether its selectors would show it or not, in key order. */
function unreadableOf(
  { registry }: ServedResource,
  page: ListedPage,
  options: ListOptions,
  selection: Selection,
): CacheEntry[] {
  const cache = registry.storage.loaded
  if (cache?.sawUnreadable !== true && page.fromStore !== true) return []
  const { namespace, name } = selection
  const first = options.continue === '' ? '' : startKey(decodeContinue(options.continue), selection)
  const last = page.more ? page.entries.at(-1)?.key : undefined
  const hidden = [...(cache?.unreadable.values() ?? [])].filter(
    (entry) =>
      (namespace === undefined || namespace === '' || entry.namespace === namespace) &&
      (name === undefined || entry.name === name) &&
      entry.key >= first &&
      (last === undefined || entry.key <= last),
  )
  const all = new Map(hidden.map((entry) => [entry.key, entry]))
  for (const entry of page.entries) if (entry.unreadable !== undefined) all.set(entry.key, entry)
  return [...all.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Entries that are refined at a time. */
const refinedAtOnce = 512

/** Where it takes asking which entries are meant, as many are asked about as a page needs. */
async function readPage(
  target: ServedResource,
  options: ListOptions,
  selection: Selection,
  readAt: number | undefined,
): Promise<ListedPage> {
  const { refine } = selection
  if (refine === undefined) return plainPage(target, options, selection, readAt)
  const { limit } = options
  const all = limit === 0 ? options : { ...options, limit: Number.MAX_SAFE_INTEGER }
  const page = await plainPage(target, all, selection, readAt)
  const entries: CacheEntry[] = []
  let next = 0
  const isFull = (): boolean => limit > 0 && entries.length >= limit
  while (next < page.entries.length && !isFull()) {
    const batch = page.entries.slice(next, next + (limit === 0 ? refinedAtOnce : Math.min(limit, refinedAtOnce)))
    const meant = await refine(batch)
    for (const [i, entry] of batch.entries()) {
      if (isFull()) break
      next++
      if (meant[i] === true) entries.push(entry)
    }
  }
  const more = next < page.entries.length
  return {
    ...withToken({ entries, more, remaining: undefined }, page.revision, selection),
    fromStore: page.fromStore === true,
  }
}

async function plainPage(
  target: ServedResource,
  options: ListOptions,
  selection: Selection,
  readAt: number | undefined,
): Promise<ListedPage> {
  if (options.continue !== '') return continuedPage(target, options, selection)
  // One object that is asked for by its name has no pages.
  const isPaged = selection.name === undefined || selection.namespace === undefined
  const revision = parseVersion(options.resourceVersion, 'bad request')
  const exact =
    options.resourceVersionMatch === 'Exact' ||
    (options.resourceVersionMatch === '' && isPaged && options.limit > 0 && revision > 0)
  if (exact) return exactPage(target, { revision, start: undefined }, options, selection)
  if (readAt !== undefined && options.resourceVersion !== '') {
    const stale = (await cacheNotOlderThan(target.registry, revision)).snapshotAt(Math.max(readAt, revision))
    if (stale !== undefined) {
      const page = stale.page({ selection, startKey: undefined, limit: options.limit })
      return withToken(page, stale.revision, selection)
    }
  }
  return presentPage(target, revision, options, selection)
}

async function presentPage(
  { registry }: ServedResource,
  revision: number,
  options: ListOptions,
  selection: Selection,
): Promise<ListedPage> {
  const newest = options.resourceVersion === ''
  const cache = await (newest ? newestCache(registry) : cacheNotOlderThan(registry, revision, options.resourceVersion))
  const page = cache.page({ selection, startKey: undefined, limit: options.limit })
  // The pages that follow must show this very state.
  if (page.more || selection.refine !== undefined) cache.keepSnapshot()
  return withToken(page, cache.revision, selection)
}

async function continuedPage(target: ServedResource, options: ListOptions, selection: Selection): Promise<ListedPage> {
  const token = decodeContinue(options.continue)
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  const start = startKey(token, selection)
  if (token.revision > 0) return exactPage(target, { revision: token.revision, start, token }, options, selection)
  const cache = await newestCache(target.registry)
  const page = cache.page({ selection, startKey: start, limit: options.limit })
  if (page.more || selection.refine !== undefined) cache.keepSnapshot()
  return withToken(page, cache.revision, selection)
}

interface ExactRead {
  readonly revision: number
  readonly start: string | undefined
  /** The token that asked for it. */
  readonly token?: ContinueToken
}

async function exactPage(
  target: ServedResource,
  read: ExactRead,
  options: ListOptions,
  selection: Selection,
): Promise<ListedPage> {
  const { registry } = target
  const { reflector } = registry.storage
  const asked = read.token === undefined ? options.resourceVersion : String(read.revision)
  const cache = await cacheNotOlderThan(registry, read.revision, asked)
  // What the store has compacted is gone, also for a resource that has not changed since and could still show it.
  if (await isCompacted(target, read.revision)) throw expired(read.token)
  const known = cache.snapshotAt(read.revision)
  const snapshot = known ?? (await storedSnapshot(target, read.revision))
  if (snapshot === 'future') throw tooLargeVersion(asked, reflector.revision, 1)
  if (snapshot === 'compacted') throw expired(read.token)
  const page = snapshot.page({ selection, startKey: read.start, limit: options.limit })
  return { ...withToken(page, read.revision, selection), fromStore: known === undefined }
}

async function isCompacted({ registry: { storage } }: ServedResource, revision: number): Promise<boolean> {
  if (revision >= storage.reflector.revision) return false
  return (await storage.store.get(storage.keyPrefix, { revision })).status === 'compacted'
}

/** The state at an old revision from the store's own history. */
async function storedSnapshot(
  { registry }: ServedResource,
  revision: number,
): Promise<Snapshot | 'compacted' | 'future'> {
  const { storage } = registry
  const found = await storage.store.range(storage.keyPrefix, { revision })
  if (found.status !== 'ok') return found.status
  const tree = EntryTree.of(await readEntries(storage, found.items))
  return new Snapshot(tree, revision)
}

function withToken(page: Page, revision: number, selection: Selection): ListedPage {
  const { entries, more, remaining } = page
  const last = entries.at(-1)
  if (!more || last === undefined) return { entries, more, remaining, revision, token: undefined }
  const relative = selection.namespace ? last.name : last.key
  return { entries, more, remaining, revision, token: encodeContinue({ revision, start: `${relative}\0` }) }
}

function startKey({ start }: ContinueToken, { namespace }: Selection): string {
  return namespace ? `${namespace}/${start}` : start
}

const expiredMessage =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

function expired(token: ContinueToken | undefined): ApiError {
  if (token === undefined) return resourceExpired('The resourceVersion for the provided list is too old.')
  return expiredContinue(token)
}

/** The state behind a continue token is gone; what is left can be listed as it is now. */
export function expiredContinue(token: ContinueToken): ApiError {
  const metadata = { continue: encodeContinue({ revision: -1, start: token.start }) }
  return new ApiError({ code: 410, reason: 'Expired', message: expiredMessage, metadata })
}
