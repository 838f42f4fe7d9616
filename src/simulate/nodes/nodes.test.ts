import { describe, expect, it } from 'vitest'
import type { NodeSystemInfo } from '../../catalog/types/core-v1.ts'
import type { Node } from '../objects.ts'
import {
  internalAddress,
  isFailedNode,
  isRegistered,
  isSimulated,
  newNode,
  nodeLease,
  reportedStatus,
  withMarks,
} from './node-object.ts'
import { PodAddresses } from './pod-addresses.ts'

const shape = { cpu: '16', memory: '64Gi', pods: 110, zones: 2, labels: {} }
const now = Date.parse('2026-01-01T00:00:00Z')
const plain = (more: Partial<Node> = {}): Node => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, ...more })
const annotated = (annotations: Record<string, string>): Node => plain({ metadata: { name: 'n', annotations } })

const ofKubelet = (kubeletVersion: string) => ({ kubeletVersion }) as NodeSystemInfo

describe('whose node it is', () => {
  it.each<[string, Node, boolean]>([
    ['an object alone', plain(), true],
    ['of a kubelet', plain({ status: { nodeInfo: ofKubelet('v1.33.1') } }), false],
    [
      'marked, of a kubelet',
      { ...annotated({ 'kwok.x-k8s.io/node': 'fake' }), status: { nodeInfo: ofKubelet('fake') } },
      true,
    ],
    ['kept off', annotated({ 'kwok.x-k8s.io/node': 'real' }), false],
  ])('%s', (_, node, expected) => expect(isSimulated(node)).toBe(expected))
})

describe('what a kubelet reports', () => {
  const report = (node: Node) => reportedStatus(node, { shape, address: internalAddress(0), now })

  it('fills in what is not given, and keeps what is', () => {
    const given = plain({ status: { capacity: { cpu: '2' }, addresses: [{ type: 'InternalIP', address: '1.2.3.4' }] } })
    expect(report(given)).toMatchObject({
      capacity: { cpu: '2', memory: '64Gi', pods: '110' },
      allocatable: { cpu: '2', memory: '64Gi' },
      addresses: [{ address: '1.2.3.4' }],
    })
    expect(report(plain()).addresses?.[0]).toEqual({ type: 'InternalIP', address: '172.30.0.1' })
  })

  it('keeps transitions, and conditions of others', () => {
    const other = { type: 'Other', status: 'True', lastHeartbeatTime: null, lastTransitionTime: null }
    const first = report(plain({ status: { conditions: [other] } }))
    const again = reportedStatus(plain({ status: first }), { shape, address: '', now: now + 60_000 })
    const ready = again.conditions?.find(({ type }) => type === 'Ready')
    expect(ready).toMatchObject({
      lastTransitionTime: '2026-01-01T00:00:00Z',
      lastHeartbeatTime: '2026-01-01T00:01:00Z',
    })
    expect(again.conditions?.map(({ type }) => type)).toContain('Other')
  })

  it('tells of pressure', () => {
    const status = report(annotated({ 'simulate.pilothouse.dev/pressure': 'memory,pid' }))
    const pressed = status.conditions?.filter(({ type, status: is }) => type.endsWith('Pressure') && is === 'True')
    expect(pressed?.map(({ type }) => type)).toEqual(['MemoryPressure', 'PIDPressure'])
  })
})

it('marks a node as its own, without the taint of new nodes, and with that of others', () => {
  const taints = [
    { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    { key: 'gpu', effect: 'NoSchedule' },
  ]
  const marked = withMarks(plain({ spec: { taints } }))
  expect(marked.spec?.taints).toEqual([taints[1]])
  expect(marked.metadata.labels).toMatchObject({ 'kubernetes.io/hostname': 'n', 'kubernetes.io/os': 'linux' })
  const made = { ...withMarks(newNode(3, shape)), status: reportedStatus(plain(), { shape, address: '', now }) }
  expect(made.metadata).toMatchObject({ name: 'node-4', labels: { 'topology.kubernetes.io/zone': 'zone-b' } })
  expect([isRegistered(made), isRegistered(plain()), isFailedNode(made)]).toEqual([true, false, false])
  expect(isFailedNode(annotated({ 'simulate.pilothouse.dev/failed': 'true' }))).toBe(true)
})

it('leases belong to their node', () => {
  expect(nodeLease(plain({ metadata: { name: 'n', uid: 'u' } }), 40, now)).toMatchObject({
    metadata: { namespace: 'kube-node-lease', ownerReferences: [{ kind: 'Node', uid: 'u' }] },
    spec: { holderIdentity: 'n', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' },
  })
})

describe('addresses of pods', () => {
  it('are those of the range, none twice, and again when they are free', () => {
    const addresses = new PodAddresses()
    const range = '10.1.2.0/29'
    const first = ['a', 'b', 'c', 'd', 'e', 'f'].map((uid) => addresses.take(uid, range))
    expect(first).toEqual([1, 2, 3, 4, 5, 6].map((host) => `10.1.2.${host}`))
    expect(addresses.take('g', range)).toBe('10.128.0.1')
    addresses.release('c')
    expect(addresses.take('h', range)).toBe('10.1.2.3')
    expect([addresses.of('h'), addresses.of('c')]).toEqual(['10.1.2.3', undefined])
  })

  it('that pods have already are not given', () => {
    const addresses = new PodAddresses()
    addresses.hold('old', '10.1.2.1')
    expect(addresses.take('new', '10.1.2.0/24')).toBe('10.1.2.2')
    expect(addresses.take('other', undefined)).toBe('10.128.0.1')
  })
})
