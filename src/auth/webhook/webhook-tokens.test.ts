/** Who a webhook says that a token is, and how long answers are kept. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import type { ReviewClient } from './webhook-client.ts'
import { WebhookTokens } from './webhook-tokens.ts'

async function ask(
  answer: JsonObject | Error,
  { audiences, apiAudiences = [] }: { audiences?: readonly string[]; apiAudiences?: readonly string[] } = {},
): Promise<{ readonly result: unknown; readonly review: JsonObject | undefined }> {
  let review: JsonObject | undefined
  const post = async (sent: JsonObject): Promise<JsonObject> => {
    review = sent
    if (answer instanceof Error) throw answer
    return answer
  }
  const tokens = new WebhookTokens({ client: { post } as unknown as ReviewClient, version: 'v1', apiAudiences })
  const result = await tokens.authenticateToken('t', { audiences })
  if (result.outcome !== 'authenticated') return { result, review }
  return { result: { ...result, user: { ...result.user, extra: Object.fromEntries(result.user.extra) } }, review }
}

describe('a review', () => {
  it.each<[string, Parameters<typeof ask>[1], JsonObject]>([
    ['has the token', {}, { token: 't' }],
    ['has the audiences of the server', { apiAudiences: ['api'] }, { token: 't', audiences: ['api'] }],
    ['has those that are asked for', { apiAudiences: ['api'], audiences: ['x'] }, { token: 't', audiences: ['x'] }],
  ])('%s', async (_, given, spec) => {
    const { review } = await ask({}, given)
    expect(review).toEqual({
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { creationTimestamp: null },
      spec,
      status: { user: {} },
    })
  })
})

describe('an answer', () => {
  const nobody = { name: '', groups: [], extra: {} }
  const good = { authenticated: true, user: { username: 'ann' } }
  const ann = { ...nobody, name: 'ann' }
  it.each<[string, JsonObject | Error, Parameters<typeof ask>[1], object]>([
    ['names a user', { status: good }, {}, { outcome: 'authenticated', user: ann }],
    [
      'has all of the user',
      {
        status: {
          authenticated: true,
          user: { username: 'ann', uid: 'u', groups: ['g', 5], extra: { k: ['v', null], other: 'x' } },
        },
      },
      {},
      { outcome: 'authenticated', user: { name: 'ann', uid: 'u', groups: ['g'], extra: { k: ['v'], other: [] } } },
    ],
    [
      'has no empty uid',
      { status: { ...good, user: { username: 'ann', uid: '' } } },
      {},
      { outcome: 'authenticated', user: ann },
    ],
    ['names nobody', { status: { authenticated: true } }, {}, { outcome: 'authenticated', user: nobody }],
    [
      'names nobody in a strange way',
      { status: { authenticated: true, user: { username: 5, uid: 5, extra: 5 } } },
      {},
      { outcome: 'authenticated', user: nobody },
    ],
    ['knows no such token', { status: { authenticated: false } }, {}, { outcome: 'no opinion' }],
    ['knows no such token in words', { status: { authenticated: 'true' } }, {}, { outcome: 'no opinion' }],
    ['is empty', {}, {}, { outcome: 'no opinion' }],
    ['says why not', { status: { error: 'e' } }, {}, { outcome: 'failed', error: 'e' }],
    ['says nothing of why not', { status: { error: '' } }, {}, { outcome: 'no opinion' }],
    ['does not come', new Error('x'), {}, { outcome: 'failed', error: 'x' }],
    [
      'is for the server',
      { status: good },
      { apiAudiences: ['api'] },
      { outcome: 'authenticated', user: ann, audiences: ['api'] },
    ],
    [
      'is for some that are asked for',
      { status: { ...good, audiences: ['x', 'y'] } },
      { apiAudiences: ['api'], audiences: ['y', 'z'] },
      { outcome: 'authenticated', user: ann, audiences: ['y'] },
    ],
    ['is for others', { status: { ...good, audiences: ['x'] } }, { apiAudiences: ['api'] }, { outcome: 'no opinion' }],
    [
      'is for the server when others are asked for',
      { status: good },
      { apiAudiences: ['api'], audiences: ['z'] },
      { outcome: 'no opinion' },
    ],
  ])('%s', async (_, answer, given, expected) => {
    expect((await ask(answer, given)).result).toEqual(expected)
  })
})

describe('a bounded cache', () => {
  it('forgets what is over', () => {
    const clock = new FakeClock()
    const cache = new BoundedCache<number>(2, clock)
    cache.set('a', 1, 100)
    expect([cache.get('a'), cache.get('b')]).toEqual([1, undefined])
    clock.advance(99)
    expect(cache.get('a')).toBe(1)
    clock.advance(1)
    expect(cache.get('a')).toBeUndefined()
    cache.set('a', 2, 0)
    cache.set('a', 2, -1)
    expect(cache.get('a')).toBeUndefined()
  })

  it('forgets the oldest when it is full', () => {
    const cache = new BoundedCache<number>(2, new FakeClock())
    cache.set('a', 1, 100)
    cache.set('b', 2, 100)
    cache.set('a', 3, 100)
    cache.set('c', 4, 100)
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([3, undefined, 4])
  })
})
