/** From a resource request to its verb: which paths and methods there are, and how the rest is refused. */

import type { RequestContext } from '../api/request-context.ts'
import { badRequest, methodNotAllowed, methodNotSupported, notFound, pathNotFound } from '../api/status-error.ts'
import {
  type Encoding,
  mediaTypeNames,
  type Restrictions,
  resourceRestrictions,
  routeProduces,
  streamNames,
} from '../codec/negotiation.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { RouteStyle } from '../registry/model/object-model.ts'
import type { Deprecation, ResourceDefinition } from '../registry/resource-definition.ts'
import type { ConnectHandler, ResourceTable, ServedResource } from '../registry/served-resource.ts'
import type { SubresourceDefinition } from '../registry/subresource.ts'
import { handleAction } from './action.ts'
import { handleDelete, handleDeleteCollection } from './delete.ts'
import { handleGet } from './get.ts'
import { handleList } from './list.ts'
import { gatePatchType, handlePatch } from './patch.ts'
import { unproducible } from './route.ts'
import { handleScale } from './scale.ts'
import { handleVirtual } from './virtual-resource.ts'
import { handleWatch } from './watch.ts'
import type { WatchSettings } from './watch-stream.ts'
import { handleCreate, handleUpdate } from './write.ts'

const builtInRestrictions = resourceRestrictions()
const plainPartRestrictions = resourceRestrictions({ table: false })
const customEncodings: ReadonlySet<Encoding> = new Set(['json', 'yaml', 'cbor'])
const customRestrictions = resourceRestrictions({ encodings: customEncodings })

export interface ResourceHandlerOptions {
  readonly table: ResourceTable
  readonly settings: WatchSettings
  readonly connect: ConnectHandler
}

type Target = ServedResource & { readonly restrictions: Restrictions }

/** `elsewhere` when the group version is not served here: the caller answers that. */
export function handleResource(
  context: RequestContext,
  options: ResourceHandlerOptions,
): Awaitable<void> | 'elsewhere' {
  const { info } = context
  const { table } = options
  // The core group has a root of its own.
  if (info.group === '' && info.apiPrefix === 'apis') return 'elsewhere'
  const served = table.find(info.group, info.version, info.resource)
  if (served === undefined) {
    const action = table.findAction(info.group, info.version, info.resource)
    if (action !== undefined) {
      checkQuery(info)
      return serveAction(context, options, action)
    }
    if (table.hasGroup(info.group)) throw pathNotFound()
    return 'elsewhere'
  }
  return servers[served.registry.definition.model.routes.style](context, options, served)
}

/** Mirrors apiserver/pkg/endpoints: APIInstaller. */
function serveInstalled(
  context: RequestContext,
  options: ResourceHandlerOptions,
  served: ServedResource,
): Awaitable<void> {
  const { info } = context
  const { registry, version } = served
  const { definition } = registry
  checkOldPath(context.info, definition.verbs)
  if (definition.virtualObjects !== undefined) {
    checkQuery(info)
    return serveComputed(context, options, served)
  }
  const target = { registry, version, restrictions: builtInRestrictions }
  if (info.parts.length > 2) return serveSubresource(context, options, target)
  const hasPath = definition.namespaced && info.parts.length === 1
  if (!hasPath && isMisplaced(info, definition.namespaced)) throw pathNotFound()
  if (!allowsMethod(context) || !isServed(info, definition)) throw methodNotAllowed()
  checkQuery(info)
  gatePatchType(context, options.settings, target)
  gateAccept(context, options.settings)
  tellDeprecation(context, version.deprecation)
  checkKey(info, definition.namespaced)
  return serveVerb(context, options.settings, target)
}

/**
 * A parameter that cannot be read may be the one that narrows the request. The reference drops it, and may then delete
 * everything. What is forwarded is read by its receiver.
 */
function checkQuery({ query, subresource }: RequestContext['info']): void {
  if (query.unreadable !== undefined && subresource !== 'proxy')
    throw badRequest(`unreadable query: ${query.unreadable}`)
}

const objectVerbs: ReadonlySet<string> = new Set(['get', 'watch', 'update', 'patch', 'delete'])
const actionVerbs: ReadonlySet<string> = new Set(['create'])
const collectionVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'create', 'deletecollection'])

