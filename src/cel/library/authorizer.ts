/**
 * Asking an authorizer: `authorizer.group('apps').resource('deployments').check('create').allowed()`. A check is a
 * question that takes time; a run that has no answer yet ends with the question and is started again with the answer.
 */
import { fieldSelectorRequirements, parseFieldSelector } from '../../api/field-selector.ts'
import { parseLabelSelector } from '../../api/label-selector-text.ts'
import { checkLabelName, checkSubdomainName } from '../../api/names.ts'
import type { RequestAttributes, SelectorRequirement } from '../../api/request-attributes.ts'
import { ApiError } from '../../api/status-error.ts'
import type { UserInfo } from '../../api/user.ts'
import type { Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import type { Type } from '../types.ts'
import { BOOL, STRING, structType } from '../types.ts'
import type { Opaque, Value } from '../values.ts'
import { CelError, errorOr } from '../values.ts'
import type { Library } from './library.ts'

export const AUTHORIZER = structType('kubernetes.authorization.Authorizer')
const PATH_CHECK = structType('kubernetes.authorization.PathCheck')
const GROUP_CHECK = structType('kubernetes.authorization.GroupCheck')
export const RESOURCE_CHECK = structType('kubernetes.authorization.ResourceCheck')
const DECISION = structType('kubernetes.authorization.Decision')

export interface AuthorizerDecision {
  readonly allowed: boolean
  readonly reason: string
  /** What went wrong while deciding. */
  readonly error?: string
}

export type Authorize = (attributes: RequestAttributes) => Promise<AuthorizerDecision>

interface Asker {
  readonly user: UserInfo
  readonly authorize: Authorize
}

/** A step on the way to a question. */
class AuthorizerValue<T> implements Opaque {
  readonly kind = 'opaque'
  readonly type: Type
  readonly asker: Asker
  readonly details: T

  constructor(type: Type, asker: Asker, details: T) {
    this.type = type
    this.asker = asker
    this.details = details
  }

  /** The reference compares these with nothing. */
  equals(other: Value): Value {
    return errorOr(other)
  }
}

interface ResourceDetails {
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly fieldSelector: string
  readonly labelSelector: string
}

class DecisionValue implements Opaque {
  readonly kind = 'opaque'
  readonly type = DECISION
  readonly decision: AuthorizerDecision
  constructor(decision: AuthorizerDecision) {
    this.decision = decision
  }
  equals(other: Value): Value {
    return errorOr(other)
  }
}

/** The value of the variable `authorizer`. */
export function authorizerValue(user: UserInfo, authorize: Authorize): Value {
  return new AuthorizerValue(AUTHORIZER, { user, authorize }, {})
}

/** The value of `authorizer.requestResource`: a check of the resource that the request is about. */
export function resourceCheckValue(
  user: UserInfo,
  authorize: Authorize,
  resource: Pick<ResourceDetails, 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>,
): Value {
  return new AuthorizerValue(RESOURCE_CHECK, { user, authorize }, { ...resource, fieldSelector: '', labelSelector: '' })
}

const asker = (value: Value): Asker => (value as AuthorizerValue<unknown>).asker
const details = (value: Value): ResourceDetails => (value as AuthorizerValue<ResourceDetails>).details

const path: Implementation = (a, b) => {
  if ((b as string).trim() === '') return new CelError('path must not be empty')
  return new AuthorizerValue(PATH_CHECK, asker(a), { path: b as string })
}

const group: Implementation = (a, b) => new AuthorizerValue(GROUP_CHECK, asker(a), { group: b as string })

const serviceAccount: Implementation = (a, b, c) => {
  const [namespace, name] = [b as string, c as string]
  if (checkSubdomainName(name).length > 0) return new CelError('Invalid service account name')
  if (checkLabelName(namespace).length > 0) return new CelError('Invalid service account namespace')
  const user: UserInfo = {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra: new Map(),
  }
  return new AuthorizerValue(AUTHORIZER, { ...asker(a), user }, {})
}

const resource: Implementation = (a, b) => {
  if ((b as string).trim() === '') return new CelError('resource must not be empty')
  return new AuthorizerValue(RESOURCE_CHECK, asker(a), {
    ...details(a),
    resource: b as string,
    subresource: '',
    namespace: '',
    name: '',
    fieldSelector: '',
    labelSelector: '',
  })
}

const refine =
  (key: keyof ResourceDetails): Implementation =>
  (a, b) =>
    new AuthorizerValue(RESOURCE_CHECK, asker(a), { ...details(a), [key]: b as string })

/** Requirements that cannot be read restrict nothing, as in a request. */
function requirements(read: () => readonly SelectorRequirement[]): readonly SelectorRequirement[] | undefined {
  try {
    const found = read()
    return found.length === 0 ? undefined : found
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

function resourceAttributes(value: Value, verb: string): RequestAttributes {
  const { fieldSelector, labelSelector, group: apiGroup, ...rest } = details(value)
  const fields = requirements(() => fieldSelectorRequirements(parseFieldSelector(fieldSelector)))
  const labels = requirements(() => parseLabelSelector(labelSelector).toSelectorRequirements())
  return {
    user: asker(value).user,
    verb,
    isResourceRequest: true,
    path: '',
    apiGroup,
    apiVersion: '*',
    ...rest,
    ...(fields && { fieldSelector: fields }),
    ...(labels && { labelSelector: labels }),
  }
}

function pathAttributes(value: Value, verb: string): RequestAttributes {
  const { path: url } = (value as AuthorizerValue<{ path: string }>).details
  const nothing = { apiGroup: '', apiVersion: '', resource: '', subresource: '', namespace: '', name: '' }
  return { user: asker(value).user, verb, isResourceRequest: false, path: url, ...nothing }
}

const check =
  (attributesOf: (value: Value, verb: string) => RequestAttributes): Implementation =>
  (a, b, _c, _d, e) => {
    const attributes = attributesOf(a, b as string)
    const { user, ...request } = attributes
    const key = JSON.stringify([user.name, user.uid, user.groups, [...user.extra], request])
    const { authorize } = asker(a)
    return new DecisionValue(e.decide({ key, ask: () => authorize(attributes) }) as AuthorizerDecision)
  }

const decision =
  (read: (decision: AuthorizerDecision) => Value): Implementation =>
  (a) =>
    read((a as DecisionValue).decision)

export const authorizerLibrary: Library = {
  functions: [
    declareFunction('path', { members: [['authorizer_path', [AUTHORIZER, STRING], PATH_CHECK, path]] }),
    declareFunction('group', { members: [['authorizer_group', [AUTHORIZER, STRING], GROUP_CHECK, group]] }),
    declareFunction('serviceAccount', {
      members: [['authorizer_serviceaccount', [AUTHORIZER, STRING, STRING], AUTHORIZER, serviceAccount]],
    }),
    declareFunction('resource', {
      members: [['groupcheck_resource', [GROUP_CHECK, STRING], RESOURCE_CHECK, resource]],
    }),
    declareFunction('subresource', {
      members: [['resourcecheck_subresource', [RESOURCE_CHECK, STRING], RESOURCE_CHECK, refine('subresource')]],
    }),
    declareFunction('namespace', {
      members: [['resourcecheck_namespace', [RESOURCE_CHECK, STRING], RESOURCE_CHECK, refine('namespace')]],
    }),
    declareFunction('name', {
      members: [['resourcecheck_name', [RESOURCE_CHECK, STRING], RESOURCE_CHECK, refine('name')]],
    }),
    declareFunction('check', {
      members: [
        ['pathcheck_check', [PATH_CHECK, STRING], DECISION, check(pathAttributes)],
        ['resourcecheck_check', [RESOURCE_CHECK, STRING], DECISION, check(resourceAttributes)],
      ],
    }),
    declareFunction('errored', {
      members: [['decision_errored', [DECISION], BOOL, decision(({ error }) => error !== undefined)]],
    }),
    declareFunction('error', {
      members: [['decision_error', [DECISION], STRING, decision(({ error }) => error ?? '')]],
    }),
    declareFunction('allowed', {
      members: [['decision_allowed', [DECISION], BOOL, decision(({ allowed }) => allowed)]],
    }),
    declareFunction('reason', { members: [['decision_reason', [DECISION], STRING, decision(({ reason }) => reason)]] }),
  ],
}

export const authorizerSelectorsLibrary: Library = {
  functions: [
    declareFunction('fieldSelector', {
      members: [['authorizer_fieldselector', [RESOURCE_CHECK, STRING], RESOURCE_CHECK, refine('fieldSelector')]],
    }),
    declareFunction('labelSelector', {
      members: [['authorizer_labelselector', [RESOURCE_CHECK, STRING], RESOURCE_CHECK, refine('labelSelector')]],
    }),
  ],
}
