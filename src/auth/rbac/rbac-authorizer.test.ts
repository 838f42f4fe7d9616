import { describe, expect, it } from 'vitest'
import type { JsonArray } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { pathRequest, resourceRequest, user } from '../testing/attributes.ts'
import { MemorySource } from '../testing/memory-source.ts'
import { RbacAuthorizer } from './rbac-authorizer.ts'
import { RbacIndex } from './rbac-index.ts'

const apiVersion = 'rbac.authorization.k8s.io/v1'
const role = (kind: string, name: string, namespace: string | undefined, rules: JsonArray): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
  rules,
})
const binding = (name: string, namespace: string | undefined, roleRef: string, subjects: JsonArray): KubeObject => ({
  apiVersion,
  kind: namespace ? 'RoleBinding' : 'ClusterRoleBinding',
  metadata: { name, ...(namespace ? { namespace } : {}) },
  roleRef: { kind: roleRef.split('/')[0] ?? '', name: roleRef.split('/')[1] ?? '' },
  subjects,
})

function world() {
  const sources = {
    roles: new MemorySource([
      role('Role', 'some', 'ns', [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'update'], resourceNames: ['one'] },
        { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['*'] },
        { apiGroups: ['*'], resources: ['*/status'], verbs: ['patch'] },
      ]),
    ]),
    roleBindings: new MemorySource([
      binding('some', 'ns', 'Role/some', [
        { kind: 'User', name: 'ann' },
        { kind: 'Group', name: 'devs' },
        { kind: 'ServiceAccount', name: 'robot' },
      ]),
      binding('reader', 'ns', 'ClusterRole/reader', [{ kind: 'User', name: 'cat' }]),
      binding('lost', 'ns', 'Role/none', [{ kind: 'User', name: 'lost' }]),
    ]),
    clusterRoles: new MemorySource([
      role('ClusterRole', 'reader', undefined, [{ apiGroups: ['*'], resources: ['*'], verbs: ['list'] }]),
      role('ClusterRole', 'paths', undefined, [{ nonResourceURLs: ['/logs/*', '/one'], verbs: ['get'] }]),
    ]),
    clusterRoleBindings: new MemorySource([
      binding('paths', undefined, 'ClusterRole/paths', [{ kind: 'Group', name: 'watchers' }]),
    ]),
  }
  return { sources, rbac: new RbacAuthorizer(new RbacIndex(sources)) }
}

const ann = user('ann', 'system:authenticated')
const configmap: Partial<RequestAttributes> = { resource: 'configmaps', namespace: 'ns', name: 'one' }

describe('RbacAuthorizer', () => {
  const { rbac } = world()
  const watcher = user('w', 'watchers')
  it.each<[string, RequestAttributes, boolean]>([
    ['a named object', resourceRequest(ann, configmap), true],
    ['another name', resourceRequest(ann, { ...configmap, name: 'two' }), false],
    ['no name', resourceRequest(ann, { ...configmap, verb: 'list', name: '' }), false],
    ['another verb', resourceRequest(ann, { ...configmap, verb: 'delete' }), false],
    ['another namespace', resourceRequest(ann, { ...configmap, namespace: 'other' }), false],
    ['by group', resourceRequest(user('bob', 'devs'), configmap), true],
    ['a group name is not a user name', resourceRequest(user('devs'), configmap), false],
    ['account of the binding', resourceRequest(user('system:serviceaccount:ns:robot'), configmap), true],
    ['account elsewhere', resourceRequest(user('system:serviceaccount:other:robot'), configmap), false],
    [
      'a subresource',
      resourceRequest(ann, { apiGroup: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'ns' }),
      true,
    ],
    ['its parent', resourceRequest(ann, { apiGroup: 'apps', resource: 'deployments', namespace: 'ns' }), false],
    [
      'status of anything',
      resourceRequest(ann, {
        verb: 'patch',
        apiGroup: 'x',
        resource: 'things',
        subresource: 'status',
        namespace: 'ns',
      }),
      true,
    ],
    [
      'cluster role in its namespace',
      resourceRequest(user('cat'), { verb: 'list', resource: 'pods', namespace: 'ns' }),
      true,
    ],
    ['cluster role at cluster scope', resourceRequest(user('cat'), { verb: 'list', resource: 'nodes' }), false],
    ['a path', pathRequest(watcher, '/one'), true],
    ['below a path', pathRequest(watcher, '/logs/a/b'), true],
    ['the folder itself', pathRequest(watcher, '/logs'), false],
    ['another method', pathRequest(watcher, '/one', 'delete'), false],
    ['a doubled slash', pathRequest(watcher, '//one'), false],
    ['an encoded way out', pathRequest(watcher, '/%2e%2e/one'), false],
    ['an encoded slash', pathRequest(watcher, '/logs%2fa'), false],
    ['a resource rule says nothing of paths', pathRequest(user('cat'), '/metrics', 'list'), false],
  ])('%s', (_, request, expected) => {
    expect(rbac.authorize(request).verdict).toBe(expected ? 'allow' : 'no opinion')
  })

  it('says why', () => {
    expect(rbac.authorize(resourceRequest(ann, configmap)).reason).toBe(
      'RBAC: allowed by RoleBinding "some/ns" of Role "some" to User "ann"',
    )
    expect(rbac.authorize(resourceRequest(user('system:serviceaccount:ns:robot'), configmap)).reason).toBe(
      'RBAC: allowed by RoleBinding "some/ns" of Role "some" to ServiceAccount "robot/ns"',
    )
    expect(rbac.authorize(pathRequest(watcher, '/one')).reason).toBe(
      'RBAC: allowed by ClusterRoleBinding "paths" of ClusterRole "paths" to Group "watchers"',
    )
    expect(rbac.authorize(resourceRequest(user('lost'), configmap)).reason).toBe(
      'RBAC: role.rbac.authorization.k8s.io "none" not found',
    )
  })

  it('follows the live objects', () => {
    const { sources, rbac: live } = world()
    const asked = resourceRequest(ann, configmap)
    sources.roleBindings.put(binding('some', 'ns', 'Role/some', [{ kind: 'User', name: 'bob' }]))
    expect(live.authorize(asked).verdict).toBe('no opinion')
    expect(live.authorize({ ...asked, user: user('bob') }).verdict).toBe('allow')
    sources.roles.put(role('Role', 'some', 'ns', []))
    expect(live.authorize({ ...asked, user: user('bob') }).verdict).toBe('no opinion')
    sources.roleBindings.delete('ns', 'some')
    sources.roles.delete('ns', 'some')
    expect(live.authorize({ ...asked, user: user('bob') })).toEqual({ verdict: 'no opinion', reason: '' })
  })

  it('lists the rules, cluster-wide ones first', () => {
    const rules = rbac.rulesFor(user('ann', 'watchers'), 'ns')
    expect(rules.nonResourceRules).toEqual([{ verbs: ['get'], nonResourceURLs: ['/logs/*', '/one'] }])
    expect(rules.resourceRules).toHaveLength(3)
    expect(rules.resourceRules[1]).toEqual({ verbs: ['*'], apiGroups: ['apps'], resources: ['deployments/scale'] })
  })
})
