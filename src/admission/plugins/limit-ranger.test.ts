/** What limit ranges give to containers, what they refuse, and what a pod asks for altogether. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { PodSpec } from '../../catalog/types/core-v1.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import { isBestEffort, podAmountsInSteps } from '../pod-resources.ts'
import { pluginOutcome, testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { limitRanger } from './limit-ranger.ts'

const range = (...limits: JsonObject[]): KubeObject =>
  testObject('LimitRange', 'r', { spec: limits.length === 0 ? {} : { limits } }, { namespace: 'ns' })
const container = (name: string, resources?: JsonObject): JsonObject => ({
  name,
  ...(resources === undefined ? {} : { resources }),
})
const pod = (spec: JsonObject): KubeObject => testObject('Pod', 'x', { spec })
const admit = (limits: KubeObject[], given: Partial<AdmissionRequest>) =>
  pluginOutcome(limitRanger(testCluster({ limitranges: limits })), testRequest(given))

describe('the defaults of a limit range', () => {
  const defaults = { type: 'Container', default: { cpu: '2', memory: '1Gi' }, defaultRequest: { cpu: '1' } }
  it('are given to containers that say nothing, with a note', async () => {
    const spec = {
      containers: [container('a'), container('b', { limits: { cpu: '3', memory: '2Gi' }, requests: { cpu: '1' } })],
      initContainers: [container('i', { requests: { cpu: '1' } })],
    }
    const found = (await admit([range(defaults)], { object: pod(spec) })) as KubeObject
    expect(found['spec']).toEqual({
      containers: [
        container('a', { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } }),
        container('b', { limits: { cpu: '3', memory: '2Gi' }, requests: { cpu: '1' } }),
      ],
      initContainers: [container('i', { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } })],
    })
    expect(found.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu request for container a; cpu, memory limit for container a; cpu, memory limit for init container i',
    })
  })

  it.each<[string, KubeObject[], JsonObject]>([
    ['that has none', [range()], { containers: [container('a')] }],
    ['of pods', [range({ ...defaults, type: 'Pod' })], { containers: [container('a')] }],
    [
      'that says no more',
      [range(defaults)],
      { containers: [container('a', { limits: { cpu: '1', memory: '1' }, requests: { cpu: '1' } })] },
    ],
  ])('%s are none', async (_, limits, spec) => {
    const object = pod(spec)
    expect(await admit(limits, { object })).toBe(object)
  })

  it('are given to each of thousands of containers, and bounds are those of each', async () => {
    const names = Array.from({ length: 3000 }, (_, i) => `c${i}`)
    const spec = { containers: names.map((name) => container(name)), initContainers: [container('i')] }
    const bounded = { ...defaults, max: { cpu: '2' } }
    const found = (await admit([range(bounded)], { object: pod(spec) })) as KubeObject
    const given = { limits: defaults.default, requests: defaults.defaultRequest }
    expect(found['spec']).toEqual({
      containers: names.map((name) => container(name, given)),
      initContainers: [container('i', given)],
    })
    const last = { ...spec, initContainers: [container('i', { limits: { cpu: '3', memory: '1' } })] }
    const why = 'pods "x" is forbidden: maximum cpu usage per Container is 2, but limit is 3'
    expect(await admit([range(bounded)], { object: pod(last) })).toBe(why)
  })

  it('are not for pods that are going, nor for claims', async () => {
    const object = pod({ containers: [container('a')] })
    const oldObject = testObject('Pod', 'x', {}, { deletionTimestamp: '2024-01-01T00:00:00Z' })
    expect(await admit([range(defaults)], { object, oldObject, operation: 'UPDATE' })).toBe(object)
    const resource = { group: '', version: 'v1', resource: 'persistentvolumeclaims' }
    const claim = testObject('PersistentVolumeClaim', 'x', { spec: {} })
    expect(await admit([range(defaults)], { object: claim, resource })).toBe(claim)
  })
})

describe('the bounds of a limit range', () => {
  const one = (resources?: JsonObject): JsonObject => ({ containers: [container('a', resources)] })
  const min = { type: 'Container', min: { cpu: '1' } }
  const max = { type: 'Container', max: { cpu: '2' } }
  const ratio = { type: 'Container', maxLimitRequestRatio: { cpu: '2' } }
  it.each<[string, JsonObject, JsonObject, string | undefined]>([
    ['are kept', min, one({ requests: { cpu: '1' }, limits: { cpu: '1' } }), undefined],
    ['want a request', min, one(), 'minimum cpu usage per Container is 1.  No request is specified'],
    [
      'want no smaller request',
      min,
      one({ requests: { cpu: '999m' } }),
      'minimum cpu usage per Container is 1, but request is 999m',
    ],
    [
      'want no smaller limit',
      min,
      one({ requests: { cpu: '1' }, limits: { cpu: '999m' } }),
      'minimum cpu usage per Container is 1, but limit is 999m',
    ],
    ['are reached', max, one({ requests: { cpu: '2' }, limits: { cpu: '2' } }), undefined],
    ['want a limit', max, one(), 'maximum cpu usage per Container is 2.  No limit is specified'],
    [
      'want no larger limit',
      max,
      one({ limits: { cpu: '2001m' } }),
      'maximum cpu usage per Container is 2, but limit is 2001m',
    ],
    [
      'want no larger request',
      max,
      one({ limits: { cpu: '2' }, requests: { cpu: '3' } }),
      'maximum cpu usage per Container is 2, but request is 3',
    ],
    ['hold a ratio', ratio, one({ limits: { cpu: '2' }, requests: { cpu: '1' } }), undefined],
    [
      'hold no larger ratio',
      ratio,
      one({ limits: { cpu: '3' }, requests: { cpu: '1' } }),
      'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    ],
    [
      'hold no ratio to nothing',
      ratio,
      one({ limits: { cpu: '3' }, requests: { cpu: '0' } }),
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
    [
      'hold no ratio without a limit',
      ratio,
      one({ requests: { cpu: '1' } }),
      'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
    ],
    [
      'look at init containers',
      min,
      { containers: [], initContainers: [container('i')] },
      'minimum cpu usage per Container is 1.  No request is specified',
    ],
    [
      'of a pod add up',
      { type: 'Pod', max: { cpu: '2' } },
      { containers: [container('a', { limits: { cpu: '1' } }), container('b', { limits: { cpu: '1500m' } })] },
      'maximum cpu usage per Pod is 2, but limit is 2500m',
    ],
    [
      'of a pod are kept',
      { type: 'Pod', max: { cpu: '2' } },
      { containers: [container('a', { limits: { cpu: '1' } })] },
      undefined,
    ],
    ['of claims are not for pods', { type: 'PersistentVolumeClaim', min: { storage: '1Gi' } }, one(), undefined],
  ])('%s', async (_, limit, spec, why) => {
    const object = pod(spec)
    const found = await admit([range(limit)], { object })
    if (why === undefined) expect(found).toBe(object)
    else expect(found).toBe(`pods "x" is forbidden: ${why}`)
  })

  it('are all told of', async () => {
    expect(await admit([range(min, max)], { object: pod(one()) })).toBe(
      'pods "x" is forbidden: [minimum cpu usage per Container is 1.  No request is specified, maximum cpu usage per Container is 2.  No limit is specified]',
    )
  })

  it.each<[JsonObject, string | undefined]>([
    [{ storage: '5Gi' }, undefined],
    [{ storage: '1Gi' }, undefined],
    [{ storage: '10Gi' }, undefined],
    [{ storage: '1Mi' }, 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi'],
    [{ storage: '11Gi' }, 'maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 11Gi'],
    [
      {},
      '[minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified, maximum storage usage per PersistentVolumeClaim is 10Gi.  No request is specified]',
    ],
  ])('of claims: %j', async (requests, why) => {
    const resource = { group: '', version: 'v1', resource: 'persistentvolumeclaims' }
    const object = testObject('PersistentVolumeClaim', 'x', { spec: { resources: { requests } } })
    const limits = [range({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '10Gi' } }, min)]
    const found = await admit(limits, { object, resource })
    if (why === undefined) expect(found).toBe(object)
    else expect(found).toBe(`persistentvolumeclaims "x" is forbidden: ${why}`)
  })

  it('are not for what is going', async () => {
    const object = pod(one())
    const oldObject = testObject('Pod', 'x', {}, { deletionTimestamp: '2024-01-01T00:00:00Z' })
    expect(await admit([range(min)], { object, oldObject, operation: 'UPDATE' })).toBe(object)
  })
})

it.each<['CREATE' | 'UPDATE' | 'DELETE', string, string, string, boolean]>([
  ['CREATE', '', 'pods', '', true],
  ['UPDATE', '', 'pods', '', false],
  ['UPDATE', '', 'pods', 'resize', true],
  ['CREATE', '', 'pods', 'eviction', false],
  ['CREATE', '', 'persistentvolumeclaims', '', true],
  ['UPDATE', '', 'persistentvolumeclaims', '', true],
  ['UPDATE', '', 'persistentvolumeclaims', 'status', false],
  ['DELETE', '', 'persistentvolumeclaims', '', false],
  ['CREATE', 'apps', 'pods', '', false],
  ['CREATE', '', 'services', '', false],
])('limit ranges are for %s of %s %s %s: %s', (operation, group, resource, subresource, expected) => {
  expect(limitRanger(testCluster()).handles({ operation, group, resource, subresource })).toBe(expected)
})

describe('what a pod asks for', () => {
  const requests = (cpu: string, more: JsonObject = {}): JsonObject => ({
    name: 'c',
    resources: { requests: { cpu } },
    ...more,
  })
  const sidecar = (cpu: string): JsonObject => requests(cpu, { restartPolicy: 'Always' })
  it.each<[string, JsonObject, boolean, string | undefined]>([
    ['adds up', { containers: [requests('1'), requests('2')] }, false, '3'],
    [
      'is at least that of its largest init container',
      { containers: [requests('1')], initContainers: [requests('2'), requests('5')] },
      false,
      '5',
    ],
    ['is more than that of small ones', { containers: [requests('4')], initContainers: [requests('2')] }, false, '4'],
    [
      'has side-cars with all',
      { containers: [requests('1')], initContainers: [sidecar('1'), requests('1')] },
      false,
      '2',
    ],
    [
      'has side-cars with later init containers',
      { containers: [requests('1')], initContainers: [sidecar('1'), requests('5')] },
      false,
      '6',
    ],
    [
      'has no side-cars with earlier ones',
      { containers: [requests('1')], initContainers: [requests('5'), sidecar('1')] },
      false,
      '5',
    ],
    ['has its overhead', { containers: [requests('1')], overhead: { cpu: '2' } }, true, '3'],
    ['has none where nobody asks', { containers: [requests('1')], overhead: { cpu: '2' } }, false, '1'],
    ['is only its overhead', { containers: [], overhead: { cpu: '2' } }, true, '2'],
    ['is nothing', {}, true, undefined],
  ])('%s', (_, spec, overhead, expected) => {
    expect(
      runToEnd(podAmountsInSteps(spec as unknown as PodSpec, 'requests', { overhead }))
        .get('cpu')
        ?.toString(),
    ).toBe(expected)
  })

  it.each<[string, JsonObject | undefined, string | undefined]>([
    ['has its overhead where it is limited', { limits: { cpu: '1' } }, '3'],
    ['has none where it is limited to nothing', { limits: { cpu: '0' } }, '0'],
    ['has none where it is not limited', undefined, undefined],
  ])('at most %s', (_, resources, expected) => {
    const spec = { containers: [container('a', resources)], overhead: { cpu: '2' } } as unknown as PodSpec
    expect(
      runToEnd(podAmountsInSteps(spec, 'limits', { overhead: true }))
        .get('cpu')
        ?.toString(),
    ).toBe(expected)
  })

  it.each<[string, JsonObject, boolean]>([
    ['nothing', { containers: [container('a')] }, true],
    ['no computing', { containers: [container('a', { requests: { cpu: '0' }, limits: { storage: '1' } })] }, true],
    ['computing', { containers: [container('a', { requests: { cpu: '1m' } })] }, false],
    ['memory at most', { containers: [container('a', { limits: { memory: '1' } })] }, false],
    [
      'computing of init containers',
      { containers: [], initContainers: [container('a', { requests: { cpu: '1' } })] },
      false,
    ],
  ])('%s is best effort or not', (_, spec, expected) => {
    expect(isBestEffort({ spec: spec as unknown as PodSpec })).toBe(expected)
  })
})
