import { describe, expect, it } from 'vitest'
import type { JsonArray, JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import { user } from '../testing/attributes.ts'
import { MemorySource } from '../testing/memory-source.ts'
import { checkBindingWrite, checkRoleWrite, covers } from './escalation.ts'
import { RbacAuthorizer } from './rbac-authorizer.ts'
import { RbacIndex } from './rbac-index.ts'
import { rulesOf } from './rule.ts'

const apiVersion = 'rbac.authorization.k8s.io/v1'
const held =
  'user "eve" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n'

const object = (kind: string, name: string, more: JsonObject, namespace?: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
  ...more,
})
const rbacWith = (rules: JsonArray): RbacAuthorizer =>
  new RbacAuthorizer(
    new RbacIndex({
      clusterRoles: new MemorySource([
        object('ClusterRole', 'eve', { rules }),
        object('ClusterRole', 'target', { rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] }),
      ]),
      clusterRoleBindings: new MemorySource([
        object('ClusterRoleBinding', 'eve', {
          roleRef: { kind: 'ClusterRole', name: 'eve' },
          subjects: [{ kind: 'User', name: 'eve' }],
        }),
      ]),
      roles: new MemorySource(),
      roleBindings: new MemorySource(),
    }),
  )
const eve = user('eve', 'system:authenticated')
const configmaps = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }
const check = (rules: JsonArray = [configmaps], who = eve) => {
  const rbac = rbacWith(rules)
  return { user: who, rbac, authorizer: rbac }
}

describe('checkRoleWrite', () => {
  it.each<[string, JsonArray, string | undefined]>([
    ['less', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }], undefined],
    ['a name of what is held', [{ ...configmaps, resourceNames: ['x'] }], undefined],
    [
      'one verb more',
      [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'delete', 'patch'] }],
      '{APIGroups:[""], Resources:["configmaps"], Verbs:["delete" "patch"]}',
    ],
    [
      'several rules',
      [
        { apiGroups: ['apps'], resources: ['deployments'], verbs: ['*'], resourceNames: ['d'] },
        { apiGroups: [''], resources: ['configmaps', 'pods/log'], verbs: ['get'] },
      ],
      '{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}\n{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["d"], Verbs:["*"]}',
    ],
    ['paths', [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }], '{NonResourceURLs:["/metrics"], Verbs:["get"]}'],
  ])('%s', async (_, rules, missing) => {
    const error = await checkRoleWrite(check(), { resource: 'roles', object: object('Role', 'r', { rules }, 'ns') })
    expect(error?.message).toBe(
      missing === undefined ? undefined : `roles.rbac.authorization.k8s.io "r" is forbidden: ${held}${missing}`,
    )
  })

  const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]
  const write = { resource: 'clusterroles', object: object('ClusterRole', 'r', { rules: all }) }
  it('lets system:masters pass, and those with the verb escalate', async () => {
    expect(await checkRoleWrite(check([], user('root', 'system:masters')), write)).toBeUndefined()
    const escalate = [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['escalate'] }]
    expect(await checkRoleWrite(check(escalate), write)).toBeUndefined()
    expect((await checkRoleWrite(check(), write))?.code).toBe(403)
  })

  it('wants everything for an aggregation rule', async () => {
    const aggregated = object('ClusterRole', 'r', { rules: [], aggregationRule: { clusterRoleSelectors: [{}] } })
    const error = await checkRoleWrite(check(), { resource: 'clusterroles', object: aggregated })
    expect(error?.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    )
  })

  it('leaves an aggregation rule that selects nothing to validation', async () => {
    const aggregated = object('ClusterRole', 'r', { rules: [], aggregationRule: { clusterRoleSelectors: [] } })
    expect(await checkRoleWrite(check(), { resource: 'clusterroles', object: aggregated })).toBeUndefined()
  })

  it('lets the garbage collector change its fields, and nobody the labels', async () => {
    const previous = write.object
    const finalizer = { ...previous, metadata: { ...previous.metadata, finalizers: ['x'] } }
    expect(await checkRoleWrite(check(), { ...write, object: finalizer, previous })).toBeUndefined()
    const labels = { ...previous, metadata: { ...previous.metadata, labels: { a: 'b' } } }
    expect((await checkRoleWrite(check(), { ...write, object: labels, previous }))?.code).toBe(403)
  })
})

describe('checkBindingWrite', () => {
  const bind = (name: string) => ({
    resource: 'rolebindings',
    object: object('RoleBinding', 'b', { roleRef: { kind: 'ClusterRole', name }, subjects: [] }, 'ns'),
  })
  it('refuses more than is held, takes what is held or what may be bound', async () => {
    expect((await checkBindingWrite(check(), bind('target')))?.message).toBe(
      `rolebindings.rbac.authorization.k8s.io "b" is forbidden: ${held}{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    )
    expect(await checkBindingWrite(check(), bind('eve'))).toBeUndefined()
    const may = [
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['clusterroles'],
        verbs: ['bind'],
        resourceNames: ['target'],
      },
    ]
    expect(await checkBindingWrite(check(may), bind('target'))).toBeUndefined()
  })
  it.each([
    ['rolebindings', 'Odd', 'ns', 500, 'unsupported role reference kind: "Odd"'],
    ['clusterrolebindings', 'Role', '', 400, 'Namespace parameter required.'],
  ])('takes in %s no %s', async (resource, kind, namespace, code, message) => {
    const written = object('Binding', 'b', { roleRef: { kind, name: 'r' }, subjects: [] }, namespace)
    const error = await checkBindingWrite(check(), { resource, object: written })
    expect([error?.code, error?.message]).toEqual([code, message])
  })

  it.each([
    ['none', 404, 'rolebindings.rbac.authorization.k8s.io "none" not found'],
    ['', 400, 'Name parameter required.'],
    ['a/b', 400, `Name parameter invalid: "a/b": may not contain '/'`],
  ])('names a role that is not there: %s', async (name, code, message) => {
    const error = await checkBindingWrite(check(), bind(name))
    expect([error?.code, error?.message]).toEqual([code, message])
  })
})

describe('covers', () => {
  const rule = (resources: string[], more: JsonObject = {}) =>
    rulesOf({ rules: [{ apiGroups: [''], resources, verbs: ['get'], ...more }] })
  it.each([
    ['a wildcard subresource', rule(['*/scale']), rule(['deployments/scale']), true],
    ['not the resource itself', rule(['*/scale']), rule(['deployments']), false],
    ['a name does not cover all', rule(['pods'], { resourceNames: ['a'] }), rule(['pods']), false],
    ['all covers a name', rule(['pods']), rule(['pods'], { resourceNames: ['a'] }), true],
  ])('%s', (_, owned, wanted, expected) => {
    expect(runToEnd(covers(owned, wanted)).covered).toBe(expected)
  })
})
