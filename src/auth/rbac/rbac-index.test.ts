/** Who is granted what while roles and bindings come, change and go. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { resourceRequest, user } from '../testing/attributes.ts'
import { MemorySource } from '../testing/memory-source.ts'
import { RbacAuthorizer } from './rbac-authorizer.ts'
import { RbacIndex } from './rbac-index.ts'

const object = (kind: string, name: string, namespace: string, more: JsonObject): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, ...(namespace === '' ? {} : { namespace }) }, ...more }) as KubeObject
const allows = (verb: string): JsonObject => ({ rules: [{ apiGroups: [''], resources: ['pods'], verbs: [verb] }] })
const role = (name: string, verb: string, namespace = 'ns') => object('Role', name, namespace, allows(verb))
const clusterRole = (name: string, verb: string) => object('ClusterRole', name, '', allows(verb))
const binding = (name: string, roleRef: string, subjects: string[], namespace = 'ns') => {
  const [kind = '', roleName = ''] = roleRef.split('/')
  return object(namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding', name, namespace, {
    roleRef: { kind, name: roleName },
    subjects: subjects.map((subject) => {
      const [subjectKind = '', who = '', of = ''] = subject.split('/')
      return { kind: subjectKind, name: who, ...(of === '' ? {} : { namespace: of }) }
    }),
  })
}

function world() {
  const sources = {
    roles: new MemorySource(),
    roleBindings: new MemorySource(),
    clusterRoles: new MemorySource(),
    clusterRoleBindings: new MemorySource(),
  }
  const index = new RbacIndex(sources)
  const rbac = new RbacAuthorizer(index)
  const judge = (verb: string, who = user('ann'), namespace = 'ns') =>
    rbac.authorize(resourceRequest(who, { verb, resource: 'pods', namespace }))
  const may = (verb: string, who = user('ann'), namespace = 'ns'): boolean =>
    judge(verb, who, namespace).verdict === 'allow'
  return { ...sources, index, rbac, judge, may }
}

describe('a user is granted', () => {
  it('what a role says, while it says so', () => {
    const { roles, roleBindings, may, judge } = world()
    roleBindings.put(binding('b', 'Role/r', ['User/ann']))
    expect(judge('get').reason).toBe('RBAC: role.rbac.authorization.k8s.io "r" not found')
    roles.put(role('r', 'get'))
    expect([may('get'), may('list')]).toEqual([true, false])
    roles.put(role('r', 'list'))
    expect([may('get'), may('list')]).toEqual([false, true])
    roles.delete('ns', 'r')
    expect([may('get'), may('list')]).toEqual([false, false])
  })

  it('what a role of the namespace says, not of another', () => {
    const { roles, roleBindings, may } = world()
    roleBindings.put(binding('b', 'Role/r', ['User/ann']))
    roles.put(role('r', 'get', 'other'))
    expect([may('get'), may('get', user('ann'), 'other')]).toEqual([false, false])
  })

  it('what a binding binds, while it does', () => {
    const { clusterRoles, roleBindings, may } = world()
    clusterRoles.put(clusterRole('r', 'get'))
    roleBindings.put(binding('b', 'ClusterRole/r', ['User/ann', 'User/bob']))
    expect([may('get'), may('get', user('bob')), may('get', user('cat'))]).toEqual([true, true, false])
    roleBindings.put(binding('b', 'ClusterRole/r', ['User/bob', 'Group/cats']))
    expect([may('get'), may('get', user('bob')), may('get', user('cat', 'cats'))]).toEqual([false, true, true])
    roleBindings.delete('ns', 'b')
    expect([may('get', user('bob')), may('get', user('cat', 'cats'))]).toEqual([false, false])
  })

  it('the same by several bindings, until the last is gone', () => {
    const { clusterRoles, roleBindings, may } = world()
    clusterRoles.put(clusterRole('r', 'get'))
    for (const name of ['a', 'b']) roleBindings.put(binding(name, 'ClusterRole/r', ['User/ann']))
    roleBindings.delete('ns', 'a')
    expect(may('get')).toBe(true)
    roleBindings.delete('ns', 'b')
    expect(may('get')).toBe(false)
    roleBindings.put(binding('c', 'ClusterRole/r', ['User/ann']))
    expect(may('get')).toBe(true)
  })

  it('in one namespace what is not taken away in another', () => {
    const { clusterRoles, clusterRoleBindings, roleBindings, may } = world()
    clusterRoles.put(clusterRole('r', 'get'))
    for (const namespace of ['a', 'b']) roleBindings.put(binding('x', 'ClusterRole/r', ['User/ann'], namespace))
    clusterRoleBindings.put(binding('x', 'ClusterRole/r', ['User/bob'], ''))
    roleBindings.delete('a', 'x')
    expect(['a', 'b', ''].map((namespace) => may('get', user('ann'), namespace))).toEqual([false, true, false])
    expect(['a', 'b', ''].map((namespace) => may('get', user('bob'), namespace))).toEqual([true, true, true])
    clusterRoleBindings.delete('', 'x')
    expect(['a', 'b', ''].map((namespace) => may('get', user('bob'), namespace))).toEqual([false, false, false])
  })

  it('nothing by subjects that are nobody', () => {
    const { clusterRoles, clusterRoleBindings, may } = world()
    clusterRoles.put(clusterRole('r', 'get'))
    const subjects = ['ServiceAccount/robot', 'Other/ann', 'User/', 'ServiceAccount/robot/ns']
    clusterRoleBindings.put(binding('b', 'ClusterRole/r', subjects, ''))
    expect(may('get', user('system:serviceaccount::robot'))).toBe(false)
    expect([may('get'), may('get', user('system:serviceaccount:ns:robot'))]).toEqual([false, true])
    clusterRoleBindings.put(binding('b', 'ClusterRole/r', ['Other/ann'], ''))
    expect(may('get', user('system:serviceaccount:ns:robot'))).toBe(false)
  })
})

describe('a decision names', () => {
  it.each<[string, string, ReturnType<typeof user>, string]>([
    [
      'a user in a namespace',
      'ns',
      user('ann'),
      'RBAC: allowed by RoleBinding "b/ns" of ClusterRole "r" to User "ann"',
    ],
    [
      'a group of all',
      '',
      user('bob', 'devs'),
      'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "devs"',
    ],
    [
      'an account',
      'ns',
      user('system:serviceaccount:ns:robot'),
      'RBAC: allowed by RoleBinding "b/ns" of ClusterRole "r" to ServiceAccount "robot/ns"',
    ],
  ])('%s', (_, namespace, who, reason) => {
    const { clusterRoles, clusterRoleBindings, roleBindings, judge } = world()
    clusterRoles.put(clusterRole('r', 'get'))
    const subjects = ['User/ann', 'Group/devs', 'ServiceAccount/robot/ns']
    ;(namespace === '' ? clusterRoleBindings : roleBindings).put(binding('b', 'ClusterRole/r', subjects, namespace))
    expect(judge('get', who)).toEqual({ verdict: 'allow', reason })
    expect(judge('get', who)).toEqual({ verdict: 'allow', reason })
  })

  it('a role that is there, though others are missing', () => {
    const { clusterRoles, roleBindings, judge } = world()
    clusterRoles.put(clusterRole('r', 'get'))
    roleBindings.put(binding('a', 'ClusterRole/none', ['User/ann']))
    roleBindings.put(binding('b', 'Role/none', ['User/ann']))
    expect(judge('get').reason).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "none" not found, role.rbac.authorization.k8s.io "none" not found]',
    )
    roleBindings.put(binding('c', 'ClusterRole/r', ['User/ann']))
    expect(judge('get').verdict).toBe('allow')
    expect(judge('list').verdict).toBe('no opinion')
  })
})

describe('all rules of a user', () => {
  it('are those of all bindings, and tell of roles that are missing', () => {
    const { clusterRoles, roles, clusterRoleBindings, roleBindings, rbac } = world()
    clusterRoles.put(clusterRole('r', 'get'))
    clusterRoles.put(object('ClusterRole', 'paths', '', { rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] }))
    roles.put(role('r', 'list'))
    clusterRoleBindings.put(binding('z', 'ClusterRole/r', ['User/ann'], ''))
    clusterRoleBindings.put(binding('p', 'ClusterRole/paths', ['Group/devs'], ''))
    roleBindings.put(binding('a', 'Role/r', ['User/ann']))
    const rules = rbac.rulesFor(user('ann', 'devs'), 'ns')
    expect(rules.resourceRules.map(({ verbs }) => verbs[0])).toEqual(['get', 'list'])
    expect(rules.nonResourceRules).toEqual([{ verbs: ['get'], nonResourceURLs: ['/x'] }])
    expect(rules.incomplete).toBe(false)
    expect(rules).not.toHaveProperty('error')
    roleBindings.put(binding('b', 'Role/none', ['User/ann']))
    expect(rbac.rulesFor(user('ann'), 'ns').error).toBe('role.rbac.authorization.k8s.io "none" not found')
    expect(rbac.rulesFor(user('ann'), '').resourceRules).toHaveLength(1)
  })

  it('are visited until somebody has seen enough', () => {
    const { clusterRoles, clusterRoleBindings, roleBindings, index } = world()
    clusterRoles.put(clusterRole('r', 'get'))
    clusterRoleBindings.put(binding('a', 'ClusterRole/r', ['User/ann', 'Group/devs'], ''))
    clusterRoleBindings.put(binding('b', 'ClusterRole/r', ['Group/devs'], ''))
    roleBindings.put(binding('c', 'ClusterRole/r', ['User/ann'], 'ns'))
    const visited = (last: string) => {
      const names: string[] = []
      const found = index.visit(user('ann', 'others', 'devs'), 'ns', ({ name }) => {
        names.push(name)
        return name === last
      })
      return [found, names.join('')]
    }
    expect(['a', 'b', 'c', 'none'].map(visited)).toEqual([
      [true, 'a'],
      [true, 'aab'],
      [true, 'aabc'],
      [false, 'aabc'],
    ])
  })
})

it('nothing is noted any more when it is closed', () => {
  const { clusterRoles, roleBindings, index, may } = world()
  index.close()
  clusterRoles.put(clusterRole('r', 'get'))
  roleBindings.put(binding('b', 'ClusterRole/r', ['User/ann']))
  expect(may('get')).toBe(true)
  index.close()
  roleBindings.delete('ns', 'b')
  expect(may('get')).toBe(true)
})
