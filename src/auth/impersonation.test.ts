import { describe, expect, it } from 'vitest'
import type { Authorizer } from './authorizer.ts'
import { abstain, allow } from './authorizer.ts'
import { type Impersonation, impersonate } from './impersonation.ts'
import { user } from './testing/attributes.ts'

const permissive: Authorizer = { authorize: () => allow() }
const robot = user('system:serviceaccount:ns:robot')
const may = (...allowed: string[]): Authorizer => ({
  authorize: ({ apiGroup, resource, subresource, namespace, name, verb }) =>
    verb === 'impersonate' &&
    allowed.includes([apiGroup, resource, subresource, namespace, name].filter(Boolean).join('/'))
      ? allow()
      : abstain('no idea'),
})
const raw = (pairs: readonly (readonly [string, string])[]) => ({
  headers: Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value])),
  rawHeaders: pairs.flat(),
})
const act = (pairs: readonly (readonly [string, string])[], authorizer = permissive): Promise<Impersonation> =>
  Promise.resolve(impersonate(robot, raw(pairs), authorizer))

describe('impersonate', () => {
  it('does nothing, and waits for nothing, without headers', async () => {
    expect(impersonate(robot, raw([['accept', 'x']]), permissive)).toEqual({ outcome: 'not asked for' })
    expect(await act([['Impersonate-User', '']])).toEqual({ outcome: 'not asked for' })
  })

  it.each<[string, [string, string][], { name: string; uid?: string; groups: string[]; extra?: [string, string[]][] }]>(
    [
      ['a user', [['Impersonate-User', 'ann']], { name: 'ann', groups: ['system:authenticated'] }],
      ['a name in UTF-8', [['Impersonate-User', 'J\xc3\xb6rg']], { name: 'Jörg', groups: ['system:authenticated'] }],
      [
        'repeated groups',
        [
          ['Impersonate-User', 'ann'],
          ['Impersonate-Group', 'a, b'],
          ['IMPERSONATE-GROUP', 'c'],
        ],
        { name: 'ann', groups: ['a, b', 'c', 'system:authenticated'] },
      ],
      [
        'its standing told',
        [
          ['Impersonate-User', 'ann'],
          ['Impersonate-Group', 'system:unauthenticated'],
        ],
        { name: 'ann', groups: ['system:unauthenticated'] },
      ],
      [
        'nobody',
        [['Impersonate-User', 'system:anonymous']],
        { name: 'system:anonymous', groups: ['system:unauthenticated'] },
      ],
      [
        'a service account',
        [['Impersonate-User', 'system:serviceaccount:ns:x']],
        {
          name: 'system:serviceaccount:ns:x',
          groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
        },
      ],
      [
        'uid and extra',
        [
          ['Impersonate-User', 'ann'],
          ['Impersonate-Uid', 'u'],
          ['Impersonate-Extra-Scopes', 'r'],
          ['Impersonate-Extra-scopes', 'w'],
          ['Impersonate-Extra-acme.com%2Fp', 'x'],
        ],
        {
          name: 'ann',
          uid: 'u',
          groups: ['system:authenticated'],
          extra: [
            ['scopes', ['r', 'w']],
            ['acme.com/p', ['x']],
          ],
        },
      ],
    ],
  )('acts as %s', async (_, pairs, { extra = [], ...expected }) => {
    expect(await act(pairs)).toMatchObject({ outcome: 'impersonated', user: { ...expected, extra: new Map(extra) } })
  })

  it.each<[[string, string], string]>([
    [['Impersonate-Group', 'devs'], '[{Group  devs    }]'],
    [['Impersonate-Extra-a', 'b'], '[{UserExtra  b  authentication.k8s.io/v1  a}]'],
    [['Impersonate-Uid', 'u-1'], '[{UID  u-1  authentication.k8s.io/v1  }]'],
  ])('refuses %s without a user', async (pair, printed) => {
    expect(await act([pair])).toEqual({
      outcome: 'malformed',
      message: `requested ${printed} without impersonating a user`,
    })
  })

  it.each<[string, [string, string][], string[], string]>([
    [
      'the user',
      [['Impersonate-User', 'bob']],
      ['users/ann'],
      'users "bob" is forbidden: User "system:serviceaccount:ns:robot" cannot impersonate resource "users" in API group "" at the cluster scope: no idea',
    ],
    [
      'a group',
      [
        ['Impersonate-User', 'ann'],
        ['Impersonate-Group', 'system:masters'],
      ],
      ['users/ann'],
      'groups "system:masters" is forbidden: User "system:serviceaccount:ns:robot" cannot impersonate resource "groups" in API group "" at the cluster scope: no idea',
    ],
    [
      'extra',
      [
        ['Impersonate-User', 'ann'],
        ['Impersonate-Extra-scopes', 'w'],
      ],
      ['users/ann', 'authentication.k8s.io/userextras/scopes/r'],
      'userextras.authentication.k8s.io "w" is forbidden: User "system:serviceaccount:ns:robot" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope: no idea',
    ],
    [
      'an account',
      [['Impersonate-User', 'system:serviceaccount:ns:x']],
      ['users/x'],
      'serviceaccounts "x" is forbidden: User "system:serviceaccount:ns:robot" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ns": no idea',
    ],
  ])('checks %s', async (_, pairs, allowed, message) => {
    const result = await act(pairs, may(...allowed))
    expect(result.outcome === 'forbidden' ? result.error.message : result.outcome).toBe(message)
  })
})
