/** From a resource request to its verb: which paths and methods there are, and what the rest is told. */
import type { RequestContext } from '../api/request-context.ts'
import { methodNotAllowed, methodNotSupported, notFound, pathNotFound } from '../api/status-error.ts'
import {
  type Encoding,
  mediaTypeNames,
  type Restrictions,
  resourceRestrictions,
  routeNotAcceptable,
  routeProduces,
  streamNames,
} from '../codec/negotiation.ts'
import type { Deprecation } from '../registry/resource-definition.ts'
import type { SubresourceDefinition } from '../registry/subresource.ts'
import { handleAction } from './action.ts'
import { handleComputed } from './computed.ts'
import { handleDelete, handleDeleteCollection } from './delete.ts'
import { handleGet } from './get.ts'
import { handleList } from './list.ts'
import { handlePatch } from './patch.ts'
import { handleScale } from './scale.ts'
import type { ConnectHandler, ResourceTable, ServedResource } from './served-resource.ts'
import { handleWatch, type WatchSettings } from './watch.ts'
import { handleCreate, handleUpdate } from './write.ts'

const builtInRestrictions = resourceRestrictions()
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
): void | Promise<void> | 'elsewhere' {
  const { info } = context
  const { table } = options
  const served = table.find(info.group, info.version, info.resource)
  if (served === undefined) {
    const action = table.findAction(info.group, info.version, info.resource)
    if (action !== undefined) return serveAction(context, options, action)
    if (table.hasGroup(info.group)) throw pathNotFound()
    return 'elsewhere'
  }
  const { definition } = served.registry
  if (context.exchange.method === 'HEAD') throw methodNotAllowed()
  if (definition.computed !== undefined) return serveComputed(context, options, served)
  tellDeprecation(context, served.version.deprecation)
  const { registry, version } = served
  const target = { registry, version, restrictions: definition.structural ? customRestrictions : builtInRestrictions }
  if (info.parts.length > 2) return serveSubresource(context, options, target)
  if (definition.structural && isCollectionOfAll(info, definition.namespaced)) return 'elsewhere'
  if (definition.namespaced ? false : info.namespace !== '' && info.resource !== 'namespaces') throw pathNotFound()
  if (!definition.structural) gateAccept(context, options.settings)
  return info.parts.length > 1 ? serveObject(context, options, target) : serveCollection(context, options, target)
}

/** In the answer, and to whoever reads the audit log. */
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
  const { computed } = served.registry.definition
  if (computed === undefined || context.info.parts.length > 2 || context.info.namespace !== '') throw pathNotFound()
  gateAccept(context, settings)
  return handleComputed(context, settings, { ...served, restrictions: builtInRestrictions }, computed)
}

/** Custom resources of all namespaces can be listed and watched; for anything else there is no such path. */
function isCollectionOfAll({ parts, namespace, verb }: RequestContext['info'], namespaced: boolean): boolean {
  return namespaced && namespace === '' && parts.length === 1 && (verb === 'create' || verb === 'deletecollection')
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
  if (!routeProduces(accept, produced)) throw routeNotAcceptable(produced)
}

function serveObject(
  context: RequestContext,
  { settings }: ResourceHandlerOptions,
  target: Target,
): void | Promise<void> {
  const { definition } = target.registry
  if (definition.namespaced && context.info.namespace === '') throw pathNotFound()
  const { strategy, verbs } = definition
  switch (context.info.verb) {
    case 'get':
      if (verbs.has('get')) return handleGet(context, settings, target)
      break
    case 'watch':
      if (verbs.has('watch')) return handleWatch(context, settings, target)
      break
    case 'update':
      if (verbs.has('update')) return handleUpdate(context, settings, target, strategy)
      break
    case 'patch':
      if (verbs.has('patch')) return handlePatch(context, settings, target, strategy)
      break
    case 'delete':
      if (verbs.has('delete')) return handleDelete(context, settings, target)
      break
  }
  throw methodNotAllowed()
}

function serveCollection(
  context: RequestContext,
  { settings }: ResourceHandlerOptions,
  target: Target,
): void | Promise<void> {
  const { definition } = target.registry
  const { verbs } = definition
  const everywhere = definition.namespaced && context.info.namespace === ''
  switch (context.info.verb) {
    case 'list':
      if (verbs.has('list')) return handleList(context, settings, target)
      break
    case 'watch':
      if (verbs.has('watch')) return handleWatch(context, settings, target)
      break
    case 'create':
      if (verbs.has('create') && !everywhere) return handleCreate(context, settings, target)
      break
    case 'deletecollection':
      if (verbs.has('deletecollection') && !everywhere) return handleDeleteCollection(context, settings, target)
      break
  }
  throw methodNotAllowed()
}

function serveSubresource(
  context: RequestContext,
  options: ResourceHandlerOptions,
  target: Target,
): void | Promise<void> {
  const { info } = context
  const { subresources } = target.version.subresources === undefined ? target.registry.definition : target.version
  const subresource = subresources?.get(info.subresource)
  const { definition } = target.registry
  if (subresource === undefined) throw definition.structural ? notFound(definition, info.name) : pathNotFound()
  if (subresource.type === 'connect') return options.connect(context, target, subresource)
  if (info.parts.length > 3) throw pathNotFound()
  if (!definition.structural) gateAccept(context, options.settings)
  switch (subresource.type) {
    case 'part':
      return servePart(context, options, target, subresource)
    case 'scale':
      return handleScale(context, options.settings, target, subresource)
    case 'action':
      if (info.verb !== 'create') throw methodNotAllowed()
      return handleAction(context, options.settings, {
        action: subresource,
        definition: target.registry.definition,
        admission: target.registry.admission,
      })
  }
}

function servePart(
  context: RequestContext,
  { settings }: ResourceHandlerOptions,
  target: Target,
  part: SubresourceDefinition & { type: 'part' },
): void | Promise<void> {
  const { verb } = context.info
  if (verb === 'get' && part.verbs.has('get')) return handleGet(context, settings, target)
  if (verb === 'update' && part.verbs.has('update')) return handleUpdate(context, settings, target, part.strategy)
  if (verb === 'patch' && part.verbs.has('patch')) return handlePatch(context, settings, target, part.strategy)
  const { definition } = target.registry
  throw definition.structural ? methodNotSupported(definition, verb) : methodNotAllowed()
}

function serveAction(
  context: RequestContext,
  { settings }: ResourceHandlerOptions,
  found: NonNullable<ReturnType<ResourceTable['findAction']>>,
): void | Promise<void> {
  const { info } = context
  gateAccept(context, settings)
  tellDeprecation(context, found.action.deprecation)
  if (info.verb !== 'create') throw info.parts.length > 1 ? pathNotFound() : methodNotAllowed()
  return handleAction(context, settings, found)
}
