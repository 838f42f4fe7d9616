/** Get: one object from the cache, as new as the request asks for. */

import { checkKeyName, objectNotFound } from '../api/object-key.ts'
import type { RequestContext } from '../api/request-context.ts'
import { badRequest } from '../api/status-error.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import { entryKey } from '../cache/snapshot.ts'
import { negotiateAnswer, type Restrictions } from '../codec/negotiation.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { freshCache } from '../registry/fresh-cache.ts'
import type { Registry } from '../registry/registry.ts'
import type { ServedResource } from '../registry/served-resource.ts'
import { type AnswerSettings, answerObject, isPlainJson, wantsGzip } from './answer.ts'
import { flag } from './parameters.ts'
import { cacheNotOlderThan, cacheOfAnyAge, parseVersion } from './read-version.ts'

type GetTarget = ServedResource & { readonly restrictions: Restrictions }

export function handleGet(context: RequestContext, settings: AnswerSettings, target: GetTarget): Awaitable<void> {
  const { registry } = target
  const { info } = context
  if (!isPlainJson(context)) negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  if (!info.query.isEmpty && flag(info.query, 'export') === true) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported')
  }
  const cache = askedCache(context, registry)
  if (cache instanceof Promise) return cache.then((ready) => answerFrom(ready, context, settings, target))
  return answerFrom(cache, context, settings, target)
}

const headers = { 'content-type': 'application/json' }

function answerFrom(
  cache: ResourceCache,
  context: RequestContext,
  settings: AnswerSettings,
  target: GetTarget,
): Awaitable<void> {
  const { definition } = target.registry
  const { info } = context
  const key = entryKey(definition.namespaced ? info.namespace : '', info.name)
  const entry = context.readAt === undefined ? cache.get(key) : staleEntry(cache, key, context)
  if (entry?.unreadable !== undefined) {
    return target.registry.storage.redecoded(entry).then((again) => answerEntry(again, context, settings, target))
  }
  return answerEntry(entry, context, settings, target)
}

function answerEntry(
  entry: CacheEntry | undefined,
  context: RequestContext,
  settings: AnswerSettings,
  target: GetTarget,
): Awaitable<void> {
  const { definition } = target.registry
  if (entry === undefined) throw objectNotFound(definition, context.info.name)
  if (target.version === definition.hub && isPlainJson(context) && !wantsGzip(context, settings)) {
    context.exchange.respond(200, headers, entry.jsonLine())
    return
  }
  return answerObject(context, settings, target, { status: 200, written: entry })
}

/** As new as the request asks for. */
export function askedCache({ info }: RequestContext, registry: Registry): Awaitable<ResourceCache> {
  const asked = info.query.isEmpty ? '' : (info.query.get('resourceVersion') ?? '')
  if (asked === '') return freshCache(registry)
  checkKeyName(info.name)
  // Events have no watch cache in the reference: its storage words the refusal.
  const revision = parseVersion(asked, registry.definition.resource === 'events' ? 'bad request' : 'failure')
  return revision === 0 ? cacheOfAnyAge(registry) : cacheNotOlderThan(registry, revision, asked)
}

/** A read that may be stale, of a test that wants it to be. */
function staleEntry(cache: ResourceCache, key: string, { info, readAt = 0 }: RequestContext) {
  const asked = info.query.get('resourceVersion') ?? ''
  const stale = asked === '' ? undefined : cache.snapshotAt(Math.max(readAt, Number(asked)))
  return (stale ?? cache).get(key)
}
