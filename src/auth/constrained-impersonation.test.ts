import { describe, expect, test } from 'vitest'
import type { RequestAttributes } from '../api/request-attributes.ts'
import type { Authorizer } from './authorizer.ts'
import { ConstrainedImpersonation } from './constrained-impersonation.ts'
import { FakeClock } from './testing/fake-clock.ts'

const request: RequestAttributes = {
  user: { name: 'robot', groups: [], extra: new Map() },
  verb: 'list',
  isResourceRequest: true,
  path: '',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'n',
  name: '',
}

/** Allows what is listed: `verb resource/name`. */
function authorizer(allowed: readonly string[], asked: string[] = []): Authorizer {
  return {
    authorize: ({ verb, resource, name }: RequestAttributes) => {
      const question = `${verb} ${resource}${name === '' ? '' : `/${name}`}`
      asked.push(question)
      return allowed.includes(question) ? { verdict: 'allow', reason: '' } : { verdict: 'no opinion', reason: '' }
    },
  } as unknown as Authorizer
}

const asUser = ['impersonate-on:user-info:list pods', 'impersonate:user-info users/ann']

async function outcome(allowed: readonly string[], headers: Record<string, string | string[]>): Promise<unknown> {
  const result = await new ConstrainedImpersonation(authorizer(allowed), new FakeClock()).impersonate(request, {
    headers,
  })
  if (result.outcome === 'impersonated') return { ...result.user, extra: [...result.user.extra], by: result.constraint }
  return 'error' in result ? result.error.message : result.outcome
}

describe('constrained impersonation', () => {
  test.each<[string, readonly string[], Record<string, string | string[]>, unknown]>([
    ['is not asked for', [], {}, 'not asked for'],
    [
      'of a user',
      asUser,
      { 'impersonate-user': 'ann' },
      { name: 'ann', groups: ['system:authenticated'], extra: [], by: 'impersonate:user-info' },
    ],
    [
      'without the verb of the request',
      asUser.slice(1),
      { 'impersonate-user': 'ann' },
      'pods is forbidden: User "robot" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "n"',
    ],
    [
      'of another user',
      asUser,
      { 'impersonate-user': 'bob' },
      'users.authentication.k8s.io "bob" is forbidden: User "robot" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
    ],
    [
      'of administrators',
      [...asUser, 'impersonate:user-info groups/system:masters'],
      { 'impersonate-user': 'ann', 'impersonate-group': 'system:masters' },
      'groups.authentication.k8s.io "system:masters" is forbidden: User "robot" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    ],
    [
      'of a node',
      ['impersonate-on:arbitrary-node:list pods', 'impersonate:arbitrary-node nodes/n1'],
      { 'impersonate-user': 'system:node:n1' },
      {
        name: 'system:node:n1',
        groups: ['system:nodes', 'system:authenticated'],
        extra: [],
        by: 'impersonate:arbitrary-node',
      },
    ],
    [
      'by the verb that allows everything',
      ['impersonate users/ann'],
      { 'impersonate-user': 'ann' },
      { name: 'ann', groups: ['system:authenticated'], extra: [], by: undefined },
    ],
    [
      'of a group alone',
      asUser,
      { 'impersonate-group': 'a' },
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)} without impersonating a user name',
    ],
  ])('%s', async (_name, allowed, headers, expected) => {
    expect(await outcome(allowed, headers)).toEqual(expected)
  })

  test('the mode that allowed a user last is asked first', async () => {
    const asked: string[] = []
    const modes = new ConstrainedImpersonation(authorizer(['impersonate users/ann'], asked), new FakeClock())
    const headers = { 'impersonate-user': 'ann' }
    await modes.impersonate(request, { headers })
    expect(asked).toEqual(['impersonate-on:user-info:list pods', 'impersonate users/ann'])
    asked.length = 0
    await modes.impersonate(request, { headers })
    expect(asked).toEqual(['impersonate users/ann'])
  })
})
