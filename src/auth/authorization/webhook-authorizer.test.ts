/** What a webhook is asked, what comes of its answers, and how long they are remembered. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { pathRequest, resourceRequest, user } from '../testing/attributes.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import type { ReviewClient } from '../webhook/webhook-client.ts'
import { WebhookAuthorizer, type WebhookAuthorizerOptions } from './webhook-authorizer.ts'

type Answer = JsonObject | Error

function webhook(answer: Answer | (() => Answer), given: Partial<WebhookAuthorizerOptions> = {}) {
  const asked: JsonObject[] = []
  const told: unknown[] = []
  const clock = new FakeClock()
  const post = async (review: JsonObject): Promise<JsonObject> => {
    asked.push(review)
    const found = typeof answer === 'function' ? answer() : answer
    if (found instanceof Error) throw found
    return { status: found }
  }
  const isShort = (seconds: number): boolean => seconds >= 0 && seconds < 1000
  const observer = {
    conditions: (outcome: string, seconds: number) => void told.push(outcome, isShort(seconds)),
    asked: (result: string, seconds: number) => void told.push(result, isShort(seconds)),
    failedOpen: (result: string) => void told.push(`open ${result}`),
  }
  const authorizer = new WebhookAuthorizer({
    client: { post } as unknown as ReviewClient,
    version: 'v1',
    authorizedMs: 1000,
    unauthorizedMs: 100,
    failurePolicy: 'NoOpinion',
    clock,
    observer,
    ...given,
  })
  return { authorizer, asked, told, clock }
}

const ann = { ...user('ann', 'dev'), uid: 'u', extra: new Map([['k', ['v']]]) }
const request = resourceRequest(ann, {
  namespace: 'ns',
  verb: 'list',
  apiGroup: 'apps',
  resource: 'deployments',
  subresource: 'status',
  name: 'd',
  fieldSelector: [{ key: 'spec.x', operator: 'In', values: ['a'] }],
  labelSelector: [{ key: 'l', operator: 'Exists', values: [] }],
} as Partial<RequestAttributes>)

describe('a webhook is asked', () => {
  const attributes = {
    namespace: 'ns',
    verb: 'list',
    group: 'apps',
    version: 'v1',
    resource: 'deployments',
    subresource: 'status',
    name: 'd',
    fieldSelector: { requirements: [{ key: 'spec.x', operator: 'In', values: ['a'] }] },
    labelSelector: { requirements: [{ key: 'l', operator: 'Exists' }] },
  }
  it.each<[string, Partial<WebhookAuthorizerOptions>, RequestAttributes, JsonObject]>([
    [
      'about all of a request',
      {},
      request,
      { resourceAttributes: attributes, user: 'ann', groups: ['dev'], extra: { k: ['v'] }, uid: 'u' },
    ],
    [
      'in an older version',
      { version: 'v1beta1' },
      request,
      { resourceAttributes: attributes, user: 'ann', group: ['dev'], extra: { k: ['v'] }, uid: 'u' },
    ],
    [
      'about a path',
      {},
      pathRequest(user('bob'), '/x'),
      { nonResourceAttributes: { path: '/x', verb: 'get' }, user: 'bob' },
    ],
    [
      'about nothing that is empty',
      {},
      resourceRequest(user('bob'), { resource: 'pods' }),
      { resourceAttributes: { verb: 'get', version: 'v1', resource: 'pods' }, user: 'bob' },
    ],
  ])('%s', async (_, given, attributesOf, spec) => {
    const { authorizer, asked } = webhook({ allowed: true }, given)
    await authorizer.authorize(attributesOf)
    expect(asked).toEqual([
      {
        kind: 'SubjectAccessReview',
        apiVersion: `authorization.k8s.io/${given.version ?? 'v1'}`,
        metadata: { creationTimestamp: null },
        spec,
        status: { allowed: false },
      },
    ])
  })
})

describe('an answer', () => {
  const both = 'webhook subject access review returned both allow and deny response'
  it.each<[string, Answer, Partial<WebhookAuthorizerOptions>, object]>([
    ['allows', { allowed: true, reason: 'r' }, {}, { verdict: 'allow', reason: 'r' }],
    ['denies', { allowed: false, denied: true, reason: 'r' }, {}, { verdict: 'deny', reason: 'r' }],
    ['says nothing', { allowed: false }, {}, { verdict: 'no opinion', reason: '' }],
    [
      'says nothing in words',
      { allowed: 'true', denied: 'true', reason: 5 },
      {},
      { verdict: 'no opinion', reason: '' },
    ],
    ['says both', { allowed: true, denied: true, reason: 'r' }, {}, { verdict: 'deny', reason: 'r', error: both }],
    ['fails', new Error('x'), {}, { verdict: 'no opinion', reason: '', error: 'x' }],
    ['fails, which denies', new Error('x'), { failurePolicy: 'Deny' }, { verdict: 'deny', reason: '', error: 'x' }],
  ])('%s', async (_, answer, given, expected) => {
    expect(await webhook(answer, given).authorizer.authorize(request)).toEqual(expected)
  })

  it.each<[string, Answer, Partial<WebhookAuthorizerOptions>, unknown[]]>([
    ['of success', { allowed: true }, {}, ['success', true]],
    ['of failure', new Error('x'), {}, ['error', true, 'open error']],
    ['too late', new Error('context deadline exceeded'), {}, ['timeout', true, 'open timeout']],
    ['of failure that denies', new Error('x'), { failurePolicy: 'Deny' }, ['error', true]],
  ])('%s is told of', async (_, answer, given, expected) => {
    const { authorizer, told } = webhook(answer, given)
    await authorizer.authorize(request)
    expect(told).toEqual(expected)
  })

  it.each<[string, Answer, number]>([
    ['that allows', { allowed: true }, 1000],
    ['that denies', { denied: true }, 100],
  ])('%s is remembered for its time', async (_, answer, ms) => {
    const { authorizer, asked, clock } = webhook(answer)
    await authorizer.authorize(request)
    clock.advance(ms - 1)
    expect(await authorizer.authorize(request)).toBeDefined()
    expect(asked).toHaveLength(1)
    await authorizer.authorize({ ...request, name: 'other' })
    expect(asked).toHaveLength(2)
    clock.advance(1)
    await authorizer.authorize(request)
    expect(asked).toHaveLength(3)
  })

  it('that failed is not remembered, nor one to a long question', async () => {
    const failing = webhook(new Error('x'))
    for (let i = 0; i < 2; i++) await failing.authorizer.authorize(request)
    const long = webhook({ allowed: true })
    for (let i = 0; i < 2; i++) await long.authorizer.authorize({ ...request, name: 'x'.repeat(10_000) })
    expect([failing.asked.length, long.asked.length]).toEqual([2, 2])
  })

  it('is shared by those who ask at once', async () => {
    const { authorizer, asked } = webhook({ allowed: true }, { authorizedMs: 0 })
    await Promise.all([authorizer.authorize(request), authorizer.authorize(request)])
    expect(asked).toHaveLength(1)
    await authorizer.authorize(request)
    expect(asked).toHaveLength(2)
  })
})

describe('conditions', () => {
  it.each<[string, WebhookAuthorizerOptions['conditions'], object, number, unknown[]]>([
    ['that hold', () => true, { verdict: 'allow' }, 1, ['matched', true, 'success', true]],
    ['that hold later', async () => true, { verdict: 'allow' }, 1, ['matched', true, 'success', true]],
    ['that do not', () => false, { verdict: 'no opinion', reason: '' }, 0, ['excluded', true]],
    ['that fail', () => ({ error: 'e' }), { verdict: 'no opinion', error: 'e' }, 0, ['error', true]],
  ])('%s', async (_, conditions, expected, questions, observed) => {
    const { authorizer, asked, told } = webhook({ allowed: true }, conditions === undefined ? {} : { conditions })
    expect(await authorizer.authorize(request)).toMatchObject(expected)
    expect([asked.length, told]).toEqual([questions, observed])
  })
})

it('cannot say what a user may do', () => {
  expect(webhook({}).authorizer.rulesFor()).toEqual({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    error: 'webhook authorizer does not support user rule resolution',
  })
})
