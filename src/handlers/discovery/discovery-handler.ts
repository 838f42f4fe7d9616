/** `/api`, `/apis` and the groups and versions below them. */

import { createHash } from 'node:crypto'
import type { JsonObject } from '../../api/json.ts'
import { hasChange } from '../../api/release-changes.ts'
import { defaultRelease } from '../../api/release-facts.ts'
import type { RequestContext } from '../../api/request-context.ts'
import { pathNotFound } from '../../api/status-error.ts'
import { typeSchema } from '../../catalog/catalog.ts'
import { encodeJson } from '../../codec/json.ts'
import {
  aggregatedDiscoveryRestrictions,
  type MediaType,
  mediaTypeNames,
  mediaTypes,
  type NegotiatedType,
  negotiateAnswer,
  plainRestrictions,
} from '../../codec/negotiation.ts'
import { type AnswerSettings, answerValue } from '../answer.ts'
import { checkReadRoute } from '../route.ts'
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, apiVersions } from './discovery-documents.ts'
import type { DiscoveredGroup, DiscoveryIndex } from './discovery-index.ts'

export interface DiscoveryOptions {
  readonly index: DiscoveryIndex
  readonly settings: AnswerSettings
  /** `host:port`, for clients that ask where the server is. */
  readonly serverAddress: string
  /** Called when the document of everything was made anew. */
  readonly onAggregated?: () => void
}

/** True when the path was one of discovery's. */
export type DiscoveryHandler = (context: RequestContext) => boolean

/** What the groups of others are registered in: its own document has a route, theirs have none. */
const ownGroup = 'apiregistration.k8s.io'

interface Aggregated {
  readonly revision: number
  readonly document: JsonObject
  readonly etag: string
}

export function discoveryHandler(options: DiscoveryOptions): DiscoveryHandler {
  const { index, settings, serverAddress } = options
  const known = new Map<string, Aggregated>()
  const aggregated = (root: string): Aggregated => {
    const made = known.get(root)
    if (made?.revision === index.revision) return made
    const groups = index.groups().filter(({ name }) => (name === '') === (root === 'api'))
    const document = aggregatedDiscovery(groups, hasChange(settings.release ?? defaultRelease, 'omitsZeroTime'))
    const etag = `"${createHash('sha512').update(encodeJson(document)).digest('hex').toUpperCase()}"`
    const fresh = { revision: index.revision, document, etag }
    known.set(root, fresh)
    options.onAggregated?.()
    return fresh
  }
  const answer = (context: RequestContext, value: JsonObject, type: string, choice: NegotiatedType): void =>
    answerValue(context, settings, { status: 200, value, schema: typeSchema(`meta.v1.${type}`), choice })

  const answerRoot = (context: RequestContext, root: string): void => {
    const choice = negotiateAnswer(context.header('accept'), mediaTypes, aggregatedDiscoveryRestrictions)
    if (choice.convert !== undefined) {
      answerAggregated(context, settings, aggregated(root), choice)
    } else if (root === 'api') {
      answer(context, apiVersions(serverAddress), 'APIVersions', choice)
    } else {
      answer(context, apiGroupList(index.groups()), 'APIGroupList', choice)
    }
  }

  /** Documents of built-in versions have routes, which look at the method and the media type first. */
  const passRoute = (context: RequestContext, types: readonly MediaType[]): void => {
    const names = mediaTypeNames(types)
    checkReadRoute(context, { produces: names, consumes: names })
  }

  const answerVersion = (context: RequestContext, group: DiscoveredGroup, name: string): boolean => {
    const isBuiltIn = index.isBuiltIn(group.name)
    const version = group.versions.find((served) => served.version === name)
    if (version === undefined) {
      if (!isBuiltIn) return false
      throw pathNotFound()
    }
    if (isBuiltIn) passRoute(context, settings.mediaTypes)
    const choice = negotiateAnswer(context.header('accept'), settings.mediaTypes, plainRestrictions)
    answer(context, apiResourceList(group.name, version), 'APIResourceList', choice)
    return true
  }

  return (context) => {
    const [root, ...rest] = context.info.path.replace(/^\/|\/+$/g, '').split('/')
    if ((root !== 'api' && root !== 'apis') || (root === 'apis' && rest[0] === '')) return false
    if (rest.length === 0) {
      // Of all documents only those of a version know CBOR; the errors of the others know it no better.
      context.isPastFilters = false
      if (root === 'api') passRoute(context, mediaTypes)
      answerRoot(context, root)
      return true
    }
    const [groupName = '', versionName, ...more] = root === 'api' ? ['', ...rest] : rest
    const group = index.find(groupName)
    if (group === undefined || more.length > 0) return false
    if (versionName !== undefined) return answerVersion(context, group, versionName)
    context.isPastFilters = false
    if (group.name === ownGroup) passRoute(context, mediaTypes)
    const choice = negotiateAnswer(context.header('accept'), mediaTypes, plainRestrictions)
    answer(context, apiGroup(group), 'APIGroup', choice)
    return true
  }
}

function answerAggregated(
  context: RequestContext,
  settings: AnswerSettings,
  { document, etag }: Aggregated,
  choice: NegotiatedType,
): void {
  const { exchange } = context
  exchange.addHeader('Vary', 'Accept')
  exchange.addHeader('ETag', etag)
  if (context.header('if-none-match') === etag) {
    exchange.respond(304, { 'cache-control': 'public' }, '')
    return
  }
  const contentType = `${choice.mediaType.name};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`
  answerValue(context, settings, {
    status: 200,
    value: document,
    schema: typeSchema('apidiscovery.v2.APIGroupDiscoveryList'),
    choice,
    contentType,
    cacheControl: 'public',
  })
}
