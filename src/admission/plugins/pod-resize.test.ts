import { expect, test } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import { pluginOutcome, testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { podResizeValidator } from './pod-resize.ts'

const allocatable = { cpu: '2', memory: '1Gi' }
const nodes = [
  testObject('Node', 'n', { status: { allocatable } }, { labels: { 'kubernetes.io/os': 'linux' } }),
  testObject('Node', 'unnamed', { status: { allocatable } }),
  testObject('Node', 'windows', { status: { allocatable } }, { labels: { 'kubernetes.io/os': 'windows' } }),
]
const both = ['release:resizeFitsNode', 'InPlacePodVerticalScaling']
const given = (gates: readonly string[] = both) => podResizeValidator(testCluster({ nodes }, { gates }))
const pod = (nodeName: string, cpu: string, memory = '1Mi', overhead: object = {}): KubeObject =>
  testObject('Pod', 'x', {
    spec: { nodeName, containers: [{ name: 'c', image: 'i', resources: { requests: { cpu, memory } } }], ...overhead },
    status: {},
  })
const full = "node didn't have enough allocatable resources: "

test.each([
  ['that fits', pod('n', '2'), undefined, undefined],
  ['on a node that does not name its system', pod('unnamed', '2'), undefined, undefined],
  ['on no node', pod('', '9'), undefined, undefined],
  ['on a node that is gone', pod('gone', '2'), 'node "gone" not found', undefined],
  ['of too many processors', pod('n', '2001m'), `${full}cpu, requested: 2001, allocatable: 2000`, 'NodeCapacity'],
  [
    'of too much of both',
    pod('n', '3', '2Gi'),
    `${full}cpu, requested: 3000, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824`,
    'NodeCapacity',
  ],
  [
    'that the runtime needs some of',
    pod('n', '2', '1Mi', { overhead: { cpu: '1' } }),
    `${full}cpu, requested: 3000, allocatable: 2000`,
    'NodeCapacity',
  ],
  [
    'on another system',
    pod('windows', '9'),
    'pod resize is only supported on linux nodes, node "windows" is "windows"',
    'UnsupportedPlatform',
  ],
])('a resize %s', async (_, object, why, cause) => {
  const oldObject = pod((object['spec'] as { nodeName: string }).nodeName, '1')
  const request = testRequest({ operation: 'UPDATE', object, oldObject, name: 'x', subresource: 'resize' })
  const answer = await pluginOutcome(given(), request)
  if (why === undefined) {
    expect(answer).not.toBeTypeOf('string')
    return
  }
  expect(answer).toBe(`pods "x" is forbidden: ${why}`)
  const refusal = await Promise.resolve()
    .then(() => given().validate?.(request))
    .catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(ApiError)
  expect((refusal as ApiError).status.details?.causes).toEqual(cause === undefined ? undefined : [{ reason: cause }])
})

test('what does not change fits', async () => {
  const request = testRequest({ operation: 'UPDATE', object: pod('n', '9'), oldObject: pod('n', '9') })
  expect(await pluginOutcome(given(), request)).not.toBeTypeOf('string')
})

test('it is asked about resizes, where the release and the gate have it', () => {
  const shape = { operation: 'UPDATE', group: '', resource: 'pods', subresource: 'resize' } as const
  expect(given().handles(shape)).toBe(true)
  expect(given().handles({ ...shape, subresource: '' })).toBe(false)
  for (const name of both) expect(given([name]).handles(shape)).toBe(false)
})