/** What is in all namespaces can only be read. */
function isServed(info: RequestContext['info'], definition: ResourceDefinition): boolean {
  const { parts, verb } = info
  const verbs: ReadonlySet<string> = definition.verbs
  if (parts.length > 1) return objectVerbs.has(verb) && verbs.has(verb)
  if (!collectionVerbs.has(verb) || !verbs.has(verb)) return false
  return verb === 'list' || verb === 'watch' || !definition.namespaced || hasNamespace(info)
}

/** Also one whose name was left out, between its two slashes. */
const hasNamespace = ({ namespace, path }: RequestContext['info']): boolean =>
  namespace !== '' || path.includes('/namespaces//')

/** What names no object. */
function checkKey({ name, namespace, parts, verb }: RequestContext['info'], namespaced: boolean): void {
  if (namespaced && namespace === '' && (parts.length > 1 || verb === 'deletecollection')) {
    throw badRequest('Namespace parameter required.')
  }
  if (parts.length === 1) return
  if (name === '') throw badRequest('name must be provided')
}

/** Paths of built-in kinds that begin with a verb: those of watches are left, for what can be watched. */
function checkOldPath({ pathVerb, parts }: RequestContext['info'], verbs: ReadonlySet<string>): void {
  if (pathVerb !== '' && (pathVerb !== 'watch' || !verbs.has('watch') || parts.length > 2)) throw pathNotFound()
}

/** The headers alone cannot be asked for, and old paths are only to be read. */
const allowsMethod = ({ info, exchange }: RequestContext): boolean =>
  exchange.method !== 'HEAD' && (info.pathVerb !== 'watch' || exchange.method === 'GET')

/** A namespace where there is none, or none where there is one, leads nowhere. */
function isMisplaced(info: RequestContext['info'], namespaced: boolean): boolean {
  if (namespaced) return !hasNamespace(info)
  const { namespace, resource, parts, path } = info
  if (namespace === '') return resource !== 'namespaces' && hasNamespace(info)
  // The path of a namespace counts as one within it; others do not lie in it.
  return resource !== 'namespaces' || parts[1] !== namespace || path.split('/namespaces/').length > 2
}

/**
 * A custom resource is served by verb alone, whatever the path looks like otherwise: HEAD is a get, a create may name
 * an object in its path, and what follows a subresource does not count.
 */
function serveDynamic(
  context: RequestContext,
  options: ResourceHandlerOptions,
  { registry, version }: ServedResource,
): Awaitable<void> | 'elsewhere' {
  const { info } = context
  checkQuery(info)
  const target = { registry, version, restrictions: customRestrictions }
  const { definition } = registry
  const isElsewhere = definition.namespaced
    ? info.namespace === '' && info.verb !== 'list' && info.verb !== 'watch'
    : info.namespace !== ''
  if (isElsewhere) return 'elsewhere'
  if (info.name !== '') checkKey(info, definition.namespaced)
  tellDeprecation(context, target.version.deprecation)
  if (info.subresource !== '') return serveCustomPart(context, options, target)
  if (info.name === '' && (info.verb === 'update' || info.verb === 'patch')) throw badRequest('name must be provided')
  return serveVerb(context, options.settings, target)
}

const servers: Readonly<
  Record<
    RouteStyle,
    (context: RequestContext, options: ResourceHandlerOptions, served: ServedResource) => Awaitable<void> | 'elsewhere'
  >
> = { installed: serveInstalled, dynamic: serveDynamic }

/** Whether the path has the verb was decided before. */
function serveVerb(context: RequestContext, settings: WatchSettings, target: Target): Awaitable<void> {
  const { definition } = target.registry
  const { verb } = context.info
  switch (verb) {
    case 'get':
      return handleGet(context, settings, target)
    case 'list':
      return handleList(context, settings, target)
    case 'watch':
      return handleWatch(context, settings, target)
    case 'create':
      return handleCreate(context, settings, target)
    case 'update':
      return handleUpdate(context, settings, target, definition.strategy)
    case 'patch':
      return handlePatch(context, settings, target, definition.strategy)
    case 'delete':
      return handleDelete(context, settings, target)
    case 'deletecollection':
      return handleDeleteCollection(context, settings, target)
    default:
      throw methodNotSupported(definition, verb)
  }
}

function serveCustomPart(
  context: RequestContext,
  { settings }: ResourceHandlerOptions,
  target: Target,
): Awaitable<void> {
  const { info } = context
  const { definition } = target.registry
  const subresource = (target.version.subresources ?? definition.subresources).get(info.subresource)
  if (subresource?.type === 'part') return servePart(context, settings, target, subresource)
  if (subresource?.type === 'scale') return handleScale(context, settings, target, subresource)
  throw notFound(definition, info.name)
}

