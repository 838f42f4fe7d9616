/** `/api`, `/apis` and the groups and versions below them. */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../../api/json.ts'
import type { RequestContext } from '../../api/request-context.ts'
import { methodNotAllowed, pathNotFound } from '../../api/status-error.ts'
import { typeSchema } from '../../catalog/catalog.ts'
import { encodeJson } from '../../codec/json.ts'
import {
  aggregatedDiscoveryRestrictions,
  type Choice,
  mediaTypeNames,
  negotiateAnswer,
  plainRestrictions,
  routeNotAcceptable,
  routeProduces,
} from '../../codec/negotiation.ts'
import { type AnswerSettings, answerValue } from '../answer.ts'
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, apiVersions } from './discovery-documents.ts'
import type { DiscoveryIndex } from './discovery-index.ts'

export interface DiscoveryOptions {
  readonly index: DiscoveryIndex
  readonly settings: AnswerSettings
  /** `host:port`, for clients that ask where the server is. */
  readonly serverAddress: string
  /** Told when the document of everything was made anew. */
  readonly onAggregated?: () => void
}

/** True when the path was one of discovery's. */
export type DiscoveryHandler = (context: RequestContext) => boolean

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
    const document = aggregatedDiscovery(groups)
    const etag = `"${createHash('sha512').update(encodeJson(document)).digest('hex').toUpperCase()}"`
    const fresh = { revision: index.revision, document, etag }
    known.set(root, fresh)
    options.onAggregated?.()
    return fresh
  }
  const answer = (context: RequestContext, value: JsonObject, type: string, choice: Choice): void =>
    answerValue(context, settings, { status: 200, value, schema: typeSchema(`meta.v1.${type}`), choice })

  const answerRoot = (context: RequestContext, root: string): void => {
    const choice = negotiateAnswer(context.header('accept'), settings.mediaTypes, aggregatedDiscoveryRestrictions)
    if (choice.convert !== undefined) {
      answerAggregated(context, settings, aggregated(root), choice)
    } else if (root === 'api') {
      answer(context, apiVersions(serverAddress), 'APIVersions', choice)
    } else {
      answer(context, apiGroupList(index.groups()), 'APIGroupList', choice)
    }
  }

  return (context) => {
    const parts = context.info.path.split('/').filter((part) => part !== '')
    const [root = '', ...rest] = parts
    if (root !== 'api' && root !== 'apis') return false
    // The core group's documents stand behind the route's own gate.
    const produced = mediaTypeNames(settings.mediaTypes)
    if (root === 'api' && !routeProduces(context.header('accept'), produced)) throw routeNotAcceptable(produced)
    if (rest.length === 0) {
      answerRoot(context, root)
      return true
    }
    const [groupName = '', versionName] = root === 'api' ? ['', ...rest] : rest
    if (rest.length > (root === 'api' ? 1 : 2)) return false
    const group = index.find(groupName)
    if (group === undefined) return false
    if (context.exchange.method !== 'GET') throw methodNotAllowed()
    const choice = negotiateAnswer(context.header('accept'), settings.mediaTypes, plainRestrictions)
    if (versionName === undefined) {
      answer(context, apiGroup(group), 'APIGroup', choice)
      return true
    }
    const version = group.versions.find((served) => served.version === versionName)
    if (version === undefined) {
      if (!index.isBuiltIn(groupName)) return false
      throw pathNotFound()
    }
    answer(context, apiResourceList(groupName, version), 'APIResourceList', choice)
    return true
  }
}

function answerAggregated(
  context: RequestContext,
  settings: AnswerSettings,
  { document, etag }: Aggregated,
  choice: Choice,
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
