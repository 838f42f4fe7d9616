/** The parts of a user that constrained impersonation asks about: names, groups and extra, and the modes in between. */
import { describe, expect, it } from 'vitest'
import type { RequestAttributes } from '../api/request-attributes.ts'
import type { UserInfo } from '../api/user.ts'
import type { Authorizer } from './authorizer.ts'
import { ConstrainedImpersonation } from './constrained-impersonation.ts'
import { resourceRequest, user } from './testing/attributes.ts'
import { FakeClock } from './testing/fake-clock.ts'

type Headers = Record<string, string | string[]>

function impersonation(
  isAllowed: (question: string) => boolean,
  asked: string[] = [],
  clock = new FakeClock(),
): ConstrainedImpersonation {
  const authorize = ({ verb, resource, subresource, namespace, name, apiGroup }: RequestAttributes) => {
    const path = [namespace, apiGroup, resource, subresource, name].filter((part) => part !== '').join('/')
    asked.push(`${verb} ${path}`)
    return { verdict: isAllowed(`${verb} ${path}`) ? 'allow' : 'no opinion', reason: '' }
  }
  return new ConstrainedImpersonation({ authorize } as unknown as Authorizer, clock)
}

const robot = user('robot')
const request = (by: UserInfo = robot): RequestAttributes => resourceRequest(by, { resource: 'pods', verb: 'list' })
const constrained = (question: string): boolean =>
  question.startsWith('impersonate') && !question.startsWith('impersonate ')

async function outcome(headers: Headers, isAllowed: (question: string) => boolean, by?: UserInfo): Promise<unknown> {
  const result = await impersonation(isAllowed).impersonate(request(by), { headers })
  if (result.outcome === 'impersonated') return [result.user.name, ...result.user.groups, result.constraint]
  return 'error' in result ? result.error.message : result.outcome
}

describe('parts that nobody may ask for', () => {
  const about = (what: string, why: string) =>
    `${what} User "robot" cannot impersonate:user-info resource "${what.startsWith('groups') ? 'groups' : 'userextras'}" in API group "authentication.k8s.io" at the cluster scope: ${why}`
  const extras = (why: string) => about('userextras.authentication.k8s.io is forbidden:', why)
  it.each<[string, Headers, string]>([
    [
      'an empty group',
      { 'impersonate-group': ['a', ''] },
      about('groups.authentication.k8s.io is forbidden:', 'impersonating the empty string group is not allowed'),
    ],
    [
      'an empty key',
      { 'impersonate-extra-': 'x' },
      extras('impersonating the empty string key in extra is not allowed'),
    ],
    [
      'an empty value',
      { 'impersonate-extra-x.io%2fa': '' },
      extras('impersonating the empty string value in extra is not allowed'),
    ],
    [
      'a key in capitals',
      { 'impersonate-extra-x.io%2f%41': 'x' },
      extras('impersonating a non-lowercase key in extra is not allowed: "x.io/A"'),
    ],
  ])('%s', async (_, more, expected) => {
    expect(await outcome({ 'impersonate-user': 'ann', ...more }, constrained)).toBe(expected)
  })

  it('a key without a domain', async () => {
    const found = await outcome({ 'impersonate-user': 'ann', 'impersonate-extra-a': 'x' }, constrained)
    expect(found).toContain('impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "a"')
  })

  it('groups of a service account', async () => {
    const headers = { 'impersonate-user': 'system:serviceaccount:ns:sa', 'impersonate-group': 'a' }
    expect(await outcome(headers, constrained)).toContain('cannot impersonate')
  })
})

