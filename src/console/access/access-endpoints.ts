/** `/console/v1/access/…`: who can, what may a user, why (not). */
import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { RequestContext } from '../../api/request-context.ts'
import { badRequest } from '../../api/status-error.ts'
import type { UserInfo } from '../../api/user.ts'
import { forbiddenError } from '../../auth/authorization/forbidden.ts'
import type { Authorizer } from '../../auth/authorizer.ts'
import { answerJson } from '../answers.ts'
import { Query } from '../query.ts'
import type { Endpoint } from '../services.ts'
import type { Grant, Grants } from './grants.ts'

const askedNames = ['verb', 'group', 'resource', 'subresource', 'namespace', 'name', 'path']
const userNames = ['user', 'groups']
const maxItems = 1000
const maxClosest = 10

/** Whether bindings say everything, and what else is to be known. */
export interface Completeness {
  readonly complete: boolean
  readonly notes: readonly string[]
}

export interface AccessEndpointServices {
  readonly authorizer: Pick<Authorizer, 'authorize'>
  completeness(): Completeness
}

export function accessEndpoints(services: AccessEndpointServices, grants: Grants): Endpoint[] {
  return [
    { path: '/console/v1/access/who-can', methods: { GET: (context) => whoCan(context, services, grants) } },
    { path: '/console/v1/access/rules', methods: { GET: (context) => rules(context, services, grants) } },
    { path: '/console/v1/access/explain', methods: { GET: (context) => explain(context, services, grants) } },
  ]
}

async function whoCan(context: RequestContext, services: AccessEndpointServices, grants: Grants): Promise<void> {
  const asked = attributesOf(new Query(context, askedNames), context.user)
  await needReviews(context, services)
  const items: Grant[] = []
  let truncated = false
  for await (const grant of grants.whoCan(asked)) {
    truncated = items.length === maxItems
    if (truncated) break
    items.push(grant)
  }
  answerJson(context, { items, ...services.completeness(), truncated })
}

async function rules(context: RequestContext, services: AccessEndpointServices, grants: Grants): Promise<void> {
  const query = new Query(context, [...userNames, 'namespace'])
  const user = await subjectOf(context, query, services)
  const found = await grants.of(user, query.optional('namespace'))
  const { name, groups } = user
  answerJson(context, {
    user: { name, groups },
    items: found.grants.slice(0, maxItems),
    missingRoles: found.missingRoles,
    ...services.completeness(),
    truncated: found.grants.length > maxItems,
  })
}

async function explain(context: RequestContext, services: AccessEndpointServices, grants: Grants): Promise<void> {
  const query = new Query(context, [...userNames, ...askedNames])
  const user = await subjectOf(context, query, services)
  const asked = attributesOf(query, user)
  const { verdict, reason, error } = await services.authorizer.authorize(asked)
  const isAllowed = verdict === 'allow'
  const { missingRoles } = await grants.of(user, asked.namespace)
  answerJson(context, {
    user: { name: user.name, groups: user.groups },
    allowed: isAllowed,
    decision: verdict,
    reason,
    ...(error === undefined ? {} : { error }),
    grants: (await grants.allowing(asked)).slice(0, maxItems),
    closest: isAllowed ? [] : await grants.nearest(asked, maxClosest),
    missingRoles,
    notes: services.completeness().notes,
  })
}

/** Who the question is about: another user only for clients who may ask that of the resource API. */
async function subjectOf(context: RequestContext, query: Query, services: AccessEndpointServices): Promise<UserInfo> {
  const name = query.optional('user')
  const groups = query.all('groups').filter((group) => group !== '')
  if (name === undefined && groups.length === 0) return context.user
  await needReviews(context, services)
  return { name: name ?? '', groups: [...new Set([...groups, ...impliedGroups(name ?? '')])], extra: new Map() }
}

function impliedGroups(name: string): readonly string[] {
  if (name === 'system:anonymous') return ['system:unauthenticated']
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(name) ?? []
  const accounts = namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
  return [...accounts, 'system:authenticated']
}

async function needReviews({ user }: RequestContext, { authorizer }: AccessEndpointServices): Promise<void> {
  const attributes: RequestAttributes = {
    ...nothing,
    user,
    verb: 'create',
    isResourceRequest: true,
    apiGroup: 'authorization.k8s.io',
    apiVersion: 'v1',
    resource: 'subjectaccessreviews',
  }
  const { verdict, reason } = await authorizer.authorize(attributes)
  if (verdict !== 'allow') throw forbiddenError(attributes, reason)
}

const nothing = {
  isResourceRequest: false,
  path: '',
  apiGroup: '',
  apiVersion: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
}

function attributesOf(query: Query, user: UserInfo): RequestAttributes {
  const verb = query.needed('verb')
  const path = query.optional('path')
  if (path !== undefined) {
    if (query.optional('resource') !== undefined) throw badRequest('ask about a path or a resource, not both')
    return { ...nothing, user, verb, path }
  }
  return {
    ...nothing,
    user,
    verb,
    isResourceRequest: true,
    apiGroup: query.text('group'),
    apiVersion: '*',
    resource: query.needed('resource'),
    subresource: query.text('subresource'),
    namespace: query.text('namespace'),
    name: query.text('name'),
  }
}
