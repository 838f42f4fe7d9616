/** Get: one object from the cache, as new as the request asks for. */
import type { RequestContext } from '../api/request-context.ts'
import { badRequest, notFound } from '../api/status-error.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import { entryKey } from '../cache/snapshot.ts'
import type { Restrictions } from '../codec/negotiation.ts'
import { type AnswerSettings, answerObject } from './answer.ts'
import { cacheNotOlderThan, freshCache, parseVersion } from './read-version.ts'
import type { ServedResource } from './served-resource.ts'

export function handleGet(
  context: RequestContext,
  settings: AnswerSettings,
  target: ServedResource & { readonly restrictions: Restrictions },
): void | Promise<void> {
  const { registry } = target
  const { info } = context
  if (info.query.has('export')) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported')
  }
  const asked = info.query.isEmpty ? '' : (info.query.get('resourceVersion') ?? '')
  const cache = asked === '' ? freshCache(registry) : cacheAt(target, asked)
  const answer = (ready: ResourceCache): void => {
    const { definition } = registry
    const entry = ready.get(entryKey(definition.namespaced ? info.namespace : '', info.name))
    if (entry === undefined) throw notFound(definition, info.name)
    answerObject(context, settings, target, { status: 200, written: entry })
  }
  return cache instanceof Promise ? cache.then(answer) : answer(cache)
}

function cacheAt({ registry }: ServedResource, asked: string): ResourceCache | Promise<ResourceCache> {
  const revision = parseVersion(asked, 'failure')
  return revision === 0 ? registry.storage.cache() : cacheNotOlderThan(registry, revision)
}
