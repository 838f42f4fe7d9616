import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { pluginOutcome, testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { jobValidation, podGroupProtection, podGroupWorkloadExists } from './pod-groups.ts'
import { priority } from './priority.ts'

const group = 'scheduling.k8s.io'
const resource = { group, version: 'v1alpha2', resource: 'podgroups' }
const named = (name: string, more: JsonObject, metadata: JsonObject = {}): KubeObject =>
  testObject('X', name, more, { namespace: 'ns', ...metadata })
const on = { gates: ['GenericWorkload', 'WorkloadAwarePreemption'] }
const shape = { operation: 'CREATE', group, resource: 'podgroups', subresource: '' } as const

test('are asked about new groups, where their gate is on', () => {
  for (const make of [podGroupProtection, podGroupWorkloadExists, priority]) {
    expect(make(testCluster({}, on)).handles(shape)).toBe(true)
    expect(make(testCluster({}, on)).handles({ ...shape, subresource: 'status' })).toBe(false)
    expect(make(testCluster()).handles(shape)).toBe(false)
  }
  const jobs = { operation: 'UPDATE', group: 'batch', resource: 'jobs', subresource: '' } as const
  expect(jobValidation(testCluster({}, on)).handles(jobs)).toBe(true)
  expect(jobValidation(testCluster()).handles(jobs)).toBe(false)
})

test.each([
  [undefined, ['scheduling.k8s.io/podgroup-protection']],
  [['a'], ['a', 'scheduling.k8s.io/podgroup-protection']],
  [['scheduling.k8s.io/podgroup-protection'], ['scheduling.k8s.io/podgroup-protection']],
])('a group with the finalizers %j', async (finalizers, wanted) => {
  const object = named('g', {}, finalizers === undefined ? {} : { finalizers })
  const admitted = await pluginOutcome(podGroupProtection(testCluster({}, on)), testRequest({ object, resource }))
  expect((admitted as KubeObject).metadata.finalizers).toEqual(wanted)
})

describe('the workload of a group', () => {
  const spec = { podGroupTemplates: [{ name: 'a' }] }
  const workloads = [named('w', { spec }), named('gone', { spec }, { deletionTimestamp: '2026-01-01T00:00:00Z' })]
  test.each([
    [{}, undefined],
    [{ podGroupTemplateRef: null }, undefined],
    [{ podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 'a' } } }, undefined],
    [
      { podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 'b' } } },
      'PodGroup rejected: PodGroupTemplate "b" not found in Workload "w"',
    ],
    [
      { podGroupTemplateRef: { workload: { workloadName: 'gone', podGroupTemplateName: 'a' } } },
      'PodGroup rejected: Workload "gone" is being deleted',
    ],
    [
      { podGroupTemplateRef: { workload: { workloadName: 'none', podGroupTemplateName: 'a' } } },
      'PodGroup rejected: Workload "none" not found',
    ],
  ])('%j', async (of, why) => {
    const plugin = podGroupWorkloadExists(testCluster({ [`workloads.${group}`]: workloads }, on))
    const request = testRequest({ object: named('g', { spec: of }), name: 'g', namespace: 'ns', resource })
    const answer = await pluginOutcome(plugin, request)
    if (why === undefined) expect(answer).not.toBeTypeOf('string')
    else expect(answer).toBe(`podgroups.scheduling.k8s.io "g" is forbidden: ${why}`)
  })
})

describe('the parallelism of a job', () => {
  const owned = (uid: string): JsonObject => ({
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid, controller: true }],
  })
  const podgroups = [
    named('gang', { spec: { schedulingPolicy: { gang: { minCount: 2 } } } }, owned('1')),
    named('loose', { spec: { schedulingPolicy: { basic: {} } } }, owned('2')),
  ]
  const job = (parallelism: number, uid: string, podGroupName?: string): KubeObject => {
    const pod = podGroupName === undefined ? {} : { schedulingGroup: { podGroupName } }
    return named('j', { spec: { parallelism, template: { spec: pod } } }, { uid })
  }
  const why = 'cannot change parallelism for a Job referencing gang-scheduled PodGroup "gang"'
  test.each([
    ['that stays', job(1, '1'), job(1, '1'), undefined],
    ['of the owner of a gang', job(2, '1'), job(1, '1'), why],
    ['of the owner of another group', job(2, '2'), job(1, '2'), undefined],
    ['of a job without a group', job(2, '3'), job(1, '3'), undefined],
    ['of a template in a gang', job(2, '3', 'gang'), job(1, '3', 'gang'), why],
    ['of a template in another group', job(2, '1', 'loose'), job(1, '1', 'loose'), undefined],
    ['of a template in a group that is not there', job(2, '1', 'none'), job(1, '1', 'none'), undefined],
  ])('%s', async (_, object, oldObject, wanted) => {
    const plugin = jobValidation(testCluster({ [`podgroups.${group}`]: podgroups }, on))
    const jobs = { group: 'batch', version: 'v1', resource: 'jobs' }
    const request = { operation: 'UPDATE', object, oldObject, name: 'j', namespace: 'ns', resource: jobs } as const
    const answer = await pluginOutcome(plugin, testRequest(request))
    if (wanted === undefined) expect(answer).not.toBeTypeOf('string')
    else expect(answer).toBe(`jobs.batch "j" is forbidden: ${wanted}`)
  })
})

describe('the priority of a group', () => {
  const classes = [testObject('PriorityClass', 'high', { value: 1000 })]
  const preset = testObject('PriorityClass', 'usual', { value: 7, globalDefault: true })
  test.each<[JsonObject, KubeObject[], unknown]>([
    [{}, classes, { priority: 0 }],
    [{}, [...classes, preset], { priorityClassName: 'usual', priority: 7 }],
    [{ priorityClassName: 'high' }, classes, { priorityClassName: 'high', priority: 1000 }],
    [{ priorityClassName: 'high', priority: 1000 }, classes, { priorityClassName: 'high', priority: 1000 }],
    [
      { priorityClassName: 'high', priority: 3 },
      classes,
      'priority set in the pod group (3) must match the priority computed (1000) based on the priority class set in the spec',
    ],
    [{ priorityClassName: 'none' }, classes, 'no PriorityClass with name none was found'],
  ])('%j', async (spec, list, wanted) => {
    const plugin = priority(testCluster({ [`priorityclasses.${group}`]: list }, on))
    const answer = await pluginOutcome(plugin, testRequest({ object: named('g', { spec }), name: 'g', resource }))
    if (typeof wanted === 'string') expect(answer).toBe(`podgroups.scheduling.k8s.io "g" is forbidden: ${wanted}`)
    else expect((answer as KubeObject)['spec']).toEqual(wanted)
  })
})