describe('what is asked', () => {
  const askedFor = async (headers: Headers, isAllowed: (question: string) => boolean = constrained, by?: UserInfo) => {
    const asked: string[] = []
    await impersonation(isAllowed, asked).impersonate(request(by), { headers })
    return asked
  }
  const group = 'authentication.k8s.io'
  const begin = ['impersonate-on:user-info:list pods', `impersonate:user-info ${group}/users/ann`]
  it.each<[string, Headers, string[]]>([
    [
      'of each group',
      { 'impersonate-group': ['a', 'b', 'c'] },
      ['a', 'b', 'c'].map((name) => `impersonate:user-info ${group}/groups/${name}`),
    ],
    [
      'of many groups at once',
      { 'impersonate-group': ['a', 'b', 'c', 'd'] },
      [`impersonate:user-info ${group}/groups/*`],
    ],
    ['of a uid', { 'impersonate-uid': 'u' }, [`impersonate:user-info ${group}/uids/u`]],
    [
      'of each value of extra',
      { 'impersonate-extra-x.io%2fa': ['1', '2'], 'impersonate-extra-x.io%2fb': '3' },
      ['a/1', 'a/2', 'b/3'].map((value) => `impersonate:user-info ${group}/userextras/x.io/${value}`),
    ],
    [
      'of many values at once',
      { 'impersonate-extra-x.io%2fa': ['1', '2', '3', '4'] },
      [`impersonate:user-info ${group}/userextras/*/*`],
    ],
    [
      'of many keys at once',
      Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [`impersonate-extra-x.io%2f${key}`, '1'])),
      [`impersonate:user-info ${group}/userextras/*/*`],
    ],
  ])('%s', async (_, more, expected) => {
    expect(await askedFor({ 'impersonate-user': 'ann', ...more })).toEqual([...begin, ...expected])
  })

  it('of each one where all at once are not allowed', async () => {
    const headers = { 'impersonate-user': 'ann', 'impersonate-group': ['a', 'b', 'c', 'd'] }
    const each = (question: string): boolean => constrained(question) && !question.endsWith('*')
    expect(await askedFor(headers, each)).toHaveLength(2 + 1 + 4)
    const extra = { 'impersonate-user': 'ann', 'impersonate-extra-x.io%2fa': ['1', '2', '3', '4'] }
    expect(await askedFor(extra, each)).toHaveLength(2 + 1 + 4)
    expect(await outcome(extra, (question) => each(question) && !question.endsWith('/3'))).toContain('userextras')
  })

  it('of everything by the unconstrained verb, each one in its old group', async () => {
    const headers = {
      'impersonate-user': 'ann',
      'impersonate-group': ['', 'b', 'c', 'd'],
      'impersonate-extra-A': ['1', '2', '3', '4'],
    }
    const asked = await askedFor(headers, (question) => question.startsWith('impersonate '))
    expect(asked.filter((question) => question.startsWith('impersonate '))).toEqual([
      'impersonate users/ann',
      ...['impersonate groups', 'impersonate groups/b', 'impersonate groups/c', 'impersonate groups/d'],
      ...['1', '2', '3', '4'].map((value) => `impersonate ${group}/userextras/a/${value}`),
    ])
  })
})

describe('the modes', () => {
  const account: UserInfo = {
    ...user('system:serviceaccount:ns:sa'),
    extra: new Map([['authentication.kubernetes.io/node-name', ['n1']]]),
  }
  const only = (mode: string) => (question: string) => question.includes(`:${mode}`)
  const node = { 'impersonate-user': 'system:node:n1' }
  it.each<[string, Headers, string, UserInfo, unknown]>([
    [
      'the own node of an account',
      node,
      'associated-node',
      account,
      ['system:node:n1', 'system:nodes', 'system:authenticated', 'impersonate:associated-node'],
    ],
    [
      'another node',
      node,
      'arbitrary-node',
      account,
      ['system:node:n1', 'system:nodes', 'system:authenticated', 'impersonate:arbitrary-node'],
    ],
    [
      'an account',
      { 'impersonate-user': 'system:serviceaccount:x:y' },
      'serviceaccount',
      robot,
      [
        'system:serviceaccount:x:y',
        'system:serviceaccounts',
        'system:serviceaccounts:x',
        'system:authenticated',
        'impersonate:serviceaccount',
      ],
    ],
    [
      'what is no node',
      { 'impersonate-user': 'system:node:A_b' },
      'user-info',
      robot,
      ['system:node:A_b', 'system:authenticated', 'impersonate:user-info'],
    ],
  ])('%s', async (_, headers, mode, by, expected) => {
    expect(await outcome(headers, only(mode), by)).toEqual(expected)
  })

  it.each<[string, UserInfo]>([
    ['of no account', { ...account, name: 'robot' }],
    ['of an account without a node', { ...account, extra: new Map() }],
    [
      'of an account of two nodes',
      { ...account, extra: new Map([['authentication.kubernetes.io/node-name', ['n1', 'n2']]]) },
    ],
    [
      'of an account of another node',
      { ...account, extra: new Map([['authentication.kubernetes.io/node-name', ['n2']]]) },
    ],
  ])('do not know the own node %s', async (_, by) => {
    expect(await outcome(node, only('associated-node'), by)).toContain('forbidden')
  })

  it.each<[string, string]>([
    ['a node', 'system:node:n1'],
    ['an account', 'system:serviceaccount:x:y'],
  ])('do not know %s as any user', async (_, name) => {
    expect(await outcome({ 'impersonate-user': name }, only('user-info'))).toContain('forbidden')
  })

  it('of a node with groups is the unconstrained one alone', async () => {
    const headers = { ...node, 'impersonate-group': 'a' }
    expect(await outcome(headers, constrained)).toContain('cannot impersonate resource')
    expect(await outcome(headers, (question) => question.startsWith('impersonate '))).toEqual([
      'system:node:n1',
      'a',
      'system:authenticated',
      undefined,
    ])
  })

  it('that do not allow it any more are asked after the one that did', async () => {
    let mode = 'user-info'
    const asked: string[] = []
    const clock = new FakeClock()
    const modes = impersonation(
      (question) => (mode === '' ? question.startsWith('impersonate ') : only(mode)(question)),
      asked,
      clock,
    )
    const headers = { 'impersonate-user': 'ann' }
    await modes.impersonate(request(), { headers })
    mode = ''
    clock.advance(10_000)
    expect((await modes.impersonate(request(), { headers })).outcome).toBe('impersonated')
    asked.length = 0
    mode = 'user-info'
    expect((await modes.impersonate(request(), { headers })).outcome).toBe('impersonated')
    expect(asked[0]).toBe('impersonate users/ann')
  })
})
