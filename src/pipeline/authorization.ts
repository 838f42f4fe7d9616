/** The authorization filter: a request that no authorizer allows is a 403. */

import type { QueryParameters } from '../api/query-parameters.ts'
import { fieldRequirementsOf, labelSelectorOf } from '../api/query-selectors.ts'
import type { RequestAttributes, SelectorRequirement } from '../api/request-attributes.ts'
import type { RequestContext } from '../api/request-context.ts'
import { forbidden, internalError } from '../api/status-error.ts'
import { forbiddenError } from '../auth/authorization/forbidden.ts'
import type { Authorizer, Decision } from '../auth/authorizer.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Filter, Handler } from './filter.ts'
import { answerInternalError } from './internal-server-error.ts'
import type { AuthorizationOutcome, RequestObserver } from './metrics.ts'
import { refusalHeaders } from './refusal-headers.ts'

export function authorization(authorizer: Authorizer, observer: Pick<RequestObserver, 'authorized'>): Filter {
  const decided = (
    context: RequestContext,
    attributes: RequestAttributes,
    decision: Decision,
    next: Handler,
  ): Awaitable<void> => {
    observer.authorized(context, outcomeOf(decision))
    return proceed(context, attributes, decision, next)
  }
  return (context, next) => {
    const attributes = requestAttributes(context)
    const decision = authorizer.authorize(attributes)
    if (decision instanceof Promise) return decision.then((late) => decided(context, attributes, late, next))
    return decided(context, attributes, decision, next)
  }
}

function outcomeOf({ verdict, error }: Decision): AuthorizationOutcome {
  if (verdict === 'allow') return 'allowed'
  if (error !== undefined) return 'error'
  return verdict === 'deny' ? 'denied' : 'no-opinion'
}

function proceed(
  context: RequestContext,
  attributes: RequestAttributes,
  decision: Decision,
  next: Handler,
): Awaitable<void> {
  const isAllowed = decision.verdict === 'allow'
  const isFailure = !isAllowed && decision.error !== undefined
  if (!isFailure) context.annotate('authorization.k8s.io/decision', isAllowed ? 'allow' : 'forbid')
  context.annotate('authorization.k8s.io/reason', isFailure ? 'internal error' : decision.reason)
  if (isAllowed) return next(context)
  if (!isFailure) throw forbiddenError(attributes, decision.reason).withHeaders(refusalHeaders)
  // No authorizer could decide: an internal error, not a denial.
  answerInternalError(context.exchange, decision.error ?? '')
  return undefined
}

export function requestAttributes({ info, user }: RequestContext): RequestAttributes {
  const attributes = {
    user,
    verb: info.verb,
    isResourceRequest: info.isResourceRequest,
    path: info.path,
    apiGroup: info.group,
    apiVersion: info.version,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
  }
  if (info.query.isEmpty || !selective.has(info.verb)) return attributes
  return Object.assign(attributes, selectors(info.query))
}

const selective: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection'])

/** A selector that cannot be read is no selector here; the handler refuses it. */
function selectors(query: QueryParameters): Partial<RequestAttributes> {
  const fieldSelector = readOr(() => fieldRequirementsOf(query))
  const labelSelector = readOr(() => labelSelectorOf(query).toSelectorRequirements())
  return {
    ...(fieldSelector.length > 0 ? { fieldSelector } : {}),
    ...(labelSelector.length > 0 ? { labelSelector } : {}),
  }
}

function readOr(read: () => readonly SelectorRequirement[]): readonly SelectorRequirement[] {
  try {
    return read()
  } catch {
    return []
  }
}

/** Throws a 403 unless the user may do something else to what the request is about. */
export async function authorizeVerb(authorizer: Authorizer, context: RequestContext, verb: string): Promise<void> {
  const attributes = { ...requestAttributes(context), verb }
  const decision = await authorizer.authorize(attributes)
  if (decision.verdict !== 'allow') throw forbiddenError(attributes, decision.reason)
}

/**
 * Throws a 403 unless the user may also create what the request connects to: a WebSocket is opened by a GET, and opens as much as a POST
 * would. Mirrors pkg/registry/core/pod/rest: ensureAuthorizedForVerb.
 */
export async function authorizeConnection(authorizer: Authorizer, context: RequestContext): Promise<void> {
  const { group, resource, name, verb } = context.info
  if (verb === 'create') return
  const decision = await authorizer.authorize({ ...requestAttributes(context), verb: 'create' })
  if (decision.verdict === 'allow') return
  if (decision.error !== undefined) throw internalError(decision.error)
  throw forbidden({ group, resource }, name, decision.reason)
}

const unsafeDelete = 'unsafe-delete-ignore-read-errors'

/** Throws a 403 unless the user may delete what cannot be read. */
export async function authorizeUnsafeDelete(authorizer: Authorizer, context: RequestContext): Promise<void> {
  const { group, resource, subresource, name } = context.info
  const refuse = (why: string): never => {
    throw forbidden({ group, resource }, name, why)
  }
  if (subresource !== '') {
    refuse(
      'ignoreStoreReadErrorWithClusterBreakingPotential delete option is not allowed on a subresource or non-resource request',
    )
  }
  const decision = await authorizer.authorize({ ...requestAttributes(context), verb: unsafeDelete })
  if (decision.verdict === 'allow') return
  if (decision.error !== undefined) refuse(`error while checking permission for "${unsafeDelete}", ${decision.error}`)
  refuse(`not permitted to do "${unsafeDelete}", reason: ${decision.reason}`)
}
