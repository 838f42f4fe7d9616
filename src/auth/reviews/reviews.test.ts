import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { authenticated, type Credentials, failed } from '../authenticator.ts'
import { type Authorizer, abstain, allow, deny } from '../authorizer.ts'
import { user } from '../testing/attributes.ts'
import { evaluateAccessReview, type ReviewKind } from './access-review.ts'
import { evaluateRulesReview } from './rules-review.ts'
import { evaluateTokenReview, selfSubjectReviewStatus } from './token-review.ts'

const ann = user('ann', 'devs')
const admit = () => {}
const evaluate = (kind: ReviewKind, review: JsonObject, authorizer: Authorizer) =>
  evaluateAccessReview({ kind, review, requestor: ann, admit }, authorizer)
const resource = { verb: 'get', resource: 'nodes' }

describe('evaluateAccessReview', () => {
  it.each<[string, Authorizer, JsonObject]>([
    ['allowed', { authorize: () => allow('yes') }, { allowed: true, reason: 'yes' }],
    ['denied', { authorize: () => deny('no') }, { allowed: false, denied: true, reason: 'no' }],
    ['no opinion', { authorize: async () => abstain() }, { allowed: false }],
    ['failed', { authorize: () => ({ ...abstain(), error: 'broken' }) }, { allowed: false, evaluationError: 'broken' }],
  ])('%s', async (_, authorizer, status) => {
    expect(await evaluate('SelfSubjectAccessReview', { spec: { resourceAttributes: resource } }, authorizer)).toEqual(
      status,
    )
  })

  it('asks about the right subject, with selectors', async () => {
    let asked: RequestAttributes | undefined
    const authorizer: Authorizer = {
      authorize(attributes) {
        asked = attributes
        return allow()
      },
    }
    const resourceAttributes = {
      ...resource,
      group: 'g',
      version: 'v1',
      fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n'] }] },
      labelSelector: { rawSelector: 'a=b' },
    }
    const spec = { user: 'x', groups: ['y'], uid: 'u', extra: { K: ['v'] }, resourceAttributes }
    await evaluate('SubjectAccessReview', { spec }, authorizer)
    expect(asked).toEqual({
      user: { name: 'x', uid: 'u', groups: ['y'], extra: new Map([['k', ['v']]]) },
      isResourceRequest: true,
      verb: 'get',
      path: '',
      apiGroup: 'g',
      apiVersion: 'v1',
      resource: 'nodes',
      subresource: '',
      namespace: '',
      name: '',
      fieldSelector: [{ key: 'spec.nodeName', operator: 'In', values: ['n'] }],
      labelSelector: [{ key: 'a', operator: 'In', values: ['b'] }],
    })
    await evaluate(
      'SelfSubjectAccessReview',
      { spec: { nonResourceAttributes: { path: '/x', verb: 'get' } } },
      authorizer,
    )
    expect(asked).toMatchObject({ user: ann, isResourceRequest: false, path: '/x', verb: 'get' })
  })

  const field = (operator: string, ...values: string[]): JsonObject => ({ key: 'a', operator, values })
  it.each<[string, JsonObject, string]>([
    [
      'what cannot be read',
      { labelSelector: { rawSelector: '((' } },
      'spec.resourceAttributes.labelSelector ignored due to parse error',
    ],
    [
      'operators that nobody knows',
      { labelSelector: { requirements: [field('Like', 'b')] } },
      'spec.resourceAttributes.labelSelector ignored due to parse error',
    ],
    [
      'some of both',
      {
        labelSelector: { requirements: [field('Like', 'b'), field('Exists')] },
        fieldSelector: { requirements: [field('In', 'b', 'c'), field('Exists'), field('NotIn', 'd')] },
      },
      'spec.resourceAttributes.fieldSelector partially ignored due to parse error; spec.resourceAttributes.labelSelector partially ignored due to parse error',
    ],
  ])('leaves out of selectors %s', async (_, selectors, evaluationError) => {
    const review = { spec: { user: 'x', resourceAttributes: { ...resource, ...selectors } } }
    const status = await evaluate('SubjectAccessReview', review, { authorize: () => allow() })
    expect(status).toEqual({ allowed: true, evaluationError })
  })

  const both = { resourceAttributes: resource, nonResourceAttributes: { path: '/x', verb: 'get' } }
  it.each<[string, ReviewKind, JsonObject, string]>([
    [
      'nothing asked',
      'SelfSubjectAccessReview',
      { spec: {} },
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      'both asked',
      'SelfSubjectAccessReview',
      { spec: both },
      '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: authorization.NonResourceAttributes{Path:"/x", Verb:"get"}: cannot be specified in combination with resourceAttributes',
    ],
    [
      'nobody',
      'SubjectAccessReview',
      { spec: { resourceAttributes: resource } },
      '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
    [
      'another namespace',
      'LocalSubjectAccessReview',
      { metadata: { namespace: 'a' }, spec: { user: 'x', resourceAttributes: { ...resource, namespace: 'b' } } },
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "b": must match metadata.namespace',
    ],
    [
      'a path in a namespace',
      'LocalSubjectAccessReview',
      { metadata: { namespace: 'a' }, spec: { user: 'x', nonResourceAttributes: { path: '/', verb: 'get' } } },
      '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: authorization.NonResourceAttributes{Path:"/", Verb:"get"}: disallowed on this kind of request',
    ],
    [
      'a bad selector',
      'SubjectAccessReview',
      {
        spec: {
          user: 'x',
          resourceAttributes: {
            ...resource,
            labelSelector: { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'In' }] },
          },
        },
      },
      '.authorization.k8s.io "" is invalid: [spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements, spec.resourceAttributes.labelSelector.requirements[0].values: Required value: must be specified when `operator` is \'In\' or \'NotIn\']',
    ],
  ])('refuses: %s', async (_, kind, review, message) => {
    await expect(evaluate(kind, review, { authorize: () => allow() })).rejects.toThrow(
      expect.objectContaining({ message, code: 422 }),
    )
  })
})

