import { expect, test } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { pluginOutcome, testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { nodeDeclaredFeatures } from './node-declared-features.ts'

const whole = 'InPlacePodLevelResourcesVerticalScaling'
const nodes = [
  testObject('Node', 'plain', {}),
  testObject('Node', 'able', { status: { declaredFeatures: ['A', whole, 'GuaranteedQoSPodCPUResize'] } }),
]
const given = (...gates: string[]) => nodeDeclaredFeatures(testCluster({ nodes }, { gates }))
const pod = (nodeName: string, cpu: string, more: object = {}): KubeObject =>
  testObject('Pod', 'x', {
    spec: { nodeName, containers: [{ name: 'c', image: 'i' }], resources: { requests: { cpu } }, ...more },
    status: {},
  })
const guaranteed = (cpu: string): KubeObject => ({
  ...pod('plain', '1', { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] }),
  status: { qosClass: 'Guaranteed' },
})

const missing = (feature: string): string =>
  `pod update requires features ${feature} which are not available on node "plain"`

test.each([
  ['nothing is needed', pod('plain', '1'), pod('plain', '1'), undefined],
  ['a pod that is on no node', pod('', '1'), pod('', '2'), undefined],
  ['a node that says so', pod('able', '1'), pod('able', '2'), undefined],
  ['a node that does not', pod('plain', '1'), pod('plain', '2'), missing(whole)],
  ['a node that is gone', pod('gone', '1'), pod('gone', '2'), 'node "gone" not found'],
  ['processors of a guaranteed pod', guaranteed('1'), guaranteed('2'), missing('GuaranteedQoSPodCPUResize')],
  ['the same written otherwise', guaranteed('1'), guaranteed('1000m'), undefined],
])('%s', async (_what, oldObject, object, why) => {
  const request = testRequest({ operation: 'UPDATE', object, oldObject, subresource: 'resize' })
  const answer = await pluginOutcome(given('NodeDeclaredFeatures'), request)
  if (why === undefined) expect(answer).not.toBeTypeOf('string')
  else expect(answer).toContain(why)
})

test('a release may need less', async () => {
  const request = testRequest({ operation: 'UPDATE', object: guaranteed('2'), oldObject: guaranteed('1') })
  const plugin = given('NodeDeclaredFeatures', 'release:noCpuResizeFeature')
  expect(await pluginOutcome(plugin, request)).not.toBeTypeOf('string')
})

test('it is asked about updates and resizes, where its gate is on', () => {
  const shape = { operation: 'UPDATE', group: '', resource: 'pods', subresource: 'resize' } as const
  expect(given('NodeDeclaredFeatures').handles(shape)).toBe(true)
  expect(given('NodeDeclaredFeatures').handles({ ...shape, subresource: 'status' })).toBe(false)
  expect(given().handles(shape)).toBe(false)
})