/** As a header of the answer, and as an audit annotation. */
function tellDeprecation(context: RequestContext, deprecation: Deprecation | undefined): void {
  if (deprecation === undefined) return
  context.warn(deprecation.warning)
  context.annotate('k8s.io/deprecated', 'true')
  const { removedRelease } = deprecation
  if (removedRelease !== undefined) context.annotate('k8s.io/removed-release', removedRelease)
}

function serveComputed(
  context: RequestContext,
  { settings }: ResourceHandlerOptions,
  served: ServedResource,
): Promise<void> {
  const { virtualObjects } = served.registry.definition
  if (virtualObjects === undefined || context.info.parts.length > 2 || context.info.namespace !== '')
    throw pathNotFound()
  if (context.exchange.method !== 'GET') throw methodNotAllowed()
  gateAccept(context, settings)
  return handleVirtual(context, settings, { ...served, restrictions: builtInRestrictions }, virtualObjects)
}

/** The route itself refuses what no encoding could ever serve. */
function gateAccept(context: RequestContext, { mediaTypes }: WatchSettings): void {
  const accept = context.header('accept')
  if (accept === undefined || accept === 'application/json') return
  const { verb } = context.info
  const produced =
    verb === 'list' || verb === 'watch'
      ? [...mediaTypeNames(mediaTypes), ...streamNames(mediaTypes)]
      : mediaTypeNames(mediaTypes)
  if (!routeProduces(accept, produced)) throw unproducible(context, produced)
}

/** A part of an object without a name, which is refused for that: never a part of a collection. */
const verbOfOne: Readonly<Record<string, string>> = { list: 'get', watch: 'get', deletecollection: 'delete' }

function serveSubresource(context: RequestContext, options: ResourceHandlerOptions, target: Target): Awaitable<void> {
  const { info } = context
  const { definition } = target.registry
  const subresource = (target.version.subresources ?? definition.subresources).get(info.subresource)
  if (subresource === undefined || isMisplaced(info, definition.namespaced)) throw pathNotFound()
  if (info.parts.length > 3 && info.subresource !== 'proxy') throw pathNotFound()
  if (subresource.type === 'connect') {
    checkQuery(info)
    checkKey(info, definition.namespaced)
    return options.connect(context, target, subresource)
  }
  const verbs: ReadonlySet<string> = subresource.type === 'action' ? actionVerbs : subresource.verbs
  if (!allowsMethod(context) || !verbs.has(verbOfOne[info.verb] ?? info.verb)) throw methodNotAllowed()
  checkQuery(info)
  gatePatchType(context, options.settings, target)
  gateAccept(context, options.settings)
  tellDeprecation(context, target.version.deprecation)
  checkKey(info, definition.namespaced)
  switch (subresource.type) {
    case 'part':
      return servePart(context, options.settings, target, subresource)
    case 'scale':
      return handleScale(context, options.settings, target, subresource)
    case 'action':
      return handleAction(context, options.settings, {
        action: subresource,
        definition: target.registry.definition,
        admission: target.registry.admission,
      })
  }
}

function servePart(
  context: RequestContext,
  settings: WatchSettings,
  whole: Target,
  part: SubresourceDefinition & { type: 'part' },
): Awaitable<void> {
  const { verb } = context.info
  const target = part.withoutTable === true ? { ...whole, restrictions: plainPartRestrictions } : whole
  if (verb === 'get' && part.verbs.has('get')) return handleGet(context, settings, target)
  if (verb === 'update' && part.verbs.has('update')) return handleUpdate(context, settings, target, part.strategy)
  if (verb === 'patch' && part.verbs.has('patch')) return handlePatch(context, settings, target, part.strategy)
  throw methodNotSupported(target.registry.definition, verb)
}

function serveAction(
  context: RequestContext,
  { settings }: ResourceHandlerOptions,
  found: NonNullable<ReturnType<ResourceTable['findAction']>>,
): Awaitable<void> {
  const { info } = context
  const hasPath = info.parts.length === 1 && info.pathVerb === ''
  if (!hasPath || isMisplaced(info, found.definition.namespaced)) throw pathNotFound()
  if (info.verb !== 'create') throw methodNotAllowed()
  gateAccept(context, settings)
  tellDeprecation(context, found.action.deprecation)
  return handleAction(context, settings, found)
}