describe('evaluateRulesReview', () => {
  it('shows what the authorizer can tell', async () => {
    const rules = {
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules: [],
      incomplete: false,
    }
    const evaluate = (spec: JsonObject) =>
      evaluateRulesReview(
        { review: { spec }, requestor: ann, admit },
        { authorize: () => allow(), rulesFor: () => rules },
      )
    expect(await evaluate({ namespace: 'a' })).toEqual(rules)
    await expect(evaluate({})).rejects.toThrow('no namespace on request')
  })
})

describe('evaluateTokenReview', () => {
  const asker = { admit, warn: () => {}, annotate: () => {} }
  const knows = (audiences: readonly string[] | undefined) => ({
    authenticate: ({ headers }: Credentials) =>
      headers['authorization'] === 'Bearer good' ? authenticated(ann, audiences) : failed('invalid bearer token'),
  })
  it('answers', async () => {
    expect(
      await evaluateTokenReview({ review: { spec: { token: 'good' } }, ...asker }, knows(['api']), ['api']),
    ).toEqual({
      authenticated: true,
      user: { username: 'ann', groups: ['devs'] },
      audiences: ['api'],
    })
    expect(
      await evaluateTokenReview({ review: { spec: { token: 'bad' } }, ...asker }, knows(['api']), ['api']),
    ).toEqual({
      authenticated: false,
      user: {},
      error: 'invalid bearer token',
    })
    const wrong = { authenticate: () => failed('wrong audience') }
    expect(await evaluateTokenReview({ review: { spec: { token: 'x' } }, ...asker }, wrong, ['api'])).toEqual({
      authenticated: false,
      user: {},
      error: '[invalid bearer token, wrong audience]',
    })
  })
  it('keeps the status that was sent where nothing was found out', async () => {
    const status = { authenticated: true, user: { username: 'eve' }, audiences: ['x'], error: 'e' }
    const evaluate = (token: string) =>
      evaluateTokenReview({ review: { spec: { token }, status }, ...asker }, knows(['api']), ['api'])
    expect(await evaluate('bad')).toEqual({ ...status, authenticated: false, error: 'invalid bearer token' })
    expect(await evaluate('good')).toEqual({
      authenticated: true,
      user: { username: 'ann', groups: ['devs'] },
      audiences: ['api'],
      error: 'e',
    })
  })
  it('refuses', async () => {
    await expect(evaluateTokenReview({ review: { spec: {} }, ...asker }, knows(['api']), ['api'])).rejects.toThrow(
      'token is required for TokenReview in authentication',
    )
    await expect(
      evaluateTokenReview({ review: { spec: { token: 'good' } }, ...asker }, knows(['other']), ['api']),
    ).rejects.toThrow('error occurred in TokenReview')
  })
  it('says who am I', () => {
    expect(
      selfSubjectReviewStatus({
        name: 'a',
        uid: 'u',
        groups: ['g'],
        extra: new Map([
          ['z', ['1']],
          ['b', ['2']],
        ]),
      }),
    ).toEqual({
      userInfo: { username: 'a', uid: 'u', groups: ['g'], extra: { b: ['2'], z: ['1'] } },
    })
  })
})
