/** What a constrained mode allowed is not asked again for ten seconds: of the same user, for the same request. */
import { describe, expect, it } from 'vitest'
import type { RequestAttributes } from '../api/request-attributes.ts'
import type { UserInfo } from '../api/user.ts'
import type { Authorizer } from './authorizer.ts'
import { ConstrainedImpersonation } from './constrained-impersonation.ts'
import { impersonationKeys } from './impersonation-cache.ts'
import { resourceRequest, user } from './testing/attributes.ts'
import { FakeClock } from './testing/fake-clock.ts'

type Headers = Record<string, string | string[]>

const robot = user('robot')
const list = resourceRequest(robot, { resource: 'pods', verb: 'list', namespace: 'n' })
const ann: Headers = { 'impersonate-user': 'ann' }

function asking(isAllowed: (verb: string) => boolean = () => true) {
  const clock = new FakeClock()
  let asked: string[] = []
  const authorize = ({ verb, name }: RequestAttributes) => {
    asked.push(name === '' ? verb : `${verb} ${name}`)
    return { verdict: isAllowed(verb) ? 'allow' : 'no opinion', reason: '' }
  }
  const modes = new ConstrainedImpersonation({ authorize } as unknown as Authorizer, clock)
  /** What the authorizer is asked, and the user that comes of it. */
  const questions = async (request: RequestAttributes, headers: Headers): Promise<readonly string[]> => {
    asked = []
    const result = await modes.impersonate(request, { headers })
    return [...asked, result.outcome === 'impersonated' ? result.user.name : result.outcome]
  }
  return { clock, questions }
}

const on = (mode: string, verb = 'list') => `impersonate-on:${mode}:${verb}`
const asAnn = 'impersonate:user-info ann'

describe('what was allowed', () => {
  it('is not asked again, until ten seconds have passed', async () => {
    const { clock, questions } = asking()
    expect(await questions(list, ann)).toEqual([on('user-info'), asAnn, 'ann'])
    clock.advance(9999)
    expect(await questions(list, ann)).toEqual(['ann'])
    clock.advance(1)
    expect(await questions(list, ann)).toEqual([on('user-info'), asAnn, 'ann'])
  })

  it('holds for the user whatever is done', async () => {
    const { clock, questions } = asking()
    await questions(list, ann)
    clock.advance(5000)
    const get = { ...list, verb: 'get' }
    expect(await questions(get, ann)).toEqual([on('user-info', 'get'), 'ann'])
    // It is older than the request that it allowed.
    clock.advance(5000)
    expect(await questions(get, ann)).toEqual(['ann'])
    expect(await questions(list, ann)).toEqual([on('user-info'), asAnn, 'ann'])
  })

  it('is asked where it was refused', async () => {
    const { questions } = asking((verb) => verb.startsWith('impersonate-on:'))
    const refused = [on('user-info'), asAnn, 'impersonate ann', 'forbidden']
    expect(await questions(list, ann)).toEqual(refused)
    expect(await questions(list, ann)).toEqual(refused)
  })

  it('is asked where nothing constrains it', async () => {
    const { questions } = asking((verb) => verb === 'impersonate')
    await questions(list, ann)
    expect(await questions(list, ann)).toEqual(['impersonate ann', 'ann'])
  })

  it('does not count for another mode', async () => {
    let allowed = (verb: string) => verb.includes('arbitrary-node')
    const { questions } = asking((verb) => allowed(verb))
    const node = { 'impersonate-user': 'system:node:a' }
    expect(await questions(list, node)).toEqual([on('arbitrary-node'), 'impersonate:arbitrary-node a', 'system:node:a'])
    const account = onNode('a')
    allowed = (verb) => verb.includes('associated-node')
    expect(await questions({ ...list, user: account }, node)).toEqual([
      on('associated-node'),
      'impersonate:associated-node *',
      'system:node:a',
    ])
  })

  it('holds for the account of a pod on each of its nodes', async () => {
    const { questions } = asking()
    const asNode = (name: string, at: string) =>
      questions({ ...list, user: onNode(at) }, { 'impersonate-user': `system:node:${name}` })
    expect(await asNode('a', 'a')).toEqual([on('associated-node'), 'impersonate:associated-node *', 'system:node:a'])
    expect(await asNode('b', 'b')).toEqual(['system:node:b'])
    // Another one than its own is asked for.
    expect(await asNode('a', 'b')).toEqual([on('arbitrary-node'), 'impersonate:arbitrary-node a', 'system:node:a'])
  })
})

const onNode = (node: string): UserInfo => ({
  ...user('system:serviceaccount:ns:agent'),
  extra: new Map([['authentication.kubernetes.io/node-name', [node]]]),
})

describe('keys', () => {
  const wanted = user('ann', 'a', 'b')
  const keys = (by: Partial<UserInfo> = {}, to: Partial<UserInfo> = {}, request: Partial<RequestAttributes> = {}) =>
    impersonationKeys('user-info', { ...wanted, ...to }, { ...list, user: { ...robot, ...by }, ...request })

  const ofUsers: Partial<UserInfo>[] = [
    { name: 'x' },
    { uid: 'x' },
    { groups: ['x'] },
    { groups: ['a,b'] },
    { groups: ['a', 'b', ''] },
    { extra: new Map([['k', []]]) },
    { extra: new Map([['k', ['v', 'w']]]) },
    { extra: new Map([['k', ['v,w']]]) },
    { extra: new Map([['k', ['v']]]).set('w', []) },
  ]
  const ofRequests: Partial<RequestAttributes>[] = [
    { verb: 'x' },
    { isResourceRequest: false },
    { path: 'x' },
    { apiGroup: 'x' },
    { apiVersion: 'x' },
    { resource: 'x' },
    { subresource: 'x' },
    { namespace: 'x' },
    { name: 'x' },
    { fieldSelector: [{ key: 'a', operator: 'In', values: ['x'] }] },
    { fieldSelector: [{ key: 'a', operator: 'In', values: ['y'] }] },
    { labelSelector: [{ key: 'a', operator: 'In', values: ['x'] }] },
    { labelSelector: [{ key: 'a', operator: 'NotIn', values: ['x'] }] },
    { labelSelector: [{ key: 'b', operator: 'In', values: ['x'] }] },
  ]

  it('tell users from each other', () => {
    const all = [keys(), ...ofUsers.flatMap((each) => [keys(each), keys({}, each)])]
    expect(new Set(all.map((key) => key.user)).size).toBe(all.length)
    expect(new Set(all.map((key) => key.request)).size).toBe(all.length)
    expect(impersonationKeys('serviceaccount', wanted, list).user).not.toBe(keys().user)
  })

  it('tell requests from each other, of one user', () => {
    const all = [keys(), ...ofRequests.map((each) => keys({}, {}, each))]
    expect(new Set(all.map((key) => key.request)).size).toBe(all.length)
    expect(new Set(all.map((key) => key.user)).size).toBe(1)
  })

  it('do not depend on the order of extra', () => {
    const extra: [string, string[]][] = [
      ['k', ['1']],
      ['w', ['2']],
    ]
    expect(keys({ extra: new Map(extra) })).toEqual(keys({ extra: new Map(extra.toReversed()) }))
  })
})
