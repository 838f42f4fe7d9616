/**
 * Watch: a cursor in the cache's history, its frames written as fast as the client reads. It ends at its time-out, when
 * the client goes, when the server stops, or when the client is so slow that history has moved past it.
 */

import type { AnswerStream } from '../api/exchange.ts'
import { hasChange } from '../api/release-changes.ts'
import { defaultRelease } from '../api/release-facts.ts'
import type { RequestContext } from '../api/request-context.ts'
import { resourceExpired } from '../api/status-error.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import type { ResourceCache, WatchStart } from '../cache/resource-cache.ts'
import type { Selection } from '../cache/selection.ts'
import { checkStream, type NegotiatedType, negotiateAnswer, type Restrictions } from '../codec/negotiation.ts'
import { freshCache } from '../registry/fresh-cache.ts'
import type { ServedResource } from '../registry/served-resource.ts'
import { type ListOptions, listOptions, shardedSelectionOf } from './list-options.ts'
import { cacheNotOlderThan, cacheOfAnyAge, parseVersion } from './read-version.ts'
import { requestView } from './request-view.ts'
import { frameMaker, webSocketFrames } from './watch-frames.ts'
import { type WatchCount, type WatchSettings, WatchStream } from './watch-stream.ts'
import { acceptWebSocket, isWebSocketRequest } from './web-socket.ts'

type WatchTarget = ServedResource & { readonly restrictions: Restrictions }

export async function handleWatch(
  context: RequestContext,
  settings: WatchSettings,
  target: WatchTarget,
): Promise<void> {
  const release = settings.release ?? defaultRelease
  const negotiate = (restrictions: Restrictions): NegotiatedType =>
    negotiateAnswer(context.header('accept'), settings.mediaTypes, restrictions)
  const early = hasChange(release, 'negotiatesListsFirst') ? negotiate(target.restrictions) : undefined
  const options = listOptions(context.info.query, settings.watchListEnabled)
  const choice =
    early ?? negotiate(hasChange(release, 'initialEventTables') ? target.restrictions : restrictionsOf(target, options))
  const count = settings.count(target)
  const selection = counted(await shardedSelectionOf(context, settings, target, options), count)
  const revision = parseVersion(options.resourceVersion, 'failure')
  const view = requestView(context, target, choice, settings.now())
  checkStream(choice, settings.mediaTypes)
  const plain = frameMaker({ target, choice, view })
  const { cache, start } = await openAt(target, { ...options, revision }, context.readAt)
  if (cache.unreadable.size > 0) await target.registry.storage.requireReadable()
  const overWebSocket = isWebSocketRequest(context)
  const frames = overWebSocket ? webSocketFrames(plain, choice) : plain
  const accepted = overWebSocket ? acceptWebSocket(context) : beginStream(context, choice)
  if (accepted === undefined) return
  const { decorator } = settings
  const answer = decorator?.answer(accepted, context) ?? accepted
  // Its time was over before it began.
  if ((options.timeoutSeconds ?? 0) < 0) {
    answer.end()
    return
  }
  const stream = new WatchStream(answer, {
    context,
    frames,
    cache,
    options,
    settings,
    count,
    selection,
  })
  const opening = cache.watch(start, selection, decorator?.sink(stream) ?? stream)
  if (!opening.ok) {
    const asked = start.type === 'after' ? start.revision : 0
    answer.end(frames.error(resourceExpired(`too old resource version: ${asked} (${opening.oldest})`)))
    return
  }
  stream.run(opening.watcher)
  // The definition has changed since the cache was asked for: nothing comes to this one any more, and the client watches anew.
  if (target.registry.storage.loaded !== cache) stream.end()
}

/** Counts what its shard keeps out. */
function counted(selection: Selection, count: WatchCount): Selection {
  const { shard } = selection
  if (shard === undefined) return selection
  const holds = (entry: CacheEntry): boolean => {
    const isHeld = shard.holds(entry)
    if (!isHeld) count.filtered()
    return isHeld
  }
  return { ...selection, shard: { ...shard, holds } }
}

/** A list in the form of a watch ends with a bookmark that no table could show. */
function restrictionsOf({ restrictions }: WatchTarget, options: ListOptions): Restrictions {
  if (options.sendInitialEvents !== true || !options.allowWatchBookmarks) return restrictions
  return {
    ...restrictions,
    allowsConversion: (encoding, view) => view?.kind !== 'Table' && restrictions.allowsConversion(encoding, view),
  }
}

function beginStream(context: RequestContext, { mediaType }: NegotiatedType): AnswerStream {
  const contentType = mediaType.streamContentType ?? mediaType.name
  return context.exchange.stream(200, { 'content-type': contentType })
}

/** `readAt` as in the request's context: watches that may begin with any state, or one that is not too old, do so with that. */
async function openAt(
  { registry }: ServedResource,
  options: ListOptions & { readonly revision: number },
  readAt: number | undefined,
): Promise<{ cache: ResourceCache; start: WatchStart }> {
  const { revision } = options
  const isStale = readAt !== undefined && options.resourceVersion !== ''
  const state = { type: 'state', at: isStale ? Math.max(readAt, revision) : undefined } as const
  if (options.sendInitialEvents === true && revision > 0) {
    return { cache: await cacheNotOlderThan(registry, revision, options.resourceVersion), start: state }
  }
  if (revision > 0) return { cache: await registry.storage.cacheSince(revision), start: { type: 'after', revision } }
  const cache = await (options.resourceVersion === '' ? freshCache(registry) : cacheOfAnyAge(registry))
  const quiet = options.sendInitialEvents === false
  return { cache, start: quiet ? { type: 'after', revision: cache.revision } : state }
}
