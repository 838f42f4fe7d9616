import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import type { ScopedResourceSelectorRequirement } from '../../catalog/types/core-v1.ts'
import { systemClock } from '../../lib/clock.ts'
import { testObject, testRequest } from '../testing/test-cluster.ts'
import { QuotaEnforcer } from './quota-enforcer.ts'
import type { Quota } from './quota-object.ts'

const core = (resource: string) => ({ group: '', version: 'v1', resource })

/** What a quota with these limits, of which nothing is used, holds after the write; or why the write was refused. */
async function charged(
  { hard, scopes = [] }: { readonly hard: StringMap; readonly scopes?: ScopedResourceSelectorRequirement[] },
  request: Partial<AdmissionRequest>,
): Promise<StringMap | string> {
  const used: StringMap = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
  let quota: Quota = {
    ...testObject('ResourceQuota', 'q', {}, { namespace: 'ns' }),
    spec: { hard, scopeSelector: { matchExpressions: scopes } },
    status: { hard, used },
  }
  const enforcer = new QuotaEnforcer({
    store: {
      list: () => [quota],
      write: async (from, status) => {
        quota = { ...from, ...(status === undefined ? {} : { status }) }
        return { written: quota }
      },
    },
    clock: systemClock,
    configuration: undefined,
    onOvercharge: () => undefined,
  })
  try {
    await enforcer.check(testRequest({ namespace: 'ns', ...request }))
  } catch (error) {
    return (error as Error).message
  }
  return quota.status?.used ?? {}
}

const pod = (spec: object = {}): KubeObject => testObject('Pod', 'x', { spec: { containers: [], ...spec } })
const service = (type: string, ...ports: number[]): KubeObject =>
  testObject('Service', 'x', { spec: { type, ports: ports.map((port) => ({ port })) } })
const claim = (storage: string, allocated?: string): KubeObject =>
  testObject('PersistentVolumeClaim', 'x', {
    spec: { resources: { requests: { storage } } },
    status: allocated === undefined ? {} : { allocatedResources: { storage: allocated } },
  })
const scope = (scopeName: string, operator = 'Exists', values: string[] = []): ScopedResourceSelectorRequirement => ({
  scopeName,
  operator,
  values,
})

describe('what a write is charged', () => {
  it.each<[string, Parameters<typeof charged>[0], Partial<AdmissionRequest>, StringMap | string]>([
    [
      'a pod that gets a deadline, by the quota of such pods',
      { hard: { pods: '1' }, scopes: [scope('Terminating')] },
      {
        operation: 'UPDATE',
        resource: core('pods'),
        object: pod({ activeDeadlineSeconds: 5 }),
        oldObject: pod(),
      },
      { pods: '1' },
    ],
    [
      'a pod that gets a deadline where no more such pods fit',
      { hard: { pods: '0' }, scopes: [scope('Terminating')] },
      { operation: 'UPDATE', resource: core('pods'), object: pod({ activeDeadlineSeconds: 5 }), oldObject: pod() },
      'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    ],
    [
      'another change of a pod',
      { hard: { pods: '0' } },
      { operation: 'UPDATE', resource: core('pods'), object: pod({ nodeName: 'n' }), oldObject: pod() },
      { pods: '0' },
    ],
    [
      'a pod without a priority class',
      { hard: { pods: '1' }, scopes: [scope('PriorityClass', 'DoesNotExist')] },
      { operation: 'CREATE', resource: core('pods'), object: pod() },
      { pods: '1' },
    ],
    [
      'a pod with one',
      { hard: { pods: '1' }, scopes: [scope('PriorityClass', 'DoesNotExist')] },
      { operation: 'CREATE', resource: core('pods'), object: pod({ priorityClassName: 'p' }) },
      { pods: '0' },
    ],
    [
      'a service that gets node ports',
      { hard: { services: '1', 'services.nodeports': '2' } },
      {
        operation: 'UPDATE',
        resource: core('services'),
        object: service('NodePort', 1, 2),
        oldObject: service('ClusterIP', 1),
      },
      { services: '0', 'services.nodeports': '2' },
    ],
    [
      'a service that gives ports back',
      { hard: { 'services.nodeports': '2' } },
      {
        operation: 'UPDATE',
        resource: core('services'),
        object: service('ClusterIP', 1),
        oldObject: service('NodePort', 1),
      },
      { 'services.nodeports': '0' },
    ],
    [
      'a token of an account',
      { hard: { 'count/serviceaccounts': '1' } },
      {
        operation: 'CREATE',
        resource: core('serviceaccounts'),
        subresource: 'token',
        object: testObject('TokenRequest', 'x'),
      },
      { 'count/serviceaccounts': '0' },
    ],
    [
      'a claim that got more than it may have',
      { hard: { 'requests.storage': '1Gi' } },
      {
        operation: 'UPDATE',
        resource: core('persistentvolumeclaims'),
        subresource: 'status',
        object: claim('1Gi', '3Gi'),
        oldObject: claim('1Gi'),
      },
      { 'requests.storage': '2Gi' },
    ],
  ])('%s', async (_, quota, request, expected) => {
    expect(await charged(quota, request)).toEqual(expected)
  })
})
