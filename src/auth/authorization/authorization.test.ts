import { describe, expect, it } from 'vitest'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { type Authorizer, abstain, allow, type Decision, deny } from '../authorizer.ts'
import { pathRequest, resourceRequest, user } from '../testing/attributes.ts'
import { AbacAuthorizer } from './abac.ts'
import { alwaysAllow, alwaysDeny } from './always.ts'
import { AuthorizerChain, privilegedGroup } from './chain.ts'
import { forbiddenError } from './forbidden.ts'

const request = resourceRequest(user('ann'), { resource: 'pods', verb: 'list' })

describe('AuthorizerChain', () => {
  it.each<[string, Decision[], Decision]>([
    ['the first opinion counts', [abstain(), allow('a'), deny('b')], allow('a')],
    ['a denial ends it', [deny('b'), allow()], deny('b')],
    ['reasons are kept', [abstain('x'), abstain(), abstain('y')], abstain('x\ny')],
    ['an allow forgets errors', [{ ...abstain(), error: 'e' }, allow()], allow()],
    ['a refusal tells them', [{ ...abstain(), error: 'e' }, abstain('x')], { ...abstain('x'), error: 'e' }],
    ['nobody', [], abstain()],
  ])('%s', async (_, decisions, expected) => {
    for (const delayed of [false, true]) {
      const chain = new AuthorizerChain(
        decisions.map((decision) => ({ authorize: () => (delayed ? Promise.resolve(decision) : decision) })),
      )
      expect(await chain.authorize(request)).toEqual(expected)
    }
  })
  it('lets system:masters pass before everything', () => {
    const chain = new AuthorizerChain([privilegedGroup, { authorize: () => deny() }])
    expect(chain.authorize({ ...request, user: user('root', 'system:masters') })).toEqual(allow())
    expect(chain.authorize(request)).toEqual(deny())
  })
  it('denies by abstaining', () => {
    expect(new AuthorizerChain([alwaysDeny, alwaysAllow]).authorize(request)).toEqual(allow())
    expect(alwaysDeny.authorize(request)).toEqual(abstain('Everything is forbidden.'))
  })
  it('puts rules together', () => {
    const unlisted: Authorizer = { authorize: () => abstain() }
    expect(new AuthorizerChain([alwaysAllow, unlisted]).rulesFor(user('a'), 'ns')).toMatchObject({
      incomplete: true,
      resourceRules: [{ verbs: ['*'] }],
    })
  })
})

describe('forbiddenError', () => {
  it.each<[RequestAttributes, string, string]>([
    [request, '', 'pods is forbidden: User "ann" cannot list resource "pods" in API group "" at the cluster scope'],
    [
      resourceRequest(user('a"b'), {
        apiGroup: 'apps',
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'x',
        name: 'd',
      }),
      'not you',
      'deployments.apps "d" is forbidden: User "a\\"b" cannot get resource "deployments/scale" in API group "apps" in the namespace "x": not you',
    ],
    [pathRequest(user('<ann>'), '/a&b'), 'a<b', 'forbidden: User "&lt;ann&gt;" cannot get path "/a&amp;b": a<b'],
    [pathRequest(user('ann'), '/metrics'), '', 'forbidden: User "ann" cannot get path "/metrics"'],
  ])('%#', (attributes, reason, message) => {
    expect(forbiddenError(attributes, reason).message).toBe(message)
  })
})

describe('AbacAuthorizer', () => {
  const line = (spec: object) =>
    JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec })
  const abac = new AbacAuthorizer(
    [
      '# comment',
      '',
      line({ user: 'ann', namespace: 'ns', resource: 'pods', readonly: true }),
      line({ group: 'ops', namespace: '*', resource: '*', apiGroup: '*' }),
      line({ user: '*', nonResourcePath: '/health*', readonly: true }),
      line({ namespace: '*', resource: '*' }),
    ].join('\n'),
    'policy.jsonl',
  )
  it.each<[string, RequestAttributes, string]>([
    ['reads', resourceRequest(user('ann'), { resource: 'pods', namespace: 'ns', verb: 'watch' }), 'allow'],
    ['writes', resourceRequest(user('ann'), { resource: 'pods', namespace: 'ns', verb: 'create' }), 'no opinion'],
    ['elsewhere', resourceRequest(user('ann'), { resource: 'pods', namespace: 'x' }), 'no opinion'],
    [
      'a group',
      resourceRequest(user('bob', 'ops'), { apiGroup: 'apps', resource: 'x', namespace: 'y', verb: 'delete' }),
      'allow',
    ],
    ['a path', pathRequest(user('x'), '/healthz'), 'allow'],
    ['a path with another method', pathRequest(user('x'), '/healthz', 'post'), 'no opinion'],
    ['a policy for nobody', resourceRequest(user('x'), { resource: 'pods' }), 'no opinion'],
  ])('%s', (_, attributes, verdict) => {
    expect(abac.authorize(attributes).verdict).toBe(verdict)
  })
  it('names the line that it cannot read', () => {
    expect(() => new AbacAuthorizer('\n{"kind":"Policy"', 'p')).toThrow('error reading policy file p:2')
    expect(() => new AbacAuthorizer('{"apiVersion":"x/v1","kind":"Policy"}', 'p')).toThrow(
      'no kind "Policy" is registered for version "x/v1"',
    )
  })
})
