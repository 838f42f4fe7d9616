import { describe, expect, it } from 'vitest'
import type { Node, Pod } from '../objects.ts'
import { PodAdmission } from './pod-admission.ts'

const node = (allocatable: object | undefined, spec: object = {}): Node =>
  ({
    metadata: { name: 'n', labels: { 'kubernetes.io/hostname': 'n', disk: 'ssd' } },
    spec,
    status: allocatable === undefined ? {} : { allocatable },
  }) as unknown as Node

const small = { cpu: '2', memory: '1Gi', pods: '3', 'example.com/gpu': '1' }

const pod = (name: string, requests: object, spec: object = {}): Pod =>
  ({
    metadata: { name, namespace: 'default', uid: `uid-${name}`, labels: (spec as { labels?: object }).labels },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i', resources: { requests }, ...spec }], ...spec },
    status: {},
  }) as unknown as Pod

const fresh = (): PodAdmission => new PodAdmission({ podLevelResources: true, inPlaceResize: true })

describe('admission by a kubelet', () => {
  const affinity = (value: string) => ({ nodeSelector: { disk: value } })
  const cases: readonly [string, Pod, reason: string | undefined, message?: string][] = [
    ['fits', pod('a', { cpu: '1' }), undefined],
    [
      'cpu',
      pod('a', { cpu: '1500m' }),
      'OutOfcpu',
      "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
    ],
    [
      'memory',
      pod('a', { memory: '2Gi' }),
      'OutOfmemory',
      "Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
    ],
    ['a device that there is', pod('a', { 'example.com/gpu': '2' }), 'OutOfexample.com/gpu'],
    ['a device that is not of the node', pod('a', { 'example.com/else': '2' }), undefined],
    ['its selector', pod('a', {}, affinity('ssd')), undefined],
    [
      'another selector',
      pod('a', {}, affinity('hdd')),
      'NodeAffinity',
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    ['a port that is free', pod('a', {}, { ports: [{ containerPort: 1, hostPort: 81 }] }), undefined],
    ['a port that is taken', pod('a', {}, { ports: [{ containerPort: 1, hostPort: 80 }] }), 'NodePorts'],
    ['another system', pod('a', {}, { os: { name: 'windows' } }), 'PodOSNotSupported'],
  ]
  for (const [name, asked, reason, message] of cases) {
    it(name, () => {
      const admission = fresh()
      admission.adopt(pod('other', { cpu: '1' }, { ports: [{ containerPort: 1, hostPort: 80 }] }), node(small))
      const rejection = admission.admit(asked, node(small))
      expect(rejection?.reason).toBe(reason)
      if (message !== undefined) expect(rejection?.message).toBe(message)
    })
  }

  it('counts what it took, until that is released', () => {
    const admission = fresh()
    const admit = (name: string) => admission.admit(pod(name, {}), node(small))?.reason
    expect(['a', 'b', 'c', 'c', 'd'].map(admit)).toEqual([undefined, undefined, undefined, undefined, 'OutOfpods'])
    admission.release('uid-a')
    admission.release('uid-nobody')
    expect(admit('d')).toBeUndefined()
    for (const name of ['b', 'c', 'd']) admission.release(`uid-${name}`)
    expect(['a', 'b', 'c'].map(admit)).toEqual([undefined, undefined, undefined])
  })

  it('resizes what it took: at once, when there is room, or never', () => {
    const admission = fresh()
    const admit = (name: string) => admission.admit(pod(name, { cpu: '800m', memory: '256Mi' }), node(small))
    expect([admit('a'), admit('b')]).toEqual([undefined, undefined])
    const resize = (cpu: string, memory = '256Mi') => admission.resize(pod('a', { cpu, memory }), node(small))
    expect(resize('1')).toBeUndefined()
    expect(resize('3')).toEqual({
      reason: 'Infeasible',
      message: "Node didn't have enough capacity: cpu, requested: 3000, capacity: 2000",
    })
    expect(resize('3', '9Gi')?.message).toMatch(/^Node didn't have enough capacity: memory, requested: \d+, capacity: /)
    const deferred = {
      reason: 'Deferred',
      message: "Node didn't have enough resource: cpu, requested: 1500, used: 800, capacity: 2000",
    }
    expect(resize('1500m')).toEqual(deferred)
    expect(admission.admit(pod('c', { cpu: '300m' }), node(small))?.message).toMatch(/used: 1800/)
    admission.release('uid-b')
    expect(resize('1500m')).toBeUndefined()
    expect(admission.admit(pod('c', { cpu: '600m' }), node(small))?.message).toMatch(/used: 1500/)
  })

  it('keeps pods off that do not tolerate what ends them', () => {
    const taints = (effect: string) => node(small, { taints: [{ key: 'k', effect }] })
    expect(fresh().admit(pod('a', {}), taints('NoExecute'))?.reason).toBe('TaintToleration')
    expect(fresh().admit(pod('a', {}), taints('NoSchedule'))).toBeUndefined()
  })

  it('lets everything on a node that does not say what it has', () => {
    expect(fresh().admit(pod('a', { cpu: '100' }), node(undefined))).toBeUndefined()
  })
})
