/** What the routes of a resource refuse before anything of it is asked: those of custom resources are one handler. */

import { quote } from '../api/field-error.ts'
import type { RequestContext } from '../api/request-context.ts'
import { type ApiError, badRequest, changedSince, unsupportedMediaType } from '../api/status-error.ts'
import { routeUnsupportedMediaType } from '../codec/negotiation.ts'
import type { RouteStyle } from '../registry/model/object-model.ts'
import type { ResourceDefinition, ResourceVersion } from '../registry/resource-definition.ts'
import { unproducible } from './route.ts'

export interface RouteRules {
  takesPatch(context: RequestContext, types: readonly string[]): boolean
  unsupportedPatch(context: RequestContext, types: readonly string[]): ApiError
  /** The refusal of a field that cannot be selected by. */
  unknownField(field: string, version: ResourceVersion): ApiError
}

/** Mirrors apiserver/pkg/endpoints: APIInstaller, which lists the types that a route consumes. */
const installed: RouteRules = {
  takesPatch: routeAccepts,
  // A type is refused only with a body that is known to be there; else nothing is left to answer with.
  unsupportedPatch: (context) =>
    Number(context.header('content-length') ?? 0) > 0
      ? routeUnsupportedMediaType()
      : changedSince('routeTypesFirst', unproducible(context, []), routeUnsupportedMediaType()),
  unknownField(field, version) {
    const own = ownWords[`${version.group}/${version.kind}`]
    if (own !== undefined) return badRequest(own(field, version))
    const known = [...version.fieldLabels.keys()]
    const isDefault = known.length === 2 && known.includes('metadata.name') && known.includes('metadata.namespace')
    return isDefault
      ? badRequest(`${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`)
      : unsupportedLabel(field)
  },
}

/** Mirrors apiextensions-apiserver/pkg/apiserver: crdHandler. */
const dynamic: RouteRules = {
  takesPatch: (context, types) => types.includes(patchTypeOf(context)),
  unsupportedPatch: (_context, types) => unsupportedMediaType(types),
  unknownField: unsupportedLabel,
}

const rules: Readonly<Record<RouteStyle, RouteRules>> = { installed, dynamic }

export const routeRules = ({ model }: ResourceDefinition): RouteRules => rules[model.routes.style]

/** As it is written, but for its parameters: no other case, no space before these. */
export function patchTypeOf(context: RequestContext): string {
  const given = context.header('content-type') ?? ''
  const end = given.indexOf(';')
  return end > 0 ? given.slice(0, end) : given
}

/** Routes of built-in kinds read a list of types, and overlook the space around them. */
export function routeAccepts(context: RequestContext, types: readonly string[]): boolean {
  const given = (context.header('content-type') ?? '').split(',')
  return given.some((each) => types.includes((each.split(';', 1)[0] ?? '').trim()))
}

/** Kinds that say in words of their own that they do not know a field. */
const ownWords: Readonly<Record<string, (field: string, version: ResourceVersion) => string>> = {
  'batch/Job': (field) => `field label ${quote(field)} not supported for Job`,
  'resource.k8s.io/ResourceSlice': (field, { apiVersion }) =>
    `field label not supported for ${apiVersion}, Kind=ResourceSlice: ${field}`,
}

function unsupportedLabel(field: string): ApiError {
  return badRequest(`field label not supported: ${field}`)
}
